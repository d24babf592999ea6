"""A stored table with a target: the features as numbers, text as one column per value, a few rows or columns at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np

from subsel.data.encoding.cells import is_missing
from subsel.data.files.arrow_columns import numbers, texts
from subsel.data.stored.table import StoredTable

__all__ = ["Chunk", "StoredProblem"]

SCAN_CELLS = 1 << 18  # cells of a batch while the target and text columns are looked through
BATCH = 1 << 12  # rows of the batches from which longer chunks are put together
MANY_TEXTS = 1_000  # values beyond which a stored column of text is left out
MANY_LABELS = 100_000  # distinct values of the target that are kept
MANY_FRACTIONS = 1_000  # the same where some are no whole numbers, so that they are not classes


@dataclass(frozen=True, eq=False)
class _Feature:
    """A feature: a stored column of numbers, one value of a stored column of text, or all its values, numbered from 1."""

    column: str
    value: str | None = None
    values: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """What it is called: as its column, and by its value."""
        if self.value is None:
            return self.column
        return f"{self.column}={self.value}"


class Chunk(NamedTuple):
    """Some rows of some features as numbers, with the target (text as the numbers of its labels) and the weights."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None

    def rows(self, begin: int, end: int) -> Chunk:
        """Some of the rows; what is written there is written here."""
        weight = self.weight
        if weight is not None:
            weight = weight[begin:end]
        return Chunk(self.X[begin:end], self.y[begin:end], weight)


@dataclass(eq=False)
class StoredProblem:
    """Features and target of a stored table, looked through once and then read in blocks.

    Text columns become one column per value, as when a file is read whole; one of more than 1,000 values, or of more
    than half as many as there are rows, is left out with a note.

    Parameters
    ----------
    table : StoredTable
        The stored table.
    target : str
        The column to predict.
    columns : list of str, optional
        The columns to use; by default all others.
    weight : str, optional
        A column of row weights.

    Attributes
    ----------
    names, groups, notes : list or dict
        Of the features, as in :class:`subsel.data.Table`.
    labels : ndarray
        The distinct values of the target, sorted; text, or numbers. At most about 100,000, with ``many_labels`` set
        where there are more.
    label_counts : ndarray of int or None
        How many rows have each label, where all labels are kept.

    Examples
    --------
    >>> import tempfile, os
    >>> from subsel.data import open_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\\n30,A,0\\n40,B,1\\n50,A,1\\n")
    >>> problem = StoredProblem(open_table(path), "y")
    >>> list(problem.names), problem.labels
    (['age', 'town=A', 'town=B'], array([0., 1.]))
    """

    table: StoredTable
    target: str
    columns: Sequence[str] | None = None
    weight: str | None = None
    names: list[str] = field(init=False, default_factory=list)
    groups: dict[str, list[int]] = field(init=False, default_factory=dict)
    notes: list[str] = field(init=False, default_factory=list)
    features: list[_Feature] = field(init=False, default_factory=list)
    labels: np.ndarray = field(init=False)
    label_counts: np.ndarray = field(init=False)
    many_labels: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        for name in (self.target, *(self.columns or ()), *self._roles):
            self.table.check_column(name)
        if self.table.n_rows == 0:
            raise ValueError(f"{self.table.source} has no rows.")
        self.notes += self.table.notes
        self._look_at_target()
        columns, roles = self.columns, self._roles
        if columns is None:
            columns = [name for name in self.table.names if name not in roles]
        if self.target in columns:
            raise ValueError(f"{self.target!r} is the target: it cannot be a feature, too.")
        self._enter_features(columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.features)

    @property
    def _roles(self) -> list[str]:
        """The columns that are no features: the target and the weights."""
        if not self.weight:
            return [self.target]
        return [self.target, self.weight]

    @property
    def target_is_text(self) -> bool:
        """Whether the labels are text; the target is then read as their numbers, 0 for the first."""
        return self.labels.dtype.kind == "U"

    def with_names_as_one(self, most: float) -> StoredProblem:
        """The same with each column of text that has at most so many values as one feature, its values numbered."""
        twin = copy(self)
        twin.features, twin.names, twin.groups = [], [], {}
        for column, made in groupby(self.features, key=lambda feature: feature.column):
            parts = list(made)
            known = tuple(part.value for part in parts if part.value is not None)
            if known and len(known) <= most:
                parts = [_Feature(column, values=known)]
            elif known:
                twin.groups[column] = list(
                    range(len(twin.features), len(twin.features) + len(parts))
                )
            twin.features += parts
            twin.names += [part.name for part in parts]
        return twin

    def labels_of(self, y: np.ndarray) -> np.ndarray:
        """The target as it is in the table, from the numbers that are read."""
        if not self.target_is_text:
            return y
        return self.labels[y.astype(np.intp)]

    # What is looked at once -------------------------------------------------------------------------------------------

    def _look_at_target(self) -> None:
        kind = self.table.kinds[self.target]
        if kind == "other":
            raise ValueError(self._not_a_number(self.target, "the target"))
        row, fraction = 0, False
        labels = np.empty(0, dtype=float if kind == "number" else str)
        for batch in self.table.scan([self.target], SCAN_CELLS):
            found, counts = _label_counts(batch.column(0), kind)
            missing = _are_missing(found)
            if missing.any():
                self._refuse_missing_target(batch.column(0), found[missing], row)
            row += batch.num_rows
            fraction = fraction or (kind == "number" and bool((found != np.round(found)).any()))
            if self.many_labels:
                continue
            if len(labels):
                found, counts = _added(labels, self.label_counts, found, counts)
            labels, self.label_counts = found, counts
            if len(labels) > (MANY_FRACTIONS if fraction else MANY_LABELS):
                self.many_labels = True
                labels = labels[:MANY_FRACTIONS]
        if fraction and (labels == np.round(labels)).all():
            labels = np.append(
                labels, labels[-1] + 0.5
            )  # the labels kept are whole, others are not
        self.labels = labels

    def _refuse_missing_target(self, column: Any, missing: np.ndarray, row: int) -> None:
        if missing.dtype.kind == "f":
            bad = ~np.isfinite(numbers(column))
        else:
            bad = np.isin(np.array(texts(column).to_pylist()), missing)
        where = f"data row {row + int(np.flatnonzero(bad)[0]) + 1}"
        raise ValueError(
            f"{self.table.source}: the target {self.target!r} is missing in {where}: drop those rows."
        )

    def _enter_features(self, columns: Sequence[str]) -> None:
        text = [name for name in columns if self.table.kinds[name] == "text"]
        values = self._text_values(text)
        for name in columns:
            if self.table.kinds[name] == "other":
                raise ValueError(self._not_a_number(name, "column"))
            if name not in values:
                self.features.append(_Feature(name))
                self.names.append(name)
                continue
            found = values[name]
            if found is None:
                continue
            self.groups[name] = list(range(len(self.names), len(self.names) + len(found)))
            self.features += [_Feature(name, value) for value in found]
            self.names += [f"{name}={value}" for value in found]
            self.notes.append(
                f"text column {name!r} became {len(found)} columns, one per value; a search selects them together."
            )
        if not self.features:
            raise ValueError(
                f"{self.table.source}: no column is left beside the target {self.target!r}."
            )

    def _text_values(self, columns: Sequence[str]) -> dict[str, list[str] | None]:
        """The values of each text column, sorted; None, with a note, where there are too many."""
        most = min(max(20, self.n_rows // 2), MANY_TEXTS)
        held: dict[str, set[str] | None] = {name: set() for name in columns}
        if columns:
            for batch in self.table.scan(columns, max(1, SCAN_CELLS // len(columns))):
                for name, column in zip(columns, batch.columns):
                    values = held[name]
                    if values is not None:
                        values.update(texts(column).unique().to_pylist())
                        if len(values) > most:
                            held[name] = None
        many = f"has more than {most} different values (an identifier?): left out."
        self.notes.extend(
            f"text column {name!r} {many}" for name, values in held.items() if values is None
        )
        return {name: None if values is None else sorted(values) for name, values in held.items()}

    def _not_a_number(self, name: str, what: str) -> str:
        value = self.table.sample_value(name)
        return f"{self.table.source}: {what} {name!r} holds {value!r}, numbers or text are due: leave it out with columns=[...]."

    # What is read -----------------------------------------------------------------------------------------------------

    def chunks(
        self, features: Sequence[int], rows: int, allow_nan: bool = False
    ) -> Iterator[Chunk]:
        """Yield ``X, y, weight`` of some features, always of so many rows (the last may be shorter).

        The arrays are used again for the next chunk. How the table is cut into files, row groups and batches does not
        show.
        """
        chunk = self._empty(len(features), min(rows, self.n_rows), "C")
        filled = done = 0
        for batch in self._scan(features, min(len(chunk.y), BATCH)):
            begin = 0
            while begin < batch.num_rows:
                n = min(len(chunk.y) - filled, batch.num_rows - begin)
                self._fill(
                    batch.slice(begin, n),
                    features,
                    chunk.rows(filled, filled + n),
                    done + begin,
                    allow_nan,
                )
                filled, begin = filled + n, begin + n
                if filled == len(chunk.y):
                    yield chunk
                    filled = 0
            done += batch.num_rows
        if filled:
            yield chunk.rows(0, filled)

    def reading_bytes(self, n_features: int) -> int:
        """Memory that reading so many features holds: what the table says, and two batches in the making."""
        n_columns = min(n_features, len(self.table.names)) + 1 + (self.weight is not None)
        return self.table.scan_bytes + n_columns * (
            self.table.reading_bytes + 32 * min(self.n_rows, BATCH)
        )

    def whole(self, features: Sequence[int], allow_nan: bool = False) -> Chunk:
        """Give some features of all rows, X in column-major order."""
        chunk, done = self._empty(len(features), self.n_rows, "F"), 0
        for batch in self._scan(features, min(self.n_rows, BATCH)):
            self._fill(batch, features, chunk.rows(done, done + batch.num_rows), done, allow_nan)
            done += batch.num_rows
        return chunk

    def _empty(self, n_features: int, n_rows: int, order: Literal["C", "F"]) -> Chunk:
        weight = None
        if self.weight is not None:
            weight = np.empty(n_rows)
        return Chunk(np.empty((n_rows, n_features), order=order), np.empty(n_rows), weight)

    def _scan(self, features: Sequence[int], rows: int) -> Iterator[Any]:
        stored = [self.features[j].column for j in features]
        return self.table.scan(list(dict.fromkeys(stored + self._roles)), rows)

    def _fill(
        self, batch: Any, features: Sequence[int], chunk: Chunk, row: int, allow_nan: bool
    ) -> None:
        """Write a batch, which begins at a row of the table, as numbers."""
        where = {name: i for i, name in enumerate(batch.schema.names)}
        codes: dict[str, np.ndarray] = {}
        for k, j in enumerate(features):
            name, value = self.features[j].column, self.features[j].value
            column = batch.column(where[name])
            if (values := self.features[j].values) is not None:
                chunk.X[:, k] = 1 + _codes(column, list(values))
                continue
            if value is None:
                found = numbers(column)
                self._check_finite(found, name, row, allow_nan)
                chunk.X[:, k] = found
                continue
            group = self.groups[name]
            if name not in codes:
                codes[name] = _codes(column, [self.features[i].value for i in group])
            chunk.X[:, k] = codes[name] == j - group[0]
        chunk.y[:] = self._target_numbers(batch.column(where[self.target]))
        if chunk.weight is not None and self.weight is not None:
            chunk.weight[:] = numbers(batch.column(where[self.weight]))
            if not (np.isfinite(chunk.weight).all() and (chunk.weight >= 0).all()):
                raise ValueError(
                    f"{self.table.source}: the weights {self.weight!r} must be non-negative and finite."
                )

    def _target_numbers(self, column: Any) -> np.ndarray:
        if not self.target_is_text:
            return numbers(column)
        return _codes(column, self.labels.tolist()).astype(float)

    def _check_finite(self, values: np.ndarray, name: str, row: int, allow_nan: bool) -> None:
        if np.isfinite(values.sum()):
            return
        bad = ~np.isfinite(values)
        if allow_nan:
            bad = np.isinf(values)
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            what = "NaN"
            remedy = "impute it, drop the row, or use a score that takes missing values"
            if np.isinf(values[at]):
                what = "infinity"
                remedy = "replace it or drop the row"
            raise ValueError(f"column {name!r} holds {what} in row {row + at}: {remedy}.")


def _are_missing(labels: np.ndarray) -> np.ndarray:
    """Which values of a target are missing."""
    if labels.dtype.kind == "f":
        return ~np.isfinite(labels)
    return np.array([is_missing(label) for label in labels])


def _codes(column: Any, values: Sequence[str | None]) -> np.ndarray:
    """The place of each text among the values, -1 where it is none of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(texts(column), value_set=pa.array(values, pa.string()))
    return pc.fill_null(found, -1).to_numpy(zero_copy_only=False)


def _label_counts(column: Any, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values, sorted, and how often each occurs."""
    if kind == "number":
        return np.unique(numbers(column), return_counts=True)
    counted = texts(column).value_counts()
    found = np.array(counted.field(0).to_pylist(), dtype=str)
    order = np.argsort(found)
    return found[order], counted.field(1).to_numpy(zero_copy_only=False)[order]


def _added(
    labels: np.ndarray, counts: np.ndarray, found: np.ndarray, more: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    both, where = np.unique(np.concatenate((labels, found)), return_inverse=True)
    return both, np.bincount(where, np.concatenate((counts, more))).astype(np.int64)
