"""A mixture of Gaussians whose components know how likely each class is."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.two_classes import BinaryClassifier

__all__ = ["ClassMixture"]

MOST_COLUMNS = 10


class Components(NamedTuple):
    """What is learnt: shares, means and covariances of the components, and their probabilities of the second class."""

    shares: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    positive: np.ndarray


class ClassMixture(BinaryClassifier):
    r"""Rows come from Gaussian components, labels from the component alone [1]_.

    .. math:: p(x, y) = \sum_k \pi_k\, N(x; \mu_k, \Sigma_k)\, P(y | k)

    Expectation and maximisation look at rows and labels together. There is a component for each
    vertex of the cube :math:`\{-1, 1\}^d`, where it starts: meant for few columns that are centred
    and of two humps each, such as independent components. Every covariance is drawn towards the
    pooled one, as if that were known from ``shrinkage`` more rows.

    Parameters
    ----------
    shrinkage : float
        How many rows the pooled covariance counts for in each component; not negative.
    least : float
        Bound of the probability of either class in a component, which allows for wrong labels.
    max_iter : int
        Most steps.
    tol : float
        End where a row gains less log-likelihood on average.

    Attributes
    ----------
    shares_, positive_ : ndarray of shape (n_components,)
        Of the rows; the probability of the second class.
    means_ : ndarray of shape (n_components, n_features)
        Where the components stand.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        How they spread.
    log_likelihood_ : list of float
        Of a row and its label on average, before each step.
    n_iter_ : int
        Steps done.
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
        """Expect and maximise until little is gained."""
        X, codes, _ = self._receive(X, y)
        self._check(X)
        found, self.log_likelihood_ = self._start(X), []
        for _ in range(self.max_iter):
            joint = _log_densities(X, found) + np.where(codes[:, None] == 1, *_log_chances(found))
            total = logsumexp(joint, axis=1)
            self.log_likelihood_.append(float(total.mean()))
            found = self._maximise(X, codes, np.exp(joint - total[:, None]))
            if np.diff(self.log_likelihood_[-2:], prepend=-np.inf)[-1] < self.tol:
                break
        self.n_iter_ = len(self.log_likelihood_)
        self.shares_, self.means_, self.covariances_, self.positive_ = found
        return self

    def _check(self, X: np.ndarray) -> None:
        if X.shape[1] > MOST_COLUMNS:
            raise ValueError(
                f"X must have at most {MOST_COLUMNS} columns, a component a vertex, got {X.shape[1]}."
            )
        if not self.shrinkage >= 0:
            raise ValueError(f"shrinkage must not be negative, got {self.shrinkage!r}.")
        if not 0 < self.least < 0.5:
            raise ValueError(f"least must lie between 0 and 0.5, got {self.least!r}.")

    def _start(self, X: np.ndarray) -> Components:
        """One component a vertex, of half the columns' mean distance to the origin each way."""
        distance = np.maximum(np.abs(X).mean(axis=0), np.finfo(float).tiny)
        vertices = np.array(list(product((-1.0, 1.0), repeat=X.shape[1])))
        spread = np.repeat(np.diag((distance / 2) ** 2)[None], len(vertices), axis=0)
        same = np.full(len(vertices), 1 / len(vertices))
        return Components(same, vertices * distance, spread, np.full(len(vertices), 0.5))

    def _maximise(self, X: np.ndarray, codes: np.ndarray, parts: np.ndarray) -> Components:
        """Shares, means, covariances and class probabilities for given parts of rows in components."""
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
        """The logarithm of the odds of the second class."""
        check_is_fitted(self)
        found = Components(self.shares_, self.means_, self.covariances_, self.positive_)
        densities = _log_densities(validate_data(self, X, dtype=np.float64, reset=False), found)
        second, first = _log_chances(found)
        return logsumexp(densities + second, axis=1) - logsumexp(densities + first, axis=1)

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-self.decision_function(X)))


def _log_chances(found: Components) -> tuple[np.ndarray, np.ndarray]:
    """Of the second class and of the first, in each component."""
    return np.log(found.positive), np.log1p(-found.positive)


def _log_densities(X: np.ndarray, found: Components) -> np.ndarray:
    """Of each row with each component, the share included, up to a constant."""
    densities = np.empty((len(X), len(found.shares)))
    for density, share, mean, root in zip(
        densities.T, found.shares, found.means, np.linalg.cholesky(found.covariances)
    ):
        z = solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
        density[:] = np.log(share) - 0.5 * np.einsum("ij,ij->j", z, z) - np.log(np.diag(root)).sum()
    return densities
