"""How many features of a ranking to keep: rules, p-values, probes, cross-validation."""
