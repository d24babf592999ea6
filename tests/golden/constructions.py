"""Every transformer that makes new columns, and every discretiser."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge

from subsel import SubsetSelector, construct
from subsel.data import intervals as room
from subsel.literature import embedding, information, sequences, spectra
from tests.golden import data
from tests.golden.record import Configuration

SEQUENCES = ["acdkacdk", "kkacd", "cadak", "dddkacc", "ac", "kadackad"]
PEAKS = 60  # columns of the spectra


def _spectra() -> data.Rows:
    rng = np.random.default_rng(13)
    where = np.arange(PEAKS)
    places, heights = rng.integers(5, 55, size=(21, 4)), rng.uniform(1, 9, size=(21, 4))
    bumps = np.exp(-0.5 * ((where - places[..., None]) / 1.5) ** 2) * heights[..., None]
    y = np.arange(21) % 2
    return bumps.sum(axis=1) + 0.02 * where + 0.1 + 0.05 * rng.random((21, PEAKS)), y


# constructors with settings, where the defaults do not suit a small problem or there are none
SETTINGS: dict[str, list[Any]] = {
    "BaselineRemoval": [spectra.BaselineRemoval(window=11)],
    "BlockMeans": [spectra.BlockMeans(7)],
    "HiddenUnits": [construct.HiddenUnits((3,), max_iter=30, random_state=0)],
    "InformationBottleneck": [information.InformationBottleneck(random_state=0)],
    "InformationProjection": [
        information.InformationProjection(2, estimate, max_iter=5)
        for estimate in ("quadratic", "neighbours")
    ],
    "KernelLatentFeatures": [
        construct.KernelLatentFeatures(2, kernel_params={"gamma": 0.1}),
        construct.KernelLatentFeatures(2, "logistic", kernel_params={"gamma": 0.1}),
    ],
    "LatentFeatures": [construct.LatentFeatures(2), construct.LatentFeatures(2, "logistic")],
    "LatentFeaturesCV": [construct.LatentFeaturesCV(max_components=3, cv=3)],
    "Monomials": [construct.Monomials(), construct.Monomials(3, repeated=True)],
    "MotifCounts": [sequences.MotifCounts(["ac", "k.d", "[cd]a"])],
    "NystromEmbedding": [
        embedding.NystromEmbedding(),
        embedding.NystromEmbedding("laplacian-eigenmaps"),
    ],
    "PSSMScores": [sequences.PSSMScores([np.array([[1.0, -1], [-1, 1]])], "ac", max_p=0.5)],
    "PeakAlignment": [spectra.PeakAlignment(4)],
    "PeakHeights": [spectra.PeakHeights(reach=2)],
    "SearchedMonomials": [
        construct.SearchedMonomials(SubsetSelector(Ridge(), "sfs", n_features=3, random_state=0))
    ],
    "EqualFrequency": [room.EqualFrequency(4)],
    "EqualWidth": [room.EqualWidth(4)],
    "MODL": [room.MODL(), room.MODL(exact=True)],
    "SSV": [room.SSV(), room.SSV(degree=0.3, strict=True)],
    "TreeCuts": [room.TreeCuts(4), room.TreeCuts(4, "entropy")],
}
SPECTRAL = {"BaselineRemoval", "BlockMeans", "ExponentialSmoothing", "HaarWavelets"}
SPECTRAL |= {"HeightNormalisation", "LowPass", "PeakAlignment", "PeakHeights", "Quantisation"}
SPECTRAL |= {"SoftThreshold"}
ABSTRACT = {"Discretiser"}
TRANSFORMERS = {
    name: getattr(package, name)
    for package in (construct, embedding, information, sequences, spectra)
    for name in package.__all__
    if hasattr(getattr(package, name), "transform")
}


def _problem(name: str) -> tuple[Any, Any]:
    if name in ("MotifCounts", "PSSMScores"):
        return SEQUENCES, None
    if name in SPECTRAL:
        return _spectra()
    if name in ("InformationBottleneck", "RareCounts", "RowColumnScaling"):
        return data.codes()
    if name == "SearchedMonomials":
        return data.quantity(n_columns=6)
    return data.two_classes(41, 6)


def made(name: str) -> dict[str, Any]:
    """The first and last rows of what a transformer makes."""
    X, y = _problem(name)
    found = {}
    for i, transformer in enumerate(SETTINGS.get(name) or [TRANSFORMERS[name]()]):
        table = transformer.fit(X, y).transform(X)
        table = table.toarray() if hasattr(table, "toarray") else np.asarray(table)
        found[str(i)] = {"rows": np.concatenate([table[:4], table[-2:]]), "shape": table.shape}
    return found


def cuts(name: str) -> dict[str, Any]:
    """The cut points of a discretiser on numbers of three classes, counts and missing values."""
    X, y, _ = data.mixed()
    found = {}
    for i, discretiser in enumerate(SETTINGS.get(name) or [getattr(room, name)()]):
        discretiser.fit(X, y)
        found[str(i)] = {"cuts": discretiser.cut_points_, "codes": discretiser.transform(X[:5])}
        if name != "TreeCuts":
            found[f"{i}, missing values"] = {
                "cuts": discretiser.fit(data.with_gaps(X), y).cut_points_
            }
    return found


CONFIGURATIONS: dict[str, Configuration] = {
    **{f"construct/{name}": partial(made, name) for name in TRANSFORMERS},
    **{f"discretise/{name}": partial(cuts, name) for name in room.__all__ if name not in ABSTRACT},
}
