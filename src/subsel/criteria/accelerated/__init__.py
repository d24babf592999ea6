"""Criteria that evaluate batches on a device."""
