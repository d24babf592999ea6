"""A stored table with a target, read as numbers a few rows or columns at a time."""

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

SCAN_CELLS = 1 << 18  # cells of a batch in the first pass, over the target and the text columns
BATCH = 1 << 12  # rows of the batches of which longer chunks are made
MANY_TEXTS = 1_000  # a column of text with more distinct values is left out
MANY_LABELS = 100_000  # distinct values of the target that are kept at most
MANY_FRACTIONS = 1_000  # the same where some are fractions, so that they cannot be classes


@dataclass(frozen=True, eq=False)
class _Feature:
    """A feature: a column of numbers, one value of a column of text, or all its values as codes."""

    column: str  # the name of the stored column
    value: str | None = None  # the feature is 1 where the column has this text, else 0
    values: tuple[str, ...] | None = None  # the feature is the position of the text here, from 1

    @property
    def name(self) -> str:
        """The name of the column, with ``=value`` if the feature indicates one value."""
        if self.value is None:
            return self.column
        return f"{self.column}={self.value}"


class Chunk(NamedTuple):
    """Some rows of some features as numbers, with the target and the weights.

    See Also
    --------
    StoredProblem : Reads chunks, with an example.
    """

    X: np.ndarray  # (n_rows, n_features) float64, NaN where a value is missing
    y: np.ndarray  # (n_rows,) the target; text as the numbers of its labels
    weight: np.ndarray | None  # (n_rows,) or None where the problem has no weights

    def rows(self, begin: int, end: int) -> Chunk:
        """Return the rows from `begin` to `end` as views: writing to them changes this chunk."""
        weight = self.weight
        if weight is not None:
            weight = weight[begin:end]
        return Chunk(self.X[begin:end], self.y[begin:end], weight)


@dataclass(eq=False)
class StoredProblem:
    r"""Features and target of a stored table, which are read in blocks.

    A first pass collects the labels of the target and the values of text columns. A text column
    becomes one column per value, as in :func:`subsel.data.read_table`; one with more than 1,000
    values, or with more than 20 values and more than half as many as there are rows, is left out
    with a note.

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
    names, groups, notes : list of str, dict of str to list of int, list of str
        The names of the features, the groups made from one text column, and the notes, as in
        :class:`subsel.data.Table`.
    features : list
        For each feature the stored column, and the text value it indicates.
    labels : ndarray of shape (n_labels,)
        The distinct values of the target, text or numbers, sorted; only some of them if
        ``many_labels``.
    label_counts : ndarray of int of shape (n_labels,)
        The number of rows with each label; only valid unless ``many_labels``.
    many_labels : bool
        Whether the target has more than 100,000 distinct values, or more than 1,000 of which some
        are fractions.

    Examples
    --------
    >>> import tempfile, os
    >>> from subsel.data import open_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "three.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("age,town,y\n30,A,0\n40,B,1\n50,A,1\n")
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
            raise ValueError(
                f"{self.table.source} must hold at least one row of data, but it has no rows."
            )
        self.notes += self.table.notes
        self._read_labels()
        columns, roles = self.columns, self._roles
        if columns is None:
            columns = [name for name in self.table.names if name not in roles]
        if self.target in columns:
            raise ValueError(
                f"columns must not name the target {self.target!r}, which cannot be a feature, too."
            )
        self._add_features(columns)

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
        """Whether the labels are text; ``y`` then holds their positions in ``labels``."""
        return self.labels.dtype.kind == "U"

    def with_names_as_one(self, most: float) -> StoredProblem:
        """Return the problem with each text column of at most `most` values as one coded feature.

        The code of a text is its position among the values of the column, counted from 1.
        """
        twin = copy(self)
        twin.features, twin.names, twin.groups = [], [], {}
        for column, features in groupby(self.features, key=lambda feature: feature.column):
            parts = list(features)
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
        """Return the target as it is in the table, given the numbers that were read for it."""
        if not self.target_is_text:
            return y
        return self.labels[y.astype(np.intp)]

    # The first pass -----------------------------------------------------------------------------

    def _read_labels(self) -> None:
        """Read the target; set `labels`, `label_counts` and `many_labels`."""
        kind = self.table.kinds[self.target]
        if kind == "other":
            raise ValueError(self._kind_error(self.target, "the target"))
        row, fraction = 0, False
        labels = np.empty(0, dtype=float if kind == "number" else str)
        for batch in self.table.scan([self.target], SCAN_CELLS):
            values, counts = _label_counts(batch.column(0), kind)
            missing = _missing(values)
            if missing.any():
                self._refuse_missing_target(batch.column(0), values[missing], row)
            row += batch.num_rows
            fraction = fraction or (kind == "number" and bool((values != np.round(values)).any()))
            if self.many_labels:
                continue
            if len(labels):
                values, counts = _merged_counts(labels, self.label_counts, values, counts)
            labels, self.label_counts = values, counts
            if len(labels) > (MANY_FRACTIONS if fraction else MANY_LABELS):
                self.many_labels = True
                labels = labels[:MANY_FRACTIONS]
        if fraction and (labels == np.round(labels)).all():
            # all labels that were kept are whole numbers, but some of the others are not: a
            # fraction among the labels tells the readers of `labels` that the target is a quantity
            labels = np.append(labels, labels[-1] + 0.5)
        self.labels = labels

    def _refuse_missing_target(self, column: Any, missing: np.ndarray, row: int) -> None:
        """Raise the error for a missing target; the column begins at this row of the table."""
        if missing.dtype.kind == "f":
            bad = ~np.isfinite(numbers(column))
        else:
            bad = np.isin(np.array(texts(column).to_pylist()), missing)
        raise ValueError(
            f"{self.table.source}: the target {self.target!r} is missing in data row "
            f"{row + int(np.flatnonzero(bad)[0]) + 1}; drop the rows without a target."
        )

    def _add_features(self, columns: Sequence[str]) -> None:
        """Fill `features`, `names` and `groups` from these columns, and add to `notes`."""
        text = [name for name in columns if self.table.kinds[name] == "text"]
        values = self._text_values(text)
        for name in columns:
            if self.table.kinds[name] == "other":
                raise ValueError(self._kind_error(name, "column"))
            if name not in values:
                self.features.append(_Feature(name))
                self.names.append(name)
                continue
            levels = values[name]
            if levels is None:
                continue
            self.groups[name] = list(range(len(self.names), len(self.names) + len(levels)))
            self.features += [_Feature(name, value) for value in levels]
            self.names += [f"{name}={value}" for value in levels]
            self.notes.append(
                f"text column {name!r} became {len(levels)} columns, one per value; "
                "a search selects them together."
            )
        if not self.features:
            raise ValueError(
                f"{self.table.source}: no column is left to select from besides the target "
                f"{self.target!r}."
            )

    def _text_values(self, columns: Sequence[str]) -> dict[str, list[str] | None]:
        """Return the values of each text column, sorted; None and a note if they are too many."""
        most = min(max(20, self.n_rows // 2), MANY_TEXTS)
        distinct: dict[str, set[str] | None] = {name: set() for name in columns}
        if columns:
            for batch in self.table.scan(columns, max(1, SCAN_CELLS // len(columns))):
                for name, column in zip(columns, batch.columns):
                    values = distinct[name]
                    if values is not None:
                        values.update(texts(column).unique().to_pylist())
                        if len(values) > most:
                            distinct[name] = None
        sorted_values: dict[str, list[str] | None] = {}
        for name, values in distinct.items():
            if values is None:
                sorted_values[name] = None
                self.notes.append(
                    f"text column {name!r} has more than {most} different values "
                    "(an identifier?): left out."
                )
            else:
                sorted_values[name] = sorted(values)
        return sorted_values

    def _kind_error(self, name: str, what: str) -> str:
        """Return the message for a column that holds neither numbers nor text."""
        value = self.table.sample_value(name)
        return (
            f"{self.table.source}: {what} {name!r} must hold numbers or text, got {value!r}; "
            "convert it, or leave it out with columns=[...]."
        )

    # Reading ------------------------------------------------------------------------------------

    def chunks(
        self, features: Sequence[int], rows: int, allow_nan: bool = False
    ) -> Iterator[Chunk]:
        """Yield chunks of some features, of `rows` rows each (the last one may be shorter).

        The arrays of a chunk are overwritten by the next one. The chunks do not depend on the
        files, row groups and batches of the table.

        Parameters
        ----------
        features : sequence of int
            The numbers of the features.
        rows : int
            The number of rows of a chunk.
        allow_nan : bool
            Whether missing values are given as NaN; otherwise they raise an error.
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
        """Return the bytes that reading so many features takes.

        These are the bytes that the table states, and two batches while they are converted.
        """
        n_columns = min(n_features, len(self.table.names)) + 1 + (self.weight is not None)
        return self.table.scan_bytes + n_columns * (
            self.table.reading_bytes + 32 * min(self.n_rows, BATCH)
        )

    def whole(self, features: Sequence[int], allow_nan: bool = False) -> Chunk:
        """Return all rows of some features; X is in Fortran order."""
        chunk, done = self._empty(len(features), self.n_rows, "F"), 0
        for batch in self._scan(features, min(self.n_rows, BATCH)):
            self._fill(batch, features, chunk.rows(done, done + batch.num_rows), done, allow_nan)
            done += batch.num_rows
        return chunk

    def _empty(self, n_features: int, n_rows: int, order: Literal["C", "F"]) -> Chunk:
        """Return a chunk whose arrays are not filled yet."""
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
        """Overwrite `chunk` with a batch, which begins at row `row` of the table, as numbers."""
        where = {name: i for i, name in enumerate(batch.schema.names)}
        codes: dict[str, np.ndarray] = {}
        for k, j in enumerate(features):
            name, value = self.features[j].column, self.features[j].value
            column = batch.column(where[name])
            if (values := self.features[j].values) is not None:
                chunk.X[:, k] = 1 + _codes(column, list(values))
                continue
            if value is None:
                cells = numbers(column)
                self._check_finite(cells, name, row, allow_nan)
                chunk.X[:, k] = cells
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
                    f"{self.table.source}: the weights {self.weight!r} must be finite and "
                    "non-negative in every row; correct or drop the others."
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
            first = int(np.flatnonzero(bad)[0])
            what = "NaN"
            remedy = "impute it, drop the row, or use a score that takes missing values"
            if np.isinf(values[first]):
                what = "infinity"
                remedy = "replace it or drop the row"
            raise ValueError(
                f"{self.table.source}: column {name!r} holds {what} in row {row + first}: {remedy}."
            )


def _missing(labels: np.ndarray) -> np.ndarray:
    """Return a mask of the values of a target that are missing (or infinite)."""
    if labels.dtype.kind == "f":
        return ~np.isfinite(labels)
    return np.array([is_missing(label) for label in labels])


def _codes(column: Any, values: Sequence[str | None]) -> np.ndarray:
    """Return the position of each text among the values, -1 where it is none of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = pc.index_in(texts(column), value_set=pa.array(values, pa.string()))
    return pc.fill_null(codes, -1).to_numpy(zero_copy_only=False)


def _label_counts(column: Any, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct values of a column, sorted, and how often each occurs."""
    if kind == "number":
        return np.unique(numbers(column), return_counts=True)
    value_counts = texts(column).value_counts()
    values = np.array(value_counts.field(0).to_pylist(), dtype=str)
    order = np.argsort(values)
    return values[order], value_counts.field(1).to_numpy(zero_copy_only=False)[order]


def _merged_counts(
    labels: np.ndarray, counts: np.ndarray, more_labels: np.ndarray, more_counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted union of two sets of labels, and the sum of their counts."""
    union, where = np.unique(np.concatenate((labels, more_labels)), return_inverse=True)
    return union, np.bincount(where, np.concatenate((counts, more_counts))).astype(np.int64)
