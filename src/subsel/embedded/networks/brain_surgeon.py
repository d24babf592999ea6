"""Optimal brain surgeon: remove the inputs whose weights a trained network would miss least once the others adapt."""

from __future__ import annotations

import numpy as np

from subsel.embedded.networks.brain_damage import OptimalBrainDamage
from subsel.models.hidden_layer import HiddenLayer, Training

__all__ = ["OptimalBrainSurgeon", "surgeon_saliencies"]


def surgeon_saliencies(net: HiddenLayer, training: Training) -> np.ndarray:
    r"""Give how much the loss would rise without each weight out of an input, if all other weights adapt to it.

    :math:`w_k^2 / (2 [H^{-1}]_{kk})`, with :math:`H = \sum_i g_i h_i g_i^T + \lambda I` of the slopes g of the output of
    each row by all weights, the curvatures h of the loss and the strength of the weight decay: the part of the Hessian
    that stays positive. The net is taken to be at a minimum.

    >>> from subsel.models.penalties import decay
    >>> net = HiddenLayer(np.zeros((1, 1)), np.zeros(1), np.ones(1), np.zeros(1))
    >>> surgeon_saliencies(net, Training(np.ones((2, 1)), np.ones(2), np.ones(2), False, decay, 0.1))
    array([[0.]])
    """
    slopes, curvature = _output_slopes(net, training)
    rows = slopes * np.sqrt(curvature)[:, None]
    inverse = _inverse_diagonal(
        rows, max(training.strength, _LEAST * float((rows**2).sum(axis=0).max()) or _LEAST)
    )
    return net.U**2 / (2 * inverse[: net.U.size].reshape(net.U.shape))


_LEAST = 1e-8  # of the largest curvature is added where nothing decays


def _output_slopes(net: HiddenLayer, training: Training) -> tuple[np.ndarray, np.ndarray]:
    """The slope of the output of each row by each weight, those out of inputs first; and the curvature of its loss."""
    hidden = np.tanh(training.X @ net.U + net.a)
    _, _, curvature = training.loss(hidden @ net.v + net.c)
    first = net.v * (1 - hidden**2)
    inputs = (training.X[:, :, None] * first[:, None, :]).reshape(len(hidden), -1)
    return np.hstack([inputs, first, hidden, np.ones((len(hidden), 1))]), curvature


def _inverse_diagonal(rows: np.ndarray, ridge: float) -> np.ndarray:
    """The diagonal of the inverse of R'R + ridge I, by the smaller of the two matrices there are."""
    m, n = rows.shape
    if n <= m:
        return np.diagonal(np.linalg.inv(rows.T @ rows + ridge * np.eye(n))).copy()
    small = np.linalg.solve(rows @ rows.T + ridge * np.eye(m), rows)
    return (1.0 - np.einsum("ij,ij->j", rows, small)) / ridge


class OptimalBrainSurgeon(OptimalBrainDamage):
    """Train a network, remove the inputs of least saliency given that the other weights adapt, until few are left.

    As :class:`OptimalBrainDamage`, whose parameters and attributes it has, with all of the Hessian in place of its
    diagonal, by :func:`~subsel.embedded.networks.brain_surgeon.surgeon_saliencies`. What the surgeon does to the other weights is
    left to training on.

    References
    ----------
    .. [1] Hassibi and Stork, *Second order derivatives for network pruning: optimal brain surgeon*, Advances in Neural
       Information Processing Systems 5, 1993; as a ranking of inputs: Hochreiter and Obermayer, *Nonlinear feature
       selection with the potential support vector machine*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 19, section 5.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((150, 6))
    >>> OptimalBrainSurgeon(2, hidden=4, random_state=0).fit(X, X[:, 1] * X[:, 4]).get_support(indices=True)
    array([1, 4])
    """

    _saliencies = staticmethod(surgeon_saliencies)
