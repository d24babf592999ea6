"""StabilitySelection: what is chosen on most half-samples, with a bound on false selections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state, get_tags
from threadpoolctl import threadpool_limits

from subsel.data.columns import ColumnSelector
from subsel.data.storage import csr_if_sparse
from subsel.data.task import Task
from subsel.embedded.contrasts.stability_bounds import BOUNDS, false_selections
from subsel.embedded.design import numbers, unit_columns
from subsel.ranking.registry import Order
from subsel.ranking.suitability import check_suits, find_ranking, kind_for, takes

__all__ = ["StabilitySelection", "Take", "half_samples", "order_on_halves", "selector_on_halves"]


class StabilitySelection(ColumnSelector):
    r"""Select on many half-samples and keep what is selected on most of them.

    Of the three numbers that belong together, how many features a half-sample may take, how often one must be taken and
    how many false selections are allowed, two are given and the third follows from the bound.

    Parameters
    ----------
    base : str or selector
        The name of an order (``"lasso"``, ``"l1-logistic"``, ``"mrmr"``: the first features it takes), or any selector of
        scikit-learn's kind, such as a :class:`subsel.RankingSelector` or ``SelectFromModel``.
    n_features : int, optional
        How many features an order takes on every half-sample; by default as many as the bound allows. A selector decides
        for itself.
    threshold : float, optional
        The share of half-samples, over one half, that must agree. None: the least for which the bound holds.
    false_selections : float
        How many features no better than chance may be kept, in expectation.
    bound : {"r-concave", "unimodal", "worst"}
        Which bound; the first two are for complementary pairs (see :mod:`subsel.embedded.contrasts.stability_bounds`). All three
        are reported.
    n_samples : int
        Number of half-samples.
    pairs : bool
        Complementary pairs, after Shah and Samworth; without, independent half-samples after Meinshausen and Bühlmann,
        for which the worst-case bound alone is proved.
    weakness : float
        Below 1: the randomised lasso, where on every half-sample each column is shrunk by this factor with probability
        one half. For orders by an L1 penalty.
    random_state : int, RandomState or None
        Seed of the half-samples.
    n_jobs : int, optional
        Half-samples at a time; it does not change the answer.

    Attributes
    ----------
    frequencies_ : ndarray
        The share of half-samples on which each column was selected.
    support_ : ndarray of bool
        Mask of the columns kept.
    threshold_ : float
        The threshold used.
    n_selected_ : float
        Mean number of columns selected on a half-sample.
    n_features_ : int or None
        How many an order was allowed to take.
    bounds_ : dict
        The expected number of false selections at most, by each bound.
    evidence_ : str
        The same as a sentence.

    Notes
    -----
    Where y are classes, half-samples hold half of each. The bounds speak of features whose chance to be selected on a
    half-sample is at most the average share; which features these are depends on the base. Rows have no weights here: a
    half-sample of weighted rows is not one of repeated rows, and the bounds are for rows that count the same.

    References
    ----------
    .. [1] Meinshausen and Bühlmann, *Stability selection*, JRSS B 72, 2010.
    .. [2] Shah and Samworth, *Variable selection with error control: another look at stability selection*, JRSS B 75,
       2013.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 200))
    >>> y = X[:, 3] + X[:, 7] - X[:, 11] + rng.standard_normal(100)
    >>> selector = StabilitySelection("lasso", random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([ 3,  7, 11, 35])
    >>> print(selector.evidence_)
    selected on at least 75% of 100 half-samples, 25.0 features each: at most 0.94 false selections expected (r-concave)
    """

    def __init__(
        self,
        base: Any = "lasso",
        *,
        n_features: int | None = None,
        threshold: float | None = 0.75,
        false_selections: float = 1.0,
        bound: str = "r-concave",
        n_samples: int = 100,
        pairs: bool = True,
        weakness: float = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.base = base
        self.n_features = n_features
        self.threshold = threshold
        self.false_selections = false_selections
        self.bound = bound
        self.n_samples = n_samples
        self.pairs = pairs
        self.weakness = weakness
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> StabilitySelection:
        """Select on every half-sample and count."""
        self._check_parameters()
        X, y = self._receive(X, y)
        entry, kind = None, None
        if isinstance(self.base, str):
            entry = _find_order(self.base)
            kind = kind_for(entry, np.asarray(y))
        task = Task.of(X, y, kind)
        if entry is not None:
            check_suits(entry, task)
        chosen = self._choose(task, self._take(entry, task.n_columns))
        self.frequencies_ = chosen.mean(axis=0)
        self.n_selected_ = float(chosen.sum(axis=1).mean())
        self._cut(task.n_columns)
        return self

    def _check_parameters(self) -> None:
        if self.bound not in BOUNDS:
            raise ValueError(f"bound must be one of {', '.join(BOUNDS)}, got {self.bound!r}.")
        if self.threshold is not None and not 0.5 < self.threshold <= 1:
            raise ValueError(f"threshold must lie in (0.5, 1], got {self.threshold!r}.")
        if not (self.n_samples >= 2 and self.n_samples % 2 == 0):
            raise ValueError(
                f"n_samples must be an even number of at least 2, got {self.n_samples!r}."
            )
        if not self.pairs and self.bound != "worst":
            raise ValueError(
                f"bound {self.bound!r} is for complementary pairs: use pairs=True or bound='worst'."
            )

    def _take(self, entry: Order | None, n_columns: int) -> Take:
        """What is to be done on every half-sample."""
        self.n_features_ = None
        if entry is None:
            if self.n_features is not None:
                raise ValueError(
                    "n_features is for orders: a selector decides for itself how many it takes."
                )
            return selector_on_halves(self.base)
        self.n_features_ = self.n_features or self._most(n_columns)
        if not 1 <= self.n_features_ <= n_columns:
            raise ValueError(f"n_features must lie in [1, {n_columns}], got {self.n_features!r}.")
        return order_on_halves(entry, self.n_features_, self.weakness)

    def _choose(self, task: Task, take: Take) -> np.ndarray:
        """A row per half-sample, with a mark at every column selected."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        strata = None
        if task.kind == "classification":
            strata = task.codes
        halves = list(half_samples(task.n_rows, self.n_samples, self.pairs, strata, rng))
        X = csr_if_sparse(task.numbers)
        seeds = rng.integers(2**31, size=self.n_samples)

        def marks(rows: np.ndarray, seed: int) -> np.ndarray:
            found = take(X[rows], task.y[rows], np.random.default_rng(seed))
            return np.isin(np.arange(task.n_columns), found)

        with threadpool_limits(1):
            parallel = Parallel(n_jobs=self.n_jobs, require="sharedmem")
            return np.array(
                parallel(delayed(marks)(rows, seed) for rows, seed in zip(halves, seeds))
            )

    def _fits(self, n_selected: float, n_columns: int, threshold: float) -> bool:
        """Whether the bound is at most the number of false selections that was asked for."""
        bound = BOUNDS[self.bound](n_selected, n_columns, threshold, self.n_samples // 2)
        return bound <= self.false_selections

    def _most(self, n_columns: int) -> int:
        """The most features a half-sample may take."""
        threshold = self.threshold or 0.75
        low, high = 1, n_columns
        while low < high:
            middle = (low + high + 1) // 2
            if self._fits(middle, n_columns, threshold):
                low = middle
            else:
                high = middle - 1
        return low

    def _cut(self, n_columns: int) -> None:
        levels = np.arange(self.n_samples // 2 + 1, self.n_samples + 1) / self.n_samples
        fitting = (float(t) for t in levels if self._fits(self.n_selected_, n_columns, t))
        self.threshold_ = self.threshold or next(fitting, 1.0)
        self.support_ = self.frequencies_ >= self.threshold_ - 1e-12
        self.bounds_ = false_selections(
            self.n_selected_, n_columns, self.threshold_, self.n_samples // 2
        )
        if not self.pairs:
            self.bounds_ = {"worst": self.bounds_["worst"]}
        self.evidence_ = (
            f"selected on at least {self.threshold_:.0%} of {self.n_samples} half-samples, {self.n_selected_:.1f} features "
            f"each: at most {self.bounds_[self.bound]:.2g} false selections expected ({self.bound})"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if isinstance(self.base, str):
            try:
                tags.input_tags.sparse = takes(find_ranking(self.base), "sparse")
            except ValueError:  # fit says so
                return tags
        elif hasattr(self.base, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(self.base).input_tags.sparse
        return tags


def _find_order(name: str) -> Order:
    entry = find_ranking(name)
    if not isinstance(entry, Order):
        raise ValueError(
            f"base {name!r} is a score: give RankingSelector({name!r}, cut=...) as base."
        )
    return entry


Take = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]
LOWEST = 1e-3  # where a lasso path ends, as a share of its first penalty: as the order has it


def half_samples(
    n: int, n_samples: int, pairs: bool, strata: np.ndarray | None, rng: np.random.Generator
) -> Iterator:
    """Rows of half the size without repetition: two that share no row after each other, or each by itself.

    With ``strata``, one code per row, every code is halved (but for odd ones out, which go to either side by chance).
    """
    if strata is None:
        strata = np.zeros(n, dtype=np.intp)
    for k in range(n_samples):
        if k % 2 == 0 or not pairs:
            shuffled = rng.permutation(n)
            shuffled = shuffled[np.argsort(strata[shuffled], kind="stable")]
            halves = shuffled[0 : 2 * (n // 2) : 2], shuffled[1::2]
        yield np.sort(halves[k % 2])


def selector_on_halves(selector: Any) -> Take:
    """What a selector of scikit-learn's kind keeps."""

    def take(X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        fresh = clone(selector)
        seeds = [name for name in fresh.get_params() if name.endswith("random_state")]
        fresh.set_params(**{name: int(rng.integers(2**31)) for name in seeds})
        return fresh.fit(X, y).get_support(indices=True)

    return take


def order_on_halves(order: Order, n_features: int, weakness: float = 1.0) -> Take:
    """The first features that an order takes, of columns weakened at random if so asked."""
    if not 0 < weakness <= 1:
        raise ValueError(f"weakness must lie in (0, 1], got {weakness!r}.")
    if weakness < 1 and "scale" not in signature(order.function).parameters:
        raise ValueError(
            f"weakness needs an order by an L1 penalty, such as 'lasso', got {order.key!r}."
        )

    def take(X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if order.key == "lasso" and not sparse.issparse(X):
            return _first_of_lasso(
                _weakened(unit_columns(X, centre=True), weakness, rng), y, n_features
            )
        if weakness < 1:
            return order.function(
                _weakened(unit_columns(X), weakness, rng), y, n_features, scale=False
            ).features
        return order.function(X, y, n_features).features

    return take


def _weakened(X: Any, weakness: float, rng: np.random.Generator) -> Any:
    """Half of the columns, by chance, shrunk by the weakness: to enter they must do that much better."""
    if weakness == 1:
        return X
    shrunk = np.where(rng.random(X.shape[1]) < 0.5, weakness, 1.0)
    if sparse.issparse(X):
        return X @ sparse.diags_array(shrunk)
    return X * shrunk


def _first_of_lasso(Z: np.ndarray, y: np.ndarray, n_features: int) -> np.ndarray:
    from subsel._loops.linear.lasso_entries import lasso_entries

    response = numbers(y)
    entered, penalties = (
        np.empty(min(n_features, Z.shape[1]), dtype=np.int64),
        np.empty(min(n_features, Z.shape[1])),
    )
    n = lasso_entries(
        np.ascontiguousarray(Z.T), response - response.mean(), LOWEST, entered, penalties
    )
    return entered[:n]
