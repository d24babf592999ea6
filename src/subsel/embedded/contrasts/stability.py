"""StabilitySelection: what is selected on most half-samples, with a bound on false selections."""

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
from subsel.ranking.suitability import check_suits, find_ranking, kind_for, supports

__all__ = ["Chooser", "StabilitySelection", "half_samples", "order_chooser", "selector_chooser"]


class StabilitySelection(ColumnSelector):
    r"""Select on many half-samples and keep what is selected on most of them.

    Three numbers depend on each other: how many features are selected on a half-sample, on what
    share of half-samples a feature must be selected, and how many false selections are expected at
    most. Two are parameters; the third follows from the bound.

    Parameters
    ----------
    base : str or selector
        The name of an order (``"lasso"``, ``"l1-logistic"``, ``"mrmr"``), of which the first
        features are selected, or a selector with scikit-learn's interface, such as
        :class:`subsel.RankingSelector` or ``SelectFromModel``.
    n_features : int, optional
        Number of features that an order selects on every half-sample; None stands for the largest
        number that the bound allows. Not for selectors, which choose a number themselves.
    threshold : float, optional
        Share of half-samples, above one half, on which a feature must be selected. None stands for
        the least for which the bound holds.
    false_selections : float
        Largest expected number of selected features that are no better than chance.
    bound : {"r-concave", "unimodal", "worst"}
        The bound on false selections; the first two need complementary pairs (see
        :mod:`subsel.embedded.contrasts.stability_bounds`). All three are reported.
    n_samples : int
        Number of half-samples, which is even.
    pairs : bool
        Whether half-samples come in complementary pairs [2]_. Independent half-samples [1]_ have
        only the worst-case bound.
    weakness : float
        Below 1, the randomised lasso [1]_: on every half-sample each column is multiplied by this
        factor with probability one half. For orders by an L1 penalty.
    random_state : int, RandomState or None
        Seed of the half-samples.
    n_jobs : int, optional
        Number of half-samples processed at a time; it does not change the answer.

    Attributes
    ----------
    frequencies_ : ndarray
        The share of half-samples on which each column was selected.
    support_ : ndarray of bool
        Mask of the columns selected.
    threshold_ : float
        The threshold used.
    n_selected_ : float
        Mean number of columns selected on a half-sample.
    n_features_ : int or None
        Number of features that an order selects on a half-sample; None for a selector.
    bounds_ : dict
        Each bound on the expected number of false selections, by name.
    evidence_ : str
        The same as a sentence.

    Notes
    -----
    The published variants are

    - ``StabilitySelection(base, pairs=False, bound="worst")``: Meinshausen and Bühlmann [1]_,
    - ``StabilitySelection("lasso", weakness=0.5)``: the randomised lasso of [1]_, here on
      complementary pairs,
    - ``StabilitySelection(base, pairs=True, bound="r-concave")``, the default: Shah and
      Samworth [2]_.

    In classification, a half-sample holds half of every class. The bounds count features whose
    probability to be selected on a half-sample is at most that of the average feature; which
    features these are depends on the base. There are no sample weights: the bounds are for rows
    that count alike.

    References
    ----------
    .. [1] Meinshausen and Bühlmann, *Stability selection*, JRSS B 72, 2010.
    .. [2] Shah and Samworth, *Variable selection with error control: another look at stability
       selection*, JRSS B 75, 2013.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 200))
    >>> y = X[:, 3] + X[:, 7] - X[:, 11] + rng.standard_normal(100)
    >>> selector = StabilitySelection("lasso", random_state=0).fit(X, y)
    >>> selector.get_support(indices=True)
    array([ 3,  7, 11, 35])
    >>> print(selector.evidence_)
    selected on at least 75% of 100 half-samples, 25.0 features each:
    at most 0.94 false selections expected (r-concave)

    The same with all arguments in full; stability selection after Meinshausen and Bühlmann, which
    allows fewer features on a half-sample; and the randomised lasso:

    >>> full = StabilitySelection("lasso", pairs=True, bound="r-concave", random_state=0)
    >>> full.fit(X, y).get_support(indices=True)
    array([ 3,  7, 11, 35])
    >>> original = StabilitySelection("lasso", pairs=False, bound="worst", random_state=0)
    >>> original.fit(X, y).get_support(indices=True), original.n_features_
    (array([ 3,  7, 11]), 10)
    >>> randomised = StabilitySelection("lasso", weakness=0.5, random_state=0)
    >>> randomised.fit(X, y).get_support(indices=True)
    array([ 3,  7, 11])
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
        """Select on every half-sample and count how often each column was selected."""
        self._check_parameters()
        X, y = self._receive(X, y)
        entry, kind = None, None
        if isinstance(self.base, str):
            entry = _find_order(self.base)
            kind = kind_for(entry, np.asarray(y))
        task = Task.of(X, y, kind)
        if entry is not None:
            check_suits(entry, task)
        chosen = self._choose(task, self._chooser(entry, task.n_columns))
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

    def _chooser(self, entry: Order | None, n_columns: int) -> Chooser:
        """Build the function that selects on a half-sample; sets `n_features_`."""
        self.n_features_ = None
        if entry is None:
            if self.n_features is not None:
                raise ValueError(
                    "n_features must be None where base is a selector, which decides for itself, "
                    f"got {self.n_features!r}."
                )
            return selector_chooser(self.base)
        self.n_features_ = self.n_features or self._largest_size(n_columns)
        if not 1 <= self.n_features_ <= n_columns:
            raise ValueError(f"n_features must lie in [1, {n_columns}], got {self.n_features!r}.")
        return order_chooser(entry, self.n_features_, self.weakness)

    def _choose(self, task: Task, choose: Chooser) -> np.ndarray:
        """Select on every half-sample.

        Returns
        -------
        ndarray of bool of shape (half-samples, columns)
            Whether each column was selected on each half-sample.
        """
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        strata = None
        if task.kind == "classification":
            strata = task.codes
        halves = list(half_samples(task.n_rows, self.n_samples, self.pairs, strata, rng))
        X = csr_if_sparse(task.numbers)
        seeds = rng.integers(2**31, size=self.n_samples)

        def marks(rows: np.ndarray, seed: int) -> np.ndarray:
            selected = choose(X[rows], task.y[rows], np.random.default_rng(seed))
            return np.isin(np.arange(task.n_columns), selected)

        with threadpool_limits(1):
            parallel = Parallel(n_jobs=self.n_jobs, require="sharedmem")
            return np.array(
                parallel(delayed(marks)(rows, seed) for rows, seed in zip(halves, seeds))
            )

    def _fits(self, n_selected: float, n_columns: int, threshold: float) -> bool:
        """Say whether the bound is at most the allowed number of false selections."""
        bound = BOUNDS[self.bound](n_selected, n_columns, threshold, self.n_samples // 2)
        return bound <= self.false_selections

    def _largest_size(self, n_columns: int) -> int:
        """Find, by bisection, the largest size of a selection that the bound allows."""
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
        """Choose the threshold; sets `threshold_`, `support_`, `bounds_` and `evidence_`."""
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
            f"selected on at least {self.threshold_:.0%} of {self.n_samples} half-samples, "
            f"{self.n_selected_:.1f} features each: at most {self.bounds_[self.bound]:.2g} "
            f"false selections expected ({self.bound})"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if isinstance(self.base, str):
            try:
                tags.input_tags.sparse = supports(find_ranking(self.base), "sparse")
            except ValueError:  # an unknown name, which fit refuses
                return tags
        elif hasattr(self.base, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(self.base).input_tags.sparse
        return tags


def _find_order(name: str) -> Order:
    entry = find_ranking(name)
    if not isinstance(entry, Order):
        raise ValueError(
            f"base must be an order or a selector, got the score {name!r}: pass "
            f"RankingSelector({name!r}, cut=...)."
        )
    return entry


# A function (X, y, rng) -> columns: it selects on the rows of one half-sample.
Chooser = Callable[[Any, np.ndarray, np.random.Generator], np.ndarray]

# The lasso path ends at this share of its first penalty, as in subsel.embedded.lasso.
LOWEST_PENALTY = 1e-3


def half_samples(
    n: int, n_samples: int, pairs: bool, strata: np.ndarray | None, rng: np.random.Generator
) -> Iterator:
    """Draw half-samples of n rows, without repetition within a half-sample.

    Parameters
    ----------
    n : int
        Number of rows.
    n_samples : int
        Number of half-samples.
    pairs : bool
        Whether samples 0 and 1, 2 and 3, ... share no row; otherwise all are independent.
    strata : ndarray of shape (n,), optional
        A code per row. Every half-sample contains half of the rows of each code; where their
        number is odd, chance decides.
    rng : Generator
        Source of the permutations.

    Yields
    ------
    ndarray of int
        The n // 2 rows of a half-sample, sorted.
    """
    if strata is None:
        strata = np.zeros(n, dtype=np.intp)
    for k in range(n_samples):
        if k % 2 == 0 or not pairs:
            shuffled = rng.permutation(n)
            shuffled = shuffled[np.argsort(strata[shuffled], kind="stable")]
            halves = shuffled[0 : 2 * (n // 2) : 2], shuffled[1::2]
        yield np.sort(halves[k % 2])


def selector_chooser(selector: Any) -> Chooser:
    """Build the function that fits a clone of a selector to a half-sample, with its own seed."""

    def choose(X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        fresh = clone(selector)
        seeds = [name for name in fresh.get_params() if name.endswith("random_state")]
        fresh.set_params(**{name: int(rng.integers(2**31)) for name in seeds})
        return fresh.fit(X, y).get_support(indices=True)

    return choose


def order_chooser(order: Order, n_features: int, weakness: float = 1.0) -> Chooser:
    """Build the function that gives the first features of an order on a half-sample.

    Columns are shrunk at random if `weakness` is below 1.
    """
    if not 0 < weakness <= 1:
        raise ValueError(f"weakness must lie in (0, 1], got {weakness!r}.")
    if weakness < 1 and "scale" not in signature(order.function).parameters:
        raise ValueError(
            f"base must be an order by an L1 penalty, such as 'lasso', where weakness is below 1, "
            f"got {order.key!r}."
        )

    def choose(X: Any, y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if order.key == "lasso" and not sparse.issparse(X):
            Z = _shrink(unit_columns(X, centre=True), weakness, rng)
            return _first_of_lasso(Z, y, n_features)
        if weakness < 1:
            Z = _shrink(unit_columns(X), weakness, rng)
            return order.function(Z, y, n_features, scale=False).features
        return order.function(X, y, n_features).features

    return choose


def _shrink(X: Any, weakness: float, rng: np.random.Generator) -> Any:
    """Multiply each column by the weakness with probability one half.

    For an L1 penalty this is the same as dividing the penalty of the column by the weakness
    (Meinshausen and Buehlmann 2010, section 3).
    """
    if weakness == 1:
        return X
    shrunk = np.where(rng.random(X.shape[1]) < 0.5, weakness, 1.0)
    if sparse.issparse(X):
        return X @ sparse.diags_array(shrunk)
    return X * shrunk


def _first_of_lasso(Z: np.ndarray, y: np.ndarray, n_features: int) -> np.ndarray:
    """Give the first `n_features` columns that enter the lasso path on centred columns Z."""
    from subsel._loops.linear.lasso_entries import lasso_entries

    response = numbers(y)
    n_entries = min(n_features, Z.shape[1])
    entered = np.empty(n_entries, dtype=np.int64)
    penalties = np.empty(n_entries)
    n = lasso_entries(
        np.ascontiguousarray(Z.T), response - response.mean(), LOWEST_PENALTY, entered, penalties
    )
    return entered[:n]
