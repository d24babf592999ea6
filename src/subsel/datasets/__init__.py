"""Problems with known answers, real data, and their loaders."""
