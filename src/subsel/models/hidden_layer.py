"""A network with one hidden layer of tanh units and a linear output, trained by L-BFGS."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import expit

from subsel.models.penalties import Penalty

__all__ = [
    "HiddenLayer",
    "Training",
    "input_curvatures",
    "objective",
    "small_start",
    "train",
    "unpack",
]


class HiddenLayer(NamedTuple):
    """The weights and biases of a network with one hidden layer.

    Attributes
    ----------
    U : ndarray of shape (n_inputs, n_hidden)
        Weights into the hidden units.
    a : ndarray of shape (n_hidden,)
        Biases of the hidden units.
    v : ndarray of shape (n_hidden,)
        Weights out of the hidden units.
    c : ndarray of shape (1,)
        Bias of the output.
    """

    U: np.ndarray
    a: np.ndarray
    v: np.ndarray
    c: np.ndarray

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Give the output for each row."""
        return np.tanh(X @ self.U + self.a) @ self.v + self.c


class Training(NamedTuple):
    """The objective of training: a loss over rows plus a penalty on the weights.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_inputs)
        The inputs.
    t : ndarray of shape (n_rows,)
        The targets, 0 and 1 for the logistic loss.
    weights : ndarray of shape (n_rows,)
        The weights of the rows in the loss.
    logistic : bool
        Whether the loss is logistic; otherwise it is half the squared error.
    penalty : callable
        The penalty on the weights out of inputs, see :mod:`subsel.models.penalties`; weights out of
        hidden units always have weight decay.
    strength : float
        The factor of the penalties.
    """

    X: np.ndarray
    t: np.ndarray
    weights: np.ndarray
    logistic: bool
    penalty: Penalty
    strength: float

    def loss(self, f: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Give the loss and its first two derivatives by each output, of shape (n_rows,)."""
        if self.logistic:
            p = expit(f)
            value = np.logaddexp(0, f) - self.t * f
            return (
                float(self.weights @ value),
                self.weights * (p - self.t),
                self.weights * p * (1 - p),
            )
        error = f - self.t
        return 0.5 * float(self.weights @ error**2), self.weights * error, self.weights


def train(
    training: Training, start: HiddenLayer, max_iter: int = 500, stop_below: float = 0.0
) -> tuple[HiddenLayer, int]:
    """Minimise the objective from a start, and give the network and the number of steps.

    Training ends early once the loss, without penalties, is below ``stop_below`` times its value at
    the start.

    >>> from subsel.models.penalties import decay
    >>> X = np.linspace(-2, 2, 20)[:, None]
    >>> training = Training(X, X[:, 0] ** 2, np.ones(20), False, decay, 1e-3)
    >>> net, _ = train(training, small_start(1, 4, np.random.RandomState(0)))
    >>> bool(np.abs(net(X) - X[:, 0] ** 2).max() < 0.2)
    True
    """
    shapes = start.U.shape
    theta = np.concatenate([part.ravel() for part in start])
    goal = stop_below * training.loss(start(training.X))[0]

    def callback(intermediate_result: OptimizeResult) -> None:
        if goal > 0 and training.loss(unpack(intermediate_result.x, *shapes)(training.X))[0] < goal:
            raise StopIteration

    optimum = minimize(
        objective,
        theta,
        (training, *shapes),
        "L-BFGS-B",
        jac=True,
        callback=callback,
        options={"maxiter": max_iter},
    )
    return unpack(optimum.x, *shapes), int(optimum.nit)


def objective(theta: np.ndarray, training: Training, n: int, H: int) -> tuple[float, np.ndarray]:
    """Give the penalised loss and its gradient by back-propagation.

    ``theta`` holds the weights of a network of n inputs and H hidden units, see `unpack`.
    """
    net, X = unpack(theta, n, H), training.X
    hidden = np.tanh(X @ net.U + net.a)
    value, slope, _ = training.loss(hidden @ net.v + net.c)
    back = slope[:, None] * net.v * (1 - hidden**2)
    costs, pull = training.penalty(net.U)
    value += training.strength * (costs + 0.5 * float(net.v @ net.v))
    parts = (
        X.T @ back + training.strength * pull,
        back.sum(axis=0),
        slope @ hidden + training.strength * net.v,
        slope.sum(keepdims=True),
    )
    return value, np.concatenate([part.ravel() for part in parts])


def input_curvatures(net: HiddenLayer, training: Training) -> np.ndarray:
    """Give the exact second derivative of the loss by each weight out of an input, shape (n, H)."""
    # the chain rule applied twice: with f the output, d2L/du2 = L''(f) (df/du)^2 + L'(f) d2f/du2,
    # where tanh' = 1 - tanh^2 and tanh'' = -2 tanh tanh'; see Bishop, "Exact calculation of the
    # Hessian matrix for the multilayer perceptron", Neural Computation 4, 1992
    hidden = np.tanh(training.X @ net.U + net.a)
    _, slope, curvature = training.loss(hidden @ net.v + net.c)
    first = net.v * (1 - hidden**2)
    second = -2 * hidden * first
    return (training.X**2).T @ (curvature[:, None] * first**2 + slope[:, None] * second)


def small_start(n: int, hidden: int, rng: np.random.RandomState) -> HiddenLayer:
    """Draw small random weights; the biases are zero.

    >>> small_start(2, 3, np.random.RandomState(0)).U.shape
    (2, 3)
    """
    U, v = rng.normal(size=(n, hidden)) / np.sqrt(n), rng.normal(size=hidden) / np.sqrt(hidden)
    return HiddenLayer(U, np.zeros(hidden), v, np.zeros(1))


def unpack(theta: np.ndarray, n: int, H: int) -> HiddenLayer:
    """View a vector as a network of n inputs and H hidden units.

    >>> unpack(np.arange(4.0), 1, 1).v
    array([2.])
    """
    U, a, v, c = np.split(theta, np.cumsum([n * H, H, H]))
    return HiddenLayer(U.reshape(n, H), a, v, c)
