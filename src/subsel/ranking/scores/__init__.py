"""Scores of single columns, in families by what they compute."""
