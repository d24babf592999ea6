"""Spectra: rows whose columns are neighbouring bins."""

from subsel.construct.spectra.alignment import PeakAlignment
from subsel.construct.spectra.baseline import BaselineRemoval
from subsel.construct.spectra.block_means import BlockMeans
from subsel.construct.spectra.haar import HaarWavelets
from subsel.construct.spectra.height import HeightNormalisation
from subsel.construct.spectra.levels import Quantisation, SoftThreshold
from subsel.construct.spectra.low_pass import LowPass
from subsel.construct.spectra.peaks import PeakHeights
from subsel.construct.spectra.pipeline import mass_spectra
from subsel.construct.spectra.smoothing import ExponentialSmoothing

__all__ = [
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
]
