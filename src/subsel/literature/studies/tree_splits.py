"""How three families of trees choose the feature of a node and where they cut it: FACT, QUEST and Cal5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import fdtrc
from scipy.stats import chi2_contingency

from subsel.data.statistics.differences import nominal_mask
from subsel.data.statistics.score_input import classes_and_codes
from subsel.ranking.scores.moments.anova import anova_f

__all__ = [
    "NodeSplit",
    "cal5_intervals",
    "cal5_quotient",
    "cal5_split",
    "fact_split",
    "quest_split",
]


@dataclass(frozen=True, eq=False)
class NodeSplit:
    """The feature a node asks for, and where.

    Attributes
    ----------
    feature : int
        The column.
    cuts : ndarray
        Where its values are parted, rising; empty for a nominal feature, each value of which goes its own way.
    classes : ndarray
        The class of each part; of two superclasses the most frequent class of the rows on either side.
    scores : ndarray
        What the choice looked at, for every column: F, minus a p-value, or a quotient. Larger is better.

    Examples
    --------
    >>> split = fact_split([[0.0], [1.0], [9.0], [10.0]], ["a", "a", "b", "b"])
    >>> split.feature, split.cuts, split.classes
    (0, array([5.]), array(['a', 'b'], dtype='<U1'))
    """

    feature: int
    cuts: np.ndarray
    classes: np.ndarray
    scores: np.ndarray


def fact_split(X: Any, y: Any, least: float = 4.0) -> NodeSplit:
    r"""Split as FACT: the feature of largest analysis-of-variance F, cut by linear discriminants [1]_ [2]_.

    Where no F reaches ``least``, classes may still differ in spread: the feature is then that of the largest F of the
    distances to the class means.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Numbers.
    y : array
        Classes.
    least : float
        As above.

    References
    ----------
    .. [1] Loh and Vanichsetakul, "Tree-structured classification via generalized discriminant analysis", *Journal of
       the American Statistical Association* 83, 1988.
    .. [2] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 1,
       section 3.6.

    Examples
    --------
    >>> fact_split([[0.0, 5.0], [1.0, 4.0], [9.0, 5.0], [10.0, 4.0]], [0, 0, 1, 1]).scores.round(1)
    array([162.,   0.])
    """
    X, classes, codes = _numbers(X, y)
    F = anova_f(X, codes)
    feature = int(np.argmax(F))
    if F[feature] < least:
        F = _levene(X, codes)
        feature = int(np.argmax(F))
    cuts, parts = _linear_parts(X[:, feature], codes, len(classes))
    return NodeSplit(feature, cuts, classes[parts], F)


def quest_split(X: Any, y: Any, nominal: Any = None, level: float = 0.05) -> NodeSplit:
    r"""Split as QUEST: the feature of smallest p-value, cut by a quadratic discriminant of two superclasses [1]_ [2]_.

    Numeric features are tested by analysis of variance, nominal ones by chi-square, so that many values are no
    advantage. If the smallest p-value is not below ``level`` over the number of features, the spread of numeric features
    is tested too (Levene's F), and a smallest p-value there below ``level`` over the number of all tests wins. The
    classes are gathered into two around their extreme means; of the two roots of the quadratic the one nearer to
    the mean of the lower superclass cuts.

    Parameters
    ----------
    X : array of shape (n_rows, n_features)
        Numbers, or codes of names.
    y : array
        Classes.
    nominal : list of int or mask, optional
        Columns of names.
    level : float
        As above.

    References
    ----------
    .. [1] Loh and Shih, "Split selection methods for classification trees", *Statistica Sinica* 7, 1997.
    .. [2] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 1,
       section 3.6.

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 2.0], [9.0, 3.0], [10.0, 4.0]]
    >>> split = quest_split(X, [0, 0, 1, 1], nominal=[1])
    >>> split.feature, split.cuts
    (0, array([5.]))
    """
    X, classes, codes = _numbers(X, y)
    names = nominal_mask(nominal, X.shape[1])
    degrees = len(classes) - 1, len(codes) - len(classes)
    p = np.ones(X.shape[1])
    if not names.all():
        p[~names] = _f_p_value(anova_f(X[:, ~names], codes), *degrees)
    for column in np.flatnonzero(names):
        p[column] = _chi_square_p_value(X[:, column], codes)
    feature = int(np.argmin(p))
    if p[feature] >= level / len(p) and not names.all():
        spread = np.ones(len(p))
        spread[~names] = _f_p_value(_levene(X[:, ~names], codes), *degrees)
        if spread.min() < level / (len(p) + (~names).sum()):
            feature, p = int(np.argmin(spread)), spread
    if names[feature]:
        values = np.unique(X[:, feature])
        parts = [np.bincount(codes[X[:, feature] == value]).argmax() for value in values]
        return NodeSplit(feature, np.empty(0), classes[parts], -p)
    cut = _quadratic_cut(X[:, feature], codes, len(classes))
    below = X[:, feature] <= cut
    parts = [np.bincount(codes[side] if side.any() else codes).argmax() for side in (below, ~below)]
    return NodeSplit(feature, np.array([cut]), classes[parts], -p)


def cal5_quotient(X: Any, y: Any) -> np.ndarray:
    r"""Score features as Cal5 does: distances between class centroids against the spread within classes [1]_.

    .. math:: s = \frac{D^2}{A^2 + D^2}

    with D squared the mean squared distance between the means of two classes and A squared the variance within classes.

    References
    ----------
    .. [1] Mueller and Wysotzki, "The decision-tree algorithm CAL5 based on a statistical approach to its splitting
       algorithm", in *Machine Learning and Statistics: The Interface*, 1997; Jankowski and Grabczewski, *Learning
       machines*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 1, section 3.6.

    Examples
    --------
    >>> cal5_quotient([[0.0, 3.0], [2.0, 3.0], [8.0, 3.0], [10.0, 3.0]], [0, 0, 1, 1]).round(4)
    array([0.9846, 0.    ])
    """
    X, classes, codes = _numbers(X, y)
    means = np.stack([X[codes == c].mean(axis=0) for c in range(len(classes))])
    within = ((X - means[codes]) ** 2).mean(axis=0)
    pairs = np.triu_indices(len(classes), 1)
    between = ((means[pairs[0]] - means[pairs[1]]) ** 2).mean(axis=0)
    total = within + between
    return np.divide(between, total, out=np.zeros_like(total), where=total > 0)


def cal5_intervals(
    x: Any, y: Any, threshold: float = 0.8, doubt: float = 0.3
) -> tuple[np.ndarray, np.ndarray]:
    r"""Cut one feature as Cal5: values are gathered from left to right until a class is sure, or surely none is [1]_.

    Of n rows gathered, k of a class, its share p lies with probability ``1 - doubt`` (Chebyshev) in

    .. math:: \frac{2 a k + 1 \mp \sqrt{4 a k (1 - k / n) + 1}}{2 a n + 2}

    with a the doubt. An interval is closed for a class as soon as the lower end reaches the threshold, and without one
    as soon as the upper ends of all are below. Neighbouring intervals of one class are joined; the last takes what is
    left, for its most frequent class. Rows of one value stay together.

    Parameters
    ----------
    x : array of shape (n_rows,)
        One feature.
    y : array
        Classes.
    threshold : float
        The share a class must have.
    doubt : float
        As above.

    Returns
    -------
    cuts, parts : ndarray of float, ndarray of int
        Where intervals end, and the code of the class of each, -1 where none is sure.

    References
    ----------
    .. [1] Mueller and Wysotzki, "The decision-tree algorithm CAL5 based on a statistical approach to its splitting
       algorithm", in *Machine Learning and Statistics: The Interface*, 1997.

    Examples
    --------
    >>> x = np.arange(60.0)
    >>> cuts, parts = cal5_intervals(x, x >= 30)
    >>> parts, bool(abs(cuts[0] - 29.5) < 3)
    (array([0, 1]), True)
    """
    if not 0 < threshold <= 1 or not 0 < doubt < 1:
        raise ValueError(
            f"threshold must lie in (0, 1] and doubt in (0, 1), got {threshold} and {doubt}."
        )
    x, classes, codes = _numbers(np.asarray(x)[:, None], y)
    values, place = np.unique(x[:, 0], return_inverse=True)
    table = np.zeros((len(values), len(classes)))
    np.add.at(table, (place, codes), 1)
    ends, parts, counts = [], [], np.zeros(len(classes))
    for row in range(len(values)):
        counts = counts + table[row]
        low, high = _share_interval(counts, doubt)
        sure = (low >= threshold).any()
        if sure or (high < threshold).all():
            ends.append(row)
            parts.append(int(np.argmax(counts)) if sure else -1)
            counts = np.zeros(len(classes))
    if counts.any():
        ends.append(len(values) - 1)
        parts.append(int(np.argmax(counts)))
    kept = [i for i in range(len(parts)) if i + 1 == len(parts) or parts[i] != parts[i + 1]]
    cuts = [(values[ends[i]] + values[ends[i] + 1]) / 2 for i in kept[:-1]]
    return np.array(cuts, dtype=np.float64), np.array([parts[i] for i in kept])


def cal5_split(X: Any, y: Any, threshold: float = 0.8, doubt: float = 0.3) -> NodeSplit:
    """Split as Cal5: the feature of largest quotient, cut into intervals [1]_.

    Where no class is sure of an interval its most frequent one is given: the tree would ask another feature there.

    References
    ----------
    .. [1] Mueller and Wysotzki, "The decision-tree algorithm CAL5 based on a statistical approach to its splitting
       algorithm", in *Machine Learning and Statistics: The Interface*, 1997.

    Examples
    --------
    >>> x = np.repeat([0.0, 1.0, 2.0], 20)
    >>> split = cal5_split(np.column_stack([np.tile([3.0, 4.0], 30), x]), x)
    >>> split.feature, split.cuts, split.classes
    (1, array([0.5, 1.5]), array([0., 1., 2.]))
    """
    X, classes, codes = _numbers(X, y)
    scores = cal5_quotient(X, codes)
    feature = int(np.argmax(scores))
    cuts, parts = cal5_intervals(X[:, feature], codes, threshold, doubt)
    where = np.searchsorted(cuts, X[:, feature])
    for part in np.flatnonzero(parts < 0):
        parts[part] = np.bincount(codes[where == part]).argmax()
    return NodeSplit(feature, cuts, classes[parts], scores)


def _numbers(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = np.asarray(X, dtype=np.float64)
    classes, codes = classes_and_codes(X, y)
    return X, classes, codes


def _levene(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    means = np.stack([X[codes == c].mean(axis=0) for c in range(codes.max() + 1)])
    return anova_f(np.abs(X - means[codes]), codes)


def _f_p_value(F: np.ndarray, between: int, within: int) -> np.ndarray:
    return np.where(np.isinf(F), 0.0, fdtrc(between, max(within, 1), np.where(np.isinf(F), 1.0, F)))


def _chi_square_p_value(x: np.ndarray, codes: np.ndarray) -> float:
    values, place = np.unique(x, return_inverse=True)
    if len(values) < 2:
        return 1.0
    table = np.zeros((len(values), codes.max() + 1))
    np.add.at(table, (place, codes), 1)
    return float(chi2_contingency(table, correction=False).pvalue)


def _linear_parts(
    x: np.ndarray, codes: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The cuts between linear discriminants of one feature, and the class of each part."""
    means = np.array([x[codes == c].mean() for c in range(n_classes)])
    shares = np.bincount(codes) / len(codes)
    variance = max(
        float(((x - means[codes]) ** 2).sum() / max(len(x) - n_classes, 1)),
        1e-12 * max(x.var(), 1e-300),
    )
    level = np.log(shares) - means**2 / (2 * variance)
    i, j = np.triu_indices(n_classes, 1)
    differ = means[i] != means[j]
    i, j = i[differ], j[differ]
    crossings = np.sort((level[j] - level[i]) * variance / (means[i] - means[j]))
    if not len(crossings):
        return np.empty(0), np.array([int(np.argmax(shares))])
    inside = np.concatenate(
        [[crossings[0] - 1], (crossings[:-1] + crossings[1:]) / 2, [crossings[-1] + 1]]
    )
    best = np.argmax(np.outer(inside, means / variance) + level, axis=1)
    change = np.flatnonzero(np.diff(best))
    return crossings[change], best[np.append(change, len(best) - 1)]


def _quadratic_cut(x: np.ndarray, codes: np.ndarray, n_classes: int) -> float:
    """Where two Gaussians, of the classes gathered around the extreme means, are equally likely."""
    means = np.array([x[codes == c].mean() for c in range(n_classes)])
    centres = np.array([means.min(), means.max()])
    for _ in range(100):
        high = np.abs(means - centres[1]) < np.abs(means - centres[0])
        if high.all() or not high.any():
            break
        new = np.array([means[~high].mean(), means[high].mean()])
        if (new == centres).all():
            break
        centres = new
    upper = high[codes]
    if not upper.any() or upper.all():
        return float(np.median(x))
    (ma, va, pa), (mb, vb, pb) = ((x[s].mean(), x[s].var(), s.mean()) for s in (~upper, upper))
    floor = 1e-12 * max(float(x.var()), 1e-300)
    va, vb = max(va, floor), max(vb, floor)
    a, b = 1 / vb - 1 / va, 2 * (ma / va - mb / vb)
    c = mb**2 / vb - ma**2 / va + 2 * np.log(pa / pb) + np.log(vb / va)
    if abs(a) * max(abs(ma), abs(mb), 1e-300) <= 1e-9 * abs(b):
        return float(-c / b if b else (ma + mb) / 2)
    root = b**2 - 4 * a * c
    if root < 0:
        return float((ma + mb) / 2)
    return float(
        min(((-b + s * np.sqrt(root)) / (2 * a) for s in (-1, 1)), key=lambda at: abs(at - ma))
    )


def _share_interval(counts: np.ndarray, doubt: float) -> tuple[np.ndarray, np.ndarray]:
    n = counts.sum()
    half = np.sqrt(4 * doubt * counts * (1 - counts / n) + 1)
    return (2 * doubt * counts + 1 - half) / (2 * doubt * n + 2), (
        2 * doubt * counts + 1 + half
    ) / (2 * doubt * n + 2)
