"""Compiled loops and devices, for arithmetic that numpy cannot do well; private."""
