"""RankingSelector: a score and a cut, with the face of a scikit-learn selector."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.validation import check_is_fitted

from subsel.data.columns import ColumnSelector
from subsel.data.names import NumberedNames
from subsel.data.storage import csr_if_sparse
from subsel.data.task import Task
from subsel.ranking.cuts.by_rank import gap_sizes, n_by_fraction, n_by_k
from subsel.ranking.cuts.cross_validation import size_grid, validated_size
from subsel.ranking.cuts.ordered_scores import CutResult, OrderedScores, column_mask
from subsel.ranking.cuts.registry import find_cut, split_cut
from subsel.ranking.feature_order import FeatureOrder
from subsel.ranking.registry import Order, Score
from subsel.ranking.suitability import Ranking, check_suits, find_ranking, kind_for, supports
from subsel.runtime.screenful import frame

__all__ = ["RankingSelector"]

VALIDATED = ("cv", "cv-gap")


class RankingSelector(ColumnSelector):
    """Keep the features that a score ranks high, cut by evidence.

    Parameters
    ----------
    ranking : str or callable
        Name of a score or an order (``subsel methods`` lists them), or a function ``f(X, y) ->
        scores``.
    cut : int, float or str
        How many features to keep: a number, a share (float), or a rule with its value.
        ``"fdr:0.1"`` uses the procedure of Benjamini and Hochberg on the p-values of the score
        where it has them, else of probes; so do ``"fdr-any:0.1"`` (Benjamini and Yekutieli),
        ``"bonferroni:0.05"`` and ``"p:0.01"`` (uncorrected). ``"probes:0.1"`` and
        ``"probe-p:0.01"`` (uncorrected) use probes in any case. ``"permutation:0.05"`` shuffles the
        labels (family-wise; ``"relabelled:2"`` counts standard deviations), ``"threshold:0.5"`` and
        ``"gap"`` use the scores alone, and ``"cv"`` chooses the number by cross-validation of
        ``estimator`` with the one-standard-error rule. An order (mRMR, Gram-Schmidt, ...) takes a
        number, a share,
        ``"cv"``, or ``"end"`` (where it stops by itself); ``"probe-risk:0.1"`` ends Gram-Schmidt
        where a Gaussian probe would be selected with this probability [1]_.
    options : dict, optional
        Parameters of the score or order, by name.
    estimator : estimator, optional
        The model of ``cut="cv"``.
    cv : int or splitter
        The folds of ``cut="cv"``.
    scoring : str or callable, optional
        The measure of ``cut="cv"``.
    probes : {"permuted", "gaussian", "zipf"}
        The kind of probes: shuffled copies of the columns, Gaussian columns, or sparse ones with
        Zipf's frequencies.
    n_probes : int, optional
        The number of probes; by default as many as let a single feature pass the cut, between 100
        and 10,000.
    n_permutations : int
        The number of shuffles of the labels for ``"permutation:..."`` and ``"relabelled:..."``.
    random_state : int, RandomState or None
        The seed of probes, of shuffles and of scores that sample. P-values by permutation use it
        too; without it they use a fixed seed.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The score of each column; for an order its criterion when the column was selected, NaN for
        columns not selected. After a cut by probes it is the mean score alongside them, which for
        scores of the Relief family differs from that of the table alone.
    ranking_ : ndarray of int
        The columns from best to worst, equal ones in their order; those not selected, or with score
        NaN, are last.
    support_ : ndarray of bool
        The mask of the kept columns. It may be empty: then nothing passed the cut.
    p_values_, q_values_ : ndarray or None
        The p-values that the cut used, and those corrected for the number of features, or None.
    probe_scores_ : ndarray or None
        The scores of the probes, or None.
    evidence_ : str
        The evidence that the cut used, in words.
    validation_ : ValidatedSize
        For ``cut="cv"`` the :class:`subsel.ranking.cuts.cross_validation.ValidatedSize`.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the random probe as a stopping rule.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> RankingSelector("anova-f", cut=2).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    def __init__(
        self,
        ranking: str | Callable = "anova-f",
        cut: Any = "fdr:0.1",
        *,
        options: dict[str, Any] | None = None,
        estimator: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        probes: str = "permuted",
        n_probes: int | None = None,
        n_permutations: int = 199,
        random_state: Any = None,
    ) -> None:
        self.ranking = ranking
        self.cut = cut
        self.options = options
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.probes = probes
        self.n_probes = n_probes
        self.n_permutations = n_permutations
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RankingSelector:
        """Score every column and keep those above the cut."""
        self._check_numbers()
        entry = find_ranking(self.ranking)
        X, y = self._receive(X, y)
        kind = kind_for(entry, np.asarray(y))
        task = Task.of(
            X, y, kind, sample_weight=sample_weight, allow_nan=supports(entry, "missing")
        )
        check_suits(entry, task)
        table = self._table(entry, task)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        if isinstance(entry, Order):
            kept = self._fit_order(entry, table, task)
        else:
            kept = self._fit_score(entry, table, task, rng)
        self.support_, self.evidence_ = kept.mask, kept.evidence
        self.p_values_, self.q_values_, self.probe_scores_ = kept.p_values, kept.q_values, None
        if kept.probing is not None:
            self.scores_, self.probe_scores_ = kept.probing.scores, kept.probing.probe_scores
            self.ranking_ = np.argsort(-self.scores_, kind="stable")
        return self

    def ranking_table(self) -> Any:
        """Give a table with one row per column, best first.

        It is a frame of pandas if that is installed, otherwise a table that prints.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> X, y = load_wine(return_X_y=True, as_frame=True)
        >>> selector = RankingSelector("anova-f", cut=2).fit(X, y)
        >>> selector.ranking_table()["feature"].tolist()[:2]
        ['flavanoids', 'proline']
        """
        check_is_fitted(self)
        order = self.ranking_
        names = getattr(self, "feature_names_in_", NumberedNames(len(order)))
        table = {
            "rank": np.arange(1, len(order) + 1),
            "feature": [str(names[j]) for j in order],
            "score": self.scores_[order],
        }
        table |= {
            k: v[order] for k, v in (("p", self.p_values_), ("q", self.q_values_)) if v is not None
        }
        return frame(table | {"kept": self.support_[order]})

    @staticmethod
    def _table(entry: Ranking, task: Task) -> Any:
        """Give the table to rank; unless for a score, a sparse one has compressed columns."""
        if not sparse.issparse(task.X):
            return task.matrix
        if isinstance(entry, Score):
            return task.X  # compressed rows or columns
        return task.X.tocsc()

    def _check_numbers(self) -> None:
        """Raise an error for a number of probes or shuffles that is not a positive whole number."""
        for name in ("n_probes", "n_permutations"):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if value is not None and not (whole and value >= 1):
                raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}.")

    def _validates(self) -> bool:
        """Whether the cut is by cross-validation."""
        return isinstance(self.cut, str) and self.cut in VALIDATED

    def _fit_score(
        self, entry: Score | Callable, X: Any, task: Task, rng: np.random.Generator
    ) -> CutResult:
        """Cut a score; sets `scores_`, `ranking_` and, for cross-validation, `validation_`."""
        cut = None
        if not self._validates():
            cut = find_cut(self.cut)
        if isinstance(entry, Score):
            function, law, univariate = entry.function, entry.p_value, entry.univariate
        else:
            function, law, univariate = entry, None, False
        known = {"random_state": int(rng.integers(2**31)), "regression": task.kind == "regression"}
        score = self._with_options(function, known)
        if self.random_state is None:
            del known["random_state"]  # laws that draw permutations then use their fixed seed
        if law is not None:
            law = self._with_options(law, known)
        settings = (rng, self.probes, self.n_probes, self.n_permutations, univariate)
        ranked = self._ranked(X, task.y, score, law, task.sample_weight, *settings)
        self.scores_, self.ranking_ = ranked.scores, ranked.order
        if cut is not None:
            return cut(ranked)
        sizes = None
        if self.cut == "cv-gap":
            sizes = gap_sizes(self.scores_)
        return self._validated(
            lambda X, y: np.argsort(-ranked.score(X, y), kind="stable"), X, task, sizes
        )

    def _ranked(self, *fields: Any) -> OrderedScores:
        """Make the ranking that cuts receive, from the fields of `OrderedScores` in their order."""
        return OrderedScores(*fields)

    def _fit_order(self, entry: Order, X: Any, task: Task) -> CutResult:
        """Cut an order; sets `scores_`, `ranking_` and, for cross-validation, `validation_`."""
        known = {}
        if task.weighted:
            known["sample_weight"] = task.sample_weight
        order = self._with_options(entry.function, known)
        validates = isinstance(self.cut, str) and self.cut == "cv"
        n_columns = self._n_columns(X)
        limit = {}
        if not validates:
            limit = _limit(entry, self.cut, n_columns)
        path = self._path(order, X, task.y, limit)
        self.scores_, self.ranking_ = _scores_and_ranking(path, n_columns)
        if validates:
            return self._validated(lambda X, y: self._path(order, X, y, {}).features, X, task)
        return CutResult(column_mask(path.features, n_columns), _reason(len(path), limit))

    def _n_columns(self, X: Any) -> int:
        """Give the number of columns that are ranked."""
        return X.shape[1]

    def _path(
        self, order: Callable[..., FeatureOrder], X: Any, y: np.ndarray, limit: dict[str, Any]
    ) -> FeatureOrder:
        """Run an order, with the parameters that limit its length."""
        return order(X, y, **limit)

    def _columns_of(self, ranked: np.ndarray) -> np.ndarray:
        """Give the columns of the table of numbers that belong to some ranked columns."""
        return ranked

    def _with_options(self, function: Callable, known: dict[str, Any]) -> Callable:
        """Bind the options to a function, and those of the known values that it has a name for."""
        options = self.options or {}
        parameters = signature(function).parameters
        if unknown := [name for name in options if name not in parameters]:
            names = ", ".join(list(parameters)[2:])
            raise ValueError(f"{self.ranking!r} has no option {unknown[0]!r}; it has {names}.")
        values = {name: value for name, value in known.items() if name in parameters}
        return partial(function, **{**values, **options})

    def _validated(
        self, order: Callable, X: Any, task: Task, sizes: np.ndarray | None = None
    ) -> CutResult:
        """Choose the number of features by cross-validation; sets `validation_`.

        `order` gives the columns of a table and a target, best first.
        """
        if self.estimator is None:
            needs = "needs an estimator to validate with: RankingSelector(..., estimator=...)"
            raise ValueError(f"cut {self.cut!r} {needs}.")
        if task.weighted:
            raise ValueError(f"cut {self.cut!r} does not take sample weights.")
        if sizes is None:
            sizes = size_grid(self._n_columns(X))
        self.validation_ = validated_size(
            order,
            self.estimator,
            csr_if_sparse(X),
            task.y,
            self.cv,
            self.scoring,
            sizes=sizes,
            columns_of=self._columns_of,
        )
        mask = column_mask(self.ranking_[: self.validation_.chosen], len(self.scores_))
        return CutResult(
            mask & ~np.isnan(self.scores_), "cross-validated number, one-standard-error rule"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        try:
            entry = find_ranking(self.ranking)
        except ValueError:  # an unknown name, for which `fit` raises the error
            return tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = (
            supports(entry, "sparse"),
            supports(entry, "missing"),
        )
        if not supports(entry, "multiclass") and not supports(entry, "regression"):
            tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def _scores_and_ranking(path: FeatureOrder, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the score of each column, NaN if not selected, and all columns, selected ones first."""
    scores = np.full(n_columns, np.nan)
    scores[path.features] = path.scores
    return scores, np.concatenate(
        (path.features, np.flatnonzero(~column_mask(path.features, n_columns)))
    )


def _reason(n_selected: int, limit: dict[str, Any]) -> str:
    """Give the reason why an order ended, as evidence of the cut."""
    if "max_risk" in limit:
        return "probe risk"
    if "n_features" not in limit:
        return "its own end"
    asked = limit["n_features"]
    if n_selected < asked:
        return f"its own end, before the {asked} asked for"
    return "number asked for"


def _limit(entry: Order, cut: Any, n_columns: int) -> dict[str, Any]:
    """Give the parameters of an order that make it end at the cut."""
    rule, value = split_cut(cut)
    if value is None and rule == "end":
        return {}
    if value is not None and rule == "k":
        return {"n_features": n_by_k(value, n_columns)}
    if value is not None and rule == "fraction":
        return {"n_features": n_by_fraction(value, n_columns)}
    if (
        value is not None
        and rule == "probe-risk"
        and "max_risk" in signature(entry.function).parameters
    ):
        if not 0 < value <= 1:
            raise ValueError(f"the value of cut 'probe-risk' must lie in (0, 1], got {value:g}.")
        return {"max_risk": value}
    allowed = (
        "a number, a share, 'cv' or 'end' (where it stops by itself); gram-schmidt also "
        "'probe-risk:0.1'"
    )
    raise ValueError(f"order {entry.key!r} cannot be cut by {cut!r}: an order takes {allowed}.")
