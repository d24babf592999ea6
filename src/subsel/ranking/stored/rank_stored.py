"""Rankings of stored tables under a limit of memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.table import StoredTable
from subsel.data.task import Task
from subsel.ranking.cuts.ordered_scores import CutResult, OrderedScores, fine_enough_law
from subsel.ranking.cuts.probe_p_values import probe_p_value
from subsel.ranking.cuts.probe_scores import Probing
from subsel.ranking.cuts.registry import SHUFFLING, find_cut, split_cut
from subsel.ranking.original_columns.joint_columns import most_names
from subsel.ranking.original_columns.parts import Parts
from subsel.ranking.registry import Order, Score
from subsel.ranking.selector import VALIDATED, RankingSelector
from subsel.ranking.stored.scores import StoredMeasure, StoredScores
from subsel.ranking.suitability import check_suits, find_ranking, kind_for, supports
from subsel.runtime.memory import byte_count

__all__ = ["rank_stored"]

P_VALUE_CUTS = ("p", "bonferroni", "fdr", "fdr-any")


def rank_stored(
    table: StoredTable | StoredProblem,
    target: str | None = None,
    ranking: str = "anova-f",
    cut: Any = "fdr:0.1",
    *,
    memory: str | float = "1GB",
    columns: Sequence[str] | None = None,
    sample_weight: str | None = None,
    whole_columns: bool = False,
    options: dict[str, Any] | None = None,
    n_probes: int | None = None,
    n_permutations: int = 199,
    random_state: Any = None,
) -> RankingSelector:
    """Rank the columns of a stored table, reading it in blocks that fit in memory.

    The result is that of :class:`RankingSelector` on the whole table:

    - a score of moments or of presence (``anova-f``, ``pearson``, ``odds-ratio``, ...) takes one
      pass over rows;
    - any other score of single columns takes blocks of columns with all their rows, and is exact
      too;
    - where not even one column fits, contingency scores of columns with few values count in one
      pass, exactly, and ``auc``, ``kolmogorov-smirnov`` and the threshold scores come from
      histograms in two passes, with ``bounds_``.

    P-values from moments are exact for bits only: for other columns, and for all with ``pearson``,
    they follow Student's or Fisher's law where :class:`RankingSelector` has exact ones or permutes
    labels; ``notes_`` says so.

    Scores that look at several columns at once (the Relief family, Simba, orders such as mRMR) are
    refused: rank a sample of the rows (:func:`subsel.data.sample_rows`).

    Parameters
    ----------
    table : StoredTable or StoredProblem
        A table from :func:`subsel.data.open_table`, or a problem on one.
    target : str
        The column to predict.
    ranking, cut, options, n_probes, n_permutations, random_state : object
        As in :class:`RankingSelector`. Probes are shuffled copies of columns. The cuts
        ``"permutation:..."`` and ``"relabelled:..."`` read the table once for each shuffle.
    memory : int or str
        The most memory that reading and ranking may take, beyond the program itself: bytes, or text
        such as ``"500MB"``.
    columns : list of str, optional
        The columns to rank; by default all but the target and the weight.
    sample_weight : str, optional
        Name of a column of row weights.
    whole_columns : bool, default=False
        Whether a column of text has one score. For scores of counts this is the score of its names,
        if they are few; otherwise it is the best score of any value, with p-values (of probes, too)
        times their number. Without it every value is a feature.

    Returns
    -------
    RankingSelector
        The fitted selector, with further attributes: ``bounds_``, the largest error of each score
        (0 where it is exact); ``constant_``, the mask of the columns of one value; ``parts_``,
        ``part_names_`` and ``best_part_``, the columns of numbers that encode each column, and the
        one that gives its score; ``notes_``, sentences for the user.

    Raises
    ------
    NotEnoughMemory
        If the limit is too small; the error states the number of bytes that is enough.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile, os
    >>> from subsel.data import open_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "four.parquet")
    >>> a, b, y = [0.0, 2.0, 8.0, 10.0], [1.0, 2.0, 1.0, 2.0], list("nnpp")
    >>> pq.write_table(pa.table({"a": a, "b": b, "y": y}), path)
    >>> selector = rank_stored(open_table(path), "y", "anova-f", 1, memory="50MB")
    >>> selector.scores_, selector.get_feature_names_out().tolist()
    (array([32.,  0.]), ['a'])
    """
    limit = byte_count(memory)
    selector = RankingSelector(
        ranking,
        cut,
        options=options,
        n_probes=n_probes,
        n_permutations=n_permutations,
        random_state=random_state,
    )
    selector._check_numbers()
    apply = _cut_rule(cut)
    entry = _streamable(ranking)
    if (options or {}).get("nominal") is not None:
        raise ValueError(
            "option 'nominal' refers to the columns of the whole table, a stored one is read a few "
            "at a time: rank a sample of the rows."
        )
    problem = _problem(table, target, columns, sample_weight)
    if whole_columns and (most := most_names(entry.function, problem.n_rows)):
        problem = problem.with_names_as_one(most)
    _check_suits(entry, problem)
    score = selector._with_options(entry.function, {})
    measure = StoredMeasure(problem, entry.key, limit, supports(entry, "missing"))
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    seed = int(rng.integers(2**31))  # the seed that a score in memory would get
    seeded = {}
    if random_state is not None:
        seeded["random_state"] = seed
    law = None
    if entry.p_value is not None:
        law = selector._with_options(entry.p_value, seeded)
    parts = Parts(np.arange(problem.n_features))
    if whole_columns:
        parts = _parts(problem)
    (rule, level), on_table = split_cut(cut), _OnTable(measure, score, parts)
    y, weight = np.empty(0), None
    if rule in SHUFFLING:
        y, weight = measure.target()
    if rule not in P_VALUE_CUTS:
        law = None
    elif law is not None:
        law = fine_enough_law(law, (level or 1.0) / problem.n_features)
    ranked = _Stored(on_table, y, on_table, law, weight, rng, "permuted", n_probes, n_permutations)
    return _fitted(selector, ranked, apply(ranked), problem)


def _problem(
    table: StoredTable | StoredProblem,
    target: str | None,
    columns: Sequence[str] | None,
    sample_weight: str | None,
) -> StoredProblem:
    """Make the problem of a table; one that is given keeps all but its weight."""
    if isinstance(table, StoredProblem):
        if sample_weight is None:
            return table
        return replace(table, weight=sample_weight)
    if target is None:
        raise ValueError(
            f"name the target column; {table.source} has {', '.join(table.names[:8])}."
        )
    return StoredProblem(table, target, columns, sample_weight)


def _fitted(
    selector: RankingSelector, ranked: _Stored, kept: CutResult, problem: StoredProblem
) -> RankingSelector:
    """Set the fitted attributes of the selector, and return it."""
    selector.scores_, selector.ranking_ = ranked.scores, ranked.order
    selector.support_, selector.evidence_ = kept.mask, kept.evidence
    selector.p_values_, selector.q_values_ = kept.p_values, kept.q_values
    selector.probe_scores_ = None
    if kept.probing is not None:
        selector.probe_scores_ = kept.probing.probe_scores
    parts = ranked.X.parts
    selector.feature_names_in_ = np.array(_names(problem, parts), dtype=object)
    selector.n_features_in_ = len(parts)
    selector.parts_, selector.part_names_ = parts, list(problem.names)
    selector.best_part_ = parts.best_places(ranked.measured.values[0])
    selector.bounds_ = parts.best(ranked.measured.bounds)
    selector.constant_ = np.logical_and.reduceat(ranked.measured.constant, parts.starts)
    selector.notes_ = [*problem.notes, *ranked.measured.notes]
    return selector


def _parts(problem: StoredProblem) -> Parts:
    """Make the values of each column of text the parts of one column."""
    columns = [feature.column for feature in problem.features]
    return Parts(np.cumsum([0, *(this != last for last, this in pairwise(columns))]))


def _names(problem: StoredProblem, parts: Parts) -> list[str]:
    """Give the names of the ranked columns."""
    if not parts.several:
        return list(problem.names)
    return [problem.features[start].column for start in parts.starts]


def _cut_rule(cut: Any) -> Callable:
    """Give the function of a cut, refusing those that fit models."""
    if cut in VALIDATED:
        raise ValueError(
            f"cut {cut!r} fits models to the whole table: rank a sample of the rows, or use "
            "another cut."
        )
    return find_cut(cut)


def _streamable(ranking: str) -> Score:
    """Give the score of a name, refusing orders and functions."""
    entry = find_ranking(ranking)
    if isinstance(entry, Order):
        raise ValueError(
            f"order {entry.key!r} looks at several columns at once: rank a sample of the rows."
        )
    if not isinstance(entry, Score):
        raise ValueError("a stored table is ranked by the name of a score, got a function.")
    return entry


def _check_suits(entry: Score, problem: StoredProblem) -> None:
    """Raise an error for a target that the score is not defined for."""
    if problem.many_labels and not supports(entry, "regression"):
        raise ValueError(
            f"{entry.key!r} is defined for classes, the target {problem.target!r} has very many "
            "values."
        )
    # A task with one row for each label has all that the check looks at.
    rows = np.zeros((len(problem.labels), 1))
    weights = None if problem.weight is None else np.ones(len(rows))
    check_suits(
        entry, Task.of(rows, problem.labels, kind_for(entry, problem.labels), sample_weight=weights)
    )


@dataclass(frozen=True, eq=False)
class _OnTable:
    """A score of the stored table, with the interface of the table and of a score of arrays.

    As a score it ignores X; the target may be in another order than the stored one.
    """

    measure: StoredMeasure
    function: Callable[..., np.ndarray]  # the score of a block of columns
    parts: Parts  # the features of each ranked column

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of features."""
        return self.measure.problem.n_rows, self.measure.problem.n_features

    def __call__(
        self,
        X: Any,  # noqa: ARG002
        y: np.ndarray,
        sample_weight: np.ndarray | None = None,
    ) -> np.ndarray:
        """Give the score of each column, reading the table once with this target."""
        return self.parts.best(self.measure.run([self.function], y, sample_weight).values[0])


@dataclass(frozen=True, eq=False)
class _Stored(OrderedScores):
    """A ranking of a stored table, as a cut receives it, with score and p-values in one pass."""

    @cached_property
    def measured(self) -> StoredScores:
        """The values of the score, and of its p-values if the cut needs them."""
        functions = [self.X.function]
        if self.p_value is not None:
            functions.append(self.p_value)
        return self.X.measure.run(functions)

    @cached_property
    def scores(self) -> np.ndarray:
        """The score of each column."""
        return self.X.parts.best(self.measured.values[0])

    def p_values(self, finest: float) -> np.ndarray | None:  # noqa: ARG002
        """Give the p-values of the score, if the cut needs them."""
        if self.p_value is None:
            return None
        return self.X.parts.corrected(self.measured.values[1])

    def probing(self, finest: float) -> Probing:
        """Give p-values from shuffled copies of the columns, block by block."""
        n, constant = self._n_of_probes(finest), self.measured.constant
        probe_scores = self.X.measure.probe_scores(self.X.function, n, ~constant, self.random_state)
        p_values = np.where(constant, 1.0, probe_p_value(self.measured.values[0], probe_scores))
        return Probing(self.X.parts.corrected(p_values), self.scores, probe_scores, "permuted")
