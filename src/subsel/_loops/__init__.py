"""How the arithmetic that numpy cannot do well is carried out: compiled loops, device kernels. Private."""
