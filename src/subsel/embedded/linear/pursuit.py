"""Orders from greedy least squares: orthogonal matching pursuit and least angle regression."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import lars_path, orthogonal_mp
from sklearn.utils import check_array, check_consistent_length

from subsel.embedded.design import numbers, unit_columns
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order

__all__ = ["lars", "omp"]


@order("omp", "orthogonal_matching_pursuit", multiclass=False, regression=True)
def omp(X: Any, y: Any, n_features: int | None = None) -> FeatureOrder:
    r"""Order features by orthogonal matching pursuit [1]_.

    Each step adds the feature closest to the residual of least squares on those chosen before:

    .. math:: \arg\max_j \; (x_j^T r)^2 / \|x_j\|^2, \qquad r = P_S^\perp y

    on centred columns, where S are the features chosen so far. Unlike in
    :func:`subsel.ranking.gram_schmidt`, the candidates are not made orthogonal to the features in
    S. The score is the squared cosine with the residual. The path is computed by scikit-learn's
    ``orthogonal_mp``.

    Parameters
    ----------
    X : array-like
        Numeric features.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        Largest number of features.

    References
    ----------
    .. [1] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 5, section 5.2.2.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> omp(X, X @ [1.0, 3.0, 0.0]).features
    array([1, 0])
    """
    Z, response = _standardised(X, y)
    length = path_length(n_features, Z.shape[1])
    varied = np.flatnonzero(Z.any(axis=0))
    n = min(length, len(varied), len(response) - 1)
    if n < 1 or not response.any():
        return FeatureOrder(np.empty(0, dtype=np.intp), np.empty(0))
    with warnings.catch_warnings():
        # the path ends early where the columns depend on each other
        warnings.simplefilter("ignore", RuntimeWarning)
        weights = orthogonal_mp(Z[:, varied], response, n_nonzero_coefs=n, return_path=True)
    coefs = np.column_stack((np.zeros(len(varied)), weights.reshape(len(varied), -1)))
    residuals = response[:, None] - Z[:, varied] @ coefs
    return _order_of_path(
        varied, coefs, Z[:, varied].T @ residuals, (residuals**2).sum(axis=0), len(response)
    )


def _order_of_path(
    varied: np.ndarray, coefs: np.ndarray, products: np.ndarray, rss: np.ndarray, n: int
) -> FeatureOrder:
    """Order columns by the step at which they first have a weight.

    Parameters
    ----------
    varied : ndarray of int
        The columns that are not constant.
    coefs, products : ndarray of shape (columns, steps + 1)
        Their weights, and their products with the residual, after each step; step 0 is empty.
    rss : ndarray of shape (steps + 1,)
        The squared norm of the residual. The order ends where that is 0, to rounding.
    n : int
        Number of rows, the squared norm of a standardised column.
    """
    features, scores = [], []
    for step in range(1, coefs.shape[1]):
        new = np.flatnonzero((coefs[:, step] != 0) & (coefs[:, step - 1] == 0))
        if len(new) != 1 or rss[step - 1] < 1e-24 * rss[0]:
            break
        features.append(varied[new[0]])
        scores.append(products[new[0], step - 1] ** 2 / (n * rss[step - 1]))
    return FeatureOrder(np.array(features, dtype=np.intp), np.array(scores))


@order("lars", "least_angle_regression", multiclass=False, regression=True)
def lars(X: Any, y: Any, n_features: int | None = None) -> FeatureOrder:
    r"""Order features by least angle regression [1]_.

    The fit moves so that all features in the model keep the same correlation with the residual,
    until another feature has it too and enters. The score is that correlation, on standardised
    columns. The path is computed by scikit-learn's ``lars_path``.

    Parameters
    ----------
    X : array-like
        Numeric features.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        Largest number of features.

    References
    ----------
    .. [1] Efron, Hastie, Johnstone and Tibshirani, *Least angle regression*, Annals of Statistics
       32, 2004.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> path = lars(X, X @ [1.0, 3.0, 0.0])
    >>> path.features, path.scores
    (array([1, 0]), array([3., 1.]))
    """
    Z, response = _standardised(X, y)
    length = path_length(n_features, Z.shape[1])
    with warnings.catch_warnings():
        # columns that depend on each other are left out with a warning
        warnings.simplefilter("ignore")
        alphas, active, _ = lars_path(Z, response, method="lar", max_iter=length)
    kept = alphas[: len(active)] > 1e-12 * max(alphas[0], 1e-300)
    return FeatureOrder(np.array(active, dtype=np.intp)[kept], alphas[: len(active)][kept])


def _standardised(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Standardise the columns and centre the target."""
    X = check_array(X, dtype=np.float64)
    response = numbers(y)
    check_consistent_length(X, response)
    return np.asfortranarray(unit_columns(X, centre=True)), response - response.mean()
