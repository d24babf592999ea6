"""Rosset and Zhu: columns that are common or that tell, and the path of an L1 penalty with the huberized hinge."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import ttest_ind_from_stats
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from subsel.embedded.l1.path import quadratic_path
from subsel.embedded.two_classes import TwoClassSelector
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["CommonOrTelling", "L1Paths", "PathModel"]

COLUMNS = {"arcene": 3000, "dorothea": 5210, "gisette": 1500, "madelon": 21}
SIZE = 0.14


@enter("l1-paths")
class L1Paths(Entry):
    """Keep columns that are common or that tell, then the model on the L1 path of the huberized hinge, or a machine.

    DEXTER: words that stand in five rows at least or whose means differ (Welch's test, 0.05), which are as many as printed,
    1,152; then the model of the printed sum of weights, 0.14, of counts as they are. DOROTHEA and GISETTE: of their
    model nothing is printed; the place on the path is that of least error on folds of the training rows, classes having
    equal weight. ARCENE: a linear machine on principal components; MADELON: an RBF machine on columns ranked by ReliefF,
    which the authors do not describe.

    References
    ----------
    .. [1] Rosset and Zhu, *Sparse, flexible and efficient modeling using L1 regularization*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 16.

    Examples
    --------
    >>> L1Paths().chapter
    '16'
    """

    title, team, chapter = "Depends I", "Saharon Rosset and Ji Zhu", "16"

    def procedure(self, problem: Problem) -> Any:
        """Prefilter, then the path or the machine."""
        name, p = problem.recipe, problem.n_features
        if name == "dexter":
            return make_pipeline(CommonOrTelling(), Dense(), PathModel(size=SIZE))
        kept = min(COLUMNS.get(name, 50), p)
        if name == "madelon":
            grid = {"C": [1.0, 10.0, 100.0], "gamma": np.logspace(-3, 0, 3 if self.quick else 7)}
            chosen = [StandardScaler(), RankingSelector("relieff", cut=kept)]
            return make_pipeline(
                *chosen, GridSearchCV(SVC(), grid, scoring="balanced_accuracy", cv=_folds())
            )
        steps: list[Any] = [RankingSelector("t-test", cut=kept), Dense(), StandardScaler()]
        if name == "arcene":
            return make_pipeline(*steps, PCA(0.99), SVC(kernel="linear", class_weight="balanced"))
        places = {"pathmodel__n_features": sorted({min(n, kept) for n in (20, 50, 100, 200, 300)})}
        whole = make_pipeline(*steps, PathModel())
        return GridSearchCV(whole, places, scoring="balanced_accuracy", cv=_folds())


class CommonOrTelling(SelectorMixin, BaseEstimator):
    """Keep columns that are not zero in so many rows, and those whose class means differ by Welch's test.

    Parameters
    ----------
    rows : int, default=5
        How many make a column common.
    p : float, default=0.05
        Below which p-value a column tells.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 3.0, 0.0], [1.0, 3.1, 1.0]])
    >>> CommonOrTelling(rows=4).fit(X, [0, 0, 1, 1]).get_support()
    array([ True,  True, False])
    """

    def __init__(self, rows: int = 5, p: float = 0.05) -> None:
        self.rows = rows
        self.p = p

    def fit(self, X: Any, y: Any) -> CommonOrTelling:
        """Count and test."""
        table, y = Dense().fit_transform(X), np.asarray(y)
        classes = [table[y == label] for label in np.unique(y)]
        moments = [
            part
            for one in classes
            for part in (one.mean(axis=0), one.std(axis=0, ddof=1), len(one))
        ]
        with np.errstate(invalid="ignore", divide="ignore"):  # where a column is constant
            p_values = ttest_ind_from_stats(*moments, equal_var=False).pvalue
        self.n_features_in_ = table.shape[1]
        self.support_ = (np.count_nonzero(table, axis=0) >= self.rows) | (
            np.nan_to_num(p_values, nan=1.0) < self.p
        )
        return self

    def _get_support_mask(self) -> np.ndarray:
        return self.support_


class PathModel(TwoClassSelector):
    """The linear model at one place of the exact L1 path of the huberized hinge; classes have equal weight.

    Parameters
    ----------
    size : float, optional
        The sum of absolute weights at that place.
    n_features : int, optional
        Else how many columns have come in there.

    Attributes
    ----------
    coef_, intercept_ : ndarray, float
        The model.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> model = PathModel(size=0.5).fit(X, [-1, 1, -1, 1])
    >>> model.coef_.round(3).tolist(), model.predict(X).tolist()
    ([0.0, -0.5, 0.0], [-1, 1, -1, 1])
    """

    def __init__(self, size: float | None = None, n_features: int | None = None) -> None:
        self.size = size
        self.n_features = n_features

    def fit(self, X: Any, y: Any) -> PathModel:
        """Follow the path to that place."""
        X, y = self._receive(X, y)
        self.classes_ = np.unique(y)
        sign = np.where(y == self.classes_[1], 1.0, -1.0)
        path = quadratic_path(
            np.asfortranarray(X, dtype=float),
            sign,
            "huberized_hinge",
            n_features=self.n_features,
            sample_weight=compute_sample_weight("balanced", y),
        )
        size = self.size
        if size is None:
            size = np.inf
        self.coef_, self.intercept_ = path.with_size(size)
        self.support_ = self.coef_ != 0
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The value of the model, positive for the second class."""
        check_is_fitted(self, "coef_")
        return np.asarray(X @ self.coef_) + self.intercept_


def _folds() -> StratifiedKFold:
    return StratifiedKFold(5, shuffle=True, random_state=0)
