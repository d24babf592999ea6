"""Toys in which relevant features come in groups that stand in for each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["modes", "redundancy", "two_best"]

NOISE = 20.0  # spread of the features that know nothing


def redundancy(
    n_samples: int = 100,
    n_features: int = 100,
    means: Sequence[float] = (1.0, 2.0, 3.0),
    first_share: float = 0.5,
    flipped: float = 0.2,
    random_state: Any = None,
) -> SyntheticProblem:
    r"""Draw two groups of features of which one at a time follows the label.

    With probability ``first_share`` the first group is :math:`y\,N(\mu_j, 1)` and the second :math:`N(0, 1)`, else the other
    way round; the remaining features are noise of spread 20. A share of the labels is then turned. Within a group the
    features repeat each other, between the groups they complete each other. The book's large variant has a thousand
    features and two groups of thirty of mean 2: ``means=[2.0] * 30``.

    Parameters
    ----------
    n_samples, n_features : int
        Rows and columns.
    means : sequence of float
        Of the features of a group.
    first_share : float
        How often the first group carries the label.
    flipped : float
        Share of labels turned.
    random_state : int, Generator or None
        Where the draws come from.

    Notes
    -----
    The book does not say whether the second argument of its N is a variance; here it is a standard deviation.

    References
    ----------
    .. [1] Hochreiter and Obermayer, *Nonlinear feature selection with the potential support vector machine*, in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 19, section 19.3.

    Examples
    --------
    >>> redundancy(random_state=0).relevant
    array([0, 1, 2, 3, 4, 5])
    """
    rng = np.random.default_rng(random_state)
    size = len(means)
    if n_features < 2 * size:
        raise ValueError(
            f"n_features must be at least {2 * size}, two groups of {size}, got {n_features}."
        )
    y = rng.choice([-1, 1], n_samples)
    X = NOISE * rng.standard_normal((n_samples, n_features))
    first = rng.random(n_samples) < first_share
    for group, follows in ((slice(0, size), first), (slice(size, 2 * size), ~first)):
        noise = rng.standard_normal((n_samples, size))
        X[:, group] = np.where(follows[:, None], y[:, None] * (np.asarray(means) + noise), noise)
    turned = rng.random(n_samples) < flipped
    return SyntheticProblem(X, np.where(turned, -y, y), np.arange(2 * size))


def two_best(n_samples: int = 30, random_state: Any = None) -> SyntheticProblem:
    """Draw the redundancy toy with groups that carry the label in 70 and 30 of 100 cases, without turned labels.

    The best pair takes one feature from each group, though the second best single feature is in the group of the best.

    References
    ----------
    .. [1] Hochreiter and Obermayer, chapter 19 of Guyon et al. (eds.), *Feature Extraction*, 2006, section 19.4.

    Examples
    --------
    >>> two_best(10, random_state=0).X.shape
    (10, 100)
    """
    return redundancy(n_samples, first_share=0.7, flipped=0.0, random_state=random_state)


def modes(
    n_samples: int = 600, n_features: int = 2000, random_state: Any = None
) -> SyntheticProblem:
    r"""Draw five modes, in each of which four features of their own follow the label.

    In mode m the features 4m + 1 to 4m + 4 are :math:`y\,N(2, \tau/2)` with :math:`\tau` from 1 to 4; the others of the first
    twenty are :math:`N(0, 1)` and the rest noise of spread 20.

    References
    ----------
    .. [1] Hochreiter and Obermayer, chapter 19 of Guyon et al. (eds.), *Feature Extraction*, 2006, section 19.4, after
       Weston et al.

    Examples
    --------
    >>> problem = modes(50, 100, random_state=0)
    >>> problem.X.shape, len(problem.relevant)
    ((50, 100), 20)
    """
    if n_features < 20:
        raise ValueError(f"n_features must be at least 20, got {n_features}.")
    rng = np.random.default_rng(random_state)
    y, mode = rng.choice([-1, 1], n_samples), rng.integers(5, size=n_samples)
    X = NOISE * rng.standard_normal((n_samples, n_features))
    X[:, :20] = rng.standard_normal((n_samples, 20))
    for step in range(4):
        followed = y * (2 + 0.5 * (step + 1) * rng.standard_normal(n_samples))
        X[np.arange(n_samples), 4 * mode + step] = followed
    return SyntheticProblem(X, y, np.arange(20))
