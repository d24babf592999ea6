"""Fuzzy sets: degrees of membership, how they combine, and relations between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "MEMBERSHIPS",
    "NORMS",
    "Norm",
    "composition",
    "fuzzy_and",
    "fuzzy_not",
    "fuzzy_or",
    "membership",
]


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
    r"""Give degrees of membership in a fuzzy set [1]_.

    Triangle (a, b, c) and trapezoid (a, b, c, d) by their corners; sine (a, b), :math:`\sin(ax - b)` over its first arch;
    Gaussian (c, s), :math:`e^{-((x-c)/s)^2}` without a half; bell (a, b, c), :math:`1 / (1 + |(x-c)/a|^{2b})`; sigmoid (a, c).

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 8, section 2.

    Examples
    --------
    >>> membership("triangle", [0.0, 1.0, 1.5, 3.0], 0, 1, 2)
    array([0. , 1. , 0.5, 0. ])
    """
    if kind not in MEMBERSHIPS:
        raise ValueError(f"kind must be one of {', '.join(MEMBERSHIPS)}, got {kind!r}.")
    return MEMBERSHIPS[kind](np.asarray(x, dtype=np.float64), *parameters)


def fuzzy_and(*degrees: Any, norm: str = "min-max") -> np.ndarray:
    """Give the degree to which all hold.

    >>> fuzzy_and([0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0])
    array([0.5, 0.9, 0.7, 0.5, 0. ])
    """
    return np.asarray(
        _norm(norm).T(np.stack([np.asarray(d, dtype=np.float64) for d in degrees], axis=-1))
    )


def fuzzy_or(*degrees: Any, norm: str = "min-max") -> np.ndarray:
    """Give the degree to which any holds.

    >>> fuzzy_or([0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0])
    array([0.7, 1. , 0.8, 0.6, 1. ])
    """
    return np.asarray(
        _norm(norm).S(np.stack([np.asarray(d, dtype=np.float64) for d in degrees], axis=-1))
    )


def fuzzy_not(degrees: Any) -> np.ndarray:
    """Give the degree to which it does not hold.

    >>> fuzzy_not([0.5, 0.9, 0.0])
    array([0.5, 0.1, 1. ])
    """
    return 1 - np.asarray(degrees, dtype=np.float64)


def composition(R: Any, S: Any, norm: str = "min-max") -> np.ndarray:
    r"""Compose two relations: :math:`\max_y \min(R(x,y), S(y,z))`, or with another pair of norms [1]_.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 8, section 2.

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
