"""Gram-Schmidt forward selection: each feature adds most to a linear model of those before it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.data.statistics.centred_table import CentredTable
from subsel.data.statistics.co_moments import numeric_target
from subsel.data.statistics.score_input import columns
from subsel.ranking.cuts.probe_risk import probe_risk
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import first_best
from subsel.ranking.registry import order

__all__ = ["GramSchmidtOrder", "gram_schmidt"]

# A column whose squared norm falls below this share of its start depends linearly on the selected
# features: its residual is 1e-5 of the column, of which rounding may be a visible part.
DEPENDENT = 1e-10
# Running values are recomputed when they have fallen to this share of their last exact value: the
# subtractions have then cost about 6 of 16 digits.
STALE = 1e-6
# Columns whose residuals are recomputed at once.
BLOCK = 256


@dataclass(frozen=True, slots=True, eq=False)
class GramSchmidtOrder(FeatureOrder):
    """The order of :func:`gram_schmidt`; its scores are squared cosines.

    Attributes
    ----------
    residual : ndarray of shape (n_selected,)
        The residual sum of squares of least squares, with intercept, on the features up to each.
    leave_one_out : ndarray of shape (n_selected,)
        The mean squared leave-one-out error of that model; infinite where one row alone determines
        a coefficient. It is unbiased for a subset fixed in advance only, because the selection is
        not repeated without the row.
    risk : ndarray of shape (n_selected,)
        The probability that a random feature would have come this early
        (:func:`subsel.ranking.cuts.probe_risk.probe_risk`).

    Examples
    --------
    >>> path = gram_schmidt([[0.0], [1.0], [2.0], [4.0]], [0.0, 1.0, 2.0, 3.0])
    >>> path.residual.round(4)
    array([0.1714])
    """

    residual: np.ndarray
    leave_one_out: np.ndarray
    risk: np.ndarray


@order(
    "gram_schmidt",
    "ofr",
    "orthogonal_forward_regression",
    multiclass=False,
    regression=True,
    sparse=True,
)
def gram_schmidt(
    X: Any, y: Any, n_features: int | None = None, max_risk: float | None = None
) -> GramSchmidtOrder:
    r"""Select the feature whose residual is closest in angle to that of the target [1]_ [2]_ [3]_.

    .. math::

        \cos^2_k = (r_k^T e)^2 / (\|r_k\|^2 \|e\|^2), \quad
        r_k = P_S^\perp x_k, \quad e = P_S^\perp y

    on centred data (Chen et al. 1989 [4]_). This feature reduces the residual sum of squares most,
    which after k features is :math:`\|y\|^2 \prod (1 - \cos^2_j)`. Each step needs one product of
    the table with a vector, so that a sparse table stays sparse, and gives the leave-one-out error
    of every prefix at no further cost. A column that depends linearly on the selected ones, which
    the printed program selects for a residual of pure rounding, is excluded. The order ends early
    when no column is left or the target is explained.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features; they are centred, not scaled.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        The largest number of features to select; all by default.
    max_risk : float, optional
        End before the first feature that a random one would have beaten with at least this
        probability (the book's example uses 0.1).

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, virtual leave-one-out; the random probe as a stopping rule.
    .. [2] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, introduction, forward selection by Gram-Schmidt
       orthogonalisation.
    .. [3] T. N. Lal, O. Chapelle, J. Weston and A. Elisseeff, "Embedded Methods", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 5, Gram-Schmidt forward selection; stopping by
       random probes.
    .. [4] S. Chen, S. A. Billings and W. Luo, "Orthogonal least squares methods and their
       application to non-linear system identification", *International Journal of Control* 50,
       1989.

    Examples
    --------
    >>> X = np.array([[1.0, 2, 0], [2, 4, 1], [3, 6, 0], [4, 8, -2]])
    >>> path = gram_schmidt(X, [1.0, 3.0, 3.0, 3.0])
    >>> path.features, path.residual.round(3)
    (array([0, 2]), array([1.2  , 0.087]))
    """
    X = columns(X)
    length = path_length(n_features, X.shape[1])
    model = _Deflation(CentredTable(X), numeric_target(X, y), length)
    while model.n_selected < length and model.open.any() and model.unexplained:
        cosines = model.squared_cosines()
        best = first_best(cosines, model.open)
        if max_risk is not None and model.risk_with(cosines[best]) >= max_risk:
            break
        model.select(best, cosines[best])
    return model.path()


class _Deflation:
    """The state of a forward regression by Gram-Schmidt; `select` updates it in place.

    n is the number of rows, p that of columns, k that of selected features.

    Parameters
    ----------
    table : CentredTable
        The columns about their means.
    response : ndarray of shape (n,)
        The target.
    length : int
        The largest number of features that will be selected.
    """

    # Rows of `basis` are orthonormal and span the selected columns. With q the new row, r_k and e
    # the residuals of column k and of the target, Pythagoras gives |r_k|^2 -= (q . x_k)^2, and
    # r_k . e -= (q . e)(q . x_k), as r_k . q = x_k . q: one product of the table with q updates all
    # columns (Chen, Billings and Luo, International Journal of Control 50, 1989). Both differences
    # cancel, so that `_deflate` recomputes what has become small.
    def __init__(self, table: CentredTable, response: np.ndarray, length: int) -> None:
        n = table.shape[0]
        self.table = table
        self.residual = response - response.mean()  # (n,) e
        self.basis = np.empty((min(length, n), n))  # the first k rows are in use
        self.leverage = np.full(n, 1 / n)  # (n,) diagonal of the hat matrix, with intercept
        # (p,) |r_k|^2, running and when last computed from the residuals
        self.norms, self.exact_norms = table.squared_norms.copy(), table.squared_norms.copy()
        self.open = table.squared_norms > 0  # (p,) columns that may be selected
        self.rss = self.total = self.exact_rss = float(self.residual @ self.residual)
        self.products = table.products(self.residual)  # (p,) r_k . e, running
        # column, squared cosine, residual sum of squares and leave-one-out error of each step
        self.steps: list[tuple[int, float, float, float]] = []

    @property
    def n_selected(self) -> int:
        """The number of selected features."""
        return len(self.steps)

    @property
    def unexplained(self) -> bool:
        """Whether a residual of the target is left, and a dimension it could lie in."""
        return self.rss > 1e-24 * self.total and self.n_selected < len(self.basis)

    def squared_cosines(self) -> np.ndarray:
        """Give the squared cosine of each column's residual with the target's, shape (p,)."""
        scale = self.norms * self.rss
        return np.divide(self.products**2, scale, out=np.zeros_like(scale), where=self.open).clip(
            max=1.0
        )

    def select(self, j: int, cosine: float) -> None:
        """Select column j, whose squared cosine is given; updates the state in place."""
        # The hat matrix is the sum of q q^T, so that leverages grow by q_i^2.
        q = self._residuals(np.array([j]))[:, 0]
        q /= np.linalg.norm(q)
        self.basis[self.n_selected] = q
        along = float(q @ self.residual)
        self.residual -= along * q
        self.rss = float(self.residual @ self.residual)
        self.leverage += q**2
        self.open[j] = False
        self.steps.append((j, cosine, self.rss, self._leave_one_out()))
        self._deflate(self.table.products(q), along)

    def risk_with(self, cosine: float) -> float:
        """Give the risk of the order if a feature of this squared cosine came next."""
        cosines = [step[1] for step in self.steps] + [cosine]
        return float(probe_risk(np.array(cosines), len(self.residual))[-1])

    def path(self) -> GramSchmidtOrder:
        """Give the order of the selected features."""
        steps = np.array(self.steps, dtype=float).reshape(-1, 4)
        cosines = steps[:, 1]
        risk = probe_risk(cosines, len(self.residual))
        return GramSchmidtOrder(
            steps[:, 0].astype(np.intp), cosines, steps[:, 2], steps[:, 3], risk
        )

    def _deflate(self, shares: np.ndarray, along: float) -> None:
        """Remove the newest basis vector from norms and products; updates the state in place.

        `shares`, of shape (p,), are its products with the columns, `along` that with the target's
        residual before the step.
        """
        self.norms -= shares**2
        self.products -= along * shares
        stale = np.flatnonzero(self.open & (self.norms < STALE * self.exact_norms))
        for block in np.split(stale, range(BLOCK, len(stale), BLOCK)):
            self.norms[block] = self.exact_norms[block] = (self._residuals(block) ** 2).sum(axis=0)
        self.open[stale] = self.norms[stale] > DEPENDENT * self.table.squared_norms[stale]
        if len(stale) or self.rss < STALE * self.exact_rss:
            self.exact_rss = self.rss
            self.products = self.table.products(self.residual)

    def _residuals(self, which: np.ndarray) -> np.ndarray:
        """Give the parts of some columns orthogonal to the basis, shape (n, n_columns)."""
        # One projection leaves rounding errors of the size of the column, which may exceed a small
        # residual; a second one removes them ("twice is enough": Kahan, in Parlett, The Symmetric
        # Eigenvalue Problem, 1980, section 6.9).
        basis = self.basis[: self.n_selected]
        residuals = self.table.columns(which)
        for _ in range(2):
            residuals = residuals - basis.T @ (basis @ residuals)
        return residuals

    def _leave_one_out(self) -> float:
        """Give the mean squared leave-one-out error of least squares on the selected features."""
        # Without row i its residual is e_i / (1 - h_i), with the leverage h_i (Allen, "The
        # relationship between variable selection and data augmentation and a method for
        # prediction", Technometrics 16, 1974). Where 1 - h_i is rounding, row i alone determines a
        # coefficient and has no such residual.
        left = 1 - self.leverage
        if left.min() < 1e-10:
            return np.inf
        return float(np.mean((self.residual / left) ** 2))
