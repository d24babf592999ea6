"""Means and spread: how far apart the classes stand, or how closely a column follows the target.

Every score here is a function of moments: it takes `ClassMoments` or `CoMoments` in place of ``X`` (and
then no ``y``), accumulated from chunks of any table. A row of weight w counts as w rows, in p-values too.
Two classes are taken in the order of their labels: the second is the positive one. A column that separates
the classes without any spread scores infinity, one without any difference scores 0 (p-value 1), constant
columns included.

Student's, Welch's and Fisher's laws suppose numbers that are nearly normal, or large classes. Columns of at most six
distinct values (and half as many as rows) that leave few outcomes, rare bits above all, have the exact p-value
instead: the chance of a score at least as large when the labels are permuted (:mod:`subsel.ranking.laws.few_values`). So it is
where no weights are given or all are whole. From moments alone, columns of zeros and ones are known.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from subsel.ranking.laws.few_values import (
    Correlation,
    Statistic,
    between_classes,
    exact_of_bits,
    exact_of_few_classes,
    exact_of_few_values,
    welch,
)
from subsel.ranking.registry import score
from subsel.ranking.separation import gap, quotient
from subsel.tables.checked import as_stored, classes_and_codes
from subsel.tables.moments import (
    ClassMoments,
    CoMoments,
    class_moments,
    numeric_target,
    over_co_moments,
    over_moments,
)

__all__ = [
    "anova_f",
    "anova_f_p_value",
    "correlation_ratio",
    "pearson",
    "pearson_p_value",
    "t_test",
    "t_test_p_value",
    "welch_t",
    "welch_t_p_value",
]

Array = np.ndarray


def pearson_p_value(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `pearson`: Student's law of ``r sqrt((m - 2) / (1 - r^2))`` [1]_.

    Exact for columns of few values, such as rare bits, where the target has few values too (at most 13; see the module).
    Elsewhere it promises too much for heavy tails in a small class, as `t_test_p_value` does. Moments in place of a
    table do not tell the values of the target, and have Student's law always.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, significance of Pearson's correlation.

    Examples
    --------
    >>> pearson_p_value([[0.0], [2.0], [1.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).round(6)
    array([0.2])
    """
    if isinstance(X, CoMoments):
        return _pearson_p_value(X)
    X = as_stored(X, finite=False)
    y = numeric_target(X, y)
    p = over_co_moments(_pearson_p_value, X, y, sample_weight)
    return exact_of_few_classes(p, lambda numbers: Correlation(tuple(numbers.tolist())), X, y, sample_weight)


def _pearson_p_value(moments: CoMoments) -> Array:
    return student_p_value(moments.correlation(), moments.mass[0] - 2)


@score(
    "pearson",
    "correlation",
    "point-biserial",
    p_value=pearson_p_value,
    regression=True,
    univariate=True,
    sparse=True,
    weights=True,
)
def pearson(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the absolute Pearson correlation with a numeric or two-class target [1]_.

    .. math:: s_j = |\sum_i (x_{ij} - \bar x_j)(y_i - \bar y)| \,/\,
              \sqrt{\sum_i (x_{ij} - \bar x_j)^2 \sum_i (y_i - \bar y)^2}

    Numbers are taken as they are, so more than two classes should go to `correlation_ratio`; two classes
    named otherwise are read as 0 and 1. `CoMoments.correlation` keeps the sign.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, equation 1.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, correlation.
    .. [3] A. R. Saffari Azar Alamdari, "Variable Selection Using Correlation and Single Variable Classifier Methods:
       Applications", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 14, section 14.2, correlation.

    Examples
    --------
    >>> pearson([[0.0, 5.0], [2.0, 5.0], [1.0, 5.0], [3.0, 5.0]], [0, 1, 2, 3])
    array([0.8, 0. ])
    """
    return over_co_moments(lambda moments: np.abs(moments.correlation()), X, y, sample_weight)


def anova_f_p_value(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    """P-value of `anova_f` and `correlation_ratio`: Fisher's law of ``K - 1``, ``m - K`` degrees [1]_.

    Exact for columns of few values, such as rare bits (see the module). Elsewhere it promises too much for heavy tails in
    a small class, as `t_test_p_value` does.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, ANOVA.

    Examples
    --------
    >>> anova_f_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.029857])
    """
    return _or_exact(_anova_p_value, between_classes, X, y, sample_weight)


def _anova_p_value(moments: ClassMoments) -> Array:
    ratio, between, within = _anova(moments)
    if within <= 0:
        return np.ones_like(ratio)
    return np.where(np.isinf(ratio), 0.0, special.fdtrc(between, within, ratio))


@score("anova-f", "f", "f-test", p_value=anova_f_p_value, multiclass=True, univariate=True, sparse=True, weights=True)
def anova_f(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the F of one-way analysis of variance, for any number of classes [1]_.

    .. math:: s_j = \frac{\sum_k m_k (\mu_{kj} - \mu_j)^2 / (K - 1)}
              {\sum_k \sum_{i \in k} (x_{ij} - \mu_{kj})^2 / (m - K)}

    For two classes it is the square of `t_test`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, ANOVA.

    Examples
    --------
    >>> anova_f([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    array([32.])
    """
    return over_moments(lambda moments: _anova(moments)[0], X, y, sample_weight)


@score("correlation-ratio", "eta", p_value=anova_f_p_value, multiclass=True, univariate=True, sparse=True, weights=True)
def correlation_ratio(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by eta, the correlation with the best numbering of the classes [1]_.

    .. math:: s_j = \sqrt{\mathrm{between}_j / (\mathrm{between}_j + \mathrm{within}_j)}

    For two classes it is `pearson`; for more it needs no numbering, and ranks as `anova_f` does.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, correlation.

    Examples
    --------
    >>> correlation_ratio([[0.0], [0.0], [1.0], [1.0], [0.0]], list("aabbc"))
    array([1.])
    """
    return over_moments(_correlation_ratio, X, y, sample_weight)


def _correlation_ratio(moments: ClassMoments) -> Array:
    between, within = moments.between_and_within()
    return np.sqrt(quotient(between, between + within))


def t_test_p_value(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `t_test`: Student's law with ``m - 2`` degrees of freedom [1]_.

    Exact for columns of few values, such as rare bits, of which Student's law promises too much (see the module).
    Elsewhere it supposes nearly normal values or large classes: with a tenth of 400 rows positive, log-normal columns
    reach 0.001 six times as often as promised (docs/ranking.md). Take `auc_p_value` there.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, the T criterion.

    Examples
    --------
    >>> t_test_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.029857])
    """
    return _or_exact(_t_p_value, between_classes, X, y, sample_weight, 2)


def _t_p_value(moments: ClassMoments) -> Array:
    return _two_sided(_t(moments), moments.mass.sum() - 2)


@score("t-test", "t", "student-t", p_value=t_test_p_value, univariate=True, sparse=True, weights=True)
def t_test(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by Student's t of two classes with pooled variance, in absolute value [1]_.

    .. math:: s_j = \frac{|\mu_j^+ - \mu_j^-|}{s_j \sqrt{1/m^+ + 1/m^-}}, \quad
              s_j^2 = \frac{\sum_k \sum_{i \in k} (x_{ij} - \mu_{kj})^2}{m - 2}

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, the T criterion (the square root missing there is restored).
    .. [2] I. Levner, V. Bulitko and G. Lin, "Feature Extraction for Classification of Proteomic Mass Spectra: A
       Comparative Study", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 30, univariate tests.

    Examples
    --------
    >>> t_test([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]) ** 2
    array([32.])
    """
    return over_moments(_t, X, y, sample_weight, 2)


def _t(moments: ClassMoments) -> Array:
    f = _anova(moments)[0]
    return np.sqrt(f, out=f)


def welch_t_p_value(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    """Two-sided p-value of `welch_t`, with the degrees of freedom of Welch and Satterthwaite.

    Exact for columns of few values, such as rare bits (see the module). Elsewhere it promises far too much for heavy tails
    in a small class: log-normal columns, a tenth of 400 rows positive, reach 0.001 twenty times as often
    (docs/ranking.md). Take `auc_p_value` there.

    Examples
    --------
    >>> welch_t_p_value([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]).round(6)
    array([0.029857])
    """
    return _or_exact(_welch_p_value, welch, X, y, sample_weight, 2)


def _welch_p_value(moments: ClassMoments) -> Array:
    parts = moments.variance() / moments.mass[:, None]
    rest = np.maximum(moments.mass - 1, 1e-300)[:, None]
    spread = parts.sum(axis=0)
    shares = np.divide(parts, spread, out=np.zeros_like(parts), where=spread > 0)
    freedom = np.where(
        spread > 0, quotient(np.ones_like(spread), (shares**2 / rest).sum(axis=0)), moments.mass.sum() - 2
    )
    return _two_sided(_welch(moments), freedom)


@score("welch-t", "welch", p_value=welch_t_p_value, univariate=True, sparse=True, weights=True)
def welch_t(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by Welch's t of two classes of unequal variance, in absolute value [1]_.

    .. math:: s_j = |\mu_j^+ - \mu_j^-| \,/\, \sqrt{v_j^+/m^+ + v_j^-/m^-}

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, separation of
       means.

    Examples
    --------
    >>> welch_t([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1]) ** 2
    array([32.])
    """
    return over_moments(_welch, X, y, sample_weight, 2)


def _welch(moments: ClassMoments) -> Array:
    return quotient(gap(moments), np.sqrt((moments.variance() / moments.mass[:, None]).sum(axis=0)))


def _or_exact(
    law: Callable[[ClassMoments], Array],
    statistic: Statistic,
    X: Any,
    y: Any,
    sample_weight: Any,
    n_classes: int | None = None,
) -> Array:
    """The p-values of a law of moments, and the exact ones of a statistic where columns have few values."""
    if isinstance(X, ClassMoments):
        return exact_of_bits(law(class_moments(X, y, sample_weight, n_classes)), statistic, X)
    X = as_stored(X, finite=False)
    labels, codes = classes_and_codes(X, y, n_classes, sample_weight)
    p = over_moments(law, X, codes, sample_weight)
    return exact_of_few_values(p, statistic, X, codes, len(labels), sample_weight)


def student_p_value(r: Array, freedom: float) -> Array:
    """Two-sided p-value of a correlation, by Student's law."""
    t = quotient(np.abs(r) * np.sqrt(max(freedom, 0.0)), np.sqrt((1 - r) * (1 + r)))
    return _two_sided(t, freedom)


def _anova(moments: ClassMoments) -> tuple[Array, float, float]:
    """The F ratio and its two degrees of freedom."""
    above, below = moments.n_classes - 1, max(moments.mass.sum() - moments.n_classes, 0.0)
    if moments.n_classes == 2:
        from subsel._loops.moments import f_of_two_classes

        f = np.empty(moments.mean.shape[1])
        factor = moments.mass.prod() / moments.mass.sum() * (below or 1.0)
        f_of_two_classes(moments.mean, moments.scatter, factor, f)
        return f, above, below
    between, within = moments.between_and_within()
    between *= (below or 1.0) / above
    return quotient(between, within), above, below


def _two_sided(t: Array, freedom: Any) -> Array:
    """Two-sided p-value of Student's t; without degrees of freedom there is no evidence."""
    freedom = np.broadcast_to(freedom, t.shape)
    p = 2 * special.stdtr(np.where(freedom > 0, freedom, 1.0), -np.minimum(t, 1e300))
    return np.where(freedom > 0, np.where(np.isinf(t), 0.0, p), 1.0)
