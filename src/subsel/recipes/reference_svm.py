"""The reference study of the challenge: 72 support vector machines on a set of features, by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC
from sklearn.utils import _safe_indexing

from subsel.construct.inputs.normalisation import MeanNormScaler, StabilisedScaler

__all__ = ["ReferenceCell", "reference_cells", "reference_errors", "share_above"]

KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    **{f"poly{d}": {"kernel": "poly", "degree": d, "gamma": 1.0, "coef0": 1.0} for d in (2, 3, 4, 5)},
    **{f"rbf{w:g}": {"kernel": "rbf", "gamma": 1 / (2 * w**2)} for w in (0.1, 1.0, 10.0)},
}
PRICES = (0.1, 1.0, 10.0)
NORMALISATIONS = {"columns": StabilisedScaler(), "rows": Normalizer(), "mean length": MeanNormScaler()}


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
        return make_pipeline(clone(NORMALISATIONS[self.normalisation]), SVC(C=self.C, **KERNELS[self.kernel]))


def reference_cells() -> Iterator[ReferenceCell]:
    """All cells: three normalisations, eight kernels, three prices.

    >>> len(list(reference_cells()))
    72
    """
    for cell in product(NORMALISATIONS, KERNELS, PRICES):
        yield ReferenceCell(*cell)


def reference_errors(X: Any, y: Any, cell: ReferenceCell, cv: Any = 10, random_state: int = 0) -> tuple[float, float]:
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
    y = np.asarray(y)
    positive = y == np.unique(y)[1]
    folds = StratifiedKFold(cv, shuffle=True, random_state=random_state) if isinstance(cv, int) else cv
    scores = np.zeros(len(y))
    for train, test in folds.split(np.zeros(len(y)), positive):
        model = cell.model().fit(_safe_indexing(X, train), positive[train])
        found = model.decision_function(_safe_indexing(X, test))
        scores[test] = found - share_above(found, positive[train].mean())
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
    return float(ordered[-1] - 1.0) if n == len(scores) else float((ordered[n - 1] + ordered[n]) / 2)
