"""Compiled loops over columns: counts, sums, entropies, laws of statistics."""
