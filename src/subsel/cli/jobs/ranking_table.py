"""A ranking as a table: rank, feature, score, p, q, kept, note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from subsel.runtime.screenful import MOST_ROWS, TextColumns

__all__ = ["COLUMNS", "RankingTable"]

COLUMNS = ["rank", "feature", "column", "score", "p", "q", "kept", "note"]
NOTES = ("", "tied across the cut", "no score", "constant")


@dataclass(frozen=True, eq=False)
class RankingTable:
    """One row per column of the data, best first. It is kept as arrays; a row is made when it is asked for.

    Parameters
    ----------
    selector : selector
        A fitted :class:`subsel.RankingSelector`.
    names : sequence of str
        The name of each column of the data.
    notes : ndarray
        For each column of the data, which of the notes applies to it.
    numbers : sequence of int, optional
        The number of each column in the file, where that is not its place here.
    details : mapping, optional
        What else there is to say of a column, such as how many parts its score is the best of.
    """

    selector: Any
    names: Sequence[str]
    notes: np.ndarray
    numbers: Sequence[int] | None = None
    details: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(cls, selector: Any, names: Sequence[str], X: Any, **given: Any) -> RankingTable:
        """The table of a ranking of the columns of X."""
        return cls(selector, names, _notes(selector, X), **given)

    def __len__(self) -> int:
        """The number of columns that were ranked."""
        return len(self.selector.ranking_)

    def __repr__(self) -> str:
        """The best rows."""
        return repr(self._best())

    def _repr_html_(self) -> str:
        return self._best()._repr_html_()

    def _best(self) -> TextColumns:
        best = list(self.rows(MOST_ROWS))
        return TextColumns(
            {name: [row[name] for row in best] for name in COLUMNS}, n_rows=len(self)
        )

    def rows(self, first: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows from the best on, all or the first few."""
        s = self.selector
        numbers = self.numbers
        if numbers is None:
            numbers = range(len(self.names))
        for rank, j in enumerate(map(int, s.ranking_[:first]), 1):
            p, q = _chance(s.p_values_, j), _chance(s.q_values_, j)
            found = (float(s.scores_[j]), p, q, bool(s.support_[j]))
            note = "; ".join(filter(None, (NOTES[self.notes[j]], self.details.get(j, ""))))
            yield dict(zip(COLUMNS, (rank, self.names[j], int(numbers[j]), *found, note)))


def _chance(values: np.ndarray | None, j: int) -> float | None:
    """The p-value or q-value of a column; None for a score without any."""
    if values is None:
        return None
    return float(values[j])


def _notes(selector: Any, X: Any) -> np.ndarray:
    """What is particular about a column: it is constant, was not taken, or chance decided between equals."""
    kept, scores = selector.support_, selector.scores_
    notes = np.zeros(len(scores), dtype=np.int8)
    notes[np.isin(scores, np.intersect1d(scores[kept], scores[~kept]))] = NOTES.index(
        "tied across the cut"
    )
    notes[np.isnan(scores)] = NOTES.index("no score")
    notes[_constant(selector, X)] = NOTES.index("constant")
    return notes


def _constant(selector: Any, X: Any) -> np.ndarray:
    """The columns of one value: those of which all parts are."""
    from subsel.ranking.cuts.probe_scores import constant_columns

    stored = getattr(selector, "constant_", None)
    if stored is not None:
        return stored
    return np.logical_and.reduceat(constant_columns(X), selector.parts_.starts)
