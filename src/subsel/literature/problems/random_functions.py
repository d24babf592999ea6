"""Friedman's random functions: a new non-linear problem at every draw."""

from typing import Any

import numpy as np

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["graded_linear", "random_function"]


def random_function(
    n_samples: int = 5000,
    *,
    n_relevant: int = 10,
    n_features: int = 50,
    n_bumps: int = 50,
    n_classes: int | None = None,
    noise: float = 0.0,
    random_state: Any = None,
) -> SyntheticProblem:
    r"""Draw a target that is a random sum of Gaussian bumps, each on a few of the first inputs [1]_.

    .. math:: f(x) = \sum_l a_l \exp\bigl(-\tfrac12 (z_l - \mu_l)^T V_l^{-1} (z_l - \mu_l)\bigr)

    where :math:`a_l` is uniform on [-1, 1], :math:`z_l` are :math:`\min(\lfloor 1.5 + r \rfloor, n_{relevant})`
    of the relevant inputs, r exponential with mean 2; inputs and :math:`\mu_l` are standard
    normal. The book leaves the covariance open; here its axes are random and their standard deviations
    uniform on [0.1, 2], as in Friedman's gradient boosting paper (2001). With ``n_classes`` (the book: 7) the
    target is cut at its quantiles.

    References
    ----------
    .. [1] A. Borisov, V. Eruhimov and E. Tuv, "Tree-Based Ensembles with Dynamic Soft Feature Selection", in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 15, random functions.

    Examples
    --------
    >>> problem = random_function(700, n_classes=7, random_state=0)
    >>> np.bincount(problem.y)
    array([100, 100, 100, 100, 100, 100, 100])
    """
    if not 1 <= n_relevant <= n_features:
        raise ValueError(f"n_relevant must lie in [1, {n_features}], got {n_relevant}.")
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, n_features))
    used = np.zeros(n_features, dtype=bool)
    f = np.zeros(n_samples)
    for weight in rng.uniform(-1, 1, n_bumps):
        size = min(int(1.5 + rng.exponential(2.0)), n_relevant)
        inputs = rng.choice(n_relevant, size=size, replace=False)
        used[inputs] = True
        f += weight * _bump(X[:, inputs], rng)
    y = f + noise * rng.standard_normal(n_samples)
    if n_classes is None:
        return SyntheticProblem(X, y, np.flatnonzero(used), noise**2)
    ranks = y.argsort().argsort()
    return SyntheticProblem(X, ranks * n_classes // n_samples, np.flatnonzero(used))


def graded_linear(
    n_samples: int = 5000, n_irrelevant: int = 46, noise: float = 0.5, random_state: Any = None
) -> SyntheticProblem:
    """Draw ``y = x0 + 2 x1 + 3 x2 + 4 x3`` plus noise: importances as 1, 4, 9, 16 [1]_.

    References
    ----------
    .. [1] A. Borisov, V. Eruhimov and E. Tuv, "Tree-Based Ensembles with Dynamic Soft Feature Selection", in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 15, random functions.

    Examples
    --------
    >>> graded_linear(10, random_state=0).X.shape
    (10, 50)
    """
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, 4 + n_irrelevant))
    y = X[:, :4] @ np.arange(1, 5) + noise * rng.standard_normal(n_samples)
    return SyntheticProblem(X, y, np.arange(4), noise**2)


def _bump(Z: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    size = Z.shape[1]
    axes, _ = np.linalg.qr(rng.standard_normal((size, size)))
    along = (Z - rng.standard_normal(size)) @ axes / rng.uniform(0.1, 2.0, size)
    return np.exp(-0.5 * np.einsum("ij,ij->i", along, along))
