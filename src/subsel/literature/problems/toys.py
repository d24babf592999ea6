r"""The eight small pictures that show what a single feature cannot tell.

All have labels drawn evenly from -1 and +1 and known errors. For two Gaussian classes of equal covariance,
whose means stand :math:`\Delta` apart in the Mahalanobis distance, the Bayes error is
:math:`\Phi(-\Delta/2)`.
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
from scipy.stats import norm

from subsel.literature.problems.problem import SyntheticProblem

__all__ = [
    "TOYS",
    "anticorrelated_pair",
    "chessboard",
    "forward_against_backward",
    "helper",
    "noise_reduction",
    "one_useful",
    "probability_only",
    "redundant_pair",
]


def one_useful(
    n_samples: int = 1000, distance: float = 1.0, spread: float = 1.0, random_state: Any = None
) -> SyntheticProblem:
    """Draw one feature that separates the classes beside one that is pure noise (Figure 2-a) [1]_.

    The means stand ``sqrt(2) * distance`` apart along the first column.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> round(one_useful(10).bayes_error, 4)
    0.2398
    """
    _positive(spread=spread)
    rng, y = _rng_and_labels(n_samples, random_state)
    X = spread * rng.standard_normal((n_samples, 2))
    X[:, 0] += y * distance / sqrt(2)
    error = _gaussian_error(sqrt(2) * distance / spread)
    return _problem(X, y, [0], {(0,): error, (1,): 0.5, (0, 1): error})


def helper(
    n_samples: int = 1000,
    signal: float = 1.0,
    noise: float = 0.5,
    background: float = 1.0,
    random_state: Any = None,
) -> SyntheticProblem:
    """Draw a signal on a moving background, and the background alone (Figure 2-b) [1]_.

    The second column is independent of the label, yet subtracting it cleans the first.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> {subset: round(error, 4) for subset, error in helper(10).subset_errors.items()}
    {(0,): 0.1855, (1,): 0.5, (0, 1): 0.0228}
    """
    _positive(noise=noise)
    rng, y = _rng_and_labels(n_samples, random_state)
    behind = background * rng.standard_normal(n_samples)
    in_front = signal * y + noise * rng.standard_normal(n_samples)
    alone = _gaussian_error(2 * signal / np.hypot(noise, background))
    together = _gaussian_error(2 * signal / noise)
    return _problem(
        np.column_stack((in_front + behind, behind)),
        y,
        [0, 1],
        {(0,): alone, (1,): 0.5, (0, 1): together},
    )


def chessboard(
    n_samples: int = 1000, spread: float = 0.3, random_state: Any = None
) -> SyntheticProblem:
    r"""Draw four clusters whose label is the product of their coordinates (Figure 2-c, XOR) [1]_.

    Neither column tells anything alone. With :math:`q = \Phi(-1/\sigma)` the pair has error :math:`2q(1-q)`.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> round(chessboard(10, spread=0.5).bayes_error, 4)
    0.0445
    """
    _positive(spread=spread)
    rng = np.random.default_rng(random_state)
    centres = rng.choice([-1, 1], size=(n_samples, 2))
    X = centres + spread * rng.standard_normal((n_samples, 2))
    wrong_side = norm.cdf(-1 / spread)
    pair = float(2 * wrong_side * (1 - wrong_side))
    return _problem(X, centres.prod(axis=1), [0, 1], {(0,): 0.5, (1,): 0.5, (0, 1): pair})


def noise_reduction(
    n_samples: int = 1000,
    n_features: int = 2,
    distance: float = 1.0,
    spread: float = 1.0,
    random_state: Any = None,
) -> SyntheticProblem:
    r"""Draw equally good, independent features: averaging n of them gains :math:`\sqrt n` (Figure 2-d) [1]_.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> {len(subset): round(error, 4) for subset, error in noise_reduction(10).subset_errors.items()}
    {1: 0.3085, 2: 0.2398}
    """
    _positive(spread=spread, n_features=n_features)
    rng, y = _rng_and_labels(n_samples, random_state)
    X = y[:, None] * distance / 2 + spread * rng.standard_normal((n_samples, n_features))
    errors = {
        tuple(range(k)): _gaussian_error(sqrt(k) * distance / spread)
        for k in range(1, n_features + 1)
    }
    return _problem(X, y, range(n_features), errors)


def anticorrelated_pair(
    n_samples: int = 1000, correlation: float = -0.98, random_state: Any = None
) -> SyntheticProblem:
    r"""Draw two features correlated within the classes, each of unit spread and distance (Figure 2-e) [1]_.

    :math:`\Delta = \sqrt{2/(1+\rho)}`: anti-correlated features are not redundant, though each alone is
    distributed as in :func:`noise_reduction` and in :func:`redundant_pair`. What matters
    is the correlation within the classes; the pooled one is :math:`(\rho + 1/4) / (1 + 1/4)`.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> f"{anticorrelated_pair(10).bayes_error:.1e}"
    '2.9e-07'
    """
    if not -1 < correlation <= 1:
        raise ValueError(f"correlation must lie in (-1, 1], got {correlation}.")
    rng, y = _rng_and_labels(n_samples, random_state)
    return _problem(_pair(y, correlation, rng), y, [0, 1], _pair_errors(correlation))


def redundant_pair(
    n_samples: int = 1000, correlation: float = 0.98, random_state: Any = None
) -> SyntheticProblem:
    """Draw two features so correlated within the classes that the second adds nothing (Figure 2-f) [1]_.

    The law of :func:`anticorrelated_pair` at the other end.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> round(redundant_pair(10).bayes_error, 4)
    0.3077
    """
    return anticorrelated_pair(n_samples, correlation, random_state)


def forward_against_backward(n_samples: int = 1000, random_state: Any = None) -> SyntheticProblem:
    """Draw a problem on which forward and backward selection disagree (Figures 2-g and 2-h) [1]_.

    The third column is the best alone, the first two are far better together: forward selection begins with
    the third, backward elimination drops it first.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> errors = forward_against_backward(10).subset_errors
    >>> {subset: float(f"{errors[subset]:.2g}") for subset in [(0,), (2,), (0, 2), (0, 1)]}
    {(0,): 0.31, (2,): 0.16, (0, 2): 0.13, (0, 1): 2.9e-07}
    """
    rng, y = _rng_and_labels(n_samples, random_state)
    X = np.column_stack((_pair(y, -0.98, rng), y + rng.standard_normal(n_samples)))
    pair = 2 / (1 - 0.98)  # squared Mahalanobis distances add over independent blocks
    mixed = _gaussian_error(sqrt(1 + 4))
    errors = {
        **_pair_errors(-0.98),
        (2,): _gaussian_error(2),
        (0, 2): mixed,
        (1, 2): mixed,
        (0, 1, 2): _gaussian_error(sqrt(pair + 4)),
    }
    return _problem(X, y, [0, 1, 2], errors)


def probability_only(n_samples: int = 1000, random_state: Any = None) -> SyntheticProblem:
    r"""Draw a feature that changes how sure the best rule is, and never what it says [1]_.

    :math:`x_2 \sim N(0, 1)` sets the spread of :math:`x_1 = y + e^{0.7 x_2} z`; the rule sign(x1) is optimal
    with or without :math:`x_2`, the log-loss is not (.337 against .421). The book claims this of case a,
    where it does not hold.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> probability_only(10, random_state=0).X.shape
    (10, 2)
    """
    rng, y = _rng_and_labels(n_samples, random_state)
    scale = rng.standard_normal(n_samples)
    X = np.column_stack((y + np.exp(0.7 * scale) * rng.standard_normal(n_samples), scale))
    return SyntheticProblem(X, y, np.array([0, 1]))


TOYS: dict[str, Callable[..., SyntheticProblem]] = {
    "2-a": one_useful,
    "2-b": helper,
    "2-c": chessboard,
    "2-d": noise_reduction,
    "2-e": anticorrelated_pair,
    "2-f": redundant_pair,
    "2-g": forward_against_backward,
    "2-h": forward_against_backward,
}


def _rng_and_labels(n_samples: int, random_state: Any) -> tuple[np.random.Generator, np.ndarray]:
    rng = np.random.default_rng(random_state)
    return rng, rng.choice([-1, 1], size=n_samples)


def _pair(y: np.ndarray, correlation: float, rng: np.random.Generator) -> np.ndarray:
    first, second = rng.standard_normal((2, len(y)))
    return y[:, None] / 2 + np.column_stack(
        (first, correlation * first + sqrt(1 - correlation**2) * second)
    )


def _pair_errors(correlation: float) -> dict[tuple[int, ...], float]:
    alone = _gaussian_error(1)
    return {(0,): alone, (1,): alone, (0, 1): _gaussian_error(sqrt(2 / (1 + correlation)))}


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ValueError(
                f"{name} must be positive, got {value}: without noise there is no error to speak of."
            )


def _gaussian_error(mahalanobis: float) -> float:
    return float(norm.cdf(-mahalanobis / 2))


def _problem(
    X: np.ndarray, y: np.ndarray, relevant: Any, errors: dict[tuple[int, ...], float]
) -> SyntheticProblem:
    return SyntheticProblem(X, y, np.array(relevant), errors[max(errors, key=len)], errors)
