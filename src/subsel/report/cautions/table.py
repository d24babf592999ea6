"""What a table itself should make a reader doubt: leakage, identifiers, duplicates, too few rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import comb
from typing import Any, Literal

import numpy as np
from scipy import sparse

from subsel.data.task import is_frame
from subsel.report.cautions.caution import Caution
from subsel.report.figures.display import named
from subsel.report.labels import read_columns

__all__ = ["table_cautions"]

MOST_CELLS = 20_000_000  # tables larger than this are looked at in their chosen columns only
VERY_FEW_ROWS, FEW_ROWS, FEW_IN_CLASS = 50, 100, 10


def table_cautions(
    X: Any, y: np.ndarray, names: Sequence[str], kind: str, scoring: str, chosen: Sequence[int]
) -> Iterator[Caution]:
    """What speaks against any selection from this table."""
    yield from _alone(X, y, names, kind, chosen)
    yield from _identifiers(X, names, chosen)
    yield from _duplicates(X, y)
    yield from _few_rows(X, y, kind)
    if kind == "classification":
        yield from _skewed(y, scoring)


def _alone(
    X: Any, y: np.ndarray, names: Sequence[str], kind: str, chosen: Sequence[int]
) -> Iterator[Caution]:
    """Columns that alone predict the target without error: usually the target in disguise."""
    perfect = [j for j, values in _columns(X, chosen) if _predicts(values, y, kind)]
    if not perfect:
        return
    text = (
        f"{named([names[j] for j in perfect], 10)}: alone enough to tell the target without error in these rows. "
        "Check that the values were known before the target was, and are not a copy or a consequence of it."
    )
    if kind == "classification":
        chance = _separated_by_chance(y, X.shape[1])
        if chance > 0.01:
            text += (
                f" With so few rows and so many columns, {chance:.2g} such columns are expected by "
                "chance."
            )
    yield Caution("serious", "A feature alone predicts the target", text)


def _predicts(values: np.ndarray, y: np.ndarray, kind: str) -> bool:
    """Whether one threshold per pair of classes, or the order of the values, gives the target."""
    if np.isnan(values).any():
        return False
    order = np.argsort(values, kind="stable")
    sorted_values, target = values[order], y[order]
    if kind == "regression":
        steps = np.diff(target.astype(float))
        return (
            len(np.unique(values)) > 2
            and bool((steps >= 0).all() or (steps <= 0).all())
            and bool(steps.any())
        )
    changes = np.flatnonzero(target[1:] != target[:-1])
    clean = sorted_values[changes + 1] != sorted_values[changes]
    return len(changes) == len(np.unique(y)) - 1 and bool(clean.all())


def _separated_by_chance(y: np.ndarray, n_columns: int) -> float:
    """How many of so many noise columns without ties separate two classes by one threshold."""
    counts = np.unique(y, return_counts=True)[1]
    if len(counts) != 2:
        return 0.0
    return 2 * n_columns / comb(len(y), int(counts[0]))


def _identifiers(X: Any, names: Sequence[str], chosen: Sequence[int]) -> Iterator[Caution]:
    """Columns that number the rows."""
    like = [j for j, values in _columns(X, chosen) if _numbers_rows(values, str(names[j]))]
    advice = "Such columns carry the order in which rows were collected, not something new rows will have."
    if used := [names[j] for j in like if j in chosen]:
        text = f"{named(used, 10)}: whole numbers, all different. {advice} Forbid them and select again."
        yield Caution("serious", "A chosen column looks like an identifier", text)
    if others := [names[j] for j in like if j not in chosen]:
        yield Caution(
            "note",
            "A column looks like an identifier",
            f"{named(others, 10)} (not chosen). {advice}",
        )


def _numbers_rows(values: np.ndarray, name: str) -> bool:
    """Whole numbers, all different, that follow the rows, fill a range, or are named as an identifier."""
    if len(values) < 10 or not np.isfinite(values).all() or (values != np.round(values)).any():
        return False
    if len(np.unique(values)) < len(values):
        return False
    steps = np.diff(values)
    in_order, full = bool((steps > 0).all() or (steps < 0).all()), np.ptp(values) == len(values) - 1
    return (
        in_order
        or full
        or re.search(r"(^|[\W_])(id|index|idx|key|uuid|row|nr|no|number)$", name, re.I) is not None
    )


def _duplicates(X: Any, y: np.ndarray) -> Iterator[Caution]:
    """Rows that occur more than once: the same row in training and test makes both agree."""
    if X.shape[0] * X.shape[1] > MOST_CELLS and not sparse.issparse(X):
        return
    keys = _row_keys(X)
    seen: dict[bytes, Any] = {}
    repeated = contrary = 0
    for key, target in zip(keys, y.tolist()):
        if key in seen:
            repeated += 1
            contrary += seen[key] != target
        else:
            seen[key] = target
    if repeated:
        text = f"{repeated:,} of {len(y):,} rows repeat the features of an earlier row"
        if contrary:
            text += f", {contrary:,} of them with another target"
        level: Literal["serious", "note"] = "serious" if repeated > 0.05 * len(y) else "note"
        advice = (
            "If they are the same case twice, remove them, or keep them in one fold by giving groups: "
            "otherwise a model is tested on rows it has seen."
        )
        yield Caution(level, "Duplicated rows", f"{text}. {advice}")


def _few_rows(X: Any, y: np.ndarray, kind: str) -> Iterator[Caution]:
    n, p = X.shape
    if n < FEW_ROWS:
        text = (
            f"With {n} rows one row more or less right changes a score by {1 / n:.1%}; expect the choice and "
            "the score to change with new rows."
        )
        yield Caution("serious" if n < VERY_FEW_ROWS else "note", "Few rows", text)
    if kind == "classification":
        classes, counts = np.unique(y, return_counts=True)
        if counts.min() < FEW_IN_CLASS:
            text = f"Class {classes[np.argmin(counts)]} has {counts.min()} rows: little can be said about it."
            yield Caution("serious", "A very small class", text)
    if p > 10 * n:
        text = (
            f"{p:,} columns for {n:,} rows: some noise columns will look good by chance, and many different "
            "subsets will look alike."
        )
        yield Caution("note", "Many more columns than rows", text)


def _skewed(y: np.ndarray, scoring: str) -> Iterator[Caution]:
    classes, counts = np.unique(y, return_counts=True)
    if counts.max() < 3 * counts.min():
        return
    share = f"Class {classes[np.argmax(counts)]} has {counts.max() / len(y):.0%} of the rows."
    if scoring == "accuracy":
        text = (
            f"{share} Always guessing it is right so often; score by balanced accuracy instead (--scoring "
            "balanced_accuracy)."
        )
        yield Caution("serious", "Skewed classes", text)
    else:
        measure = scoring.replace("_", " ") or "the measure given"
        yield Caution("note", "Skewed classes", f"{share} The search was guided by {measure}.")


# Reading tables of any kind ---------------------------------------------------------------------------------------


def _columns(X: Any, chosen: Sequence[int]) -> Iterator[tuple[int, np.ndarray]]:
    """Each column as numbers, if it holds some; of a large table the chosen columns only."""
    columns = list(range(X.shape[1]))
    if X.shape[0] * X.shape[1] > MOST_CELLS:
        columns = list(chosen)
    for j, column in zip(columns, read_columns(X, columns)):
        try:
            yield j, column.astype(float)
        except (TypeError, ValueError):
            continue


def _row_keys(X: Any) -> Iterator[bytes]:
    """The bytes of each row: equal for equal rows."""
    if sparse.issparse(X):
        rows = sparse.csr_matrix(X, copy=True)
        rows.eliminate_zeros()
        rows.sort_indices()
        ends = rows.indptr
        yield from (
            rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in pairwise(ends)
        )
        return
    if is_frame(X):
        X = X.to_numpy()
    if X.dtype == object:
        yield from (repr(row.tolist()).encode() for row in X)
        return
    yield from (
        row.tobytes() for row in np.ascontiguousarray(X) + np.zeros(1, dtype=X.dtype)
    )  # no -0.0
