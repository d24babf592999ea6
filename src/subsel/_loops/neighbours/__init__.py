"""Compiled loops over pairs of rows: distances, votes of the nearest, margins, Relief."""
