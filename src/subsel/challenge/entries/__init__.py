"""The entries, one a file, each as its chapter has it."""

from subsel.challenge.entries.f_score_svm import FScoreSVM
from subsel.challenge.entries.forest_rlsc import ForestRLSC
from subsel.challenge.entries.subsel_race import SubselRace

__all__ = ["FScoreSVM", "ForestRLSC", "SubselRace"]
