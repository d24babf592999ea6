"""Compiled loops of linear models: sweeps, sums by fold, hits of many subsets, lassos."""
