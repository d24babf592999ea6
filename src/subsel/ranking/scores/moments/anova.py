"""Analysis of variance: Fisher's F and the correlation ratio.

A function of moments: it takes `ClassMoments` in place of ``X`` (and then no ``y``), accumulated
from chunks of any table. A row of weight w counts as w rows, in p-values too. Two classes are taken
in the order of their labels: the second is the positive one. A separation without any spread scores
infinity, no difference 0 (p-value 1), constant columns included. P-values are by permuted labels
where laws do not hold: see :mod:`subsel.ranking.laws.student`.
"""

from typing import Any

import numpy as np
from scipy import special

from subsel.data.statistics.class_moments import ClassMoments, over_moments, quotient
from subsel.ranking.laws.few_values import between_classes
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.laws.student import MomentLaw
from subsel.ranking.laws.sums import BetweenClasses
from subsel.ranking.registry import score

__all__ = ["anova_f", "anova_f_p_value", "correlation_ratio"]

Array = np.ndarray


def anova_f_p_value(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    random_state: Any = 0,
) -> Array:
    """Compute the p-value of `anova_f`, and so of `correlation_ratio`, by Fisher's law [1]_.

    The law has ``K - 1`` and ``m - K`` degrees of freedom. The p-value is exact for columns of few
    values, such as rare bits, and by permuted labels for skewed or heavy-tailed columns where a
    class is small, as in `t_test_p_value`.

    Parameters
    ----------
    X, y, sample_weight, n_permutations, random_state : object
        As in `t_test_p_value`, with any number of classes.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, ANOVA.

    Examples
    --------
    >>> anova_f_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.029857])
    """
    law = MomentLaw(_anova_p_value, between_classes, BetweenClasses)
    return law.p_values(X, y, sample_weight, n_permutations, random_state)


def _anova_p_value(moments: ClassMoments) -> Array:
    """Give the p-value of each column by Fisher's law."""
    ratio, between, within = f_of_moments(moments)
    if within <= 0:
        return np.ones_like(ratio)
    return np.where(np.isinf(ratio), 0.0, special.fdtrc(between, within, ratio))


@score(
    "anova-f",
    "f",
    "f-test",
    p_value=anova_f_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
def anova_f(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the F of one-way analysis of variance, for any number of classes [1]_.

    .. math:: s_j = \frac{\sum_k m_k (\mu_{kj} - \mu_j)^2 / (K - 1)}
              {\sum_k \sum_{i \in k} (x_{ij} - \mu_{kj})^2 / (m - K)}

    For two classes it is the square of `t_test`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, ANOVA.

    Examples
    --------
    >>> anova_f([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    array([32.])
    """
    return over_moments(
        lambda moments: f_of_moments(moments)[0], X, y, sample_weight, of_two=_f_of_two
    )


@score(
    "correlation-ratio",
    "eta",
    p_value=anova_f_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
def correlation_ratio(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by eta, the correlation with the best numbering of the classes [1]_.

    .. math:: s_j = \sqrt{\mathrm{between}_j / (\mathrm{between}_j + \mathrm{within}_j)}

    For two classes it is `pearson`; for more it needs no numbering, and ranks as `anova_f` does.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation.

    Examples
    --------
    >>> correlation_ratio([[0.0], [0.0], [1.0], [1.0], [0.0]], list("aabbc"))
    array([1.])
    """
    return over_moments(_correlation_ratio, X, y, sample_weight)


def _correlation_ratio(moments: ClassMoments) -> Array:
    between, within = moments.between_and_within()
    return np.sqrt(quotient(between, between + within))


def f_of_moments(moments: ClassMoments) -> tuple[Array, float, float]:
    """Give the F ratio of each column and its two degrees of freedom."""
    above, below = moments.n_classes - 1, max(moments.mass.sum() - moments.n_classes, 0.0)
    if moments.n_classes == 2:
        from subsel._loops.statistics.moments import f_of_two_classes

        f = np.empty(moments.mean.shape[1])
        f_of_two_classes(moments.mean, moments.scatter, _factor(moments.mass), f)
        return f, above, below
    between, within = moments.between_and_within()
    between *= (below or 1.0) / above
    return quotient(between, within), above, below


def _factor(mass: Array) -> float:
    """Give the factor by which squared gap of two means over scatter within is F.

    `mass` holds the rows of both classes.
    """
    # The scatter between two classes is n m / (n + m) times the squared gap of their means.
    return float(mass.prod() / mass.sum() * (max(mass.sum() - 2, 0.0) or 1.0))


def _f_of_two(X: Array, classes: Any, mass: Array, f: Array) -> int:
    """Overwrite f with the F ratios of two classes; arguments as `over_moments` passes them."""
    from subsel._loops.statistics.moments import f_in_place

    return int(f_in_place(X, classes, _factor(mass), f))
