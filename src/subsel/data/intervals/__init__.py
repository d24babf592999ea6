"""Discretisers, which divide numbers into intervals, and tables of codes."""

from subsel.data.intervals.base import Discretiser
from subsel.data.intervals.equal import EqualFrequency, EqualWidth
from subsel.data.intervals.mdl import MDL
from subsel.data.intervals.modl import MODL
from subsel.data.intervals.ssv import SSV
from subsel.data.intervals.tree_cuts import TreeCuts
from subsel.data.intervals.two_gaussians import TwoGaussians

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
