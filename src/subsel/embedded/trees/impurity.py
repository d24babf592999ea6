"""Importances of columns by the decrease of impurity, in the units of the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["class_importances", "impurity_importances"]


def impurity_importances(model: Any) -> np.ndarray:
    r"""Compute the decrease of impurity by the splits of each column, averaged over trees [1]_.

    The decrease is :math:`\sum_t (n_t/n) [I(t) - (n_L/n_t) I(t_L) - (n_R/n_t) I(t_R)]`, over the
    nodes t that split by the column; [1]_ omits the share of rows. It is scikit-learn's
    ``feature_importances_`` without the normalisation to a sum of 1, so that models can be
    compared. It favours columns with many values.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or gradient boosting of scikit-learn.

    References
    ----------
    .. [1] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3, equations 8 and 9.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> impurity_importances(DecisionTreeRegressor().fit([[0.0, 5], [2.0, 5]], [0, 2]))
    array([1., 0.])
    """
    check_is_fitted(model)
    trees = np.ravel(getattr(model, "estimators_", [model]))
    return _mean_decrease(trees)


def class_importances(model: Any) -> np.ndarray:
    """Compute the decrease of impurity for each class of a boosted classifier [1]_.

    It is :func:`impurity_importances` of the trees grown for one class, and the mean over classes
    is that of all trees.

    Parameters
    ----------
    model : GradientBoostingClassifier
        A fitted model.

    Returns
    -------
    ndarray of shape (n_columns, n_classes)
        With two classes there is one column only, for the second class.

    References
    ----------
    .. [1] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3, equation 11.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> model = GradientBoostingClassifier(n_estimators=3, random_state=0)
    >>> class_importances(model.fit(*load_iris(return_X_y=True))).shape
    (4, 3)
    """
    check_is_fitted(model)
    trees = np.asarray(getattr(model, "estimators_", []))
    if trees.ndim != 2:
        raise ValueError(
            "model must be a GradientBoostingClassifier, which grows trees for single classes, "
            f"got {type(model).__name__}."
        )
    return np.array([_mean_decrease(of_class) for of_class in trees.T]).T


def _mean_decrease(trees: np.ndarray) -> np.ndarray:
    """Average the decrease of impurity by each column over trees."""
    decreases = [tree.tree_.compute_feature_importances(normalize=False) for tree in trees]
    return np.mean(decreases, axis=0)
