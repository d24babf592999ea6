"""Faults at any moment: what the journal promises holds."""
