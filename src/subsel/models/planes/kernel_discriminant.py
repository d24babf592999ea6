"""Kernel discriminants: Fisher's criterion or a soft margin on the columns of a kernel matrix."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.covariance import StabilisedCovariance, stabilised_covariance
from subsel.models.decisions import decided_codes
from subsel.models.kernels import Kernel, find_kernel
from subsel.models.planes.sparse_fisher import sparse_fisher

__all__ = [
    "Discriminants",
    "Form",
    "KernelDiscriminant",
    "discriminants",
    "predicted_codes",
    "within_covariance",
]

Form = Literal["fisher", "sparse-fisher", "support-vector"]
Decomposition = Literal["one-against-all", "one-against-one"]
Slack = Literal["linear", "squared", "class-share"]
NO_BOUND = 1e8  # a price so high that no slack remains


class KernelDiscriminant(ClassifierMixin, BaseEstimator):
    r"""Regularised kernel discriminant analysis [1]_.

    The kernel matrix K of the training rows is taken as data: one row per observation, one column
    per training row. Two classes are separated by :math:`f(x) = \langle \alpha, k(x) \rangle + b`.

    - ``form="fisher"``: :math:`\alpha = \Sigma_W^{-1} (\bar k_1 - \bar k_0)`, the direction that
      maximises :math:`\alpha' \Sigma_B \alpha / \alpha' \Sigma_W \alpha` over the class means and
      within-class covariance of the rows of K; the threshold lies midway between the projected
      means. Scaled so, f is a log-likelihood ratio, and those of several problems can be compared.
    - ``form="sparse-fisher"``: the same criterion with a price on the sum of absolute weights, so
      that few rows have a weight [3]_; see `subsel.models.planes.sparse_fisher`.
    - ``form="support-vector"``: the soft margin of a support vector machine with this kernel, whose
      weights are non-zero on few rows (scikit-learn's ``SVC`` solves it), with linear or squared
      slack.

    Parameters
    ----------
    kernel : str or callable
        A name (see `subsel.models.kernels.KERNELS`) or a function of two tables.
    kernel_params : mapping, optional
        The parameters of the kernel; None takes those of the paper.
    form : {"fisher", "sparse-fisher", "support-vector"}
        As above.
    decomposition : {"one-against-all", "one-against-one"}
        More than two classes by the largest f, or by the majority of pairwise decisions (ties go to
        the larger sum of f).
    covariance : {"stabilised", "empirical"}
        See `subsel.models.covariance`; the empirical one is used with its pseudo-inverse, and with
        a linear kernel on fewer columns than rows that is linear discriminant analysis with equal
        priors.
    m : float or None
        Weight of the identity in the stabilised covariance.
    rank : int or None
        Rank of the stabilised covariance. With one, the Fisher direction is sought among that many
        eigenvectors.
    C : float
        Price of a row inside the margin, for the support-vector form.
    slack : {"linear", "squared", "class-share"}
        How slack is priced in the support-vector form. Squared slack adds 1 / (2C) to the diagonal
        of the kernel matrix and leaves no other slack [1]_; ``"class-share"`` adds to it the share
        of the row's class in place of that, so that errors of the smaller class cost more [2]_.
    penalty : float
        The price of weights in the sparse form, as a share of the smallest price at which all
        weights are zero; above 0 and below 1.

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    support_ : ndarray of shape (n_support,)
        The numbers of the training rows with a weight.
    X_fit_ : ndarray of shape (n_support, n_features)
        Those rows.
    weights_ : ndarray of shape (n_support, n_problems)
        The weights, one column per binary problem, in order of class or of pairs of classes.
    intercepts_ : ndarray of shape (n_problems,)
        The intercepts.

    Notes
    -----
    Columns are not scaled: put a ``StandardScaler`` before it where they have different units,
    since all kernels but the linear one depend on it.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, European Journal of Pure and Applied Mathematics 9, 2016, sections 2.1
       to 2.5.
    .. [2] Lal, Chapelle and Scholkopf, *Combining a filter method with SVMs*, in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 20.
    .. [3] Mika, Rätsch and Müller, *A mathematical programming approach to the kernel Fisher
       algorithm*, NIPS 13, 2001.

    Examples
    --------
    >>> X = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]])
    >>> y = np.array(["out", "in", "in", "in", "out"])
    >>> KernelDiscriminant("quadratic").fit(X, y).predict(np.array([[-3.0], [0.5], [3.0]])).tolist()
    ['out', 'in', 'out']
    """

    def __init__(
        self,
        kernel: str | Kernel = "gaussian",
        *,
        kernel_params: Mapping[str, Any] | None = None,
        form: Form = "fisher",
        decomposition: Decomposition = "one-against-all",
        covariance: Literal["stabilised", "empirical"] = "stabilised",
        m: float | None = None,
        rank: int | None = None,
        C: float = 1.0,
        slack: Slack = "linear",
        penalty: float = 0.1,
    ) -> None:
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.form = form
        self.decomposition = decomposition
        self.covariance = covariance
        self.m = m
        self.rank = rank
        self.C = C
        self.slack = slack
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> KernelDiscriminant:
        """Learn the discriminant of each binary problem."""
        _check("form", self.form, "fisher", "sparse-fisher", "support-vector")
        _check("decomposition", self.decomposition, "one-against-all", "one-against-one")
        _check("covariance", self.covariance, "stabilised", "empirical")
        _check("slack", self.slack, "linear", "squared", "class-share")
        if not self.C > 0:
            raise ValueError(f"C must be positive, got {self.C}.")
        if not 0 < self.penalty < 1:
            raise ValueError(f"penalty must lie between 0 and 1, got {self.penalty}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y must hold at least two classes, got one class only ({self.classes_[0]!r})."
            )
        K = self._kernel()(X)
        names = ("covariance", "m", "rank", "C", "slack", "penalty")
        options = {name: getattr(self, name) for name in names}
        solution = discriminants(K, codes, self.form, self.decomposition, **options)
        self.support_ = np.flatnonzero(solution.weights.any(axis=1))
        self.X_fit_, self.weights_, self.intercepts_ = (
            X[self.support_],
            solution.weights[self.support_],
            solution.intercepts,
        )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Give f, positive for the second class; for more classes f, or the votes, per class."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = self._kernel()(X, self.X_fit_) @ self.weights_ + self.intercepts_
        if len(self.classes_) == 2:
            return values[:, 0]
        if self.decomposition == "one-against-one":
            return votes(values, len(self.classes_))
        return values

    def predict(self, X: Any) -> np.ndarray:
        """Give the class of each row."""
        codes = decided_codes(self.decision_function(X))
        return self.classes_[codes]

    def _kernel(self) -> Kernel:
        return find_kernel(self.kernel, **(self.kernel_params or {}))


class Discriminants(NamedTuple):
    """The discriminants of all binary problems.

    Attributes
    ----------
    weights : ndarray of shape (n_rows, n_problems)
        The weights of the training rows.
    intercepts : ndarray of shape (n_problems,)
        The intercepts.
    """

    weights: np.ndarray
    intercepts: np.ndarray


def discriminants(
    K: np.ndarray,
    codes: np.ndarray,
    form: Form = "fisher",
    decomposition: Decomposition = "one-against-all",
    **options: Any,
) -> Discriminants:
    """Compute the discriminants of all binary problems.

    ``K``, shape (n_rows, n_rows), is the kernel matrix of the training rows, ``codes`` their
    classes. ``options`` are those of `KernelDiscriminant`.
    """
    n_classes = int(codes.max()) + 1
    solve: Any = {"fisher": _fisher, "sparse-fisher": _sparse, "support-vector": _margin}[form]
    if n_classes == 2:
        solutions = [solve(K, codes == 1, **options)]
    elif decomposition == "one-against-all":
        solutions = [solve(K, codes == k, **options) for k in range(n_classes)]
    else:
        solutions = [
            _pair(solve, K, codes, *pair, **options) for pair in combinations(range(n_classes), 2)
        ]
    return Discriminants(
        np.column_stack([w for w, _ in solutions]), np.array([b for _, b in solutions])
    )


def predicted_codes(
    values: np.ndarray, n_classes: int, decomposition: Decomposition = "one-against-all"
) -> np.ndarray:
    """Give the class code of each row from the discriminants.

    ``values`` has shape (n_rows, n_problems).
    """
    if n_classes == 2:
        return (values[:, 0] > 0).astype(int)
    if decomposition == "one-against-one":
        values = votes(values, n_classes)
    return values.argmax(axis=1)


def votes(values: np.ndarray, n_classes: int) -> np.ndarray:
    """Count the pairwise decisions that each class wins, an array of shape (n_rows, n_classes).

    A fraction below 1/2 that grows with the sum of f breaks ties.

    >>> votes(np.array([[-1.0, 2.0, 3.0]]), 3).round(2)
    array([[ 0.75, -0.4 ,  2.42]])
    """
    wins, sums = np.zeros((2, len(values), n_classes))
    for column, (i, j) in enumerate(combinations(range(n_classes), 2)):
        second = values[:, column] > 0
        wins[:, j] += second
        wins[:, i] += ~second
        sums[:, j] += values[:, column]
        sums[:, i] -= values[:, column]
    return wins + sums / (2 * (np.abs(sums) + 1))


def within_covariance(K: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Compute the covariance of the columns of K within classes, divided by the number of rows.

    It is equation 4 of Howe and Bozdogan (2016).
    """
    member = np.equal.outer(np.arange(int(codes.max()) + 1), codes).astype(float)
    means = member @ K / member.sum(axis=1)[:, None]
    centred = K - means[codes]
    return centred.T @ centred / len(K)


def _fisher(
    K: np.ndarray,
    positive: np.ndarray,
    covariance: str = "stabilised",
    m: float | None = None,
    rank: int | None = None,
    **_: Any,
) -> tuple[np.ndarray, float]:
    """Give the weights, shape (n_rows,), and the intercept of Fisher's criterion."""
    one, other = K[positive].mean(axis=0), K[~positive].mean(axis=0)
    within = within_covariance(K, positive.astype(int))
    if covariance == "empirical":
        values, vectors = np.linalg.eigh(within)
        estimate = StabilisedCovariance(np.maximum(values, 0.0)[::-1], vectors[:, ::-1])
    else:
        estimate = stabilised_covariance(within, len(K), m, rank)
    direction = estimate.solve(one - other)
    return direction, -float(direction @ (one + other)) / 2


def _sparse(
    K: np.ndarray, positive: np.ndarray, penalty: float = 0.1, **_: Any
) -> tuple[np.ndarray, float]:
    """Give the weights and the intercept of the sparse form."""
    return sparse_fisher(K, positive, penalty)


def _margin(
    K: np.ndarray, positive: np.ndarray, C: float = 1.0, slack: Slack = "linear", **_: Any
) -> tuple[np.ndarray, float]:
    """Give the weights and the intercept of a support vector machine."""
    # squared slack: its dual is that of the hard margin with 1 / (2C) added to the diagonal of K
    # (the slack is eliminated by
    # xi_i = alpha_i / (2C); Cristianini and Shawe-Taylor, An Introduction to Support Vector
    # Machines, 2000, section 6.1.2)
    if slack != "linear":
        share = positive.mean()
        ridge = np.where(positive, share, 1 - share)
        if slack == "squared":
            ridge = np.full(len(K), 0.5 / C)
        K = K + np.diag(ridge)
        C = NO_BOUND
    # the input is already checked; checking it again would double the time of a fit
    with config_context(assume_finite=True, skip_parameter_validation=True):
        machine = SVC(C=C, kernel="precomputed").fit(K, positive)
    weights = np.zeros(len(K))
    weights[machine.support_] = machine.dual_coef_[0]
    return weights, float(machine.intercept_[0])


def _pair(
    solve: Any, K: np.ndarray, codes: np.ndarray, i: int, j: int, **options: Any
) -> tuple[np.ndarray, float]:
    """Solve class j against class i on their rows alone; other rows have weight zero."""
    rows = np.flatnonzero((codes == i) | (codes == j))
    weights = np.zeros(len(K))
    weights[rows], intercept = solve(K[np.ix_(rows, rows)], codes[rows] == j, **options)
    return weights, intercept


def _check(name: str, value: str, *allowed: str) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be {' or '.join(map(repr, allowed))}, got {value!r}.")
