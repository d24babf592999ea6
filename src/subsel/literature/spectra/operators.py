"""Operators of preprocessing and feature construction, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.preprocessing import KBinsDiscretizer, Normalizer, StandardScaler

from subsel.construct.inputs.monomials import Monomials
from subsel.construct.inputs.normalisation import MeanNormScaler, StabilisedScaler
from subsel.literature.embedding.gram_pca import GramPCA
from subsel.literature.embedding.nystrom import NystromEmbedding
from subsel.literature.spectra.baseline import BaselineRemoval
from subsel.literature.spectra.neighbouring_blocks import BlockMeans, HaarWavelets
from subsel.literature.spectra.smoothing import ExponentialSmoothing, LowPass

__all__ = ["OPERATORS", "operator"]

OPERATORS: dict[str, Callable[..., Any]] = {
    "standardise": StandardScaler,
    "stabilised": StabilisedScaler,
    "rows-l1": lambda **options: Normalizer("l1", **options),
    "rows-l2": lambda **options: Normalizer("l2", **options),
    "mean-norm": MeanNormScaler,
    "smoothing": ExponentialSmoothing,
    "baseline": BaselineRemoval,
    "low-pass": LowPass,
    "block-means": BlockMeans,
    "wavelets": HaarWavelets,
    "pca": GramPCA,
    "mds": lambda **options: NystromEmbedding("mds", **options),
    "monomials": Monomials,
    "discretise": KBinsDiscretizer,
}
"""Constructors of transformers: those listed by Guyon and Elisseeff (2006, section 1.2), and the
three scalings of the reference study of the NIPS 2003 challenge ("stabilised", "rows-l2" and
"mean-norm")."""


def operator(name: str, **options: Any) -> Any:
    """Return a new transformer by its name [1]_; it is scikit-learn's if there is one.

    Parameters
    ----------
    name : str
        A key of ``OPERATORS``.
    **options : Any
        Parameters of the transformer.

    References
    ----------
    .. [1] Guyon and Elisseeff, An introduction to feature extraction, in *Feature Extraction:
       Foundations and Applications*, 2006, section 1.2.

    Examples
    --------
    >>> operator("rows-l1").fit_transform([[1.0, 3.0]])
    array([[0.25, 0.75]])
    """
    if name not in OPERATORS:
        raise ValueError(f"name must be one of {', '.join(OPERATORS)}, got {name!r}.")
    return OPERATORS[name](**options)
