"""What a search may ask: the quality of subsets, the relevance of columns."""
