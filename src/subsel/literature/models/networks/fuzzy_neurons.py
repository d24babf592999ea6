"""Neurons of fuzzy logic, in which weights are gates of their inputs, and a network of differences that learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

__all__ = [
    "MEMBERSHIPS",
    "NORMS",
    "HybridGradient",
    "Norm",
    "composition",
    "fuzzy_and",
    "fuzzy_neuron",
    "fuzzy_not",
    "fuzzy_or",
    "hybrid_gradient",
    "hybrid_output",
    "indicator_network",
    "membership",
]


def fuzzy_neuron(
    X: Any, weights: Any, kind: Literal["or-and", "and-or"] = "or-and", norm: str = "min-max"
) -> np.ndarray:
    r"""Return the activation of a fuzzy neuron [1]_.

    OR-AND: :math:`u = S_i\, T(w_i, x_i)`; AND-OR: :math:`u = T_i\, S(w_i, x_i)`. Weights lie in [0,
    1] and are gates: in an OR-AND neuron :math:`w_i = 0` removes input i, in an AND-OR neuron
    :math:`w_i = 1` does.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Degrees in [0, 1]; put a column of ones first where there is to be a bias.
    weights : array of shape (n_inputs,)
        As above.
    kind : {"or-and", "and-or"}
        As above.
    norm : str
        A key of ``NORMS``: min-max, product-sum or bounded.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 3.

    Examples
    --------
    >>> fuzzy_neuron([[0.4, 0.9]], [0.7, 0.5], norm="product-sum").round(3)
    array([0.604])
    """
    if kind not in ("or-and", "and-or"):
        raise ValueError(f"kind must be 'or-and' or 'and-or', got {kind!r}.")
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {norm!r}.")
    X, weights = np.asarray(X, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if (X < 0).any() or (X > 1).any() or (weights < 0).any() or (weights > 1).any():
        raise ValueError("X and weights must hold degrees between 0 and 1.")
    pairs = np.stack(np.broadcast_arrays(X, weights), axis=-1)
    inner, outer = NORMS[norm].T, NORMS[norm].S
    if kind == "and-or":
        inner, outer = outer, inner
    return np.asarray(outer(inner(pairs)))


def indicator_network(
    X: Any, centres: Any, outputs: Any, threshold: float, far: bool = False
) -> np.ndarray:
    r"""Return the mean output of the units that answer to a row, 0 where none does [1]_.

    A unit answers where its largest difference :math:`\max_i (x_i - w_i)^2` does not exceed the
    threshold, so that small enough cells approximate any continuous function; with ``far`` where it
    does, as the chapter's formula has it.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 4.

    Examples
    --------
    >>> indicator_network([[0.1], [0.5], [0.9]], [[0.0], [1.0]], [2.0, 3.0], 0.04)
    array([2., 0., 3.])
    """
    X, centres = np.asarray(X, dtype=np.float64), np.asarray(centres, dtype=np.float64)
    answers = (((X[:, None] - centres) ** 2).max(axis=2) > threshold) == far
    active = answers.sum(axis=1)
    return np.where(
        active > 0, answers @ np.asarray(outputs, dtype=np.float64) / np.maximum(active, 1), 0.0
    )


def hybrid_output(
    X: Any, first: Any, second: Any, squash: bool = True, power: int = 2
) -> np.ndarray:
    r"""Return the outputs of two layers of units :math:`\sigma(\max_i d(x_i, w_i))` of differences [1]_.

    Without squashing and with absolute differences (``power=1``), two hidden units reproduce
    exclusive or.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Degrees in [0, 1].
    first, second : array of shape (n_units, n_inputs), (n_outputs, n_units)
        Weights in [0, 1].
    squash : bool
        Whether :math:`\sigma` is the logistic function, or nothing.
    power : {1, 2}
        Of the differences.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 4.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> hybrid_output(X, [[1, 0], [0, 1]], [[1, 1]], squash=False, power=1).ravel()
    array([0., 1., 1., 0.])
    """
    X = np.asarray(X, dtype=np.float64)
    for weights in (first, second):
        u = (np.abs(X[:, None] - np.asarray(weights, dtype=np.float64)) ** power).max(axis=2)
        X = 1 / (1 + np.exp(-u)) if squash else u
    return X


class HybridGradient(NamedTuple):
    """Half the squared error, and its gradients by the weights of both layers."""

    loss: float
    first: np.ndarray
    second: np.ndarray


def hybrid_gradient(X: Any, y: Any, first: Any, second: Any) -> HybridGradient:
    r"""Return the gradient of the squared error of `hybrid_output`: fuzzy back-propagation [1]_.

    Only the winning input :math:`q^* = \arg\max_q (w_{jq} - x_q)^2` of a unit carries error, both
    to its weight and to the layer below. A step is
    :math:`w \leftarrow \mathrm{clip}(w - \eta\, \partial E, 0, 1)`. (Factors of two and two signs
    that the chapter's formulas miss are restored.)

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Degrees in [0, 1].
    y : array of shape (n_rows, n_outputs)
        Targets.
    first, second : array
        Weights, as of `hybrid_output`.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 4.

    Examples
    --------
    >>> hybrid_gradient([[0.5]], [[0.5]], [[0.5]], [[0.5]]).loss  # no difference: both units say one half
    0.0
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    hidden, hidden_winner, hidden_gap = _layer(X, first)
    output, winner, gap = _layer(hidden, second)
    error = output - y
    delta = error * output * (1 - output)
    rows = np.arange(len(X))[:, None]
    slope_second, slope_first = np.zeros_like(second), np.zeros_like(first)
    np.add.at(slope_second, (np.arange(len(second)), winner), delta * 2 * gap)
    back = np.zeros_like(hidden)
    np.add.at(back, (rows, winner), -delta * 2 * gap)
    below = back * hidden * (1 - hidden)
    np.add.at(slope_first, (np.arange(len(first)), hidden_winner), below * 2 * hidden_gap)
    return HybridGradient(float((error**2).sum() / 2), slope_first, slope_second)


def _layer(X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What units say, which input won, and how far its weight lies above it."""
    gaps = weights - X[:, None]
    winner = (gaps**2).argmax(axis=2)
    gap = np.take_along_axis(gaps, winner[:, :, None], axis=2)[:, :, 0]
    return 1 / (1 + np.exp(-(gap**2))), winner, gap


class Norm(NamedTuple):
    """A pair of dual norms over the last axis: T for "and", S for "or"; :math:`T(a) = 1 - S(1 - a)`.

    >>> NORMS["product-sum"].S(np.array([0.5, 0.5]))
    np.float64(0.75)
    """

    T: Callable[[np.ndarray], Any]
    S: Callable[[np.ndarray], Any]


NORMS: dict[str, Norm] = {
    "min-max": Norm(lambda a: a.min(axis=-1), lambda a: a.max(axis=-1)),
    "product-sum": Norm(lambda a: a.prod(axis=-1), lambda a: 1 - (1 - a).prod(axis=-1)),
    "bounded": Norm(
        lambda a: np.maximum(a.sum(axis=-1) - (a.shape[-1] - 1), 0.0),
        lambda a: np.minimum(a.sum(axis=-1), 1.0),
    ),
}
"""Three pairs of norms: smallest and largest; product and probabilistic sum; bounded difference and sum."""


def _triangle(x: np.ndarray, a: float, b: float, c: float) -> np.ndarray:
    return np.maximum(np.minimum((x - a) / (b - a), (c - x) / (c - b)), 0.0)


def _trapezoid(x: np.ndarray, a: float, b: float, c: float, d: float) -> np.ndarray:
    return np.maximum(np.minimum(np.minimum((x - a) / (b - a), 1.0), (d - x) / (d - c)), 0.0)


def _sine(x: np.ndarray, a: float, b: float) -> np.ndarray:
    return np.where((x >= b / a) & (x <= (np.pi + b) / a), np.sin(a * x - b), 0.0)


MEMBERSHIPS: dict[str, Callable[..., np.ndarray]] = {
    "triangle": _triangle,
    "trapezoid": _trapezoid,
    "sine": _sine,
    "gaussian": lambda x, c, s: np.exp(-(((x - c) / s) ** 2)),
    "bell": lambda x, a, b, c: 1 / (1 + np.abs((x - c) / a) ** (2 * b)),
    "sigmoid": lambda x, a, c: 1 / (1 + np.exp(-a * (x - c))),
}
"""Degrees of membership by name, with their parameters in the order of the source; smooth ones suit gradients."""


def membership(kind: str, x: Any, *parameters: float) -> np.ndarray:
    r"""Return degrees of membership in a fuzzy set [1]_.

    Triangle (a, b, c) and trapezoid (a, b, c, d) by their corners; sine (a, b),
    :math:`\sin(ax - b)` over its first arch; Gaussian (c, s), :math:`e^{-((x-c)/s)^2}` without a
    half; bell (a, b, c), :math:`1 / (1 + |(x-c)/a|^{2b})`; sigmoid (a, c).

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 2.

    Examples
    --------
    >>> membership("triangle", [0.0, 1.0, 1.5, 3.0], 0, 1, 2)
    array([0. , 1. , 0.5, 0. ])
    """
    if kind not in MEMBERSHIPS:
        raise ValueError(f"kind must be one of {', '.join(MEMBERSHIPS)}, got {kind!r}.")
    return MEMBERSHIPS[kind](np.asarray(x, dtype=np.float64), *parameters)


def fuzzy_and(*degrees: Any, norm: str = "min-max") -> np.ndarray:
    """Return the degree to which all hold.

    >>> fuzzy_and([0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0])
    array([0.5, 0.9, 0.7, 0.5, 0. ])
    """
    return np.asarray(
        _norm(norm).T(np.stack([np.asarray(d, dtype=np.float64) for d in degrees], axis=-1))
    )


def fuzzy_or(*degrees: Any, norm: str = "min-max") -> np.ndarray:
    """Return the degree to which any holds.

    >>> fuzzy_or([0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0])
    array([0.7, 1. , 0.8, 0.6, 1. ])
    """
    return np.asarray(
        _norm(norm).S(np.stack([np.asarray(d, dtype=np.float64) for d in degrees], axis=-1))
    )


def fuzzy_not(degrees: Any) -> np.ndarray:
    """Return the degree to which it does not hold.

    >>> fuzzy_not([0.5, 0.9, 0.0])
    array([0.5, 0.1, 1. ])
    """
    return 1 - np.asarray(degrees, dtype=np.float64)


def composition(R: Any, S: Any, norm: str = "min-max") -> np.ndarray:
    r"""Compose two relations: :math:`\max_y \min(R(x,y), S(y,z))`, or with another pair of norms [1]_.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 2.

    Examples
    --------
    >>> composition([[0.2, 0.8]], [[1.0, 0.1], [0.5, 0.6]])
    array([[0.5, 0.6]])
    """
    R, S = np.asarray(R, dtype=np.float64), np.asarray(S, dtype=np.float64)
    pairs = np.stack(np.broadcast_arrays(R[:, None, :], S.T[None]), axis=-1)
    pair = _norm(norm)
    return np.asarray(pair.S(pair.T(pairs)))


def _norm(name: str) -> Norm:
    if name not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {name!r}.")
    return NORMS[name]
