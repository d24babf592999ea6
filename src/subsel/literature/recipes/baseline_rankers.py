"""Two rankings every other one should beat: Golub's ratio and elimination by a linear machine, on nested sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_X_y

from subsel.literature.recipes.reference_svm import ReferenceCell, reference_cells, reference_study
from subsel.ranking.cuts.cross_validation import ValidatedSize, validated_size
from subsel.ranking.scores.moments.signal_to_noise import signal_to_noise

__all__ = [
    "ReferenceCurve",
    "baseline_curve",
    "log_spaced_sizes",
    "reference_curve",
    "rfe_svm_order",
]


def log_spaced_sizes(n_features: int, n_sizes: int = 25) -> np.ndarray:
    """Give about evenly spaced sizes in logarithms, from one feature to all, none twice.

    Where rounding would make two small sizes one, they follow each other instead, so that there are exactly
    ``n_sizes`` of them, or as many as features.

    Examples
    --------
    >>> log_spaced_sizes(1000, 7)
    array([   1,    3,   10,   32,  100,  316, 1000])
    >>> log_spaced_sizes(10_000)[:8], len(log_spaced_sizes(10_000))
    (array([ 1,  2,  3,  4,  5,  7, 10, 15]), 25)
    """
    if n_features < 1 or n_sizes < 1:
        raise ValueError(
            f"n_features and n_sizes must be at least 1, got {n_features} and {n_sizes}."
        )
    count = min(n_features, n_sizes)
    if count == 1:
        return np.array([n_features])
    sizes = np.rint(np.geomspace(1, n_features, count)).astype(int)
    for place in range(1, count):  # a size rounded to its neighbour moves on by one
        sizes[place] = max(sizes[place], sizes[place - 1] + 1)
    return np.minimum(sizes, n_features - np.arange(count)[::-1])


def rfe_svm_order(X: Any, y: Any, C: float = 1.0, sizes: Any = None) -> np.ndarray:
    """Rank columns by recursive elimination with a linear support vector machine, the last to go first [1]_ [2]_.

    A machine is trained, the column of smallest weight is dropped, and so on. With ``sizes`` it drops straight to the
    next smaller of them, by the weights of one machine: a few machines instead of one for each column. Of several
    classes the squares of the weights are added. Scale columns before.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        Numbers.
    y : array
        Classes.
    C : float
        Of the soft margin.
    sizes : array of int, optional
        Sizes to pass through.

    References
    ----------
    .. [1] Guyon, Weston, Barnhill and Vapnik, *Gene selection for cancer classification using support vector machines*,
       Machine Learning 46, 2002.
    .. [2] Guyon, Gunn, Ben-Hur and Dror, *Design and analysis of the NIPS2003 challenge*, in *Feature Extraction:
       Foundations and Applications*, 2006, chapter 9, section 4.1.

    Examples
    --------
    >>> X = np.array([[1.0, 0.2, 0.1], [2.0, -0.2, 0.0], [-1.0, 0.3, 0.1], [-2.0, -0.3, -0.1]])
    >>> rfe_svm_order(X, [1, 1, 0, 0])[0]
    np.int64(0)
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    if sizes is None:
        sizes = range(1, X.shape[1])
    steps = {int(size) for size in np.asarray(sizes).ravel()}
    left, gone = np.arange(X.shape[1]), []
    while len(left):
        weights = (SVC(kernel="linear", C=C).fit(X[:, left], y).coef_ ** 2).sum(axis=0)
        smaller = max((size for size in steps if size < len(left)), default=0)
        ranked = np.argsort(weights, kind="stable")
        gone.append(left[ranked[: len(left) - smaller]])
        left = np.sort(left[ranked[len(left) - smaller :]])
    return np.concatenate(gone)[::-1]


def baseline_curve(
    X: Any,
    y: Any,
    ranker: Literal["golub", "rfe"] = "golub",
    estimator: Any = None,
    *,
    n_sizes: int = 25,
    cv: Any = 10,
    scoring: Any = "balanced_accuracy",
    inside: bool = True,
    C: float = 1.0,
) -> ValidatedSize:
    """Evaluator a machine on the nested subsets of a baseline ranking, 25 sizes evenly spaced in logarithms [1]_.

    The study that closed the challenge of 2003 ranked with all training rows and validated afterwards, so that its
    curve is optimistic; ``inside=False`` repeats that, and the difference to ``inside=True`` is the optimism.

    Parameters
    ----------
    X : array
        Columns; elimination sees them standardised.
    y : array
        Two classes.
    ranker : {"golub", "rfe"}
        Golub's ratio of class means to deviations, or recursive elimination with a linear support vector machine
        down the same sizes.
    estimator : classifier, optional
        The machine; a linear support vector machine on standardised columns unless given. A ``GridSearchCV`` searches
        its cells anew at each size and fold, as the study did.
    n_sizes : int
        Sizes.
    cv : int or splitter
        Folds; with ``inside`` the ranking is repeated in each.
    scoring : str or callable
        The measure.
    inside : bool
        Rank inside the folds.
    C : float
        Of the machine that eliminates.

    References
    ----------
    .. [1] Guyon, Gunn, Ben-Hur and Dror, *Design and analysis of the NIPS2003 challenge*, in *Feature Extraction:
       Foundations and Applications*, 2006, chapter 9, section 4.1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(40) % 2
    >>> X = rng.normal(size=(40, 1000))
    >>> noise = [baseline_curve(X, y, n_sizes=5, cv=5, inside=inside).scores.max() for inside in (True, False)]
    >>> bool(noise[0] < 0.6 < 0.9 < noise[1])  # ranked outside the folds, pure noise looks like knowledge
    True
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    sizes = log_spaced_sizes(X.shape[1], n_sizes)
    if estimator is None:
        estimator = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    order = _order(ranker, sizes, C)
    if inside:
        return validated_size(order, estimator, X, y, cv, scoring, sizes=sizes)
    ranked = order(X, y)
    return validated_size(lambda *_: ranked, estimator, X, y, cv, scoring, sizes=sizes)


class ReferenceCurve(NamedTuple):
    """The sizes, the least balanced error of any machine at each, that machine, and the order of the columns."""

    sizes: np.ndarray
    errors: np.ndarray
    cells: list[ReferenceCell]
    order: np.ndarray


def reference_curve(
    X: Any,
    y: Any,
    ranker: Literal["golub", "rfe"] = "golub",
    *,
    n_sizes: int = 25,
    cv: Any = 10,
    cells: Iterable[ReferenceCell] | None = None,
) -> ReferenceCurve:
    """Search the 72 machines of the reference study at each of 25 sizes of a baseline ranking [1]_.

    As the study did it: the columns are ranked with all rows, and the error of the best machine at each size is that of the
    folds that chose it. Both flatter; :func:`baseline_curve` with ``inside=True`` does not rank outside the folds.

    Parameters
    ----------
    X, y, ranker, n_sizes : array, array, str, int
        As in :func:`baseline_curve`.
    cv : int or splitter
        Folds of :func:`reference_errors`.
    cells : iterable of ReferenceCell, optional
        The machines; None: all 72.

    References
    ----------
    .. [1] Guyon, Gunn, Ben-Hur and Dror, *Design and analysis of the NIPS2003 challenge*, in *Feature Extraction:
       Foundations and Applications*, 2006, chapter 9, section 4.1.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> machines = [ReferenceCell("columns", "linear", 1.0), ReferenceCell("columns", "rbf1", 1.0)]
    >>> curve = reference_curve(X, X[:, 5] > 0, n_sizes=3, cv=3, cells=machines)
    >>> curve.sizes, curve.order[0], bool(curve.errors[0] < 0.1)
    (array([1, 3, 8]), np.int64(5), True)
    """
    X, y = check_X_y(X, y, dtype=np.float64)
    if cells is None:
        cells = reference_cells()
    sizes, machines = log_spaced_sizes(X.shape[1], n_sizes), list(cells)
    order = _order(ranker, sizes, 1.0)(X, y)
    studies = (reference_study(X[:, order[:size]], y, machines, cv) for size in sizes)
    found = np.array([[study[cell][0] for cell in machines] for study in studies])
    return ReferenceCurve(
        sizes, found.min(axis=1), [machines[best] for best in found.argmin(axis=1)], order
    )


def _order(
    ranker: str, sizes: np.ndarray, C: float
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    orders: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
        "golub": lambda X, y: np.argsort(-signal_to_noise(X, y), kind="stable"),
        "rfe": lambda X, y: rfe_svm_order(StandardScaler().fit_transform(X), y, C, sizes),
    }
    if ranker not in orders:
        raise ValueError(f"ranker must be 'golub' or 'rfe', got {ranker!r}.")
    return orders[ranker]
