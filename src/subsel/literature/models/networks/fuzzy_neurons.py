"""Operators of fuzzy logic, fuzzy neurons, and a network of largest differences."""

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

    An OR-AND neuron computes :math:`u = S_i\, T(w_i, x_i)`, an AND-OR neuron :math:`u = T_i\,
    S(w_i, x_i)`. Weights lie in [0, 1] and are gates: :math:`w_i = 0` removes input i from an
    OR-AND neuron, :math:`w_i = 1` from an AND-OR neuron.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Degrees in [0, 1]; a column of ones supplies a bias.
    weights : array of shape (n_inputs,)
        Weights in [0, 1].
    kind : {"or-and", "and-or"}
        The kind of neuron.
    norm : {"min-max", "product-sum", "bounded"}
        The norms T and S, a key of ``NORMS``.

    Returns
    -------
    ndarray of shape (n_rows,)
        The activations.

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
        low, high = min(X.min(), weights.min()), max(X.max(), weights.max())
        raise ValueError(
            f"X and weights must hold degrees between 0 and 1, got values from {low} to {high}."
        )
    pairs = np.stack(np.broadcast_arrays(X, weights), axis=-1)
    inner, outer = NORMS[norm].T, NORMS[norm].S
    if kind == "and-or":
        inner, outer = outer, inner
    return np.asarray(outer(inner(pairs)))


def indicator_network(
    X: Any, centres: Any, outputs: Any, threshold: float, far: bool = False
) -> np.ndarray:
    r"""Return the mean output of the units that are active for a row, 0 if none is [1]_.

    A unit is active if its largest difference :math:`\max_i (x_i - w_i)^2` does not exceed the
    threshold, so that small enough cells approximate any continuous function.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Inputs.
    centres : array of shape (n_units, n_inputs)
        The weights w of each unit.
    outputs : array of shape (n_units,)
        The output of each unit.
    threshold : float
        Largest squared difference of an active unit.
    far : bool
        If True, the units beyond the threshold are active instead, as in the chapter's formula.

    Returns
    -------
    ndarray of shape (n_rows,)
        The means.

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
    active = (((X[:, None] - centres) ** 2).max(axis=2) > threshold) == far
    n_active = active.sum(axis=1)
    return np.where(
        n_active > 0, active @ np.asarray(outputs, dtype=np.float64) / np.maximum(n_active, 1), 0.0
    )


def hybrid_output(
    X: Any, first: Any, second: Any, squash: bool = True, power: int = 2
) -> np.ndarray:
    r"""Return the outputs of a network of two layers of largest differences [1]_.

    A unit computes :math:`\sigma(\max_i |x_i - w_i|^p)`. With absolute differences (``power=1``)
    and without squashing, two hidden units compute exclusive or.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Degrees in [0, 1].
    first, second : array of shape (n_units, n_inputs), (n_outputs, n_units)
        Weights in [0, 1] of the hidden and of the output layer.
    squash : bool
        Whether :math:`\sigma` is the logistic function or the identity.
    power : {1, 2}
        The power p of the differences.

    Returns
    -------
    ndarray of shape (n_rows, n_outputs)
        The outputs.

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
    """Half the squared error, and its gradients with respect to the weights of both layers."""

    loss: float
    first: np.ndarray  # (n_units, n_inputs)
    second: np.ndarray  # (n_outputs, n_units)


def hybrid_gradient(X: Any, y: Any, first: Any, second: Any) -> HybridGradient:
    r"""Return half the squared error of `hybrid_output` and its gradient, by back-propagation [1]_.

    The error of a unit passes only through its winning input :math:`q^* = \arg\max_q (w_{jq} -
    x_q)^2`, both to the weight of that input and to the layer below. A step of training is
    :math:`w \leftarrow \mathrm{clip}(w - \eta\, \partial E, 0, 1)`. The chapter's formulas lack
    factors of two and two signs, which are corrected here.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Degrees in [0, 1].
    y : array of shape (n_rows, n_outputs)
        Targets.
    first, second : array of shape (n_units, n_inputs), (n_outputs, n_units)
        Weights, as in `hybrid_output`.

    Returns
    -------
    HybridGradient
        The loss and the gradients.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 4.

    Examples
    --------
    The inputs equal the weights, and both units return one half:

    >>> hybrid_gradient([[0.5]], [[0.5]], [[0.5]], [[0.5]]).loss
    0.0
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    hidden, hidden_winner, hidden_gap = _layer(X, first)
    output, winner, gap = _layer(hidden, second)
    error = output - y
    # the chain rule: for s = logistic(g^2) with g = w - x of the winning input, ds/dg^2 = s (1 -
    # s), and g^2 has the derivatives 2 g and -2 g with respect to w and x
    delta = error * output * (1 - output)
    rows = np.arange(len(X))[:, None]
    slope_second, slope_first = np.zeros_like(second), np.zeros_like(first)
    np.add.at(slope_second, (np.arange(len(second)), winner), delta * 2 * gap)
    hidden_error = np.zeros_like(hidden)
    np.add.at(hidden_error, (rows, winner), -delta * 2 * gap)
    hidden_delta = hidden_error * hidden * (1 - hidden)
    np.add.at(slope_first, (np.arange(len(first)), hidden_winner), hidden_delta * 2 * hidden_gap)
    return HybridGradient(float((error**2).sum() / 2), slope_first, slope_second)


def _layer(X: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the outputs of units, their winning inputs, and weight minus value of those inputs.

    All three have shape (n_rows, n_units).
    """
    gaps = weights - X[:, None]
    winner = (gaps**2).argmax(axis=2)
    gap = np.take_along_axis(gaps, winner[:, :, None], axis=2)[:, :, 0]
    return 1 / (1 + np.exp(-(gap**2))), winner, gap


class Norm(NamedTuple):
    """A triangular norm T for "and" and its dual S for "or": :math:`T(a) = 1 - S(1 - a)`.

    Both combine degrees along the last axis of an array.

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
"""Three pairs of norms: minimum and maximum, product and probabilistic sum, bounded difference and
bounded sum."""


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
"""Membership functions by name; the parameters after x are in the order of `membership`."""


def membership(kind: str, x: Any, *parameters: float) -> np.ndarray:
    r"""Return degrees of membership in a fuzzy set [1]_.

    Parameters
    ----------
    kind : str
        One of the membership functions below.
    x : array
        Values.
    *parameters : float
        The parameters of the function:

        - ``"triangle"`` (a, b, c) and ``"trapezoid"`` (a, b, c, d): the corners;
        - ``"sine"`` (a, b): :math:`\sin(ax - b)` over its first arch;
        - ``"gaussian"`` (c, s): :math:`e^{-((x-c)/s)^2}`, without a factor of one half;
        - ``"bell"`` (a, b, c): :math:`1 / (1 + |(x-c)/a|^{2b})`;
        - ``"sigmoid"`` (a, c): :math:`1 / (1 + e^{-a(x-c)})`.

    Returns
    -------
    ndarray
        The degrees, of the shape of ``x``.

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
    """Return the degree to which all of several statements hold; see `NORMS`.

    >>> fuzzy_and([0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0])
    array([0.5, 0.9, 0.7, 0.5, 0. ])
    """
    return np.asarray(
        _norm(norm).T(np.stack([np.asarray(d, dtype=np.float64) for d in degrees], axis=-1))
    )


def fuzzy_or(*degrees: Any, norm: str = "min-max") -> np.ndarray:
    """Return the degree to which at least one of several statements holds; see `NORMS`.

    >>> fuzzy_or([0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0])
    array([0.7, 1. , 0.8, 0.6, 1. ])
    """
    return np.asarray(
        _norm(norm).S(np.stack([np.asarray(d, dtype=np.float64) for d in degrees], axis=-1))
    )


def fuzzy_not(degrees: Any) -> np.ndarray:
    """Return the degree to which a statement does not hold.

    >>> fuzzy_not([0.5, 0.9, 0.0])
    array([0.5, 0.1, 1. ])
    """
    return 1 - np.asarray(degrees, dtype=np.float64)


def composition(R: Any, S: Any, norm: str = "min-max") -> np.ndarray:
    r"""Compose two relations, by :math:`\max_y \min(R(x,y), S(y,z))` or another pair of norms [1]_.

    Parameters
    ----------
    R, S : array of shape (n, k), (k, l)
        Degrees in [0, 1] of both relations.
    norm : {"min-max", "product-sum", "bounded"}
        A key of ``NORMS``.

    Returns
    -------
    ndarray of shape (n, l)
        Degrees of the composition.

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
    """Return a pair of norms by its name."""
    if name not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {name!r}.")
    return NORMS[name]
