"""Searches on a sample of the rows of a stored table, with finalists scored on all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from subsel.criteria.base import Evaluation, Evaluator, Wrapper
from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.row_samples import problem_of, sample_rows
from subsel.data.stored.table import StoredTable
from subsel.data.task import Task
from subsel.engine.choice import choose, to_rescore
from subsel.result.result import Result
from subsel.runtime.memory import NotEnoughMemory, byte_count
from subsel.selector.subset import SubsetSelector
from subsel.space.candidates import Candidates
from subsel.space.space import Block, Space

__all__ = ["search_stored"]


def search_stored(
    selector: SubsetSelector,
    table: StoredTable | StoredProblem,
    target: str | None = None,
    *,
    n_rows: int = 10_000,
    stratify: bool | None = None,
    final: Any = None,
    columns: Sequence[str] | None = None,
    memory: str | float = "1GB",
    random_state: int | None = None,
) -> SubsetSelector:
    """Search on a sample of the rows, and choose among finalists scored on all rows.

    Only the columns of the finalists are read for all rows.

    Parameters
    ----------
    selector : SubsetSelector
        How to search and by which criterion; it is cloned. Searching choices of parameters is not
        possible here.
    table : StoredTable or StoredProblem
        The stored table.
    target : str, optional
        The column to predict; a problem knows its own.
    n_rows : int
        Rows of the sample.
    stratify : bool, optional
        Keep the shares of the classes in the sample; by default where the target is classes.
    final : Criterion or estimator, optional
        What scores the finalists on all rows; by default that of the selector. Its own memory is
        not counted: give one that grows gently with the rows where the selector's does not.
    columns : sequence of str, optional
        The features, by default all columns but the target.
    memory : str or float
        The most that the sample, and then the columns of the finalists, may hold.
    random_state : int, optional
        Seed of the sample.

    Returns
    -------
    SubsetSelector
        Fitted. The qualities in ``result_`` (chosen, best, front, finalists) are those on all rows,
        ``sample_result_`` is that of the search; ``sampled_rows_`` are the numbers of the rows that
        it saw.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile, os
    >>> from sklearn.linear_model import Ridge
    >>> from subsel.data import open_table
    >>> folder, rng = tempfile.TemporaryDirectory(), np.random.default_rng(0)
    >>> path, X = os.path.join(folder.name, "many.parquet"), rng.standard_normal((5000, 8))
    >>> y = X[:, 2] - X[:, 5] + rng.standard_normal(5000)
    >>> table = pa.table({**{f"x{j}": X[:, j] for j in range(8)}, "y": y})
    >>> pq.write_table(table, path)
    >>> selector = SubsetSelector(Ridge(), "sfs", n_features=2)
    >>> selector = search_stored(selector, open_table(path), "y", n_rows=500, random_state=0)
    >>> selector.result_.chosen_names
    ('x2', 'x5')
    >>> selector.result_.notes[0][:46]
    'searched on 500 of 5,000 rows drawn at random;'
    """
    if selector.choices:
        raise ValueError(
            "a search on a stored table cannot choose parameters, too: leave choices out."
        )
    table = problem_of(table, target, columns)
    fitted, kind = clone(selector), selector._kind(table.labels)
    if stratify is None:
        stratify = kind == "classification"
    if final is None:
        final = fitted._subject(table.labels)
    sample = sample_rows(
        table, n_rows=n_rows, stratify=stratify, memory=memory, random_state=random_state
    )
    fitted.fit(sample.frame(), sample.y)
    found = fitted.result_
    stored_columns = np.unique(
        [column for subset in to_rescore(found) for column in subset.columns]
    )
    task = _on_all_rows(table, stored_columns, kind, byte_count(memory), fitted._allows_nan())
    seed = fitted._seed()
    criterion = fitted._criterion_of(final, fitted._folds(task, seed), fitted.exact)
    evaluator = _OnSample(_Held(criterion.bind(task, seed), stored_columns))
    space = fitted._space(Task.of(sample.X, sample.y, kind, names=table.names, allow_nan=True))
    result, _ = choose(found, evaluator, space, fitted.choose, tuple(table.names))
    drawn = f"searched on {len(sample.y):,} of {table.n_rows:,} rows drawn at random"
    note = f"{drawn}; the qualities are those of {len(result.finalists)} finalists on all rows."
    fitted.sample_result_, fitted.sampled_rows_ = found, sample.rows
    fitted.result_ = _with_note(result, note)
    fitted.support_ = np.isin(np.arange(table.n_features), fitted.result_.chosen)
    return fitted


class _Held(Wrapper):
    """An evaluator of some columns, asked in the numbers of the whole table."""

    def __init__(self, inner: Evaluator, stored_columns: np.ndarray) -> None:
        super().__init__(inner)
        self.stored_columns = stored_columns
        self.space = Space((Block(len(stored_columns)),))

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Evaluate candidates by their positions among the stored columns."""
        subsets = [
            self.space.from_columns(np.searchsorted(self.stored_columns, c))
            for c in candidates.columns()
        ]
        return self.inner.evaluate(Candidates.of(self.space, subsets))

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Look closely at one set of columns."""
        return self.inner.explain(np.searchsorted(self.stored_columns, columns))

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Say how much a trained model used each column."""
        return self.inner.relevances(np.searchsorted(self.stored_columns, columns), stream)


class _OnSample(Evaluator):
    """Stands for the evaluator of the search, which saw a sample."""

    def __init__(self, final: Evaluator) -> None:
        self.final = final


def _on_all_rows(
    problem: StoredProblem, features: np.ndarray, kind: Any, limit: int, allow_nan: bool
) -> Task:
    """The task of some features and all rows, if they fit."""
    needed = problem.reading_bytes(len(features)) + 16 * problem.n_rows * (len(features) + 1)
    if needed > limit:
        what = f"scoring on {problem.n_rows:,} rows of {len(features)} columns of finalists"
        raise NotEnoughMemory(what, needed, limit)
    X, y, _ = problem.whole(features.tolist(), allow_nan)
    names = [problem.names[j] for j in features]
    return Task.of(X, problem.labels_of(y), kind, names=names, allow_nan=allow_nan)


def _with_note(result: Result, note: str) -> Result:
    return replace(result, swaps=(), notes=(*result.notes, note))
