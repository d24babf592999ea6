"""Boosting of any convex loss over given weak hypotheses, plain or with orthogonal directions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from subsel.construct.latent.losses import LOSSES

__all__ = ["BoostedHypotheses", "anyboost"]


class BoostedHypotheses(NamedTuple):
    """Hypotheses in the order taken, constant and coefficients of all of them, and the loss before and after each."""

    chosen: list[int]
    intercept: float
    coefficients: np.ndarray
    losses: list[float]


def anyboost(
    hypotheses: Any,
    y: Any,
    loss: str = "exponential",
    n_steps: int = 10,
    *,
    orthogonal: bool = False,
    sample_weight: Any = None,
) -> BoostedHypotheses:
    r"""Add hypotheses along the gradient of a loss, one by one [1]_ [2]_.

    With :math:`u = -\nabla l(y, f)` the hypothesis of largest :math:`|u't|` is taken (of a
    hypothesis its negative is one too) and added with the step that lowers the loss most; it ends
    where no hypothesis points down. With ``orthogonal`` each is first made orthogonal to those
    before and scaled to length one, and all coefficients are fitted anew.

    Parameters
    ----------
    hypotheses : array of shape (n_rows, n_hypotheses)
        Their values at the training rows.
    y : array of shape (n_rows,)
        Targets; -1 and 1 for the losses of classes.
    loss : str
        A key of the losses: squared, absolute, exponential or logistic.
    n_steps : int
        Most hypotheses.
    orthogonal : bool
        As above.
    sample_weight : array, optional
        A row of weight two counts twice.

    References
    ----------
    .. [1] Mason, Baxter, Bartlett and Frean, "Functional gradient techniques for combining
       hypotheses", in *Advances in Large Margin Classifiers*, 2000.
    .. [2] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 28, section 2.

    Examples
    --------
    >>> H = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> found = anyboost(H, 2 * H[:, 1] + 0.5 * H[:, 0], "squared")
    >>> found.chosen, found.coefficients
    ([1, 0], array([0.5, 2. ]))
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}.")
    H, y, rule = (
        np.asarray(hypotheses, dtype=np.float64),
        np.asarray(y, dtype=np.float64),
        LOSSES[loss],
    )
    if rule.two_classes and not np.isin(y, (-1, 1)).all():
        raise ValueError(f"y must hold -1 and 1 for the loss {loss!r}.")
    weight = np.ones(len(y))
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=np.float64)
    one = np.ones((len(y), 1))
    theta = rule.refit(y, one, np.zeros(1), weight, 0.0, 100)[0]
    f = one[:, 0] * theta[0]
    directions, chosen = one / np.sqrt(weight.sum()), []
    intercept, coefficients, losses = (
        float(theta[0]),
        np.zeros(H.shape[1]),
        [rule.value(y, f, weight)],
    )
    theta = np.array([theta[0] * np.sqrt(weight.sum())])
    for _ in range(n_steps):
        u = rule.residual(y, f, weight)
        T = H
        if orthogonal:
            T = _scaled_rest(H, directions, weight)
        best = int(np.argmax(np.abs(u @ T)))
        if abs(u @ T[:, best]) <= 1e-9 * (1 + np.abs(u).sum()):
            break
        chosen.append(best)
        if orthogonal:
            directions = np.column_stack([directions, T[:, best]])
            theta = rule.refit(y, directions, np.append(theta, 0.0), weight, 0.0, 100)[0]
            f = directions @ theta
            A = np.column_stack([one, H[:, chosen]])
            solved = np.linalg.lstsq(A, f)[0]
            intercept, coefficients = float(solved[0]), np.zeros(H.shape[1])
            coefficients[chosen] = solved[1:]
        else:
            step = _best_step(lambda c, f=f, t=T[:, best]: rule.value(y, f + c * t, weight))
            coefficients[best] += step
            f = f + step * T[:, best]
        losses.append(rule.value(y, f, weight))
    return BoostedHypotheses(chosen, intercept, coefficients, losses)


def _scaled_rest(H: np.ndarray, directions: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What is left of each hypothesis beside the directions, of length one; zero where next to nothing is left."""
    rest = H
    for _ in range(2):  # once more, for what rounding left
        rest = rest - directions @ (directions.T @ (weight[:, None] * rest))
    length = np.sqrt(weight @ rest**2)
    whole = np.sqrt(weight @ H**2)
    return np.divide(
        rest, length, out=np.zeros_like(rest), where=length > 1e-9 * np.maximum(whole, 1e-300)
    )


def _best_step(height: Any) -> float:
    return float(minimize_scalar(height, bracket=(0.0, 0.1), options={"xtol": 1e-12}).x)
