"""A ranking as a table: rank, feature, score, p, q, kept, note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.printed import MOST_ROWS, Columns

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
    """

    selector: Any
    names: Sequence[str]
    notes: np.ndarray

    @classmethod
    def of(cls, selector: Any, names: Sequence[str], X: Any) -> RankingTable:
        """The table of a ranking of the columns of X."""
        return cls(selector, names, _notes(selector, X))

    def __len__(self) -> int:
        """The number of columns that were ranked."""
        return len(self.selector.ranking_)

    def __repr__(self) -> str:
        """The best rows."""
        return repr(self._best())

    def _repr_html_(self) -> str:
        return self._best()._repr_html_()

    def _best(self) -> Columns:
        best = list(self.rows(MOST_ROWS))
        return Columns({name: [row[name] for row in best] for name in COLUMNS}, n_rows=len(self))

    def rows(self, first: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows from the best on, all or the first few."""
        s = self.selector
        at = lambda values, j: None if values is None else float(values[j])
        for rank, j in enumerate(map(int, s.ranking_[:first]), 1):
            found = (float(s.scores_[j]), at(s.p_values_, j), at(s.q_values_, j), bool(s.support_[j]))
            yield dict(zip(COLUMNS, (rank, self.names[j], j, *found, NOTES[self.notes[j]])))


def _notes(selector: Any, X: Any) -> np.ndarray:
    """What is particular about a column: it is constant, was not taken, or chance decided between equals."""
    from subsel.ranking.cuts.probing import constant_columns

    kept, scores = selector.support_, selector.scores_
    notes = np.zeros(len(scores), dtype=np.int8)
    notes[np.isin(scores, np.intersect1d(scores[kept], scores[~kept]))] = NOTES.index("tied across the cut")
    notes[np.isnan(scores)] = NOTES.index("no score")
    stored = getattr(selector, "constant_", None)
    notes[constant_columns(X) if stored is None else stored] = NOTES.index("constant")
    return notes
