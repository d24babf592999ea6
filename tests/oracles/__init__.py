"""Slow, obviously right versions."""
