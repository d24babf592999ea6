"""Compiled loops over columns: counts, sums, entropies, statistics of distributions."""
