"""The reference study of the challenge: 72 support vector machines on a set of features, by cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC
from sklearn.utils import _safe_indexing

from subsel.construct.inputs.normalisation import MeanNormScaler, StabilisedScaler

__all__ = ["ReferenceCell", "reference_cells", "reference_errors", "reference_study", "share_above"]

KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    **{
        f"poly{d}": {"kernel": "poly", "degree": d, "gamma": 1.0, "coef0": 1.0}
        for d in (2, 3, 4, 5)
    },
    **{f"rbf{w:g}": {"kernel": "rbf", "gamma": 1 / (2 * w**2)} for w in (0.1, 1.0, 10.0)},
}
PRICES = (0.1, 1.0, 10.0)
NORMALISATIONS = {
    "columns": StabilisedScaler(),
    "rows": Normalizer(),
    "mean length": MeanNormScaler(),
}


class ReferenceCell(NamedTuple):
    """One of the 72 machines: normalisation, kernel and price of slack.

    >>> ReferenceCell("rows", "poly3", 0.1).model()[-1].degree
    3
    """

    normalisation: str
    kernel: str
    C: float

    def model(self) -> Pipeline:
        """The pipeline, not fitted."""
        return make_pipeline(
            clone(NORMALISATIONS[self.normalisation]), SVC(C=self.C, **KERNELS[self.kernel])
        )


def reference_cells() -> Iterator[ReferenceCell]:
    """All cells: three normalisations, eight kernels, three prices.

    >>> len(list(reference_cells()))
    72
    """
    for cell in product(NORMALISATIONS, KERNELS, PRICES):
        yield ReferenceCell(*cell)


def reference_errors(
    X: Any, y: Any, cell: ReferenceCell, cv: Any = 10, random_state: int = 0
) -> tuple[float, float]:
    """Balanced error and area of a cell over folds, the threshold set so that the share of positives is kept [1]_.

    The columns should be the features in question. In each fold as large a share of the held-out rows is called positive as
    there are positive rows to train on; no held-out label is looked at.

    Parameters
    ----------
    X : array or CSR matrix
        The chosen columns.
    y : array
        Two classes.
    cell : ReferenceCell
        The machine.
    cv : int or splitter
        Folds.
    random_state : int
        Of the folds, where their number is given.

    Returns
    -------
    tuple of float
        Of the pooled held-out rows, their scores less the threshold of their fold.

    References
    ----------
    .. [1] Guyon, Gunn, Ben-Hur and Dror, *Design and analysis of the NIPS2003 challenge*, in *Feature Extraction: Foundations
       and Applications*, 2006, chapter 9, section 4.1 and appendix A.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> error, area = reference_errors(X, X[:, 1] > 0, ReferenceCell("columns", "linear", 1.0))
    >>> bool(error < 0.1 < 0.95 < area)
    True
    """
    return reference_study(X, y, [cell], cv, random_state)[cell]


def reference_study(
    X: Any,
    y: Any,
    cells: Iterable[ReferenceCell] | None = None,
    cv: Any = 10,
    random_state: int = 0,
) -> dict[ReferenceCell, tuple[float, float]]:
    """The errors of many cells, as :func:`reference_errors` gives them one by one.

    Every kernel is a function of inner products, and those of a normalised fold are computed once for all kernels and
    prices. Memory grows with the square of the rows.

    Parameters
    ----------
    X, y, cv, random_state : array, array, int or splitter, int
        As in :func:`reference_errors`.
    cells : iterable of ReferenceCell, optional
        The machines; None: all 72.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> found = reference_study(X, X[:, 1] > 0, [ReferenceCell("rows", "linear", C) for C in (0.1, 1.0)], cv=3)
    >>> len(found)
    2
    """
    y = np.asarray(y)
    positive = y == np.unique(y)[1]
    if isinstance(cv, int):
        cv = StratifiedKFold(cv, shuffle=True, random_state=random_state)
    if cells is None:
        cells = reference_cells()
    scores = held_out_scores(X, positive, list(cells), cv)
    return {cell: _errors(positive, own) for cell, own in scores.items()}


def held_out_scores(
    X: Any, positive: np.ndarray, cells: list[ReferenceCell], folds: Any
) -> dict[ReferenceCell, np.ndarray]:
    """What each machine says of every row when it is held out, less the threshold of its fold."""
    scores = {cell: np.zeros(len(positive)) for cell in cells}
    for train, test in folds.split(np.zeros(len(positive)), positive):
        for normalisation in dict.fromkeys(cell.normalisation for cell in cells):
            own = [cell for cell in cells if cell.normalisation == normalisation]
            scaler = clone(NORMALISATIONS[normalisation]).fit(_safe_indexing(X, train))
            inner = _products(scaler.transform(X), train)
            for cell, found in _decisions(inner, positive, train, test, own):
                scores[cell][test] = found - share_above(found, positive[train].mean())
    return scores


class _Inner(NamedTuple):
    """Products of all rows with those of training, and the squared lengths of both."""

    products: np.ndarray
    squares: np.ndarray
    train_squares: np.ndarray


def _products(Z: Any, train: np.ndarray) -> _Inner:
    other = Z[train].T
    products = Z @ other
    if sparse.issparse(Z):
        products = products.toarray()
        squares = np.asarray(Z.multiply(Z).sum(axis=1)).ravel()
    else:
        squares = np.einsum("ij,ij->i", Z, Z)
    return _Inner(np.asarray(products), squares, squares[train])


def _decisions(
    inner: _Inner,
    positive: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    cells: list[ReferenceCell],
) -> Iterator[tuple[ReferenceCell, np.ndarray]]:
    """What each machine says of the held-out rows, a kernel at a time."""
    for kernel in dict.fromkeys(cell.kernel for cell in cells):
        K = _kernel(inner, **KERNELS[kernel])
        for cell in (cell for cell in cells if cell.kernel == kernel):
            machine = SVC(C=cell.C, kernel="precomputed").fit(K[train], positive[train])
            yield cell, machine.decision_function(K[test])


def _kernel(
    inner: _Inner, kernel: str, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1
) -> np.ndarray:
    if kernel == "rbf":
        distances = inner.squares[:, None] - 2 * inner.products + inner.train_squares
        return np.exp(-gamma * np.maximum(distances, 0.0))
    return (gamma * inner.products + coef0) ** degree


def _errors(positive: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    wrong = (scores > 0) != positive
    error = (wrong[positive].mean() + wrong[~positive].mean()) / 2
    return float(error), float(roc_auc_score(positive, scores))


def share_above(scores: np.ndarray, share: float) -> float:
    """The threshold above which such a share of the scores lies, to within one of them.

    >>> share_above(np.array([1.0, 2.0, 4.0, 9.0]), 0.25)
    6.5
    """
    ordered = np.sort(scores)[::-1]
    n = round(share * len(scores))
    if n == 0:
        return float(ordered[0])
    if n == len(scores):
        return float(ordered[-1] - 1.0)
    return float((ordered[n - 1] + ordered[n]) / 2)
