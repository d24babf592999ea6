"""Preparation of spectra."""

from subsel.literature.spectra.alignment import PeakAlignment
from subsel.literature.spectra.baseline import BaselineRemoval
from subsel.literature.spectra.levels import HeightNormalisation, Quantisation, SoftThreshold
from subsel.literature.spectra.neighbouring_blocks import BlockMeans, HaarWavelets
from subsel.literature.spectra.peaks import PeakHeights
from subsel.literature.spectra.pipeline import mass_spectra
from subsel.literature.spectra.smoothing import ExponentialSmoothing, LowPass

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
