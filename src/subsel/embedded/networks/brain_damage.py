"""Optimal brain damage and optimal brain surgeon: removal of the inputs of least saliency."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.networks.targets import standardised_problem
from subsel.models.hidden_layer import HiddenLayer, Training, input_curvatures, small_start, train
from subsel.models.penalties import decay

__all__ = ["OptimalBrainDamage", "OptimalBrainSurgeon", "saliencies", "surgeon_saliencies"]


def saliencies(net: HiddenLayer, training: Training) -> np.ndarray:
    r"""Estimate the rise of the loss without each weight of an input, :math:`\frac12 H_{kk} w_k^2`.

    The diagonal of the Hessian H is exact; the other entries are neglected, and the network is
    assumed to be at a minimum (Le Cun, Denker and Solla, 1990). The answer has shape (inputs,
    hidden units).

    >>> net = HiddenLayer(np.zeros((1, 1)), np.zeros(1), np.ones(1), np.zeros(1))
    >>> saliencies(net, Training(np.ones((2, 1)), np.ones(2), np.ones(2), False, decay, 0.0))
    array([[0.]])
    """
    return 0.5 * input_curvatures(net, training) * net.U**2


class OptimalBrainDamage(ColumnSelector):
    """Eliminate inputs of a network by optimal brain damage [1]_.

    A network is trained, the inputs of least saliency are removed, the training is continued, and
    so on. The saliency of an input is the largest of its weights, and the sum over the networks if
    there are several classes. The columns are standardised.

    Parameters
    ----------
    n_features : int
        Number of inputs to keep.
    hidden : int
        Number of hidden units.
    step : float
        Share of the remaining inputs removed at a time, at least one input.
    strength : float
        Weight decay, relative to half the squared error summed over the rows.
    max_iter : int
        Largest number of steps of each training.
    random_state : int, RandomState or None
        Seed of the initial weights.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns: those kept by falling saliency, then the removed ones, the last removed first.
    feature_importances_ : ndarray of shape (n_features,)
        The saliencies in the last networks, 0 for inputs removed.
    support_ : ndarray of bool
        Mask of the selected columns.
    n_iter_ : int
        Number of steps of the longest training.

    References
    ----------
    .. [1] Le Cun, Denker and Solla, *Optimal brain damage*, Advances in Neural Information
       Processing Systems 2, 1990; as a ranking of inputs: Hochreiter and Obermayer, *Nonlinear
       feature selection with the potential support vector machine*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 19, section 5.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((150, 6))
    >>> selector = OptimalBrainDamage(2, hidden=4, random_state=0)
    >>> selector.fit(X, X[:, 1] * X[:, 4]).get_support(indices=True)
    array([1, 4])
    """

    _saliencies = staticmethod(saliencies)

    def __init__(
        self,
        n_features: int = 1,
        *,
        hidden: int = 10,
        step: float = 0.1,
        strength: float = 0.01,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.hidden = hidden
        self.step = step
        self.strength = strength
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> OptimalBrainDamage:
        """Train and eliminate until `n_features` inputs are left."""
        X, y = self._receive(X, y)
        task = Task.of(X, y)
        n = task.n_columns
        if not 1 <= self.n_features <= n:
            raise ValueError(f"n_features must lie in [1, {n}], got {self.n_features!r}.")
        Z, T = standardised_problem(task)
        rng, self.n_iter_ = check_random_state(self.random_state), 1
        nets = [small_start(n, self.hidden, rng) for _ in T.T]
        left, removed = np.arange(n), np.empty(0, dtype=int)
        nets, values = self._retrain(nets, Z, T)
        while len(left) > self.n_features:
            n_out = min(max(1, int(self.step * len(left))), len(left) - self.n_features)
            order = np.argsort(values, kind="stable")
            removed = np.concatenate([left[order[:n_out]][::-1], removed])
            remaining = np.sort(order[n_out:])
            left, nets = left[remaining], [net._replace(U=net.U[remaining]) for net in nets]
            nets, values = self._retrain(nets, Z[:, left], T)
        self.feature_importances_ = np.zeros(n)
        self.feature_importances_[left] = values
        self.ranking_ = np.concatenate([left[np.argsort(-values, kind="stable")], removed])
        self.support_ = np.isin(np.arange(n), left)
        return self

    def _retrain(
        self, nets: list[HiddenLayer], Z: np.ndarray, T: np.ndarray
    ) -> tuple[list[HiddenLayer], np.ndarray]:
        """Continue the training of each network; updates `n_iter_`.

        Returns
        -------
        nets : list of HiddenLayer
            The trained networks, one for each column of T.
        values : ndarray of shape (inputs,)
            The saliency of each input.
        """
        values, trained = np.zeros(Z.shape[1]), []
        for net, t in zip(nets, T.T):
            training = Training(Z, t, np.ones(len(Z)), False, decay, self.strength)
            net, n_iter = train(training, net, self.max_iter)
            trained.append(net)
            values += np.maximum(self._saliencies(net, training).max(axis=1), 0)
            self.n_iter_ = max(self.n_iter_, n_iter)
        return trained, values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def surgeon_saliencies(net: HiddenLayer, training: Training) -> np.ndarray:
    r"""Estimate the rise of the loss without each weight of an input, if the other weights adapt.

    It is :math:`w_k^2 / (2 [H^{-1}]_{kk})` with :math:`H = \sum_i g_i h_i g_i^T + \lambda I`, where
    :math:`g_i` are the derivatives of the output of row i by all weights, :math:`h_i` the second
    derivative of its loss by the output, and :math:`\lambda` the strength of the weight decay. This
    is the part of the Hessian that cannot become negative. The network is assumed to be at a
    minimum (Hassibi and Stork, 1993). The answer has shape (inputs, hidden units).

    >>> from subsel.models.penalties import decay
    >>> net = HiddenLayer(np.zeros((1, 1)), np.zeros(1), np.ones(1), np.zeros(1))
    >>> training = Training(np.ones((2, 1)), np.ones(2), np.ones(2), False, decay, 0.1)
    >>> surgeon_saliencies(net, training)
    array([[0.]])
    """
    # The minimum of d' H d / 2 under d_k = -w_k is w_k^2 / (2 [H^-1]_kk), by a Lagrange multiplier.
    slopes, curvature = _output_slopes(net, training)
    rows = slopes * np.sqrt(curvature)[:, None]
    least_ridge = _LEAST_RIDGE * float((rows**2).sum(axis=0).max()) or _LEAST_RIDGE
    inverse = _inverse_diagonal(rows, max(training.strength, least_ridge))
    return net.U**2 / (2 * inverse[: net.U.size].reshape(net.U.shape))


_LEAST_RIDGE = 1e-8  # share of the largest curvature that makes H invertible without weight decay


def _output_slopes(net: HiddenLayer, training: Training) -> tuple[np.ndarray, np.ndarray]:
    """Compute the derivatives of the output by all weights, and the curvature of the loss.

    Returns
    -------
    slopes : ndarray of shape (rows, weights)
        The derivatives of each row's output, those by the weights of the inputs first.
    curvature : ndarray of shape (rows,)
        The second derivative of each row's loss by its output.
    """
    hidden = np.tanh(training.X @ net.U + net.a)
    _, _, curvature = training.loss(hidden @ net.v + net.c)
    first = net.v * (1 - hidden**2)
    inputs = (training.X[:, :, None] * first[:, None, :]).reshape(len(hidden), -1)
    return np.hstack([inputs, first, hidden, np.ones((len(hidden), 1))]), curvature


def _inverse_diagonal(rows: np.ndarray, ridge: float) -> np.ndarray:
    """Compute the diagonal of the inverse of R'R + ridge I, for R of shape (m, n)."""
    # For n > m by the m x m matrix, with Woodbury's identity:
    # (R'R + c I)^-1 = (I - R' (R R' + c I)^-1 R) / c.
    m, n = rows.shape
    if n <= m:
        return np.diagonal(np.linalg.inv(rows.T @ rows + ridge * np.eye(n))).copy()
    small = np.linalg.solve(rows @ rows.T + ridge * np.eye(m), rows)
    return (1.0 - np.einsum("ij,ij->j", rows, small)) / ridge


class OptimalBrainSurgeon(OptimalBrainDamage):
    """Eliminate inputs of a network by the saliencies of optimal brain surgeon [1]_.

    It has the parameters and attributes of :class:`OptimalBrainDamage`, but the saliencies use the
    complete Hessian in place of its diagonal, see
    :func:`~subsel.embedded.networks.brain_damage.surgeon_saliencies`. The other weights are adapted
    by further training, not by the update of [1]_.

    References
    ----------
    .. [1] Hassibi and Stork, *Second order derivatives for network pruning: optimal brain
       surgeon*, Advances in Neural Information Processing Systems 5, 1993; as a ranking of inputs:
       Hochreiter and Obermayer, *Nonlinear feature selection with the potential support vector
       machine*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter
       19, section 5.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((150, 6))
    >>> selector = OptimalBrainSurgeon(2, hidden=4, random_state=0)
    >>> selector.fit(X, X[:, 1] * X[:, 4]).get_support(indices=True)
    array([1, 4])
    """

    _saliencies = staticmethod(surgeon_saliencies)
