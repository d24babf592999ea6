"""Scores of contingency tables: how far values and classes are from being independent.

Every score takes ``discretise`` (``"auto"``, None or a discretiser: :func:`subsel.tables.counts.discrete`
says what each does to numbers) and ``sample_weight``; a missing value (NaN) is a value of its own.
``finish`` finishes tables counted before with :func:`subsel.tables.counts.joint_counts`. Formulas use
the frequencies :math:`n_{ij}` of value i with class j, their margins and n, and :math:`P = n_{ij}/n`.
"""

import numpy as np

from subsel.ranking.laws.contingency_table import table_p_value
from subsel.ranking.registry import score
from subsel.tables.counts import JointCounts, finish, of_tables
from subsel.tables.entropy import entropies

__all__ = [
    "bhattacharyya",
    "chi_square",
    "chi_square_p_value",
    "class_divergence",
    "freeman_tukey_p_value",
    "g_statistic",
    "g_statistic_p_value",
    "gini",
    "goodman_kruskal",
    "goodman_kruskal_p_value",
    "jeffreys_matusita",
    "kolmogorov_dependence",
    "value_difference",
    "weight_of_evidence",
]


def expected(tables: JointCounts) -> np.ndarray:
    """Give the counts to be expected if values and classes were independent: row times column over n."""
    shares = tables.class_totals / tables.totals[:, None]
    return tables.value_totals[:, None] * tables.spread(shares)


@of_tables()
def chi_square_p_value(tables: JointCounts) -> np.ndarray:
    """Give the p-value of :func:`chi_square`, of (V - 1)(K - 1) degrees of freedom; the source has K - 1.

    For a column of two values, or few rare ones, the law is the exact one under permuted labels, for any number of
    classes as long as the outcomes are few (:mod:`subsel.ranking.laws.tied`). Elsewhere chi-square's law promises too
    much where values are rare (docs/ranking.md).
    """
    return table_p_value(_chi_square, tables)


def _chi_square(tables: JointCounts) -> np.ndarray:
    return finish(chi_square, tables)


@score(
    "chi-square",
    "contingency-chi2",
    p_value=chi_square_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def chi_square(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the chi-square statistic of their contingency table [1]_ [2]_.

    .. math:: \chi^2 = \sum_{ij} (n_{ij} - e_{ij})^2 / e_{ij}, \qquad e_{ij} = n_{i\cdot} n_{\cdot j} / n

    Not scikit-learn's ``chi2``, which takes the values themselves for counts. Scores of columns with
    different numbers of values are comparable through their p-values only.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the chi-square
       statistic.
    .. [2] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       2, the chi-square test of contingency tables.

    Examples
    --------
    >>> X = np.repeat([0, 0, 1, 1], [30, 10, 15, 45])[:, None]
    >>> chi_square(X, np.repeat([0, 1, 0, 1], [30, 10, 15, 45])).round(4)
    array([24.2424])
    """
    expectation = expected(tables)
    terms = _ratio((tables.counts - expectation) ** 2, expectation)
    return tables.per_column(terms.sum(axis=1))


@of_tables()
def g_statistic_p_value(tables: JointCounts) -> np.ndarray:
    """Give the p-value of :func:`g_statistic`, exact or of chi-square's law where :func:`chi_square_p_value` is."""
    return table_p_value(_g_statistic, tables)


def _g_statistic(tables: JointCounts) -> np.ndarray:
    return finish(g_statistic, tables)


@score(
    "g-statistic",
    "likelihood-ratio",
    p_value=g_statistic_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def g_statistic(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the likelihood ratio statistic of their table [1]_ [2]_.

    .. math:: G = 2 \sum_{ij} n_{ij} \ln (n_{ij} / e_{ij}) = 2 n I

    with I the mutual information in nats. Trust it before chi-square where counts are small.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the chi-square
       statistic.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, univariate ranking by information.

    Examples
    --------
    >>> X = np.repeat([0, 0, 1, 1], [30, 10, 15, 45])[:, None]
    >>> g_statistic(X, np.repeat([0, 1, 0, 1], [30, 10, 15, 45])).round(4)
    array([25.1607])
    """
    of_values, of_classes, jointly = entropies(tables)
    return 2 * tables.totals * np.maximum(of_values + of_classes - jointly, 0.0)


@score("kolmogorov-dependence", multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables()
def kolmogorov_dependence(tables: JointCounts, scaled: bool = False) -> np.ndarray:
    r"""Score columns by the distance of joint probabilities from those of independence [1]_.

    .. math:: D_K = \sum_{ij} |P_{ij} - P_{i\cdot} P_{\cdot j}|
              \le 2 \min(1 - \sum_i P_{i\cdot}^2,\; 1 - \sum_j P_{\cdot j}^2)

    Twice the total variation distance. With ``scaled`` it is divided by this bound (the source's lacks the
    factor 2) and lies in [0, 1].

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, Kolmogorov's
       dependence.

    Examples
    --------
    >>> kolmogorov_dependence(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    n = tables.totals
    distance = tables.per_column(np.abs(tables.counts - expected(tables)).sum(axis=1)) / n
    if not scaled:
        return distance
    repeat_value = tables.per_column(tables.value_totals**2) / n**2
    bound = 2 * np.minimum(1 - repeat_value, 1 - _repeat_class(tables))
    return _ratio(distance, bound)


@of_tables()
def goodman_kruskal_p_value(tables: JointCounts) -> np.ndarray:
    """Give the p-value of :func:`goodman_kruskal`, :func:`gini` and :func:`value_difference`, which order tables alike.

    (n - 1)(K - 1) tau follows chi-square with (V - 1)(K - 1) degrees of freedom (Light and Margolin 1971); small tables
    follow their exact law, as for :func:`chi_square_p_value`.
    """
    return table_p_value(_light_margolin, tables)


def _light_margolin(tables: JointCounts) -> np.ndarray:
    n_classes = np.count_nonzero(tables.class_totals, axis=1)
    return (tables.totals - 1) * (n_classes - 1) * finish(goodman_kruskal, tables)


@score(
    "gini",
    "bayesian-measure",
    "vajda",
    p_value=goodman_kruskal_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def gini(tables: JointCounts) -> np.ndarray:
    r"""Score columns by how probable it is that two rows of equal value have equal class [1]_.

    .. math:: J = \sum_i P_{i\cdot} \sum_j P(j \mid i)^2

    The Bayesian measure and the Gini index; one minus it is Vajda's entropy, which the source minimises.
    Between :math:`\sum_j P_{\cdot j}^2`, where the column tells nothing, and 1.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the Bayesian
       measure.

    Examples
    --------
    >>> gini(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1. , 0.5])
    """
    posterior_square = _ratio((tables.counts**2).sum(axis=1), tables.value_totals)
    return tables.per_column(posterior_square) / tables.totals


@score(
    "value-difference",
    "gini-gain",
    p_value=goodman_kruskal_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def value_difference(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the squared value difference expected between two rows [1]_ [2]_.

    .. math:: E \sum_j (P(j \mid a) - P(j \mid b))^2 = 2\,\bigl(J_\mathrm{Gini} - \sum_j P_{\cdot j}^2\bigr)

    for rows with values a and b drawn independently: the value difference metric, averaged, is the Gini gain
    with the factor 2 of chapter 6.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, equation 3.24,
       the value difference metric.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       6, univariate ranking by information.

    Examples
    --------
    >>> value_difference(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    return 2 * np.maximum(finish(gini, tables) - _repeat_class(tables), 0.0)


@score(
    "goodman-kruskal-tau",
    "normalised-gini-gain",
    p_value=goodman_kruskal_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def goodman_kruskal(tables: JointCounts) -> np.ndarray:
    r"""Score columns by Goodman and Kruskal's tau, the share of Gini impurity removed [1]_.

    .. math:: \tau = \frac{J_\mathrm{Gini} - \sum_j P_{\cdot j}^2}{1 - \sum_j P_{\cdot j}^2}

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the Bayesian
       measure.

    Examples
    --------
    >>> goodman_kruskal(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    array([1., 0.])
    """
    return finish(value_difference, tables) / (2 * (1 - _repeat_class(tables)))


@of_tables()
def freeman_tukey_p_value(tables: JointCounts) -> np.ndarray:
    """Give the p-value of :func:`jeffreys_matusita`: 4 n D is Freeman and Tukey's, of chi-square law.

    Small tables follow their exact law, as for :func:`chi_square_p_value`; elsewhere chi-square's promises far too much
    where values are rare (docs/ranking.md).
    """
    return table_p_value(_freeman_tukey, tables)


def _freeman_tukey(tables: JointCounts) -> np.ndarray:
    return 4 * tables.totals * finish(jeffreys_matusita, tables)


@score(
    "jeffreys-matusita",
    "matusita",
    p_value=freeman_tukey_p_value,
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@of_tables()
def jeffreys_matusita(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the distance between roots of probabilities [1]_.

    .. math:: D_{JM} = \sum_{ij} \bigl(\sqrt{P_{ij}} - \sqrt{P_{i\cdot} P_{\cdot j}}\bigr)^2 = 2 (1 - B),
              B = \sum_{ij} \sqrt{P_{ij} P_{i\cdot} P_{\cdot j}}

    Less swayed by rare values than the Kullback-Leibler divergence; at most :math:`2(1 - e^{-I/2})`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the
       Jeffreys-Matusita distance.

    Examples
    --------
    >>> jeffreys_matusita(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([0.5858, 0.    ])
    """
    roots = (np.sqrt(tables.counts) - np.sqrt(expected(tables))) ** 2
    return tables.per_column(roots.sum(axis=1)) / tables.totals


@score("bhattacharyya", p_value=freeman_tukey_p_value, multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables()
def bhattacharyya(tables: JointCounts) -> np.ndarray:
    r"""Score columns by the Bhattacharyya distance from independence [1]_.

    .. math:: -\ln B = -\ln (1 - D_{JM}/2)

    Orders columns as :func:`jeffreys_matusita` does.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the
       Jeffreys-Matusita distance.

    Examples
    --------
    >>> bhattacharyya(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([0.3466, 0.    ])
    """
    return -np.log1p(-finish(jeffreys_matusita, tables) / 2)


@score("weight-of-evidence", multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables()
def weight_of_evidence(tables: JointCounts, smoothing: float = 1.0, class_weighted: bool = True) -> np.ndarray:
    r"""Score columns by how far, on average, a value moves the log odds of a class [1]_.

    .. math:: W = \sum_j P_{\cdot j} \sum_i P_{i\cdot}
              \left| \ln \frac{\mathrm{odds}\,P(j \mid i)}{\mathrm{odds}\,P_{\cdot j}} \right|

    The weight :math:`P_{\cdot j}` is Kononenko's; the source lacks it (``class_weighted=False``).

    Parameters
    ----------
    smoothing : float
        Rows of prior class shares added to each value (the m-estimate), so that no odds are infinite and a
        value that tells nothing still moves nothing.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, the average
       weight of evidence.

    Examples
    --------
    >>> weight_of_evidence(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([1.6094, 0.    ])
    """
    if not smoothing > 0:
        raise ValueError(f"smoothing must be positive, got {smoothing}.")
    prior = tables.class_totals / tables.totals[:, None]
    spread_prior = tables.spread(prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = tables.value_totals[:, None]
        posterior = (tables.counts + smoothing * spread_prior) / (total + smoothing)
        moved = np.abs(np.log(posterior / (1 - posterior)) - np.log(spread_prior / (1 - spread_prior)))
    moved = np.where(spread_prior > 0, moved, 0.0)
    per_class = tables.per_column(moved * total) / tables.totals[:, None]
    return (per_class * (prior if class_weighted else 1.0)).sum(axis=1)


@score("class-divergence", "jeffreys-divergence", multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables()
def class_divergence(tables: JointCounts, smoothing: float = 0.5) -> np.ndarray:
    r"""Score columns by the divergence between classes, averaged over pairs of them [1]_.

    .. math:: \binom{K}{2}^{-1} \sum_{j < l} \sum_i
              (P(i \mid j) - P(i \mid l)) \ln \frac{P(i \mid j)}{P(i \mid l)}

    Kullback-Leibler both ways (Jeffreys). ``smoothing`` is added to every count, since one empty cell would
    make the divergence infinite.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, Kullback-Leibler
       divergence and mutual information.

    Examples
    --------
    >>> class_divergence(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([2.1459, 0.    ])
    """
    if not smoothing > 0:
        raise ValueError(f"smoothing must be positive, got {smoothing}.")
    smoothed = tables.counts + smoothing
    law = smoothed / tables.spread(tables.per_column(smoothed))
    log_law = np.log(law)
    n_classes = law.shape[1]
    # All pairs at once: the sum over j < l of (p_j - p_l)(ln p_j - ln p_l) is K sum p ln p - sum p sum ln p.
    pairs = n_classes * (law * log_law).sum(axis=1) - law.sum(axis=1) * log_law.sum(axis=1)
    return np.maximum(tables.per_column(pairs) / (n_classes * (n_classes - 1) / 2), 0.0)


def _repeat_class(tables: JointCounts) -> np.ndarray:
    """The probability that two rows drawn independently have equal class."""
    return (tables.class_totals**2).sum(axis=1) / tables.totals**2


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide, nothing by nothing being nothing."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
