"""Sensitivity of a fitted model's output to its inputs, without looking at labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from subsel.construct.latent.base import Latent

__all__ = [
    "derivative_sensitivity",
    "output_sensitivity",
    "outputs_of",
    "range_sensitivity",
    "sampled_sensitivity",
]

BLOCK = 200_000  # rows predicted at a time
MEAN_BLOCK = 4_000, 4_000_000  # rows, and entries, at a time in which one input is not at its mean
N_DRAWS = 30  # draws per column between two looks at the standard errors


def outputs_of(model: Any, X: Any) -> np.ndarray:
    """Compute the continuous outputs of a model, of shape (rows, outputs).

    They are its probabilities, else its decision function, else its predictions.

    >>> from sklearn.linear_model import LinearRegression
    >>> outputs_of(LinearRegression().fit([[0.0], [1.0]], [0.0, 2.0]), np.array([[3.0]]))
    array([[6.]])
    """
    for method in ("predict_proba", "decision_function", "predict"):
        if hasattr(model, method):
            result = np.asarray(getattr(model, method)(X), dtype=float)
            return result.reshape(X.shape[0], -1)
    raise TypeError(f"{type(model).__name__} predicts nothing.")


def output_sensitivity(model: Any, X: Any, n_values: int | None = None) -> np.ndarray:
    r"""Compute the mean change of the output when an input takes the value of another row [1]_.

    .. math:: S_j = \frac{1}{m^2} \sum_i \sum_k \bigl| f(x_i) - f(x_i^{(j \leftarrow k)}) \bigr|

    where :math:`x_i^{(j \leftarrow k)}` is row i with component j of row k. Every distinct value is
    tried once and weighted by its frequency. For several outputs the absolute differences are
    summed. The model should not be overfitted; correlated inputs share their importance.

    Parameters
    ----------
    model : estimator
        A fitted model.
    X : ndarray of shape (rows, columns)
        The rows.
    n_values : int, optional
        If a column has more distinct values, they are replaced by the means of this number of
        slices of equally many rows.

    References
    ----------
    .. [1] Lemaire and Clerot, *An input variable importance definition based on empirical data
       probability distribution*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 26.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> output_sensitivity(LinearRegression().fit(X, 4 * X[:, 0]), X).round(6)
    array([2., 0.])
    """
    X = np.asarray(X, dtype=float)
    outputs = outputs_of(model, X)
    moved = _moving(model, X)
    return np.array([_of_column(moved, X, outputs, j, n_values) for j in range(X.shape[1])])


def _moving(model: Any, X: np.ndarray) -> Callable[[int, np.ndarray], np.ndarray]:
    """Build a function (column j, values) -> outputs of all rows with each value in column j.

    The outputs have shape (values, rows, outputs). A model with a method ``moving`` provides a
    faster function.
    """
    if hasattr(model, "moving"):
        return model.moving(X)

    def moved(j: int, values: np.ndarray) -> np.ndarray:
        rows = np.tile(X, (len(values), 1))
        rows[:, j] = np.repeat(values, len(X))
        return outputs_of(model, rows).reshape(len(values), len(X), -1)

    return moved


def _of_column(
    moved: Callable, X: np.ndarray, outputs: np.ndarray, j: int, n_values: int | None
) -> float:
    """Compute the sensitivity to column j, from the outputs of shape (rows, outputs)."""
    values, shares = _representatives(X[:, j], n_values)
    total, step = 0.0, max(1, BLOCK // len(X))
    for a in range(0, len(values), step):
        change = np.abs(moved(j, values[a : a + step]) - outputs).sum(axis=2).mean(axis=1)
        total += float(shares[a : a + step] @ change)
    return total


def _representatives(column: np.ndarray, n_values: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Choose the values to try, and their shares of the rows."""
    values, counts = np.unique(column, return_counts=True)
    if n_values is None or len(values) <= n_values:
        return values, counts / len(column)
    slices = np.array_split(np.sort(column), n_values)
    return np.array([s.mean() for s in slices]), np.array([len(s) for s in slices]) / len(column)


def sampled_sensitivity(
    model: Any, X: Any, error: float = 0.05, most: int = 10_000, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate the output sensitivity from random pairs of rows [1]_.

    Pairs are drawn until all standard errors are at most a share `error` of the largest estimate.
    The estimate is the running mean, which is what the Kalman filter of [1]_ for a constant in
    noise gives for a diffuse initial state.

    Parameters
    ----------
    model, X : estimator, ndarray
        As in :func:`output_sensitivity`.
    error : float
        The standard error at which to stop, as a share of the largest estimate.
    most : int
        Largest number of draws per column.
    random_state : int, RandomState or None
        Seed of the draws.

    Returns
    -------
    tuple of ndarray
        The estimates and their standard errors, both of shape (columns,).

    References
    ----------
    .. [1] Lemaire and Clerot, as in :func:`output_sensitivity`.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> estimate, _ = sampled_sensitivity(LinearRegression().fit(X, X[:, 0]), X, random_state=0)
    >>> bool(estimate[0] > 0.9), estimate[1].round(6)
    (True, np.float64(0.0))
    """
    from sklearn.utils import check_random_state

    X, rng = np.asarray(X, dtype=float), check_random_state(random_state)
    m, n = X.shape
    outputs, sums, squares, n_drawn = outputs_of(model, X), np.zeros(n), np.zeros(n), 0
    while n_drawn < most:
        for j in range(n):
            rows, others = rng.randint(m, size=(2, N_DRAWS))
            moved = X[rows].copy()
            moved[:, j] = X[others, j]
            change = np.abs(outputs_of(model, moved) - outputs[rows]).sum(axis=1)
            sums[j] += change.sum()
            squares[j] += (change**2).sum()
        n_drawn += N_DRAWS
        mean = sums / n_drawn
        errors = np.sqrt(np.maximum(squares / n_drawn - mean**2, 0) / n_drawn)
        if (errors <= error * mean.max()).all():
            break
    return mean, errors


def derivative_sensitivity(model: Any, X: Any, norm: int = 2, step: float = 1e-4) -> np.ndarray:
    """Compute the mean absolute or squared derivative of the output by each input [1]_.

    Derivatives are central differences. For a linear model they are the weights. Inputs should be
    standardised.

    Parameters
    ----------
    model, X : estimator, ndarray
        A fitted model, and the rows over which the mean is taken.
    norm : {1, 2}
        1 for absolute and 2 for squared derivatives.
    step : float
        Half the width of the differences, in standard deviations.

    References
    ----------
    .. [1] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 5, section 2.1.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> derivative_sensitivity(LinearRegression().fit(X, X @ [3.0, -1.0]), X).round(6)
    array([9., 1.])
    """
    X = np.asarray(X, dtype=float)
    widths = step * np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    result = np.empty(X.shape[1])
    for j, width in enumerate(widths):
        up, down = X.copy(), X.copy()
        up[:, j] += width
        down[:, j] -= width
        slopes = np.abs(outputs_of(model, up) - outputs_of(model, down)) / (2 * width)
        result[j] = (slopes**norm).sum(axis=1).mean()
    return result


def range_sensitivity(
    model: Any, n_features: int, n_values: int = 7, reach: Any = 2.0
) -> np.ndarray:
    """Compute the range of the output as one centred input varies and the others are zero [1]_.

    Inputs that act only in combination have no effect: the sensitivity to both factors of a
    product is 0.

    Parameters
    ----------
    model : estimator
        A model fitted on centred columns.
    n_features : int
        Number of columns.
    n_values : int
        Number of values tried, evenly spaced.
    reach : float or array of shape (n_features,)
        Inputs vary from minus to plus this value, a number for all columns or one for each. The
        default is two standard deviations of standardised columns, as in [1]_.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct
       kernel PLS*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter
       21.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> range_sensitivity(LinearRegression().fit(X, X @ [3.0, -1.0]), 2).round(6)
    array([12.,  4.])
    """
    values = np.outer(np.broadcast_to(reach, n_features), np.linspace(-1, 1, n_values))
    result = np.empty(n_features)
    step = max(1, min(MEAN_BLOCK[0], MEAN_BLOCK[1] // n_features) // n_values)
    for a in range(0, n_features, step):
        columns = np.arange(a, min(a + step, n_features))
        outputs = outputs_of(model, _one_moved(model, values, columns))
        result[columns] = np.ptp(outputs.reshape(len(columns), n_values, -1), axis=1).max(axis=1)
    return result


def _one_moved(model: Any, values: np.ndarray, columns: np.ndarray) -> Any:
    """Build rows in which one column has one of its values and the others are 0.

    The rows are sparse for latent models, which then multiply only one number per row.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_values)
        The values of all columns.
    columns : ndarray of int
        The columns to vary, n_values rows each.
    """
    (n_features, n_values), n_rows = values.shape, len(columns) * values.shape[1]
    entries = values[columns].ravel(), (np.arange(n_rows), np.repeat(columns, n_values))
    rows = sparse.csr_array(entries, shape=(n_rows, n_features))
    if isinstance(model, Latent):
        return rows
    return rows.toarray()
