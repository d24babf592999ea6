"""Tables that stay where they are stored: opened, read in batches, sampled."""
