"""Malformed files of every format, and what must become of each."""
