"""Student's t of two classes, and Welch's where their variances differ.

A function of moments: it takes `ClassMoments` in place of ``X`` (and then no ``y``), accumulated
from chunks of any table. A row of weight w counts as w rows, in p-values too. Two classes are taken
in the order of their labels: the second is the positive one. A separation without any spread scores
infinity, no difference 0 (p-value 1), constant columns included. P-values are by permuted labels
where laws do not hold: see :mod:`subsel.ranking.laws.student`.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.class_moments import ClassMoments, over_moments, quotient
from subsel.ranking.laws.few_values import between_classes, welch
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS
from subsel.ranking.laws.student import MomentLaw, two_sided_t
from subsel.ranking.laws.sums import BetweenClasses, WelchSums
from subsel.ranking.registry import score
from subsel.ranking.scores.moments.anova import f_of_moments
from subsel.ranking.scores.moments.signal_to_noise import gap

__all__ = ["t_test", "t_test_p_value", "welch_t", "welch_t_p_value"]

Array = np.ndarray


def t_test_p_value(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    random_state: Any = 0,
) -> Array:
    """Compute the two-sided p-value of `t_test`, by Student's law where it holds [1]_.

    The law has ``m - 2`` degrees of freedom. The p-value is exact for columns of few values, such
    as rare bits. It is by permuted labels for skewed or heavy-tailed columns where one class is
    small, if Student's law gives at most 0.1: with a tenth of 400 rows positive, log-normal columns
    would reach 0.001 six times as often as the law says (:mod:`subsel.ranking.laws.student`).

    Parameters
    ----------
    X, y, sample_weight : array-like
        As in `t_test`.
    n_permutations : int
        The most permutations of a column; no p-value by random permutations is below one over it.
    random_state : int, Generator or None
        The seed of the permutations.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the T criterion.

    Examples
    --------
    >>> t_test_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.029857])
    """
    law = MomentLaw(_t_p_value, between_classes, BetweenClasses, 2)
    return law.p_values(X, y, sample_weight, n_permutations, random_state)


def _t_p_value(moments: ClassMoments) -> Array:
    """Give the p-value of each column by Student's law."""
    return two_sided_t(_t(moments), moments.mass.sum() - 2)


@score(
    "t-test", "t", "student-t", p_value=t_test_p_value, univariate=True, sparse=True, weights=True
)
def t_test(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by Student's t of two classes with pooled variance, in absolute value [1]_.

    .. math:: s_j = \frac{|\mu_j^+ - \mu_j^-|}{s_j \sqrt{1/m^+ + 1/m^-}}, \quad
              s_j^2 = \frac{\sum_k \sum_{i \in k} (x_{ij} - \mu_{kj})^2}{m - 2}

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the T criterion (the square root missing there is restored).
    .. [2] I. Levner, V. Bulitko and G. Lin, "Feature Extraction for Classification of Proteomic
       Mass Spectra: A Comparative Study", in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 30, univariate tests.

    Examples
    --------
    >>> t_test([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]) ** 2
    array([32.])
    """
    return over_moments(_t, X, y, sample_weight, 2)


def _t(moments: ClassMoments) -> Array:
    """Give |t| of each column, the root of F of two classes."""
    f = f_of_moments(moments)[0]
    return np.sqrt(f, out=f)


def welch_t_p_value(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    n_permutations: int = MOST_PERMUTATIONS,
    random_state: Any = 0,
) -> Array:
    """Compute the two-sided p-value of `welch_t`, by the law of Welch where it holds.

    The degrees of freedom are those of Welch and Satterthwaite. The p-value is exact for columns of
    few values, such as rare bits. It is by permuted labels, as in `t_test_p_value`, for skewed
    columns and where a class has fewer than 20 rows: with a tenth of 400 rows positive, log-normal
    columns would reach 0.001 twenty times as often as the law says.

    Parameters
    ----------
    X, y, sample_weight, n_permutations, random_state : object
        As in `t_test_p_value`.

    Examples
    --------
    >>> welch_t_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.333333])
    """
    law = MomentLaw(_welch_p_value, welch, WelchSums, 2)
    return law.p_values(X, y, sample_weight, n_permutations, random_state)


def _welch_p_value(moments: ClassMoments) -> Array:
    """Give the p-value of each column by Welch's law."""
    # 1 / freedom = sum over classes of c_k^2 / (n_k - 1), c_k the share of class k in the variance
    # of the difference of means (Welch, "The generalization of 'Student's' problem when several
    # different population variances are involved", Biometrika 34, 1947).
    parts = moments.variance() / moments.mass[:, None]
    rest = np.maximum(moments.mass - 1, 1e-300)[:, None]
    spread = parts.sum(axis=0)
    shares = np.divide(parts, spread, out=np.zeros_like(parts), where=spread > 0)
    freedom = np.where(
        spread > 0,
        quotient(np.ones_like(spread), (shares**2 / rest).sum(axis=0)),
        moments.mass.sum() - 2,
    )
    return two_sided_t(_welch(moments), freedom)


@score("welch-t", "welch", p_value=welch_t_p_value, univariate=True, sparse=True, weights=True)
def welch_t(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by Welch's t of two classes of unequal variance, in absolute value [1]_.

    .. math:: s_j = |\mu_j^+ - \mu_j^-| \,/\, \sqrt{v_j^+/m^+ + v_j^-/m^-}

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       separation of means.

    Examples
    --------
    >>> welch_t([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]) ** 2
    array([32.])
    """
    return over_moments(_welch, X, y, sample_weight, 2)


def _welch(moments: ClassMoments) -> Array:
    """Give Welch's |t| of each column."""
    return quotient(gap(moments), np.sqrt((moments.variance() / moments.mass[:, None]).sum(axis=0)))
