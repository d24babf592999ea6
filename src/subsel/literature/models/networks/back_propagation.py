"""One pass of stochastic back-propagation over the rows, weights decaying in directions that the update leaves alone."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Layers", "Rows", "propagate_back"]


class Rows(NamedTuple):
    """What a network learns from."""

    X: np.ndarray  # (rows, columns)
    t: np.ndarray  # (rows,) targets, -1 or 1
    squares: np.ndarray  # (rows,) squared lengths of the rows of X


class Layers(NamedTuple):
    """The weights of a network but the bias of its output; `propagate_back` changes them in place."""

    U: np.ndarray  # (hidden units, columns)
    a: np.ndarray  # (hidden units,) their biases
    v: np.ndarray  # (hidden units,) what the output takes of each


@compiled
def propagate_back(rows, layers, c, order, rate, decay):
    """Change the layers in place, a row at a time, against the gradient of ``(f - t)^2 / 2``; gives the bias of the output.

    ``f = tanh(v . tanh(U x + a) + c)``. With ``g`` the gradient by the weights ``w`` (all but the biases), ``w`` moves by
    ``-rate * (g + decay * (w - g (g . w) / |g|^2))``.
    """
    X, t, squares = rows
    U, a, v = layers
    n_hidden = len(v)
    hidden, back, told = np.empty(n_hidden), np.empty(n_hidden), np.empty(n_hidden)
    for i in order:
        x = X[i]
        f = c
        for k in range(n_hidden):
            told[k] = np.dot(U[k], x)
            hidden[k] = np.tanh(told[k] + a[k])
            f += v[k] * hidden[k]
        f = np.tanh(f)
        error = (f - t[i]) * (1.0 - f * f)
        along, length = 0.0, 0.0
        for k in range(n_hidden):
            back[k] = error * v[k] * (1.0 - hidden[k] * hidden[k])
            along += back[k] * told[k] + error * hidden[k] * v[k]
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
