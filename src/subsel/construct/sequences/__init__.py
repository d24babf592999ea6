"""Sequences of letters as tables: motifs counted through a trie, matches of position-specific scores."""

from subsel.construct.sequences.kernel import motif_kernel
from subsel.construct.sequences.motifs import MotifCounts
from subsel.construct.sequences.pssm import PSSMScores
from subsel.construct.sequences.trie import MotifTrie, parse_motif

__all__ = ["MotifCounts", "MotifTrie", "PSSMScores", "motif_kernel", "parse_motif"]
