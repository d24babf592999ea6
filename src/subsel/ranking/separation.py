"""Means and spread of classes: Fisher's criterion, signal to noise, and plain sums over the classes.

As in :mod:`subsel.ranking.univariate`, each score takes `ClassMoments` in place of ``X``, the second of two
labels is the positive class, and a separation without spread scores infinity, no difference 0.
"""

from functools import partial
from typing import Any

import numpy as np

from subsel.ranking.registry import score
from subsel.tables.moments import ClassMoments, over_moments

__all__ = ["f_score", "fisher", "gaussian_information", "lambda_ranking", "signal_to_noise", "unbalanced_score"]

Array = np.ndarray


@score("fisher", "fisher-criterion", multiclass=True, univariate=True, sparse=True, weights=True)
def fisher(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by Fisher's criterion: squared distance of the means over the variances [1]_.

    .. math:: s_j = \frac{(\mu_j^+ - \mu_j^-)^2}{v_j^+ + v_j^-} \text{ for two classes, else }
              \frac{\sum_k m_k (\mu_{kj} - \mu_j)^2}{\sum_k \sum_{i \in k} (x_{ij} - \mu_{kj})^2}

    The variances of two classes are unbiased, so that with ``m^+ = m^-`` the square of `welch_t` is ``m^+``
    times this; the form for more classes ranks as `anova_f` does.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, separation of
       means.
    .. [2] Z. Wu and C. Li, "Feature Selection with Transductive Support Vector Machines", in Guyon et al. (eds.),
       *Feature Extraction*, 2006, chapter 13, section 13.3.1.

    Examples
    --------
    >>> fisher([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    array([16.])
    """
    return over_moments(_fisher, X, y, sample_weight)


def _fisher(moments: ClassMoments) -> Array:
    if moments.n_classes > 2:
        return quotient(*moments.between_and_within())
    return quotient(gap(moments) ** 2, moments.variance().sum(axis=0))


@score("f-score", "chen-lin", univariate=True, sparse=True, weights=True)
def f_score(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by the F-score of Chen and Lin [1]_.

    .. math:: s_j = \frac{(\mu_j^+ - \mu_j)^2 + (\mu_j^- - \mu_j)^2}{v_j^+ + v_j^-}

    It is `fisher` times ``((m^+)^2 + (m^-)^2) / m^2``: the same order, other thresholds.

    References
    ----------
    .. [1] Y.-W. Chen and C.-J. Lin, "Combining SVMs with Various Feature Selection Strategies", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 12, section 12.3.2, the F-score.

    Examples
    --------
    >>> f_score([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    array([8.])
    """
    return over_moments(_f_score, X, y, sample_weight, 2)


def _f_score(moments: ClassMoments) -> Array:
    return _fisher(moments) * (moments.mass**2).sum() / moments.mass.sum() ** 2


@score("signal-to-noise", "golub", "means-separation", univariate=True, sparse=True, weights=True)
def signal_to_noise(X: Any, y: Any = None, sample_weight: Any = None) -> Array:
    r"""Score features by how far apart the two class means stand, in sums of standard deviations [1]_.

    .. math:: s_j = |\mu_j^+ - \mu_j^-| \,/\, (\sigma_j^+ + \sigma_j^-)

    Golub's ratio has half the sum below: twice this, the same order. The deviations are of the population.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, separation of
       means ("variance" read as standard deviation).
    .. [2] I. Guyon, S. Gunn, A. Ben Hur and G. Dror, "Design and Analysis of the NIPS2003 Challenge", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 9, baseline rankings.
    .. [3] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       the lambda method.

    Examples
    --------
    >>> signal_to_noise([[0.0, 5.0], [2.0, 5.0], [8.0, 5.0], [10.0, 5.0]], [0, 0, 1, 1])
    array([4., 0.])
    """
    return over_moments(_signal_to_noise, X, y, sample_weight, 2)


def _signal_to_noise(moments: ClassMoments) -> Array:
    return quotient(gap(moments), np.sqrt(moments.variance(correction=0)).sum(axis=0))


@score("gaussian-information", multiclass=True, univariate=True, sparse=True, weights=True)
def gaussian_information(X: Any, y: Any = None, sample_weight: Any = None, *, smoothing: float = 1.0) -> Array:
    r"""Score features by the information they share with the classes if all laws were normal, in nats [1]_.

    .. math:: s_j = \tfrac12 \Big( \ln v_j - \sum_k \tfrac{m_k}{m} \ln v_{kj} \Big)

    with the variances of the population, of all rows and of each class: it sees classes that differ in spread alone. Of a
    numeric target it would be ``-ln(1 - r^2) / 2``, which orders as `pearson` does.

    Parameters
    ----------
    smoothing : float
        Rows of the variance of all added to each class, without which a class that happens not to vary would tell
        infinitely much.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, estimators of entropy.

    Examples
    --------
    >>> X = [[0.0, 5.0], [2.0, 5.0], [8.0, 5.0], [10.0, 5.0]]
    >>> gaussian_information(X, [0, 0, 1, 1], smoothing=0.0).round(4)  # variances of 17 and 1
    array([1.4166, 0.    ])
    """
    if not smoothing >= 0:
        raise ValueError(f"smoothing must not be negative, got {smoothing}.")
    return over_moments(partial(_gaussian_information, smoothing=smoothing), X, y, sample_weight)


def _gaussian_information(moments: ClassMoments, smoothing: float) -> Array:
    between, within = moments.between_and_within()
    mass, total = moments.mass[:, None], (between + within) / moments.mass.sum()
    ratio = np.divide(moments.scatter, total, out=np.broadcast_to(mass, moments.scatter.shape).copy(), where=total > 0)
    with np.errstate(divide="ignore"):
        logs = np.log((ratio + smoothing) / (mass + smoothing))
    return np.maximum((mass * logs).sum(axis=0) / (-2 * mass.sum()), 0.0)


@score("unbalanced-score", "unbalanced", "unbalanced-difference", univariate=True, sparse=True, weights=True)
def unbalanced_score(X: Any, y: Any = None, sample_weight: Any = None, *, penalty: float = 3.0) -> Array:
    r"""Score features by their sum over the positive rows less a multiple of that over the others [1]_.

    .. math:: s_j = \sum_{y_i = +} x_{ij} - \lambda \sum_{y_i = -} x_{ij}

    Signed: a bit lit in negatives only ranks last; a penalty of 3 or more prefers bits that are set in the rarer, positive
    class only. A penalty of 1 gives `lambda_ranking`, one of ``m^+ / m^-`` the difference of the class means times ``m^+``.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       DOROTHEA.

    Examples
    --------
    >>> unbalanced_score([[1, 1], [1, 0], [0, 1], [1, 0]], [1, 1, 0, 0])
    array([-1., -2.])
    """
    return over_moments(partial(_unbalanced, penalty=penalty), X, y, sample_weight, 2)


def _unbalanced(moments: ClassMoments, penalty: float) -> Array:
    negative, positive = _class_sums(moments)
    return positive - penalty * negative


@score("lambda-ranking", "lambda", univariate=True, sparse=True, weights=True)
def lambda_ranking(
    X: Any, y: Any = None, sample_weight: Any = None, *, centre: bool = False, absolute: bool = False
) -> Array:
    r"""Score features by their dot product with the labels -1 and +1 [1]_.

    .. math:: s_j = \sum_i y_i x_{ij}

    Signed, and neither centred nor scaled, as published: with unbalanced classes, columns of large mean
    dominate.

    Parameters
    ----------
    centre : bool
        Take the column means away first.
    absolute : bool
        Rank by the absolute value.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       the lambda method.

    Examples
    --------
    >>> lambda_ranking([[1.0, 0.0], [2.0, 0.0], [5.0, 3.0]], [0, 1, 1])
    array([6., 3.])
    """
    return over_moments(partial(_lambda, centre=centre, absolute=absolute), X, y, sample_weight, 2)


def _lambda(moments: ClassMoments, centre: bool, absolute: bool) -> Array:
    mass = moments.mass
    negative, positive = _class_sums(moments)
    dot = positive - negative
    if centre:
        dot = 2 * mass.prod() / mass.sum() * (moments.mean[1] - moments.mean[0])
    return np.abs(dot) if absolute else dot


def _class_sums(moments: ClassMoments) -> Array:
    """The sums within the classes; those of whole numbers are whole, so that rounding divides no ties of bits."""
    mass = moments.mass[:, None]
    sums = moments.mean * mass
    error = 4e-15 * mass * np.sqrt(moments.variance(correction=0) + moments.mean**2)
    return np.where(np.abs(sums - np.rint(sums)) <= error, np.rint(sums), sums)


def gap(moments: ClassMoments) -> Array:
    return np.abs(moments.mean[1] - moments.mean[0])


def quotient(above: Array, below: Array) -> Array:
    """Divide where something is above: nothing over nothing is 0, something over nothing infinity."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.fmax(above / below, 0.0)  # which prefers 0 to what is no number
