"""Inputs made by hand: scalings, counts, powers, products and ratios, hidden units."""

from subsel.construct.inputs.hidden_units import HiddenUnits
from subsel.construct.inputs.monomials import Monomials
from subsel.construct.inputs.normalisation import MeanNormScaler, StabilisedScaler
from subsel.construct.inputs.operators import OPERATORS, operator
from subsel.construct.inputs.power import PowerChoice
from subsel.construct.inputs.rare_counts import RareCounts
from subsel.construct.inputs.row_column import RowColumnScaling
from subsel.construct.inputs.searched import SearchedMonomials

__all__ = [
    "OPERATORS",
    "HiddenUnits",
    "MeanNormScaler",
    "Monomials",
    "PowerChoice",
    "RareCounts",
    "RowColumnScaling",
    "SearchedMonomials",
    "StabilisedScaler",
    "operator",
]
