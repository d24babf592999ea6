"""Where to look next? One file per family of strategies."""
