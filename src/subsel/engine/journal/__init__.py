"""Records of a run on disk, from which it is resumed."""
