"""Penalties on the weights of a network that prune it during training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

__all__ = ["PENALTIES", "Penalty", "absolute", "decay", "elimination", "input_groups", "rules"]

Penalty = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""A penalty: it maps weights of shape (n_inputs, n_hidden) to its value and its gradient."""


def decay(weights: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Give half the sum of squares and its gradient: weight decay.

    >>> decay(np.array([[3.0, 4.0]]))
    (12.5, array([[3., 4.]]))
    """
    return 0.5 * float(np.vdot(weights, weights)), weights


def elimination(weights: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Give :math:`\sum w^2 / (1 + w^2)` and its gradient: weight elimination.

    A large weight costs about one whatever its size, so that the sum counts the large weights;
    small ones are driven to zero.

    References
    ----------
    .. [1] Weigend, Rumelhart and Huberman, *Generalization by weight-elimination with application
       to forecasting*, Advances in Neural Information Processing Systems 3, 1991.

    Examples
    --------
    >>> elimination(np.array([[1.0, 0.0]]))
    (0.5, array([[0.5, 0. ]]))
    """
    squares = 1 + weights**2
    return float((1 - 1 / squares).sum()), 2 * weights / squares**2


def input_groups(weights: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Give the sum over inputs of the norm of their outgoing weights, and its gradient.

    An input that lowers the loss by less than its norm costs loses all its weights at once. The
    norm is replaced by :math:`\sqrt{\|w\|^2 + 0.001^2}`, which is smooth at zero.

    >>> value, gradient = input_groups(np.array([[3.0, 4.0], [0.0, 0.0]]))
    >>> round(value, 2), gradient.round(2)
    (5.0, array([[0.6, 0.8], [0. , 0. ]]))
    """
    norms = np.sqrt((weights**2).sum(axis=1, keepdims=True) + 1e-6)
    return float(norms.sum()), weights / norms


def absolute(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the sum of absolute values, smoothed below 0.001, and its gradient.

    >>> value, gradient = absolute(np.array([[3.0, -4.0]]))
    >>> round(value, 3), gradient.round(3)
    (7.0, array([[ 1., -1.]]))
    """
    sizes = np.sqrt(weights**2 + 1e-6)
    return float(sizes.sum()), weights / sizes


def rules(weights: np.ndarray) -> tuple[float, np.ndarray]:
    r"""Give :math:`\sum w^2 (w-1)^2 (w+1)^2` and its gradient.

    Weights are driven to -1, 0 and 1, from which logical rules can be read.

    References
    ----------
    .. [1] Duch, Adamczak and Grabczewski, *A new methodology of extraction, optimization and
       application of crisp and fuzzy logical rules*, IEEE Transactions on Neural Networks 12, 2001
       (MLP2LN).

    Examples
    --------
    >>> rules(np.array([[1.0, 0.0, -1.0, 2.0]]))
    (36.0, array([[  0.,   0.,  -0., 132.]]))
    """
    cubic = weights * (weights**2 - 1)
    return float((cubic**2).sum()), 2 * cubic * (3 * weights**2 - 1)


PENALTIES: dict[str, Penalty] = {
    "absolute": absolute,
    "decay": decay,
    "elimination": elimination,
    "input-groups": input_groups,
    "rules": rules,
}
