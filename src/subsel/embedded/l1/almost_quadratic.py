"""The exact path of a linear model under an L1 penalty, for losses made of quadratic and straight pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.embedded.design import Design
from subsel.embedded.l1.homotopy import Corner, Homotopy
from subsel.embedded.l1.losses import LOSSES, PiecewiseLoss

__all__ = ["L1Path", "quadratic_path"]


@dataclass(frozen=True, eq=False)
class L1Path:
    r"""The minimisers of :math:`\sum_k L_k(w, b) + \lambda \|w\|_1`, as the corners between straight pieces.

    Attributes
    ----------
    penalties : ndarray
        The corners, from the penalty at which all weights are 0 downwards. Where the minimiser is not unique, two
        corners have the same penalty.
    coefs : sparse array of shape (n_corners, n_columns)
        The weights at each.
    intercepts : ndarray
        The intercept at each.
    entered : ndarray of int
        The columns in the order in which they came in for the first time.
    entry_penalties : ndarray
        The penalty at which each came in.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    >>> path = quadratic_path(X, X @ [3.0, 1.0], lowest=0)
    >>> path.entered, path.at(8.0)
    (array([0, 1]), (array([1., 0.]), 0.0))
    """

    penalties: np.ndarray
    coefs: Any
    intercepts: np.ndarray
    entered: np.ndarray
    entry_penalties: np.ndarray

    def at(self, penalty: float) -> tuple[np.ndarray, float]:
        """Give the weights and the intercept for one penalty; beyond either end those of that end."""
        after = int(np.searchsorted(-self.penalties, -penalty))
        low = min(after, len(self.penalties) - 1)
        high = low
        if after == low:
            high = max(low - 1, 0)
        gap = self.penalties[high] - self.penalties[low]
        share = (self.penalties[high] - penalty) / gap if gap > 0 else 1.0
        before, behind = self.coefs[[high, low]].toarray()
        intercept = (1 - share) * self.intercepts[high] + share * self.intercepts[low]
        return (1 - share) * before + share * behind, float(intercept)

    def with_size(self, size: float) -> tuple[np.ndarray, float]:
        r"""Give the best model with :math:`\|w\|_1` at most this size, the other way to write the problem."""
        sizes = np.maximum.accumulate(np.asarray(abs(self.coefs).sum(axis=1)).ravel())
        place = float(np.interp(size, sizes, np.arange(len(sizes))))
        before, share = int(place), place % 1
        both = [before, min(before + 1, len(sizes) - 1)]
        weights, parts = self.coefs[both].toarray(), np.array([1 - share, share])
        return parts @ weights, float(parts @ self.intercepts[both])


def quadratic_path(
    X: Any,
    y: Any,
    loss: str | PiecewiseLoss = "squared",
    *,
    n_features: int | None = None,
    lowest: float = 1e-3,
    fit_intercept: bool = True,
    sample_weight: Any = None,
) -> L1Path:
    r"""Follow the minimiser of :math:`\sum_k L_k(w, b) + \lambda \|w\|_1` while the penalty falls.

    Between corners the weights move along :math:`H_A^{-1} \, \mathrm{sign}(w_A)`, H being the second derivative of the
    loss. A corner is where a column comes in (its gradient reaches the penalty), where a weight becomes 0, or where a
    row passes from one piece of its loss to the next. Where H is singular in the direction of the move, as when too few
    rows lie on a quadratic piece, the minimiser is not unique: the penalty waits while the weights grow until the next
    corner. The sums are not divided by the number of rows: for the squared loss, :math:`\lambda` is :math:`2 n` times
    the ``alpha`` of scikit-learn.

    Parameters
    ----------
    X : array or sparse array
        The columns, which are not scaled here.
    y : array
        Numbers; for a loss of the margin -1 and 1.
    loss : {"squared", "huber", "squared_hinge", "huberized_hinge"} or PiecewiseLoss
        The loss of a row, by name or by its pieces.
    n_features : int, optional
        End when so many columns have come in.
    lowest : float
        End at this share of the first penalty; 0 follows the path to its end.
    fit_intercept : bool
        With an intercept, which is not penalised.
    sample_weight : array, optional
        A row of weight w counts as w rows.

    References
    ----------
    .. [1] Rosset and Zhu, *Sparse, flexible and efficient modeling using L1 regularization*, in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 16, algorithm 6 (the printed direction has the wrong sign for weights that
       come in; columns come in by the absolute gradient).

    Examples
    --------
    >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    >>> path = quadratic_path(X, X @ [3.0, 1.0], lowest=0)
    >>> path.penalties, path.coefs.toarray()
    (array([12.,  4.,  0.]), array([[0., 0.],
           [2., 0.],
           [3., 1.]]))
    """
    if isinstance(loss, str):
        loss = LOSSES[loss]()
    design = Design(X, fit_intercept, sample_weight)
    walk = Homotopy(design, np.asarray(y, dtype=float), loss)
    corners = list(walk.corners(lowest, n_features))
    coefs = _stack(corners, X.shape[1])
    intercepts = design.intercepts(coefs, np.array([corner.intercept for corner in corners]))
    entered = np.array([*walk.entered], dtype=np.intp)
    penalties = np.array([corner.penalty for corner in corners])
    return L1Path(penalties, coefs, intercepts, entered, np.array([*walk.entered.values()]))


def _stack(corners: list[Corner], n_columns: int) -> sparse.csr_array:
    indptr = np.cumsum([0, *(len(corner.columns) for corner in corners)])
    columns = np.concatenate([corner.columns for corner in corners])
    weights = np.concatenate([corner.weights for corner in corners])
    return sparse.csr_array((weights, columns, indptr), shape=(len(corners), n_columns))
