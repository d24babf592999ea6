"""Ranking tables that are larger than memory."""
