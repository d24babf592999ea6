"""Preparation of spectra."""

from subsel.literature.spectra.alignment import PeakAlignment
from subsel.literature.spectra.baseline import BaselineRemoval
from subsel.literature.spectra.block_means import BlockMeans
from subsel.literature.spectra.haar import HaarWavelets
from subsel.literature.spectra.height import HeightNormalisation
from subsel.literature.spectra.levels import Quantisation, SoftThreshold
from subsel.literature.spectra.low_pass import LowPass
from subsel.literature.spectra.operators import OPERATORS, operator
from subsel.literature.spectra.peaks import PeakHeights
from subsel.literature.spectra.pipeline import mass_spectra
from subsel.literature.spectra.smoothing import ExponentialSmoothing

__all__ = [
    "OPERATORS",
    "BaselineRemoval",
    "BlockMeans",
    "ExponentialSmoothing",
    "HaarWavelets",
    "HeightNormalisation",
    "LowPass",
    "PeakAlignment",
    "PeakHeights",
    "Quantisation",
    "SoftThreshold",
    "mass_spectra",
    "operator",
]
