"""A mixture of Gaussian components, each with probabilities of the classes."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.two_classes import BinaryClassifier

__all__ = ["ClassMixture"]

MOST_COLUMNS = 10  # 2^10 components


class Components(NamedTuple):
    """The parameters of the K components of a mixture in d dimensions."""

    shares: np.ndarray  # (K,) probabilities of the components
    means: np.ndarray  # (K, d)
    covariances: np.ndarray  # (K, d, d)
    positive: np.ndarray  # (K,) probabilities of the second class


class ClassMixture(BinaryClassifier):
    r"""A Gaussian mixture in which the label depends on the component alone [1]_.

    .. math:: p(x, y) = \sum_k \pi_k\, N(x; \mu_k, \Sigma_k)\, P(y | k)

    The mixture is fitted to rows and labels by expectation and maximisation. There is a component
    for each vertex of the cube :math:`\{-1, 1\}^d`, near which it starts, so that the model suits a
    few centred columns with two modes each, such as independent components. Every covariance is
    shrunk towards the pooled one, as if ``shrinkage`` further rows had that covariance.

    Parameters
    ----------
    shrinkage : float
        Number of rows for which the pooled covariance counts in each component; not negative.
    least : float
        Least probability of either class in a component, which allows for wrong labels.
    max_iter : int
        Most steps.
    tol : float
        The fit ends when the mean log-likelihood of a row increases by less.

    Attributes
    ----------
    shares_, positive_ : ndarray of shape (n_components,)
        Probabilities of the components, and of the second class in each.
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Covariances of the components.
    log_likelihood_ : list of float
        Mean log-likelihood of a row and its label before each step, up to a constant.
    n_iter_ : int
        Number of steps.
    classes_ : ndarray
        The class labels.

    References
    ----------
    .. [1] D. J. Miller and H. S. Uyar, "A mixture of experts classifier with learning based on both
       labelled and unlabelled data", *Advances in Neural Information Processing Systems* 9, 1997.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> corners = rng.choice([-1.0, 1.0], size=(200, 2))
    >>> X, y = corners + rng.normal(scale=0.3, size=(200, 2)), corners.prod(axis=1) > 0
    >>> bool(ClassMixture().fit(X, y).score(X, y) > 0.95)
    True
    """

    def __init__(
        self, shrinkage: float = 2.0, *, least: float = 0.01, max_iter: int = 100, tol: float = 1e-5
    ) -> None:
        self.shrinkage = shrinkage
        self.least = least
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any) -> ClassMixture:
        """Alternate expectation and maximisation until the likelihood hardly increases."""
        X, codes, _ = self._receive(X, y)
        self._check(X)
        parameters, self.log_likelihood_ = self._start(X), []
        for _ in range(self.max_iter):
            second, first = _log_class_probabilities(parameters)
            labels = np.where(codes[:, None] == 1, second, first)
            joint = _log_densities(X, parameters) + labels
            total = logsumexp(joint, axis=1)
            self.log_likelihood_.append(float(total.mean()))
            parameters = self._maximise(X, codes, np.exp(joint - total[:, None]))
            if np.diff(self.log_likelihood_[-2:], prepend=-np.inf)[-1] < self.tol:
                break
        self.n_iter_ = len(self.log_likelihood_)
        self.shares_, self.means_, self.covariances_, self.positive_ = parameters
        return self

    def _check(self, X: np.ndarray) -> None:
        if X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"X must have at most {MOST_COLUMNS} columns (d columns need 2**d components), "
                f"got {X.shape[1]}."
            )
        if not self.shrinkage >= 0:
            raise ValueError(f"shrinkage must not be negative, got {self.shrinkage!r}.")
        if not 0 < self.least < 0.5:
            raise ValueError(f"least must lie between 0 and 0.5, got {self.least!r}.")

    def _start(self, X: np.ndarray) -> Components:
        """Return one component per vertex, at the mean absolute value of each column.

        Its standard deviations are half of that.
        """
        distance = np.maximum(np.abs(X).mean(axis=0), np.finfo(float).tiny)
        vertices = np.array(list(product((-1.0, 1.0), repeat=X.shape[1])))
        spread = np.repeat(np.diag((distance / 2) ** 2)[None], len(vertices), axis=0)
        same = np.full(len(vertices), 1 / len(vertices))
        return Components(same, vertices * distance, spread, np.full(len(vertices), 0.5))

    def _maximise(self, X: np.ndarray, codes: np.ndarray, parts: np.ndarray) -> Components:
        """Return the parameters for given posterior probabilities of the components.

        ``parts``, of shape (n_rows, n_components), are these probabilities for each row.
        """
        # half a row of either class is added to each component; 1e-9 keeps covariances regular
        mass = parts.sum(axis=0) + np.finfo(float).tiny
        means = parts.T @ X / mass[:, None]
        scatter = np.stack(
            [(part[:, None] * (X - mean)).T @ (X - mean) for part, mean in zip(parts.T, means)]
        )
        pooled = scatter.sum(axis=0) / mass.sum() + 1e-9 * np.eye(X.shape[1])
        covariances = (scatter + self.shrinkage * pooled) / (mass + self.shrinkage)[:, None, None]
        positive = np.clip((codes @ parts + 0.5) / (mass + 1), self.least, 1 - self.least)
        return Components(mass / mass.sum(), means, covariances, positive)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the log odds of the second class for each row."""
        check_is_fitted(self)
        parameters = Components(self.shares_, self.means_, self.covariances_, self.positive_)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        densities = _log_densities(X, parameters)
        second, first = _log_class_probabilities(parameters)
        return logsumexp(densities + second, axis=1) - logsumexp(densities + first, axis=1)

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-self.decision_function(X)))


def _log_class_probabilities(parameters: Components) -> tuple[np.ndarray, np.ndarray]:
    """Return the log probabilities of the second and of the first class in each component."""
    return np.log(parameters.positive), np.log1p(-parameters.positive)


def _log_densities(X: np.ndarray, parameters: Components) -> np.ndarray:
    """Return log(share x density) of each component at each row, up to a constant.

    The result has shape (n_rows, n_components).
    """
    # with the Cholesky factor L of a covariance, the quadratic form is |L^-1 (x - mean)|^2 and the
    # root of the determinant is the product of the diagonal of L
    roots = np.linalg.cholesky(parameters.covariances)
    densities = np.empty((len(X), len(parameters.shares)))
    for density, share, mean, root in zip(densities.T, parameters.shares, parameters.means, roots):
        z = solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
        density[:] = np.log(share) - 0.5 * np.einsum("ij,ij->j", z, z) - np.log(np.diag(root)).sum()
    return densities
