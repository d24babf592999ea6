"""Compiled loops of trees: splits, surrogates, predictions."""
