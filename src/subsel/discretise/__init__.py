"""Numbers as intervals: discretisers, and tables of codes."""

from subsel.discretise.base import Discretiser
from subsel.discretise.equal import EqualFrequency, EqualWidth
from subsel.discretise.mdl import MDL
from subsel.discretise.modl import MODL
from subsel.discretise.ssv import SSV
from subsel.discretise.tree_cuts import TreeCuts
from subsel.discretise.two_gaussians import TwoGaussians

__all__ = [
    "MDL",
    "MODL",
    "SSV",
    "Discretiser",
    "EqualFrequency",
    "EqualWidth",
    "TreeCuts",
    "TwoGaussians",
]
