"""Evaluators that compute batches of qualities on a device."""
