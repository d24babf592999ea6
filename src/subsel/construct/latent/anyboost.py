"""AnyBoost: boosting of a convex loss over given weak hypotheses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from subsel.construct.latent.losses import LOSSES

__all__ = ["BoostedHypotheses", "anyboost"]


class BoostedHypotheses(NamedTuple):
    """The answer of :func:`anyboost`."""

    chosen: list[int]  # the hypotheses in the order in which they were added
    intercept: float
    coefficients: np.ndarray  # shape (hypotheses,)
    losses: list[float]  # at the start and after each hypothesis


def anyboost(
    hypotheses: Any,
    y: Any,
    loss: str = "exponential",
    n_steps: int = 10,
    *,
    orthogonal: bool = False,
    sample_weight: Any = None,
) -> BoostedHypotheses:
    r"""Add hypotheses one by one along the negative gradient of a loss [1]_ [2]_.

    With :math:`u = -\nabla l(y, f)` the hypothesis t of largest :math:`|u't|` is added, with the
    step that lowers the loss most; a step may be negative. The algorithm ends where no hypothesis
    is a direction of descent. With `orthogonal` each hypothesis is first made orthogonal to those
    before and scaled to length one, and all coefficients are refitted.

    Parameters
    ----------
    hypotheses : array of shape (n_rows, n_hypotheses)
        Values of the hypotheses at the training rows.
    y : array of shape (n_rows,)
        Targets; -1 and 1 for the losses of classes.
    loss : str
        The loss: squared, absolute, exponential or logistic.
    n_steps : int
        Largest number of steps.
    orthogonal : bool
        Whether to make hypotheses orthogonal and refit all coefficients.
    sample_weight : array, optional
        A row of weight 2 counts as two rows.

    References
    ----------
    .. [1] Mason, Baxter, Bartlett and Frean, "Functional gradient techniques for combining
       hypotheses", in *Advances in Large Margin Classifiers*, 2000.
    .. [2] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 28, section 2.

    Examples
    --------
    >>> H = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> boosted = anyboost(H, 2 * H[:, 1] + 0.5 * H[:, 0], "squared")
    >>> boosted.chosen, boosted.coefficients
    ([1, 0], array([0.5, 2. ]))
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}.")
    H, y = np.asarray(hypotheses, dtype=np.float64), np.asarray(y, dtype=np.float64)
    rule = LOSSES[loss]
    if rule.two_classes and not np.isin(y, (-1, 1)).all():
        raise ValueError(
            f"y must be -1 or 1 for the loss {loss!r}, got {np.unique(y)[:5].tolist()}."
        )
    weight = np.ones(len(y))
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=np.float64)
    one = np.ones((len(y), 1))
    theta = rule.refit(y, one, np.zeros(1), weight, 0.0, 100)[0]
    f = one[:, 0] * theta[0]
    directions, chosen = one / np.sqrt(weight.sum()), []
    intercept, coefficients = float(theta[0]), np.zeros(H.shape[1])
    losses = [rule.value(y, f, weight)]
    theta = np.array([theta[0] * np.sqrt(weight.sum())])
    for _ in range(n_steps):
        u = rule.residual(y, f, weight)
        T = H
        if orthogonal:
            T = _orthogonal_part(H, directions, weight)
        best = int(np.argmax(np.abs(u @ T)))
        if abs(u @ T[:, best]) <= 1e-9 * (1 + np.abs(u).sum()):
            break
        chosen.append(best)
        if orthogonal:
            directions = np.column_stack([directions, T[:, best]])
            theta = rule.refit(y, directions, np.append(theta, 0.0), weight, 0.0, 100)[0]
            f = directions @ theta
            A = np.column_stack([one, H[:, chosen]])
            solution = np.linalg.lstsq(A, f)[0]
            intercept, coefficients = float(solution[0]), np.zeros(H.shape[1])
            coefficients[chosen] = solution[1:]
        else:
            step = _best_step(lambda c, f=f, t=T[:, best]: rule.value(y, f + c * t, weight))
            coefficients[best] += step
            f = f + step * T[:, best]
        losses.append(rule.value(y, f, weight))
    return BoostedHypotheses(chosen, intercept, coefficients, losses)


def _orthogonal_part(H: np.ndarray, directions: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Make hypotheses orthogonal to the directions and scale them to length one.

    Columns that depend on the directions, to rounding, become 0.

    Parameters
    ----------
    H : ndarray of shape (rows, hypotheses)
        The hypotheses.
    directions : ndarray of shape (rows, k)
        Directions that are orthonormal under the weights.
    weight : ndarray of shape (rows,)
        The weights of the rows.
    """
    rest = H
    for _ in range(2):  # Gram-Schmidt twice, because of rounding
        rest = rest - directions @ (directions.T @ (weight[:, None] * rest))
    length = np.sqrt(weight @ rest**2)
    norms = np.sqrt(weight @ H**2)
    return np.divide(
        rest, length, out=np.zeros_like(rest), where=length > 1e-9 * np.maximum(norms, 1e-300)
    )


def _best_step(loss_of_step: Any) -> float:
    """Minimise a convex function of the step."""
    return float(minimize_scalar(loss_of_step, bracket=(0.0, 0.1), options={"xtol": 1e-12}).x)
