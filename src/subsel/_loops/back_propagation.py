"""One pass of stochastic back-propagation over the rows, weights decaying in directions that the update leaves alone."""

import numpy as np

from subsel._loops import compiled

__all__ = ["propagate_back"]


@compiled
def propagate_back(X, t, squares, U, a, v, c, order, rate, decay):
    """Change weights in place, a row at a time, against the gradient of ``(f - t)^2 / 2``; gives the bias of the output.

    ``f = tanh(v . tanh(U x + a) + c)``; ``U`` holds a row per hidden unit, ``squares`` the squared lengths of the rows of
    ``X``. With ``g`` the gradient by the weights ``w`` (all but the biases), ``w`` moves by
    ``-rate * (g + decay * (w - g (g . w) / |g|^2))``.
    """
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
        step = 1.0 - decay * along / length if length > 1e-300 else 1.0
        keep = 1.0 - rate * decay
        for k in range(n_hidden):
            v[k] = keep * v[k] - rate * step * error * hidden[k]
            change = rate * step * back[k]
            for j in range(len(x)):
                U[k, j] = keep * U[k, j] - change * x[j]
            a[k] -= rate * back[k]
        c -= rate * error
    return c
