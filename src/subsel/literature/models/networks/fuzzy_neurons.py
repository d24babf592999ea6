"""Neurons of fuzzy logic, in which weights are gates of their inputs, and a network of differences that learns."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from subsel.literature.models.networks.fuzzy_sets import NORMS

__all__ = [
    "HybridGradient",
    "fuzzy_neuron",
    "hybrid_gradient",
    "hybrid_output",
    "indicator_network",
]


def fuzzy_neuron(
    X: Any, weights: Any, kind: Literal["or-and", "and-or"] = "or-and", norm: str = "min-max"
) -> np.ndarray:
    r"""Give the activation of a fuzzy neuron [1]_.

    OR-AND: :math:`u = S_i\, T(w_i, x_i)`; AND-OR: :math:`u = T_i\, S(w_i, x_i)`. Weights lie in [0, 1] and are gates: in
    an OR-AND neuron :math:`w_i = 0` removes input i, in an AND-OR neuron :math:`w_i = 1` does.

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
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 8, section 3.

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
    r"""Give the mean output of the units that answer to a row, 0 where none does [1]_.

    A unit answers where its largest difference :math:`\max_i (x_i - w_i)^2` does not exceed the threshold, so that small
    enough cells approximate any continuous function; with ``far`` where it does, as the chapter's formula has it.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 8, section 4.

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
    r"""Give the outputs of two layers of units :math:`\sigma(\max_i d(x_i, w_i))` of differences [1]_.

    Without squashing and with absolute differences (``power=1``), two hidden units reproduce exclusive or.

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
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 8, section 4.

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
    r"""Give the gradient of the squared error of `hybrid_output`: fuzzy back-propagation [1]_.

    Only the winning input :math:`q^* = \arg\max_q (w_{jq} - x_q)^2` of a unit carries error, both to its weight and to the
    layer below. A step is :math:`w \leftarrow \mathrm{clip}(w - \eta\, \partial E, 0, 1)`. (Factors of two and two signs
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
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 8, section 4.

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
