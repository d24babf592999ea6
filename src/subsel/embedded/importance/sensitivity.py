"""How much a fitted model's output moves when an input is changed: no label is looked at."""

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
RESTING = 4_000, 4_000_000  # rows, and entries, at a time where all inputs but one rest
LEAST_DRAWS = 30


def outputs_of(model: Any, X: Any) -> np.ndarray:
    """What a model puts out before it decides, one row each: probabilities, decisions or values.

    >>> from sklearn.linear_model import LinearRegression
    >>> outputs_of(LinearRegression().fit([[0.0], [1.0]], [0.0, 2.0]), np.array([[3.0]]))
    array([[6.]])
    """
    for method in ("predict_proba", "decision_function", "predict"):
        if hasattr(model, method):
            found = np.asarray(getattr(model, method)(X), dtype=float)
            return found.reshape(X.shape[0], -1)
    raise TypeError(f"{type(model).__name__} predicts nothing.")


def output_sensitivity(model: Any, X: Any, n_values: int | None = None) -> np.ndarray:
    r"""The mean change of output when an input takes another of its own values [1]_.

    .. math:: S_j = \frac{1}{m^2} \sum_i \sum_k \bigl| f(x_i) - f(x_i \text{ with component } j \text{ from } x_k) \bigr|

    Every distinct value is tried once, weighted by how often it occurs. Several outputs: the
    absolute differences are summed. It needs a model that is not overfitted, and correlated inputs
    share their importance.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : ndarray
        The rows.
    n_values : int, optional
        Represent the values of a column by the means of so many slices of equal count, where it
        has more.

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
    here = outputs_of(model, X)
    moved = _moving(model, X)
    return np.array([_of_column(moved, X, here, j, n_values) for j in range(X.shape[1])])


def _moving(model: Any, X: np.ndarray) -> Callable[[int, np.ndarray], np.ndarray]:
    """The outputs of all rows as a column takes each of some values, by predicting them; a model may know a shorter way."""
    if hasattr(model, "moving"):
        return model.moving(X)

    def moved(j: int, values: np.ndarray) -> np.ndarray:
        rows = np.tile(X, (len(values), 1))
        rows[:, j] = np.repeat(values, len(X))
        return outputs_of(model, rows).reshape(len(values), len(X), -1)

    return moved


def _of_column(
    moved: Callable, X: np.ndarray, here: np.ndarray, j: int, n_values: int | None
) -> float:
    values, shares = _representatives(X[:, j], n_values)
    total, step = 0.0, max(1, BLOCK // len(X))
    for a in range(0, len(values), step):
        change = np.abs(moved(j, values[a : a + step]) - here).sum(axis=2).mean(axis=1)
        total += float(shares[a : a + step] @ change)
    return total


def _representatives(column: np.ndarray, n_values: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Values to try and their shares of the rows."""
    values, counts = np.unique(column, return_counts=True)
    if n_values is None or len(values) <= n_values:
        return values, counts / len(column)
    slices = np.array_split(np.sort(column), n_values)
    return np.array([s.mean() for s in slices]), np.array([len(s) for s in slices]) / len(column)


def sampled_sensitivity(
    model: Any, X: Any, error: float = 0.05, most: int = 10_000, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """The same from random pairs of rows, drawn until the standard error is a share ``error`` of the largest value [1]_.

    The running mean is what the chapter's filter for a constant in noise gives from a diffuse
    start.

    Parameters
    ----------
    model, X : estimator, ndarray
        As in :func:`output_sensitivity`.
    error : float
        When to stop.
    most : int
        Draws per column at most.
    random_state : int, RandomState or None
        Of the draws.

    Returns
    -------
    tuple of ndarray
        Estimates and their standard errors.

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
    here, sums, squares, drawn = outputs_of(model, X), np.zeros(n), np.zeros(n), 0
    while drawn < most:
        for j in range(n):
            rows, others = rng.randint(m, size=(2, LEAST_DRAWS))
            moved = X[rows].copy()
            moved[:, j] = X[others, j]
            change = np.abs(outputs_of(model, moved) - here[rows]).sum(axis=1)
            sums[j] += change.sum()
            squares[j] += (change**2).sum()
        drawn += LEAST_DRAWS
        mean = sums / drawn
        errors = np.sqrt(np.maximum(squares / drawn - mean**2, 0) / drawn)
        if (errors <= error * mean.max()).all():
            break
    return mean, errors


def derivative_sensitivity(model: Any, X: Any, norm: int = 2, step: float = 1e-4) -> np.ndarray:
    """The mean absolute (``norm=1``) or mean squared (2) derivative of the output by each input, over the rows [1]_.

    Central differences of ``step`` standard deviations. A linear model gives the absolute or
    squared weights; inputs should be standardised.

    Parameters
    ----------
    model, X : estimator, ndarray
        Fitted, and the rows.
    norm : {1, 2}
        Which mean.
    step : float
        Of the differences.

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
    found = np.empty(X.shape[1])
    for j, width in enumerate(widths):
        up, down = X.copy(), X.copy()
        up[:, j] += width
        down[:, j] -= width
        slopes = np.abs(outputs_of(model, up) - outputs_of(model, down)) / (2 * width)
        found[j] = (slopes**norm).sum(axis=1).mean()
    return found


def range_sensitivity(
    model: Any, n_features: int, n_values: int = 7, reach: Any = 2.0
) -> np.ndarray:
    """The range of the output as one centred input moves while the others rest at their means [1]_.

    It does not see inputs that act only together: of a product of two, both get nothing.

    Parameters
    ----------
    model : estimator
        Fitted on centred columns.
    n_features : int
        How many columns.
    n_values : int
        Values tried, evenly over the reach.
    reach : float or array of shape (n_features,)
        From minus to plus so much, a number for all columns or one for each: two standard
        deviations, as the authors do.

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
    values, found = (
        np.outer(np.broadcast_to(reach, n_features), np.linspace(-1, 1, n_values)),
        np.empty(n_features),
    )
    step = max(1, min(RESTING[0], RESTING[1] // n_features) // n_values)
    for a in range(0, n_features, step):
        columns = np.arange(a, min(a + step, n_features))
        outputs = outputs_of(model, _one_moved(model, values, columns))
        found[columns] = np.ptp(outputs.reshape(len(columns), n_values, -1), axis=1).max(axis=1)
    return found


def _one_moved(model: Any, values: np.ndarray, columns: np.ndarray) -> Any:
    """Rows in which one of the columns takes each of its values; sparse for models that then multiply one number a row."""
    (n_features, n_values), n_rows = values.shape, len(columns) * values.shape[1]
    entries = values[columns].ravel(), (np.arange(n_rows), np.repeat(columns, n_values))
    rows = sparse.csr_array(entries, shape=(n_rows, n_features))
    if isinstance(model, Latent):
        return rows
    return rows.toarray()
