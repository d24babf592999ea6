"""Is the place of a new row further off than the embedding itself moves when some training rows are exchanged?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

__all__ = ["Induction", "induction_against_perturbation"]


class Induction(NamedTuple):
    """Mean difference of the two errors over rows, and its standard error; positive where induction is the smaller."""

    difference: float
    standard_error: float
    perturbation: np.ndarray
    induction: np.ndarray


def induction_against_perturbation(
    embedding: Any,
    X: np.ndarray,
    share: float,
    *,
    n_rows: int | None = None,
    random_state: Any = None,
) -> Induction:
    """Compare the error of embedding a row unseen with the effect of exchanging training rows [1]_.

    The rows are split into F and two sets of equal size. Perturbation: the embeddings of F with
    either set, the second brought onto the first by linear regression. Induction: a row of F
    embedded by a model fitted without it, and its place in the model fitted with it; the signs of
    coordinates, which are arbitrary, are matched on the other rows.

    Parameters
    ----------
    embedding : transformer
        With an out-of-sample map.
    X : array
        The rows.
    share : float
        Size of each exchanged set, as a share of all rows.
    n_rows : int
        How many rows of F, drawn at random, are left out in turn; all if not given.
    random_state : int, RandomState or None
        Seed of the split.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, section
       27.5.3.

    Examples
    --------
    >>> from subsel.literature.embedding import NystromEmbedding
    >>> X = np.random.default_rng(0).normal(size=(30, 3))
    >>> found = induction_against_perturbation(NystromEmbedding("mds", 3), X, share=0.3, random_state=0)
    >>> found.perturbation.max() < 1e-9 < found.induction.max()  # all 3 dimensions: regression undoes the exchange
    np.True_
    """
    order = check_random_state(random_state).permutation(len(X))
    n_exchanged = max(1, round(share * len(X)))
    if len(X) - 2 * n_exchanged < 3:
        raise ValueError(f"share must leave at least 3 of {len(X)} rows in place, got {share}.")
    first, second, kept = np.split(order, [n_exchanged, 2 * n_exchanged])
    one = fitted_places(embedding, X, kept, first)
    other = fitted_places(embedding, X, kept, second)
    design = np.column_stack([other, np.ones(len(kept))])
    aligned = design @ np.linalg.lstsq(design, one)[0]
    tried = np.arange(len(kept))[:n_rows]
    perturbation = np.linalg.norm(aligned - one, axis=1)[tried]
    induction = np.array([induction_error(embedding, X, kept, first, one, i) for i in tried])
    difference = perturbation - induction
    error = np.nan
    if len(tried) > 1:
        error = difference.std(ddof=1) / np.sqrt(len(tried))
    return Induction(float(difference.mean()), float(error), perturbation, induction)


def fitted_places(embedding: Any, X: np.ndarray, kept: np.ndarray, added: np.ndarray) -> np.ndarray:
    """Return the places of the kept rows in a model of kept and added ones."""
    return clone(embedding).fit(X[np.concatenate([kept, added])]).transform(X[kept])


def induction_error(
    embedding: Any, X: np.ndarray, kept: np.ndarray, added: np.ndarray, places: np.ndarray, i: int
) -> float:
    """Return how far the i-th kept row lies from its place when the model has not seen it."""
    others = np.delete(kept, i)
    model = clone(embedding).fit(X[np.concatenate([others, added])])
    agreement = (model.transform(X[others]) * np.delete(places, i, axis=0)).sum(axis=0)
    return float(
        np.linalg.norm(
            model.transform(X[kept[[i]]])[0] * np.where(agreement < 0, -1, 1) - places[i]
        )
    )
