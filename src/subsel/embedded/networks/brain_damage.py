"""Optimal brain damage: remove the inputs whose weights a trained network would miss least."""

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
    r"""Give how much the loss would rise without each weight out of an input: :math:`\frac12 H_{kk} w_k^2`.

    The Hessian's diagonal is exact, its other entries are neglected, and the net is taken to be at
    a minimum.

    >>> net = HiddenLayer(np.zeros((1, 1)), np.zeros(1), np.ones(1), np.zeros(1))
    >>> saliencies(net, Training(np.ones((2, 1)), np.ones(2), np.ones(2), False, decay, 0.0))
    array([[0.]])
    """
    return 0.5 * input_curvatures(net, training) * net.U**2


class OptimalBrainDamage(ColumnSelector):
    """Train a network, remove the inputs of least saliency, train on, until few are left.

    An input has the largest saliency of its weights, added over the networks where there are
    several classes. The columns are standardised.

    Parameters
    ----------
    n_features : int
        How many to keep.
    hidden : int
        Hidden units.
    step : float
        The share of the inputs left that is removed at a time, one at least.
    strength : float
        Weight decay, against half the squared error summed over rows.
    max_iter : int
        Most steps of each training.
    random_state : int, RandomState or None
        Of the first weights.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns: those kept by falling saliency, then the removed ones, the last removed first.
    feature_importances_ : ndarray of shape (n_features,)
        The saliencies in the last networks, zero where removed.
    support_ : ndarray of bool
        Mask of the selected columns.
    n_iter_ : int
        Steps of the longest training.

    References
    ----------
    .. [1] Le Cun, Denker and Solla, *Optimal brain damage*, Advances in Neural Information
       Processing Systems 2, 1990; as a ranking of inputs: Hochreiter and Obermayer, *Nonlinear
       feature selection with the potential support vector machine*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 19, section 5.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((150, 6))
    >>> OptimalBrainDamage(2, hidden=4, random_state=0).fit(X, X[:, 1] * X[:, 4]).get_support(indices=True)
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
        """Train and remove in turn."""
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
            stay = np.sort(order[n_out:])
            left, nets = left[stay], [net._replace(U=net.U[stay]) for net in nets]
            nets, values = self._retrain(nets, Z[:, left], T)
        self.feature_importances_ = np.zeros(n)
        self.feature_importances_[left] = values
        self.ranking_ = np.concatenate([left[np.argsort(-values, kind="stable")], removed])
        self.support_ = np.isin(np.arange(n), left)
        return self

    def _retrain(
        self, nets: list[HiddenLayer], Z: np.ndarray, T: np.ndarray
    ) -> tuple[list[HiddenLayer], np.ndarray]:
        """Train each network on, and give the saliency of each input."""
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
    r"""Give how much the loss would rise without each weight out of an input, if all other weights adapt to it.

    :math:`w_k^2 / (2 [H^{-1}]_{kk})`, with :math:`H = \sum_i g_i h_i g_i^T + \lambda I` of the
    slopes g of the output of each row by all weights, the curvatures h of the loss and the
    strength of the weight decay: the part of the Hessian that stays positive. The net is taken to
    be at a minimum.

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

    As :class:`OptimalBrainDamage`, whose parameters and attributes it has, with all of the Hessian
    in place of its diagonal, by :func:`~subsel.embedded.networks.brain_damage.surgeon_saliencies`.
    What the surgeon does to the other weights is left to training on.

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
    >>> OptimalBrainSurgeon(2, hidden=4, random_state=0).fit(X, X[:, 1] * X[:, 4]).get_support(indices=True)
    array([1, 4])
    """

    _saliencies = staticmethod(surgeon_saliencies)
