"""Scalings, powers, products and hidden units as new columns."""

from subsel.construct.inputs.hidden_units import HiddenUnits
from subsel.construct.inputs.monomial_search import SearchedMonomials
from subsel.construct.inputs.monomials import Monomials
from subsel.construct.inputs.normalisation import MeanNormScaler, StabilisedScaler
from subsel.construct.inputs.power import PowerChoice
from subsel.construct.inputs.rare_counts import RareCounts
from subsel.construct.inputs.row_column import RowColumnScaling

__all__ = [
    "HiddenUnits",
    "MeanNormScaler",
    "Monomials",
    "PowerChoice",
    "RareCounts",
    "RowColumnScaling",
    "SearchedMonomials",
    "StabilisedScaler",
]
