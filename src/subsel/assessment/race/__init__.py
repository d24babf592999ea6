"""A race of complete procedures: each selects and learns in every fold; the best is refitted."""

from subsel.assessment.race.bias_corrected_cv import bias_corrected
from subsel.assessment.race.contender import Contender, Standing
from subsel.assessment.race.preference import preferred_option
from subsel.assessment.race.rounds import Race, race

__all__ = [
    "Contender",
    "Race",
    "Standing",
    "bias_corrected",
    "preferred_option",
    "race",
]
