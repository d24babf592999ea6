"""Falls of impurity, in the units of the target: of a tree, an ensemble, and for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["class_importances", "impurity_importances"]


def impurity_importances(model: Any) -> np.ndarray:
    r"""The mean over trees of the fall of impurity that the splits of each column bring.

    :math:`\sum_t (n_t/n) [I(t) - (n_L/n_t) I(t_L) - (n_R/n_t) I(t_R)]` over the nodes t that ask
    for the column; the book omits the share of rows. scikit-learn's ``feature_importances_`` are
    the same made to sum to 1; these keep their scale, so that models can be compared. Columns of
    many values attract splits.

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
    return _mean_fall(trees)


def class_importances(model: Any) -> np.ndarray:
    """The same for each class of a boosted classifier, from the trees that were grown for it.

    One column a class; a model of two classes grows its trees for the second class and has one
    column. Its mean over classes is :func:`impurity_importances`.

    Parameters
    ----------
    model : GradientBoostingClassifier
        Fitted.

    References
    ----------
    .. [1] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 3, equation 11.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> model = GradientBoostingClassifier(n_estimators=3, random_state=0).fit(*load_iris(return_X_y=True))
    >>> class_importances(model).shape
    (4, 3)
    """
    check_is_fitted(model)
    trees = np.asarray(getattr(model, "estimators_", []))
    if trees.ndim != 2:
        raise ValueError(
            f"{type(model).__name__} grows no trees for single classes: use GradientBoostingClassifier."
        )
    return np.array([_mean_fall(of_class) for of_class in trees.T]).T


def _mean_fall(trees: np.ndarray) -> np.ndarray:
    falls = [tree.tree_.compute_feature_importances(normalize=False) for tree in trees]
    return np.mean(falls, axis=0)
