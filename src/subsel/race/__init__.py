"""A race of whole procedures: each selects and learns anew in every fold, poor ones are dropped, the best are refitted."""

from subsel.race.bias_corrected import BiasCorrected, bias_corrected
from subsel.race.committee import CommitteeClassifier, CommitteeRegressor
from subsel.race.contender import Contender, Standing
from subsel.race.preference import preferred
from subsel.race.running import Race, race

__all__ = [
    "BiasCorrected",
    "CommitteeClassifier",
    "CommitteeRegressor",
    "Contender",
    "Race",
    "Standing",
    "bias_corrected",
    "preferred",
    "race",
]
