"""Shapley values of a model's predictions as relevances of columns, by the package `shap`."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from subsel.data.storage import dense
from subsel.models.relevance import last_model

__all__ = ["shap_importance"]

N_BACKGROUND = 50  # rows whose values replace those of columns that are treated as unknown


def shap_importance(
    model: Any, X: Any, *, max_rows: int = 1000, sample_weight: Any = None, random_state: Any = None
) -> np.ndarray:
    r"""Compute mean absolute Shapley values of the columns in a fitted model's predictions [1]_.

    Shapley values divide the difference of a prediction from the mean among the columns,
    :math:`f(x) - E f = \sum_j \phi_j(x)`. The answer is the mean of :math:`|\phi_j|` over rows and
    outputs. It is exact for trees and their ensembles (of scikit-learn, XGBoost and LightGBM) [2]_
    and for linear models; for others it is estimated from predictions on rows with replaced
    columns. It needs the package ``shap`` (``pip install "subsel[shap]"``).

    Parameters
    ----------
    model : estimator
        A fitted model. Steps of a pipeline before the last must not change the number of columns.
    X : array, sparse matrix or data frame
        Rows to explain, usually those that the model was trained on.
    max_rows : int
        Largest number of rows; of more, this number is drawn.
    sample_weight : array, optional
        Weights of rows in the mean.
    random_state : int, RandomState or None
        Seed of the rows drawn and of the replaced columns.

    References
    ----------
    .. [1] Lundberg and Lee, *A unified approach to interpreting model predictions*, NeurIPS, 2017.
    .. [2] Lundberg et al., *From local explanations to global understanding with explainable AI
       for trees*, Nature Machine Intelligence 2, 2020.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.array([[0.0, 1], [1, 1], [2, 0], [3, 0]])
    >>> shap_importance(LinearRegression().fit(X, X[:, 0]), X).round(6)  # doctest: +SKIP
    array([1., 0.])
    """
    shap = _package()
    check_is_fitted(last_model(model))
    if max_rows < 1:
        raise ValueError(f"max_rows must be at least 1, got {max_rows!r}.")
    rng = check_random_state(random_state)
    table, last = _as_seen(model, X), last_model(model)
    rows = np.arange(len(table))
    if len(rows) > max_rows:
        rows = np.sort(rng.permutation(len(rows))[:max_rows])
    weight = None
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=float)[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = _values(shap, last, table, rows, int(rng.randint(2**31)))
    size = np.abs(values).reshape(*values.shape[:2], -1).mean(axis=2)
    return np.average(size, axis=0, weights=weight)


def _package() -> ModuleType:
    """Import the package, or say how to install it."""
    try:
        import shap
    except ImportError:
        raise ImportError(
            "SHAP values need the package shap: pip install 'subsel[shap]'."
        ) from None
    return shap


def _as_seen(model: Any, X: Any) -> np.ndarray:
    """Transform the table as the last step of a pipeline receives it, dense."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "steps") and len(model.steps) > 1:
        X = model[:-1].transform(X)
    return dense(X)


def _values(
    shap: ModuleType, model: Any, table: np.ndarray, rows: np.ndarray, seed: int
) -> np.ndarray:
    """Compute the Shapley values of rows of the table.

    Returns
    -------
    ndarray of shape (rows, columns) or (rows, columns, outputs)
    """
    # For independent columns, the values of a linear model are w_j (x_j - mean_j) (Lundberg and Lee
    # 2017, corollary 1).
    try:
        return np.asarray(
            shap.TreeExplainer(model).shap_values(table[rows], check_additivity=False)
        )
    except shap.utils._exceptions.InvalidModelError:
        pass
    if hasattr(model, "coef_"):
        weights = np.atleast_2d(dense(model.coef_))
        deviations = table[rows] - table.mean(axis=0)
        return deviations[:, :, None] * weights.T[None]
    name = next(
        name for name in ("predict_proba", "decision_function", "predict") if hasattr(model, name)
    )
    background = table[np.random.RandomState(seed).permutation(len(table))[:N_BACKGROUND]]
    explainer = shap.PermutationExplainer(getattr(model, name), background, seed=seed)
    most = 10 * (2 * table.shape[1] + 1)
    return np.asarray(explainer(table[rows], max_evals=most, silent=True).values)
