"""The loop of boosted latent features: orthogonal directions along the gradient of a loss, coefficients refitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from subsel.construct.latent.loss import Loss

__all__ = ["Boosted", "boost"]


class Boosted(NamedTuple):
    """Scores T (a column per component), duals M with T = K M, and after each component intercept and coefficients."""

    scores: np.ndarray
    duals: np.ndarray
    stages: list[np.ndarray]


def boost(
    product: Callable[[np.ndarray], np.ndarray],
    y: np.ndarray,
    weight: np.ndarray,
    loss: Loss,
    n_components: int,
    *,
    damping: float = 0.1,
    n_steps: int = 1,
) -> Boosted:
    r"""Boost orthogonal latent features [1]_.

    ``product`` multiplies with the centred Gram matrix :math:`K = \tilde X \tilde X'`, of which nothing else is asked.
    Deflating K by a score t is the same as taking t out of what is multiplied, so K is never changed. Centring and
    orthogonality are weighted, so that a row of weight 2 is the same as two rows. The constant is scaled to length 1:
    with ones, as printed, the damping would follow the number of rows. Ends early where no direction is left.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in *Feature Extraction:
       Foundations and Applications*, 2006, chapter 28, algorithms 12 and 14.

    Examples
    --------
    >>> from subsel.construct.latent.losses import Squared
    >>> x = np.array([-1.0, 0.0, 1.0])
    >>> found = boost(lambda a: x * (x @ a), np.array([0.0, 1.0, 2.0]), np.ones(3), Squared(), n_components=2)
    >>> found.scores.round(4).tolist(), found.stages[-1].round(4).tolist()
    ([[-0.7071], [0.0], [0.7071]], [1.0, 1.4142])
    """
    T, duals, stages = np.empty((len(y), 0)), np.empty((len(y), 0)), []
    constant = np.full(
        len(y), 1 / np.sqrt(weight.sum())
    )  # of length 1, as scores are: the damping suits both
    theta, u = loss.refit(y, constant[:, None], np.zeros(1), weight, 0.0, 100)
    largest = np.linalg.norm(loss.residual(y, np.zeros(len(y)), weight))
    for _ in range(n_components):
        a = u - weight * (T @ (T.T @ u))
        t = product(a)
        length = norm(t, weight)
        for _ in range(2):  # once more, for what rounding left
            t = t - T @ (T.T @ (weight * t))
        if np.linalg.norm(a) <= 1e-10 * largest or norm(t, weight) <= 1e-9 * length:
            break
        T = np.column_stack([T, t / norm(t, weight)])
        duals = np.column_stack([duals, a])
        A = np.column_stack([constant, T])
        theta, u = loss.refit(y, A, np.append(theta, 0.0), weight, damping, n_steps)
        stages.append(np.append(theta[0] * constant[0], theta[1:]))
    return Boosted(T, scaled_duals(product, T, duals, weight), stages or [theta * constant[0]])


def norm(t: np.ndarray, weight: np.ndarray) -> float:
    """Give the length under weights."""
    return float(np.sqrt(weight @ t**2))


def scaled_duals(
    product: Callable[[np.ndarray], np.ndarray],
    T: np.ndarray,
    duals: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    """Give M with T = K M, from the directions before deflation."""
    if not T.shape[1]:
        return duals
    images = np.column_stack([product(a) for a in duals.T])
    return np.linalg.solve((T.T @ (weight[:, None] * images)).T, duals.T).T
