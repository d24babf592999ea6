"""What the commands run: files in, documents out."""
