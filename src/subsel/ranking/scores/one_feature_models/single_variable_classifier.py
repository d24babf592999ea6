"""A classifier of one column: the nearer class mean."""

from typing import Any

import numpy as np

from subsel.data.statistics.blocks import parts
from subsel.data.statistics.class_counts import blocks_of, rates_above
from subsel.data.statistics.class_moments import ClassMoments
from subsel.data.statistics.score_input import as_stored, classes_and_codes, weights
from subsel.ranking.registry import score

__all__ = ["single_variable_classifier"]

Array = np.ndarray


@score(
    "single-variable-classifier",
    "nearest-mean",
    "ordered-selection",
    univariate=True,
    sparse=True,
    weights=True,
)
def single_variable_classifier(
    X: Any, y: Any, sample_weight: Any = None, *, balanced: bool = True
) -> Array:
    r"""Score features by the accuracy of the nearest of two class means [1]_.

    .. math::

        \hat y = \mathrm{sign}[(x - (\mu^+ + \mu^-)/2)(\mu^+ - \mu^-)], \quad
        \mathrm{sign}(0) = +1

    Equal means give a constant rule. Values that differ from the middle of the means by rounding
    count as the middle.

    Parameters
    ----------
    X, y, sample_weight : array-like
        The table, two classes, and the weights of the rows.
    balanced : bool
        Whether the accuracies of the two classes are averaged; otherwise all rows count equally,
        which favours rare features.

    References
    ----------
    .. [1] A. R. Saffari Azar Alamdari, "Variable Selection Using Correlation and Single Variable
       Classifier Methods: Applications", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 14, section 14.2, single variable classifiers.
    .. [2] I. Levner, V. Bulitko and G. Lin, "Feature Extraction for Classification of Proteomic
       Mass Spectra: A Comparative Study", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 30, ordered selection.

    Examples
    --------
    >>> single_variable_classifier([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0], [3.0, 1.0]], [0, 0, 1, 1])
    array([0.5, 0.5])
    """
    X = as_stored(X)
    codes, weight = classes_and_codes(X, y, 2, sample_weight)[1], weights(X, sample_weight)
    scores = np.empty(X.shape[1])
    for block, part in parts(X, blocks_of(X)):
        scores[block] = _nearest_mean(part, codes, weight, balanced)
    return scores


def _nearest_mean(X: Any, codes: Array, weight: Array, balanced: bool) -> Array:
    """Give the scores of a block of columns; `codes` and `weight` are one per row."""
    moments = ClassMoments(2, X.shape[1])
    moments.accumulate(X, codes, weight)
    negative, positive = moments.mean
    rising = positive >= negative
    size = np.sqrt((moments.variance(correction=0) + moments.mean**2).max(axis=0))
    # The slack, about 450 units in the last place of the root mean square, is above the rounding of
    # the means; it puts the middle on the positive side, which is above where means rise.
    slack = 1e-13 * np.where(rising, -size, size)
    above = rates_above(
        X, codes, weight, negative + (positive - negative) / 2 + slack, at_least=rising
    )
    upward = np.where(rising, above, 1 - above)
    upward = np.where(np.abs(positive - negative) <= np.abs(slack), 1.0, upward)
    share = moments.mass / moments.mass.sum()
    if balanced:
        share = np.full(2, 0.5)
    return share[1] * upward[1] + share[0] * (1 - upward[0])
