"""Features of sequences: motifs and position-specific scores."""

from subsel.literature.sequences.kernel import motif_kernel
from subsel.literature.sequences.motifs import MotifCounts, MotifTrie, parse_motif
from subsel.literature.sequences.pssm import PSSMScores

__all__ = [
    "MotifCounts",
    "MotifTrie",
    "PSSMScores",
    "motif_kernel",
    "parse_motif",
]
