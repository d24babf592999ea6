"""Thresholds, label sets and parameters set after training."""

from subsel.literature.models.decisions.cut_points import largest_mcc_cut, least_ber_cut
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.literature.models.decisions.label_powerset import LabelPowerset
from subsel.literature.models.decisions.pattern_search import PatternTuned, pattern_search
from subsel.literature.models.decisions.self_training import SelfTraining
from subsel.literature.models.decisions.shortlist import ShortlistClassifier

__all__ = [
    "DecisionThreshold",
    "LabelPowerset",
    "PatternTuned",
    "SelfTraining",
    "ShortlistClassifier",
    "largest_mcc_cut",
    "least_ber_cut",
    "pattern_search",
]
