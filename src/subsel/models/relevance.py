"""The relevance of each column to a trained model: one value per column, larger is more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.inspection import permutation_importance
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from subsel.data.storage import dense
from subsel.data.task import of_rows

__all__ = [
    "RELEVANCES",
    "fitted",
    "held_out_relevance",
    "last_model",
    "margin_relevance",
    "model_relevance",
    "weight_norms",
]

Reader = Callable[[Any], Any]
RELEVANCES = ("auto", "coef", "importance", "margin", "permutation")


def model_relevance(model: Any, relevance: str | Reader = "auto") -> np.ndarray:
    """Read from a fitted model how much it used each column.

    Parameters
    ----------
    model : estimator
        A fitted model. Of a pipeline the last step is read, of a search over settings the best
        model.
    relevance : {"auto", "coef", "importance", "margin"} or callable
        ``"coef"`` reads ``coef_``, or the weights out of the inputs of a network, by
        :func:`weight_norms`; ``"importance"`` reads ``feature_importances_``; ``"margin"`` computes
        it for a kernel machine, see :func:`subsel.models.relevance.margin_relevance`; ``"auto"``
        takes the first of these that the model has. A function receives the model as given and
        returns one value per column.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0.0, 1], [1, 0], [1, 1]], [1.0, -2, -1])
    >>> model_relevance(model).round(6)
    array([2., 1.])
    """
    if callable(relevance):
        return np.asarray(relevance(model), dtype=float)
    last = last_model(model)
    for name, attribute, read in _READERS:
        if relevance in ("auto", name) and hasattr(last, attribute):
            return read(last)
    attributes = {name: attribute for name, attribute, _ in reversed(_READERS)}
    attributes["auto"] = "coef_ or feature_importances_"
    if relevance not in attributes:
        raise ValueError(
            f"relevance must be one of {', '.join(RELEVANCES)} or a function, got {relevance!r}."
        )
    raise ValueError(
        f"{type(last).__name__} has no {attributes[relevance]}: use relevance='permutation', "
        "or a function of the model."
    )


def _margins(model: Any) -> np.ndarray:
    """Call `margin_relevance`, which is defined below the table."""
    return margin_relevance(model)


_READERS: tuple[tuple[str, str, Callable[[Any], np.ndarray]], ...] = (
    ("coef", "coef_", lambda model: weight_norms(model.coef_)),
    (
        "importance",
        "feature_importances_",
        lambda model: np.asarray(model.feature_importances_, dtype=float),
    ),
    ("coef", "coefs_", lambda model: weight_norms(model.coefs_[0].T)),
    ("margin", "support_vectors_", _margins),
    ("margin", "label_binarizer_", _margins),  # one machine against the rest for every class
)
"""Kinds of relevance, in order of preference: name, attribute of the model, and how it is read."""


def weight_norms(coef: Any) -> np.ndarray:
    """Compute the Euclidean norm of each column of a table of weights.

    A model of several classes has one row per class or pair of classes; for a single row the norm
    is the absolute value.

    >>> weight_norms([[3.0, 0.0], [4.0, -1.0]])
    array([5., 1.])
    """
    table = np.atleast_2d(np.asanyarray(dense(coef)).astype(float, copy=False))
    if len(table) == 1:
        return np.abs(table[0])
    return np.linalg.norm(table, axis=0)


def last_model(model: Any) -> Any:
    """Find the model at the end of a pipeline, or the best model of a search over settings."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "regressor_"):
            model = model.regressor_
        elif hasattr(model, "encoded_"):
            model = model.encoded_
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            return model


def held_out_relevance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Give by how much the score on held-out rows falls when a column is shuffled.

    It is the mean over folds.

    The model is trained on the other rows of every fold. Below zero: shuffling the column has
    helped.

    Parameters
    ----------
    estimator : estimator
        A model; it is cloned and fitted in every fold.
    cv, scoring, random_state : any
        As in scikit-learn.
    n_repeats : int
        The number of shuffles of a column in every fold.

    References
    ----------
    .. [1] Breiman, *Random forests*, Machine Learning 45, 2001, section 10, on folds in place of
       out-of-bag rows.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 3))
    >>> held_out_relevance(LinearRegression(), X, X[:, 1], random_state=0).round()
    array([0., 2., 0.])
    """
    X = dense(X)  # columns are shuffled in place
    folds = check_cv(cv, y, classifier=is_classifier(estimator))
    importances = []
    for train, test in folds.split(X, y):
        weight = of_rows(sample_weight, train)
        model = fitted(estimator, _safe_indexing(X, train), _safe_indexing(y, train), weight)
        importance = permutation_importance(
            model,
            _safe_indexing(X, test),
            _safe_indexing(y, test),
            scoring=scoring,
            n_repeats=n_repeats,
            random_state=random_state,
            sample_weight=of_rows(sample_weight, test),
        )
        importances.append(importance.importances_mean)
    return np.mean(importances, axis=0)


def fitted(estimator: Any, X: Any, y: Any, sample_weight: np.ndarray | None = None) -> Any:
    """Fit a clone of an estimator, with the row weights where there are any.

    An estimator that does not accept ``sample_weight`` is then refused.
    """
    if sample_weight is None:
        return clone(estimator).fit(X, y)
    last, name = estimator, "sample_weight"
    if hasattr(estimator, "steps"):
        step, last = estimator.steps[-1]
        name = f"{step}__sample_weight"
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError(f"{type(last).__name__} does not take sample weights.")
    return clone(estimator).fit(X, y, **{name: sample_weight})


def margin_relevance(model: Any) -> np.ndarray:
    r"""Give :math:`|W^2 - W^2_{(-p)}|` for each input p of a fitted support vector machine [1]_.

    :math:`W^2 = \sum_{kl} \alpha_k \alpha_l y_k y_l K(x_k, x_l)` over the support vectors, with the
    multipliers unchanged. For a linear kernel this is the squared weight. For several classes, the
    relevances of the machines one against the rest (``OneVsRestClassifier``) are summed.

    Parameters
    ----------
    model : SVC, NuSVC, SVR or OneVsRestClassifier of one
        A fitted machine for two classes or regression, with a linear, polynomial or RBF kernel.

    Returns
    -------
    ndarray of shape (n_features,)
        One value per input.

    References
    ----------
    .. [1] Guyon, Weston, Barnhill and Vapnik, *Gene selection for cancer classification using
       support vector machines*, Machine Learning 46, 2002; Lal, Chapelle, Weston and Elisseeff,
       *Embedded methods*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006,
       chapter 5, algorithm 2.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X = np.array([[1.0, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0]])
    >>> margin_relevance(SVC(kernel="poly", degree=2, coef0=1, C=100).fit(X, [1, 1, 0, 0])).round(3)
    array([2., 2., 0.])
    """
    if hasattr(model, "estimators_"):
        return np.sum([margin_relevance(each) for each in model.estimators_], axis=0)
    if len(model.dual_coef_) > 1:
        raise ValueError(
            f"{type(model).__name__} holds a machine for every pair of classes: "
            "wrap it in OneVsRestClassifier."
        )
    S, signed = dense(model.support_vectors_), dense(model.dual_coef_)[0]
    weight = np.outer(signed, signed)
    kernel, gamma = model.kernel, getattr(model, "_gamma", 1.0)
    if kernel not in ("linear", "poly", "rbf"):
        raise ValueError(
            f"kernel must be 'linear', 'poly' or 'rbf' for relevance='margin', got {kernel!r}."
        )
    product = S @ S.T
    settings = {
        "rbf": {"gamma": gamma},
        "poly": {"gamma": gamma, "degree": model.degree, "coef0": model.coef0},
    }
    K = pairwise_kernels(S, metric=kernel, **settings.get(kernel, {}))
    total = float((weight * K).sum())
    relevances = np.empty(S.shape[1])
    # input p leaves the kernel without a new product over all inputs: <x, z> loses x_p z_p, and the
    # Gaussian kernel, a product over inputs, is divided by its factor exp(-gamma (x_p - z_p)^2)
    for p, x in enumerate(S.T):
        if kernel == "rbf":
            without = K * np.exp(gamma * np.subtract.outer(x, x) ** 2)
        else:
            without = product - np.outer(x, x)
            if kernel == "poly":
                without = (gamma * without + model.coef0) ** model.degree
        relevances[p] = abs(total - float((weight * without).sum()))
    return relevances
