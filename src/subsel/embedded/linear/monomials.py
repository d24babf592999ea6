"""A polynomial of monomials chosen by Gram-Schmidt and pruned by a test or by leave-one-out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.data.columns import ColumnSelector
from subsel.data.storage import dense
from subsel.data.task import Task
from subsel.embedded.design import numbers
from subsel.ranking.orders.gram_schmidt import gram_schmidt
from subsel.ranking.scores.moments.nested_f import nested_f_elimination

__all__ = ["MonomialRegression"]


class MonomialRegression(ColumnSelector):
    r"""A polynomial that selects its monomials, and with them the columns [1]_.

    Of all monomials up to a degree, Gram-Schmidt orthogonalisation chooses the best; those that do
    not improve the model significantly are pruned. The columns of the remaining monomials are
    selected.

    Parameters
    ----------
    degree : int
        Largest degree of a monomial.
    n_terms : int
        Largest number of monomials that Gram-Schmidt chooses; there are always at least three rows
        more than monomials.
    prune : {"fisher", "loo"}
        ``"fisher"`` drops the monomial of largest p-value as long as that exceeds ``alpha``, which
        needs many more rows than monomials; ``"loo"`` drops the monomial without which the
        leave-one-out error is smallest, as long as the error does not rise.
    alpha : float
        Level of Fisher's test.

    Attributes
    ----------
    powers_ : ndarray of shape (n_terms, n_columns)
        The exponents of the monomials of the model.
    coef_, intercept_ : ndarray, float
        The coefficients of the monomials, and the constant.
    grown_ : ndarray of shape (n_grown, n_columns)
        The exponents of the monomials before pruning, in the order of Gram-Schmidt.
    support_ : ndarray of bool
        Mask of the columns that the polynomial depends on.

    References
    ----------
    .. [1] Rivals and Personnaz, *MLPs (mono-layer polynomials and multi-layer perceptrons) for
       nonlinear modeling*, Journal of Machine Learning Research 3, 2003; chapter 5, section 5.2.2
       of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 5))
    >>> y = X[:, 1] * X[:, 3] + X[:, 0] + 0.1 * rng.standard_normal(200)
    >>> model = MonomialRegression(alpha=0.001).fit(X, y)
    >>> model.get_support(indices=True), model.powers_.tolist()
    (array([0, 1, 3]), [[1, 0, 0, 0, 0], [0, 1, 0, 1, 0]])
    """

    def __init__(
        self, degree: int = 2, *, n_terms: int = 20, prune: str = "fisher", alpha: float = 0.05
    ) -> None:
        self.degree = degree
        self.n_terms = n_terms
        self.prune = prune
        self.alpha = alpha

    def fit(self, X: Any, y: Any) -> MonomialRegression:
        """Choose monomials, prune them and fit their coefficients."""
        if self.prune not in ("fisher", "loo"):
            raise ValueError(f"prune must be 'fisher' or 'loo', got {self.prune!r}.")
        X, y = self._receive(X, y)
        task = Task.of(X, y)
        response = numbers(task.y)
        build = PolynomialFeatures(self.degree, include_bias=False).fit(task.matrix)
        terms = build.transform(task.matrix)
        n = min(self.n_terms, terms.shape[1], max(task.n_rows - 3, 1))
        grown = gram_schmidt(terms, response, n_features=n).features
        self.grown_ = build.powers_[grown]
        kept = np.sort(grown[self._remaining(terms[:, grown], response)])
        self.powers_ = build.powers_[kept]
        design = np.column_stack((np.ones(task.n_rows), terms[:, kept]))
        solution = np.linalg.lstsq(design, response, rcond=None)[0]
        self.intercept_, self.coef_ = float(solution[0]), solution[1:]
        self.support_ = (self.powers_ > 0).any(axis=0)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Compute the value of the polynomial for each row."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, accept_sparse="csr")
        terms = np.prod(dense(X)[:, None, :] ** self.powers_[None], axis=2)
        return terms @ self.coef_ + self.intercept_

    def _remaining(self, terms: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Prune the monomials, of shape (rows, monomials); return the places of the others."""
        if terms.shape[1] == 0:
            return np.empty(0, dtype=np.intp)
        if self.prune == "loo":
            return leave_one_out_elimination(terms, y)
        return nested_f_elimination(terms, y, self.alpha)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # a sparse table is made dense
        return tags


def leave_one_out_elimination(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Eliminate columns backwards by the leave-one-out error of least squares, until it would rise.

    Returns the columns that are left.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((30, 4))
    >>> leave_one_out_elimination(X, X[:, 1] - X[:, 2] + 0.1 * rng.standard_normal(30))
    array([1, 2, 3])
    """
    kept = np.arange(X.shape[1])
    error = leave_one_out_error(X, y)
    while len(kept):
        without = [leave_one_out_error(X[:, np.delete(kept, k)], y) for k in range(len(kept))]
        worst = int(np.argmin(without))
        if without[worst] > error:
            break
        error, kept = without[worst], np.delete(kept, worst)
    return kept


def leave_one_out_error(X: np.ndarray, y: np.ndarray) -> float:
    r"""Compute the mean squared leave-one-out error of least squares with an intercept.

    It is infinite where a row determines its own prediction.
    """
    # Without row k the residual of row k is e_k / (1 - h_kk), with the hat values h_kk, the squared
    # row norms of an orthonormal basis: the PRESS statistic (Allen, The relationship between
    # variable selection and data augmentation, Technometrics 16, 1974).
    basis, _ = np.linalg.qr(np.column_stack((np.ones(len(y)), X)))
    free_share = 1 - (basis**2).sum(axis=1)
    if free_share.min() < 1e-10:
        return np.inf
    return float(np.mean(((y - basis @ (basis.T @ y)) / free_share) ** 2))
