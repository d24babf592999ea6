"""Learners by their short names, and how much a trained model uses each column."""
