"""The inner loop of Simba: nearest hit and miss under the current weights, then a gradient step."""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["simba_pass"]


@compiled(fastmath=True)
def simba_pass(X, codes, order, weights, beta, step):
    """Update `weights` in place by one pass over the rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows.
    codes : ndarray of shape (n,)
        Their classes.
    order : ndarray of shape (steps,)
        The rows to visit, in this order. A row whose class has no other is skipped.
    weights : ndarray of shape (p,)
        The weights, updated.
    beta : float
        Steepness of the sigmoid utility; 0 for the linear utility.
    step : float
        The length of steps.
    """
    # The margin is (|x - miss|_w - |x - hit|_w) / 2 with |z|_w^2 = sum w_f^2 z_f^2, whose
    # derivative by w_f is ((x - miss)_f^2 / |x - miss|_w - (x - hit)_f^2 / |x - hit|_w) w_f / 2 (R.
    # Gilad-Bachrach, A. Navot and N. Tishby, "Margin based feature selection: theory and
    # algorithms", ICML 2004, Simba).
    n, p = X.shape
    squares = np.empty(p)
    for i in order:
        x = X[i]
        for f in range(p):
            squares[f] = weights[f] * weights[f]
        best_hit = best_miss = np.finfo(np.float64).max
        hit = miss = -1
        for j in range(n):
            other = X[j]
            squared = 0.0
            for f in range(p):
                squared += squares[f] * (x[f] - other[f]) ** 2
            if codes[j] != codes[i]:
                if squared < best_miss:
                    best_miss, miss = squared, j
            elif j != i and squared < best_hit:
                best_hit, hit = squared, j
        if hit < 0:
            continue
        to_hit, to_miss = np.sqrt(best_hit), np.sqrt(best_miss)
        slope = 0.5 * step
        if beta > 0.0:
            u = 1.0 / (1.0 + np.exp(-beta * 0.5 * (to_miss - to_hit)))
            slope *= beta * u * (1.0 - u)
        by_hit = slope / to_hit if to_hit > 0.0 else 0.0
        by_miss = slope / to_miss if to_miss > 0.0 else 0.0
        for f in range(p):
            pull = by_miss * (x[f] - X[miss, f]) ** 2 - by_hit * (x[f] - X[hit, f]) ** 2
            weights[f] += pull * weights[f]
