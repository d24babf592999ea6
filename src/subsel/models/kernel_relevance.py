"""How much a kernel machine used each input: the change of its margin when the kernel is computed without it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from subsel.data.storage import dense

__all__ = ["margin_relevance"]


def margin_relevance(model: Any) -> np.ndarray:
    r"""Give :math:`|W^2 - W^2_{(-p)}|` for each input p of a fitted support vector machine [1]_.

    :math:`W^2 = \sum_{kl} \alpha_k \alpha_l y_k y_l K(x_k, x_l)` over the support vectors, the multipliers kept as they are. Of a
    linear kernel this is the squared weight. Of several classes, the machines one against the rest
    (``OneVsRestClassifier``) are summed.

    Parameters
    ----------
    model : SVC, NuSVC, SVR or OneVsRestClassifier of one
        Fitted, with a linear, polynomial or RBF kernel; a machine of two classes or a quantity.

    Returns
    -------
    ndarray
        One value per input.

    References
    ----------
    .. [1] Guyon, Weston, Barnhill and Vapnik, *Gene selection for cancer classification using support vector machines*,
       Machine Learning 46, 2002; Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 5, algorithm 2.

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
            f"{type(model).__name__} holds a machine for every pair of classes: wrap it in OneVsRestClassifier."
        )
    S, signed = dense(model.support_vectors_), dense(model.dual_coef_)[0]
    weight = np.outer(signed, signed)
    kernel, gamma = model.kernel, getattr(model, "_gamma", 1.0)
    if kernel not in ("linear", "poly", "rbf"):
        raise ValueError(
            f"the margin's change is known for the kernels linear, poly and rbf, not for {kernel!r}."
        )
    product = S @ S.T
    settings = {
        "rbf": {"gamma": gamma},
        "poly": {"gamma": gamma, "degree": model.degree, "coef0": model.coef0},
    }
    K = pairwise_kernels(S, metric=kernel, **settings.get(kernel, {}))
    whole = float((weight * K).sum())
    found = np.empty(S.shape[1])
    for p, x in enumerate(S.T):
        if kernel == "rbf":
            without = K * np.exp(gamma * np.subtract.outer(x, x) ** 2)
        else:
            without = product - np.outer(x, x)
            if kernel == "poly":
                without = (gamma * without + model.coef0) ** model.degree
        found[p] = abs(whole - float((weight * without).sum()))
    return found
