"""Knockoffs: keep the features that beat their copies, at a stated false discovery rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LassoCV
from sklearn.utils import check_random_state

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.contrasts.knockoff_copies import DISTANCES, fixed_knockoffs, gaussian_knockoffs
from subsel.embedded.design import numbers
from subsel.embedded.importance.importance import Importance
from subsel.embedded.l1.orders import lasso
from subsel.models.relevance import Reader

__all__ = ["Knockoffs", "knockoff_threshold"]


class Knockoffs(ColumnSelector):
    r"""Select the columns that beat their knockoff copies, at a given false discovery rate.

    A model is trained on all columns together with a knockoff copy of each [1]_, [2]_. The
    statistic :math:`W_j` compares the relevance of column j with that of its copy. For a column
    that tells nothing about the target beyond the other columns, :math:`W_j` is as likely to be
    negative as positive, so that the number of large negative statistics estimates the number of
    false discoveries among the large positive ones.

    Parameters
    ----------
    statistic : {"auto", "coefficient", "entry"} or estimator
        What W compares. ``"coefficient"``: the absolute weights of a cross-validated lasso, own
        minus copy. ``"entry"``: the penalties at which column and copy enter the lasso path; W is
        the larger one, negative if the copy enters first. An estimator: its relevances, own minus
        copy. ``"auto"``: ``"coefficient"`` for Gaussian copies and ``"entry"`` for fixed ones,
        whose theory needs a statistic that depends on products of columns only. The lasso treats
        two classes as 0 and 1; for more classes with names, pass a classifier.
    relevance : {"auto", "coef", "importance", "permutation", "shap"} or callable
        How the relevances of an estimator are read, as in :class:`subsel.embedded.Importance`.
    fdr : float
        The false discovery rate.
    offset : {1, 0}
        1 (knockoff+) controls the false discovery rate; 0 controls a modified rate, and selects
        more where few columns are relevant.
    copies : {"gaussian", "fixed"}
        ``"gaussian"``: model-X copies of second order, which assume Gaussian rows and nothing
        about the target. ``"fixed"``: fixed-X copies, which assume a linear model with Gaussian
        noise and need more than twice as many rows as columns.
    distances : {"minimum-variance", "equicorrelated"}
        How the distances between columns and copies are chosen.
    cv : int or splitter
        Folds of the cross-validated lasso.
    random_state : int, RandomState or None
        Seed of the copies, and of the model where it has none.

    Attributes
    ----------
    statistics_ : ndarray
        W of each column.
    threshold_ : float
        Columns with W of at least this value are selected; infinite if no threshold attains the
        rate.
    support_ : ndarray of bool
        Mask of the columns selected.
    evidence_ : str
        What was done, as a sentence.

    Notes
    -----
    The fixed-X knockoffs of [1]_ are ``Knockoffs("entry", copies="fixed")``, the model-X knockoffs
    of [2]_ ``Knockoffs("coefficient")``, which is also the default. The equicorrelated copies of
    [1]_ need ``distances="equicorrelated"`` as well.

    References
    ----------
    .. [1] Barber and Candès, *Controlling the false discovery rate via knockoffs*, Annals of
       Statistics 43, 2015.
    .. [2] Candès, Fan, Janson and Lv, *Panning for gold: model-X knockoffs*, JRSS B 80, 2018.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 30))
    >>> y = X[:, :10].sum(axis=1) + rng.standard_normal(200)
    >>> Knockoffs(fdr=0.2, random_state=0).fit(X, y).get_support(indices=True)[:10]
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])

    Fixed-X knockoffs:

    >>> fixed = Knockoffs("entry", copies="fixed", fdr=0.2, random_state=0).fit(X, y)
    >>> fixed.get_support(indices=True)[:10]
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """

    def __init__(
        self,
        statistic: Any = "auto",
        relevance: str | Reader = "auto",
        *,
        fdr: float = 0.1,
        offset: int = 1,
        copies: str = "gaussian",
        distances: str = "minimum-variance",
        cv: Any = 5,
        random_state: Any = None,
    ) -> None:
        self.statistic = statistic
        self.relevance = relevance
        self.fdr = fdr
        self.offset = offset
        self.copies = copies
        self.distances = distances
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Knockoffs:
        """Make the copies, train on columns and copies, and select."""
        self._check_parameters()
        X, y = self._receive(X, y)
        task = Task.of(X, y)
        seed = check_random_state(self.random_state).randint(2**31)
        varied = np.ptp(task.matrix, axis=0) > 0
        self.statistics_ = np.zeros(task.n_columns)
        if varied.any():
            self.statistics_[varied] = self._compare(task.matrix[:, varied], task.y, int(seed))
        self.threshold_ = knockoff_threshold(self.statistics_, self.fdr, self.offset)
        self.support_ = (self.statistics_ >= self.threshold_) & (self.statistics_ > 0)
        rate = "false discovery rate"
        if not self.offset:
            rate = f"modified {rate}"
        self.evidence_ = f"{self.copies} knockoffs, {rate} of at most {self.fdr:g}"
        return self

    def _check_parameters(self) -> None:
        allowed = {"copies": ("gaussian", "fixed"), "offset": (0, 1), "distances": tuple(DISTANCES)}
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name} must be one of {values}, got {getattr(self, name)!r}.")
        if isinstance(self.statistic, str) and self.statistic not in (
            "auto",
            "coefficient",
            "entry",
        ):
            raise ValueError(
                "statistic must be 'auto', 'coefficient', 'entry' or a model, "
                f"got {self.statistic!r}."
            )
        if not 0 < self.fdr < 1:
            raise ValueError(f"fdr must lie in (0, 1), got {self.fdr!r}.")

    def _compare(self, X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        """Make the copies of the columns, none of which is constant, and compute W of each."""
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        if self.copies == "fixed":
            Z /= np.sqrt(len(Z))  # of unit length
            copies = fixed_knockoffs(Z, self.distances, seed)
        else:
            copies = gaussian_knockoffs(Z, self.distances, seed)
        return self._statistics(np.hstack((Z, copies)), y, seed)

    def _statistics(self, both: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
        """Compute W from a table of shape (rows, 2 p): the p columns, then their copies."""
        statistic = self.statistic
        if not isinstance(statistic, str):
            own, copied = np.split(
                np.abs(Importance(statistic, self.relevance)(both, y, random_state=seed)), 2
            )
            return own - copied
        if statistic == "entry" or (statistic == "auto" and self.copies == "fixed"):
            own, copied = np.split(_entry_penalties(both, y), 2)
            return np.maximum(own, copied) * np.sign(own - copied)
        own, copied = np.split(np.abs(LassoCV(cv=self.cv, eps=1e-2).fit(both, numbers(y)).coef_), 2)
        return own - copied

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True  # a sparse table is made dense, as the copies are
        return tags


def knockoff_threshold(statistics: np.ndarray, fdr: float, offset: int = 1) -> float:
    r"""Compute the threshold on the statistics that has an estimated false discovery rate of `fdr`.

    It is the least t among the absolute statistics with
    :math:`(\mathrm{offset} + \#\{W \le -t\}) / \#\{W \ge t\} \le` fdr, or infinite if there is
    none: the knockoff filter for an offset of 0, knockoff+ for 1 (Barber and Candès, 2015).

    >>> knockoff_threshold(np.array([5.0, 4, 3, 2, -1]), 0.3)
    2.0
    """
    W = np.asarray(statistics, dtype=float)
    thresholds = np.unique(np.abs(W[W != 0]))
    above = np.array([(t <= W).sum() for t in thresholds])
    below = np.array([(-t >= W).sum() for t in thresholds])
    good = (offset + below) <= fdr * np.maximum(above, 1)
    return float(thresholds[np.argmax(good)]) if good.any() else np.inf


def _entry_penalties(both: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Compute the penalty at which each column first enters the lasso path, 0 if it never does."""
    path = lasso(both, numbers(y), scale=False)
    penalties = np.zeros(both.shape[1])
    penalties[path.features] = path.scores
    return penalties
