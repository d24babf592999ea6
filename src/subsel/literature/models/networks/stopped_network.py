"""A network trained row by row on the squared error, with early stopping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel._loops.compiler import compiled
from subsel.models.two_classes import BinaryClassifier

__all__ = ["Layers", "Rows", "StoppedNetwork", "propagate_back"]


class StoppedNetwork(BinaryClassifier):
    r"""A network of one hidden layer of tanh units, trained by stochastic back-propagation [1]_.

    .. math:: f(x) = \tanh\bigl(c + \sum_k v_k \tanh(a_k + u_k \cdot x)\bigr)

    The loss is the squared error of targets -1 and 1. With every row the weights decay in the
    directions orthogonal to the gradient [2]_. After every pass over the rows the squared error on
    the validation rows is computed; the weights of the least one are the result. Inputs should be
    standardised.

    Parameters
    ----------
    hidden : int
        Number of hidden units.
    rate : float
        Learning rate.
    decay : float or sequence of float
        Strength of the decay; of several, the one with the least validation error is chosen.
    passes : int
        Most passes over the rows.
    patience : int
        Training ends after so many passes without a new least validation error.
    held_out : float
        Share of the rows used for validation if `fit` is given no other rows for it.
    random_state : int, RandomState or None
        Seed of the initial weights, the order of the rows and the split.

    Attributes
    ----------
    U_ : ndarray of shape (hidden, n_features)
        Weights of the hidden units.
    a_ : ndarray of shape (hidden,)
        Biases of the hidden units.
    v_ : ndarray of shape (hidden,)
        Weights of the output.
    c_ : float
        Bias of the output.
    decay_ : float
        The chosen decay.
    error_ : float
        Mean squared error of the validation rows.
    n_passes_ : int
        Passes until that error was reached.

    References
    ----------
    .. [1] Lemaire and Clerot, *An input variable importance definition based on empirical data
       probability distribution*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction:
       Foundations and Applications*, 2006, chapter 26.
    .. [2] Burkitt, *Refined pruning techniques for feed-forward neural networks*, Complex Systems
       6, 1992.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    >>> network = StoppedNetwork(8, rate=0.1, random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
    >>> bool(network.score(X, X[:, 0] * X[:, 1] > 0) > 0.9)
    True
    """

    def __init__(
        self,
        hidden: int = 10,
        *,
        rate: float = 0.01,
        decay: float | Sequence[float] = 0.001,
        passes: int = 200,
        patience: int = 50,
        held_out: float = 0.3,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.rate = rate
        self.decay = decay
        self.passes = passes
        self.patience = patience
        self.held_out = held_out
        self.random_state = random_state

    def fit(self, X: Any, y: Any, stopping: tuple[Any, Any] | None = None) -> StoppedNetwork:
        """Train the network.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            The table.
        y : array of shape (n_rows,)
            Labels of two classes.
        stopping : pair of array, optional
            Other rows and their labels for validation; by default some of the rows are held out.
        """
        if self.hidden < 1 or self.passes < 1:
            raise ValueError(
                f"hidden and passes must be at least 1, got {self.hidden!r} and {self.passes!r}."
            )
        X, codes, _ = self._receive(X, y)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        if stopping is None:
            # a class of one row cannot be stratified
            strata = codes if min(np.bincount(codes.astype(int))) > 1 else None
            seed = int(rng.integers(2**31))
            rows = train_test_split(
                np.arange(len(X)), test_size=self.held_out, random_state=seed, stratify=strata
            )
            train, stop = ((X[part], 2 * codes[part] - 1) for part in rows)
        else:
            other = validate_data(self, stopping[0], dtype=np.float64, reset=False)
            train = X, 2 * codes - 1
            stop = other, np.where(np.asarray(stopping[1]) == self.classes_[1], 1.0, -1.0)
        start = self._start(X.shape[1], rng)
        seed = int(rng.integers(2**31))
        networks = [self._train(train, stop, start, d, seed) for d in np.atleast_1d(self.decay)]
        self.error_, self.n_passes_, self.decay_, (self.U_, self.a_, self.v_, self.c_) = min(
            networks, key=lambda network: network[0]
        )
        return self

    def _start(self, n: int, rng: np.random.Generator) -> tuple[Any, ...]:
        """Return initial weights U, a, v, c of a network with n inputs."""
        U = rng.normal(size=(self.hidden, n)) / np.sqrt(n)
        return U, np.zeros(self.hidden), rng.normal(size=self.hidden) / np.sqrt(self.hidden), 0.0

    def _train(
        self, train: Any, stop: Any, start: Any, decay: float, seed: int
    ) -> tuple[float, int, float, Any]:
        """Return the least validation error, the passes until then, the decay and the weights.

        ``train`` and ``stop`` are pairs of rows and targets, ``start`` the initial weights.
        """
        X, t = train
        rows, rng = Rows(X, t, (X**2).sum(axis=1)), np.random.default_rng(seed)
        U, a, v = (part.copy() for part in start[:3])
        c, best = start[3], (np.inf, 0, float(decay), start)
        for n in range(1, self.passes + 1):
            order = rng.permutation(len(X))
            c = propagate_back(rows, Layers(U, a, v), c, order, self.rate, decay)
            error = float(np.mean((_output(stop[0], U, a, v, c) - stop[1]) ** 2))
            if error < best[0]:
                best = error, n, float(decay), (U.copy(), a.copy(), v.copy(), c)
            elif n - best[1] >= self.patience:
                break
        return best

    def moving(self, X: np.ndarray) -> Callable[[int, np.ndarray], np.ndarray]:
        """Return a function that predicts all rows with other values in one column.

        The function takes a column and values of shape (n_values,), and returns what
        ``predict_proba`` returns with each value in that column of all rows, of shape (n_values,
        n_rows, 2). It recomputes only the contribution of the column to the hidden units.
        """
        # the input of hidden unit k changes by (value - x_j) u_kj, the rest of U x + a is reused
        activation = X @ self.U_.T + self.a_

        def probabilities(column: int, values: np.ndarray) -> np.ndarray:
            change = (np.asarray(values)[:, None] - X[:, column])[:, :, None] * self.U_[:, column]
            positive = (1 + np.tanh(np.tanh(activation + change) @ self.v_ + self.c_)) / 2
            return np.stack([1 - positive, positive], axis=2)

        return probabilities

    def _positive(self, X: np.ndarray) -> np.ndarray:
        check_is_fitted(self)
        return (1 + _output(X, self.U_, self.a_, self.v_, self.c_)) / 2


def _output(X: np.ndarray, U: np.ndarray, a: np.ndarray, v: np.ndarray, c: float) -> np.ndarray:
    return np.tanh(np.tanh(X @ U.T + a) @ v + c)


class Rows(NamedTuple):
    """The rows that a network learns from."""

    X: np.ndarray  # (rows, columns)
    t: np.ndarray  # (rows,) targets, -1 or 1
    squares: np.ndarray  # (rows,) squared lengths of the rows of X


class Layers(NamedTuple):
    """The weights of a network except the bias of its output; `propagate_back` changes them."""

    U: np.ndarray  # (hidden units, columns) weights of the hidden units
    a: np.ndarray  # (hidden units,) biases of the hidden units
    v: np.ndarray  # (hidden units,) weights of the output


@compiled
def propagate_back(rows, layers, c, order, rate, decay):
    """Update the layers in place after each row of `order`, and return the bias of the output.

    The loss of a row is ``(f - t)^2 / 2`` with ``f = tanh(v . tanh(U x + a) + c)``. With ``g`` the
    gradient with respect to the weights ``w`` (all but the biases), ``w`` changes by
    ``-rate * (g + decay * (w - g (g . w) / |g|^2))``.
    """
    # U and v have the gradients back_k x and error * hidden, so that g . w and |g|^2 need only
    # sums over the hidden units, of U x ("inner") and the squared length of the row. The decay
    # orthogonal to g is then one factor on w and one on g: (1 - rate decay) w - rate (1 - decay
    # (g . w) / |g|^2) g (the projection of Burkitt 1992; the rewriting is elementary).
    X, t, squares = rows
    U, a, v = layers
    n_hidden = len(v)
    hidden, back, inner = np.empty(n_hidden), np.empty(n_hidden), np.empty(n_hidden)
    for i in order:
        x = X[i]
        f = c
        for k in range(n_hidden):
            inner[k] = np.dot(U[k], x)
            hidden[k] = np.tanh(inner[k] + a[k])
            f += v[k] * hidden[k]
        f = np.tanh(f)
        error = (f - t[i]) * (1.0 - f * f)
        along, length = 0.0, 0.0
        for k in range(n_hidden):
            back[k] = error * v[k] * (1.0 - hidden[k] * hidden[k])
            along += back[k] * inner[k] + error * hidden[k] * v[k]
            length += back[k] * back[k] * squares[i] + error * error * hidden[k] * hidden[k]
        step = 1.0
        if length > 1e-300:
            step -= decay * along / length
        keep = 1.0 - rate * decay
        for k in range(n_hidden):
            v[k] = keep * v[k] - rate * step * error * hidden[k]
            change = rate * step * back[k]
            for j in range(len(x)):
                U[k, j] = keep * U[k, j] - change * x[j]
            a[k] -= rate * back[k]
        c -= rate * error
    return c
