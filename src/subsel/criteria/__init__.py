"""How good is a subset? One file per judge."""
