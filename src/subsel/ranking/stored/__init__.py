"""Rankings of tables larger than memory."""
