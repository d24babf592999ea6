"""Stored answers of many small configurations, to see that a change of structure changes no result."""
