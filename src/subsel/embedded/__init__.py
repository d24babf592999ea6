"""Models that select while they learn."""
