"""New features from old: discretisers."""
