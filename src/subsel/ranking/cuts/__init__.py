"""Rules that say how many columns of a ranking to keep."""

from subsel.ranking.cuts.by_evidence import max_permutation_p_value
from subsel.ranking.cuts.by_rank import gap_sizes
from subsel.ranking.cuts.cross_validation import ValidatedSize, validated_size
from subsel.ranking.cuts.multiple_testing import bonferroni, q_values, uniformity_p_value
from subsel.ranking.cuts.probe_p_values import probe_fdr, probe_p_value
from subsel.ranking.cuts.probe_risk import n_within_risk, probe_risk, sampled_probe_risk
from subsel.ranking.cuts.probe_scores import Probing, probe
from subsel.ranking.cuts.registry import CUTS, find_cut

__all__ = [
    "CUTS",
    "Probing",
    "ValidatedSize",
    "bonferroni",
    "find_cut",
    "gap_sizes",
    "max_permutation_p_value",
    "n_within_risk",
    "probe",
    "probe_fdr",
    "probe_p_value",
    "probe_risk",
    "q_values",
    "sampled_probe_risk",
    "uniformity_p_value",
    "validated_size",
]
