"""Gram-Schmidt forward selection: each feature for what it adds to a linear model of those before it."""

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

# A column whose squared residual falls below this share of its start depends on the features taken.
DEPENDENT = 1e-10
# Running values are computed afresh when they have fallen to this share of their last exact value.
STALE = 1e-6
# Columns whose residuals are computed afresh at once.
BLOCK = 256


@dataclass(frozen=True, slots=True, eq=False)
class GramSchmidtOrder(FeatureOrder):
    """A path of :func:`gram_schmidt`; the scores are squared cosines.

    Attributes
    ----------
    residual : ndarray
        The residual sum of squares of least squares, with intercept, on the features up to each.
    leave_one_out : ndarray
        The mean squared leave-one-out error of that model; infinite where a row alone determines a
        coefficient. Fair for a subset fixed in advance: the choice of features is not repeated
        without the row.
    risk : ndarray
        How likely a random feature would have come this early
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
    r"""Take the feature whose new part lies nearest to what is left of the target (Chen et al. 1989).

    .. math:: \cos^2_k = (r_k^T e)^2 / (\|r_k\|^2 \|e\|^2), \quad r_k = P_S^\perp x_k, \quad e = P_S^\perp y

    on centred data. The choice is the largest drop of the residual sum of squares, which after k
    features is :math:`\|y\|^2 \prod (1 - \cos^2_j)`. Only products and norms are kept up to date,
    by one product of the table with a vector per step, so that a sparse table stays sparse;
    leverages grow by :math:`q_i^2`, which gives the leave-one-out error of every prefix for nothing
    [1]_ [2]_ [3]_. A column that depends on those taken, which the printed program lets through
    with a residual of pure rounding, is retired. The path ends early when no column is left or
    nothing of the target.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features; they are centred, not scaled.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        How many features to take at most; all by default.
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
    while model.n_taken < length and model.open.any() and model.unexplained:
        cosines = model.squared_cosines()
        best = first_best(cosines, model.open)
        if max_risk is not None and model.risk_with(cosines[best]) >= max_risk:
            break
        model.take(best, cosines[best])
    return model.path()


class _Deflation:
    """The target's residual, the basis of the features taken, and the other columns' relation to them."""

    def __init__(self, table: CentredTable, response: np.ndarray, length: int) -> None:
        n = table.shape[0]
        self.table = table
        self.residual = response - response.mean()
        self.basis = np.empty((min(length, n), n))
        self.leverage = np.full(n, 1 / n)
        self.norms, self.exact_norms = table.squared_norms.copy(), table.squared_norms.copy()
        self.open = table.squared_norms > 0
        self.rss = self.total = self.exact_rss = float(self.residual @ self.residual)
        self.products = table.products(self.residual)
        self.taken: list[tuple[int, float, float, float]] = []

    @property
    def n_taken(self) -> int:
        return len(self.taken)

    @property
    def unexplained(self) -> bool:
        """Whether anything is left of the target, and of the space it lies in."""
        return self.rss > 1e-24 * self.total and self.n_taken < len(self.basis)

    def squared_cosines(self) -> np.ndarray:
        scale = self.norms * self.rss
        return np.divide(self.products**2, scale, out=np.zeros_like(scale), where=self.open).clip(
            max=1.0
        )

    def take(self, j: int, cosine: float) -> None:
        q = self._residuals(np.array([j]))[:, 0]
        q /= np.linalg.norm(q)
        self.basis[self.n_taken] = q
        along = float(q @ self.residual)
        self.residual -= along * q
        self.rss = float(self.residual @ self.residual)
        self.leverage += q**2
        self.open[j] = False
        self.taken.append((j, cosine, self.rss, self._leave_one_out()))
        self._deflate(self.table.products(q), along)

    def risk_with(self, cosine: float) -> float:
        """The risk of the path if a feature of this squared cosine came next."""
        cosines = [step[1] for step in self.taken] + [cosine]
        return float(probe_risk(np.array(cosines), len(self.residual))[-1])

    def path(self) -> GramSchmidtOrder:
        steps = np.array(self.taken, dtype=float).reshape(-1, 4)
        cosines = steps[:, 1]
        risk = probe_risk(cosines, len(self.residual))
        return GramSchmidtOrder(
            steps[:, 0].astype(np.intp), cosines, steps[:, 2], steps[:, 3], risk
        )

    def _deflate(self, shares: np.ndarray, along: float) -> None:
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
        """Columns orthogonal to the basis; twice, since once leaves errors of the size of the column."""
        basis = self.basis[: self.n_taken]
        residuals = self.table.columns(which)
        for _ in range(2):
            residuals = residuals - basis.T @ (basis @ residuals)
        return residuals

    def _leave_one_out(self) -> float:
        left = 1 - self.leverage
        if left.min() < 1e-10:
            return np.inf
        return float(np.mean((self.residual / left) ** 2))
