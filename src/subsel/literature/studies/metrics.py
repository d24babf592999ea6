"""Measures of the literature that scikit-learn does not have under these names."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.assessment.measures import balanced_error, binary_auc

__all__ = ["auc50", "balanced_success", "lift_area", "q2", "squared_correlation_loss"]


def lift_area(y: Any, scores: Any) -> float:
    r"""Give the area under the lift curve: positives found against rows called positive [1]_.

    .. math:: \mathrm{ALC} = \pi / 2 + (1 - \pi)\,\mathrm{AUC}

    with :math:`\pi` the share of positives (the second class), so that it orders scores of the same rows as AUC does.
    For more than two classes, with a column of scores for each, the mean over classes of one against the rest.

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 25, section 25.2 (where the curve is said to run the other way).

    Examples
    --------
    >>> lift_area([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.9]), lift_area([0, 1], [5, 5])
    (0.875, 0.5)
    """
    y, scores = np.asarray(y), np.asarray(scores, dtype=float)
    classes = np.unique(y)
    columns = scores[:, None] if scores.ndim == 1 else scores
    labels = classes
    if columns.shape[1] == 1:
        if len(classes) > 2:
            raise ValueError(
                f"y holds {len(classes)} classes: give a column of scores for each of them."
            )
        labels = classes[-1:]
    areas = [
        np.mean(y == c) / 2 + np.mean(y != c) * binary_auc(y == c, column)
        for c, column in zip(labels, columns.T)
    ]
    return float(np.mean(areas))


def auc50(positive: Any, scores: Any, n_false: int = 50) -> float:
    r"""Give the area under the curve of true positives up to the fiftieth false positive, between 0 and 1 [1]_.

    .. math:: \frac{1}{F P} \sum_{f=1}^{F} \#\{\text{positives ranked above the } f\text{-th negative}\}

    with F the smaller of ``n_false`` and the number of negatives. Positives tied with a negative count half.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*, in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 31, measures.

    Examples
    --------
    >>> auc50([1, 1, 0, 0], [0.9, 0.3, 0.5, 0.1]), auc50([1, 1, 0, 0], [0.9, 0.3, 0.5, 0.1], n_false=1)
    (0.75, 0.5)
    """
    positive, scores = np.asarray(positive, dtype=bool), np.asarray(scores, dtype=float)
    if not positive.any() or positive.all():
        return np.nan
    first = np.sort(scores[~positive])[::-1][:n_false]
    above = (scores[positive][:, None] > first).mean(axis=0)
    level = (scores[positive][:, None] == first).mean(axis=0)
    return float((above + level / 2).mean())


def balanced_success(y: Any, predicted: Any) -> float:
    """Give the balanced success rate, one minus the mean over classes of their error [1]_.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, *Sequence motifs: highly predictive features of protein function*, in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 31, equation 31.10 (which lacks the mean).

    Examples
    --------
    >>> balanced_success([1, 1, 1, 1, 0], [1, 1, 1, 0, 1])
    0.375
    """
    return 1 - balanced_error(y, predicted)


def squared_correlation_loss(y: Any, predicted: Any) -> float:
    """Give one minus the squared correlation of a quantity with its predictions: q2, smaller is better [1]_.

    Blind to the offset and scale of the predictions; :func:`q2` is not, and never smaller.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct kernel PLS*, in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 21.

    Examples
    --------
    >>> squared_correlation_loss([1.0, 2.0, 3.0], [10.0, 20.0, 30.0])
    0.0
    """
    y, predicted = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    gaps, others = y - y.mean(), predicted - predicted.mean()
    spread = (gaps @ gaps) * (others @ others)
    if spread > 0:
        return float(1 - (gaps @ others) ** 2 / spread)
    return 1.0


def q2(y: Any, predicted: Any) -> float:
    """Give the squared error over that of the mean of the target: Q2 = 1 - R2, smaller is better [1]_.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct kernel PLS*, in Guyon et
       al. (eds.), *Feature Extraction*, 2006, chapter 21.

    Examples
    --------
    >>> q2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    y, predicted = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    total = float(((y - y.mean()) ** 2).sum())
    if total > 0:
        return float(((y - predicted) ** 2).sum()) / total
    return np.nan
