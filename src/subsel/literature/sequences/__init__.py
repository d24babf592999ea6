"""Features of sequences: motifs and position-specific scores."""

from subsel.literature.sequences.kernel import motif_kernel
from subsel.literature.sequences.motifs import MotifCounts
from subsel.literature.sequences.pssm import PSSMScores

__all__ = [
    "MotifCounts",
    "PSSMScores",
    "motif_kernel",
]
