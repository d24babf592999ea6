"""The error of embedding new rows, compared with the effect of exchanging training rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

__all__ = ["Induction", "induction_against_perturbation"]


class Induction(NamedTuple):
    """The errors of induction and of perturbation, and their mean difference over rows."""

    difference: float  # mean of perturbation less induction; positive if induction errs less
    standard_error: float  # of the difference; NaN for a single row
    perturbation: np.ndarray  # (n_rows,) error by exchanging training rows
    induction: np.ndarray  # (n_rows,) error by embedding the row out of sample


def induction_against_perturbation(
    embedding: Any,
    X: np.ndarray,
    share: float,
    *,
    n_rows: int | None = None,
    random_state: Any = None,
) -> Induction:
    """Compare embedding a row out of sample with exchanging training rows [1]_.

    The rows are split into a set F and two sets of equal size. The error of perturbation is the
    distance between the embeddings of a row of F in models fitted on F with either of these sets,
    the second mapped to the first by linear regression. The error of induction is the distance
    between the embeddings of the row by models fitted without and with it; the signs of the
    coordinates, which are arbitrary, are matched on the other rows.

    Parameters
    ----------
    embedding : transformer
        An embedding that transforms new rows.
    X : ndarray of shape (m, n_features)
        The rows.
    share : float
        Size of each exchanged set, as a share of all rows.
    n_rows : int, optional
        Number of rows of F, drawn at random, that are left out in turn; by default all.
    random_state : int, RandomState or None
        Seed of the split.

    Returns
    -------
    Induction
        The errors and their difference.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, section
       27.5.3.

    Examples
    --------
    With all three dimensions of the table, the regression undoes the exchange:

    >>> from subsel.literature.embedding import NystromEmbedding
    >>> X, mds = np.random.default_rng(0).normal(size=(30, 3)), NystromEmbedding("mds", 3)
    >>> errors = induction_against_perturbation(mds, X, share=0.3, random_state=0)
    >>> errors.perturbation.max() < 1e-9 < errors.induction.max()
    np.True_
    """
    order = check_random_state(random_state).permutation(len(X))
    n_exchanged = max(1, round(share * len(X)))
    if len(X) - 2 * n_exchanged < 3:
        raise ValueError(f"share must leave at least 3 of {len(X)} rows in place, got {share}.")
    first, second, common = np.split(order, [n_exchanged, 2 * n_exchanged])
    places = fitted_places(embedding, X, common, first)
    others = fitted_places(embedding, X, common, second)
    design = np.column_stack([others, np.ones(len(common))])
    aligned = design @ np.linalg.lstsq(design, places)[0]
    left_out = np.arange(len(common))[:n_rows]
    perturbation = np.linalg.norm(aligned - places, axis=1)[left_out]
    induction = np.array(
        [induction_error(embedding, X, common, first, places, i) for i in left_out]
    )
    difference = perturbation - induction
    error = np.nan
    if len(left_out) > 1:
        error = difference.std(ddof=1) / np.sqrt(len(left_out))
    return Induction(float(difference.mean()), float(error), perturbation, induction)


def fitted_places(
    embedding: Any, X: np.ndarray, common: np.ndarray, added: np.ndarray
) -> np.ndarray:
    """Return the coordinates of the rows ``common`` in a model fitted on them and ``added``.

    Both are indices of rows of X; the result has shape (n_common, n_components).
    """
    return clone(embedding).fit(X[np.concatenate([common, added])]).transform(X[common])


def induction_error(
    embedding: Any, X: np.ndarray, common: np.ndarray, added: np.ndarray, places: np.ndarray, i: int
) -> float:
    """Return the distance of the i-th row from ``places[i]`` in a model fitted without it."""
    others = np.delete(common, i)
    model = clone(embedding).fit(X[np.concatenate([others, added])])
    agreement = (model.transform(X[others]) * np.delete(places, i, axis=0)).sum(axis=0)
    place = model.transform(X[common[[i]]])[0] * np.where(agreement < 0, -1, 1)
    return float(np.linalg.norm(place - places[i]))
