"""Scores of single features from the data alone, and the cuts that turn a ranking into a choice."""
