"""The task: bad data are refused with the column, the value and the remedy.

Good data pass unchanged.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from subsel.data.task import Task, guess_kind

X = np.arange(12.0).reshape(4, 3)
Y = np.array([0, 1, 0, 1])


def with_cell(value):
    bad = X.copy()
    bad[2, 1] = value
    return bad


BAD = {
    "nan": (with_cell(np.nan), Y, {}, r"column 'x1' holds NaN in row 2 .*impute"),
    "inf": (with_cell(np.inf), Y, {}, r"column 'x1' holds infinity in row 2"),
    "inf in sparse rows": (
        sparse.csr_array(with_cell(np.inf)),
        Y,
        {},
        r"column 'x1' holds infinity in row 2",
    ),
    "nan in sparse columns": (
        sparse.csc_array(with_cell(np.nan)),
        Y,
        {},
        r"column 'x1' holds NaN in row 2",
    ),
    "nan in a frame": (
        pd.DataFrame(with_cell(np.nan), columns=list("abc")),
        Y,
        {},
        r"column 'b' holds NaN in row 2",
    ),
    "nan in polars": (
        pl.DataFrame(with_cell(np.nan), schema=list("abc")),
        Y,
        {},
        r"column 'b' holds NaN in row 2",
    ),
    "text": (np.array([["a", "b"]] * 4), Y, {}, "X must hold numbers, got values of type <U1"),
    "one class": (X, np.zeros(4), {"kind": "classification"}, "one class only"),
    "no rows": (X[:0], Y[:0], {}, "0 rows and 3 columns"),
    "no columns": (X[:, :0], Y, {}, "4 rows and 0 columns"),
    "one dimension": (X[0], Y[:3], {}, "table of rows and columns"),
    "length": (X, Y[:3], {}, "X has 4 rows, y has 3"),
    "two targets": (X, np.column_stack([Y, Y]), {}, "one target at a time"),
    "multilabel": (X, sparse.csr_array(np.column_stack([Y, Y])), {}, "one label at a time"),
    "survival": (
        X,
        np.array([(True, 1.0)] * 4, dtype=[("event", bool), ("time", float)]),
        {},
        "survival",
    ),
    "missing target": (X, np.array([0, 1, np.nan, 1]), {}, "y is missing .* in row 2"),
    "missing text target": (X, np.array(["a", None, "b", "a"], dtype=object), {}, "row 1"),
    "duplicate names": (pd.DataFrame(X, columns=["a", "b", "a"]), Y, {}, "'a' occurs twice"),
    "text target": (X, np.array(list("abab")), {"kind": "regression"}, "numeric for regression"),
    "weights": (X, Y, {"sample_weight": [1, 2, 3]}, "sample_weight must hold one value per row"),
    "negative weights": (X, Y, {"sample_weight": [1, 2, 3, -1]}, "non-negative"),
    "row groups": (X, Y, {"groups": [1]}, "groups must hold one value per row"),
}


@pytest.mark.parametrize(("table", "y", "options", "message"), BAD.values(), ids=BAD.keys())
def test_bad_data_are_refused_with_a_remedy(table, y, options, message):
    """Each kind of bad input has a message of its own."""
    with pytest.raises(ValueError, match=message):
        Task.of(table, y, **options)


@pytest.mark.parametrize(
    "make",
    [np.asarray, pd.DataFrame, sparse.csr_matrix, sparse.csc_array, lambda a: pl.DataFrame(a)],
)
def test_tables_of_every_kind_give_the_same_numbers(make):
    """Dense, sparse and framed tables have the same matrix; selecting columns keeps their kind."""
    task = Task.of(make(X), Y)
    assert task.matrix.flags.f_contiguous
    assert np.array_equal(task.matrix, X)
    chosen = task.select(np.array([0, 2]))
    assert type(chosen) is type(task.X)
    assert chosen.shape == (4, 2)
    assert np.array_equal(task.rows(np.array([3, 1])).matrix, X[[3, 1]])


def test_missing_values_pass_where_the_estimator_accepts_them():
    """With allow_nan a NaN stays, an infinity does not."""
    assert np.isnan(Task.of(with_cell(np.nan), Y, allow_nan=True).X[2, 1])
    with pytest.raises(ValueError, match="infinity"):
        Task.of(with_cell(np.inf), Y, allow_nan=True)


def test_frames_keep_their_categories():
    """A frame with text columns is a task.

    Only an evaluator that needs numbers refuses it, by name.
    """
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": pd.Categorical(list("xyxy"))})
    task = Task.of(frame, Y)
    assert task.select(np.array([1])).dtypes.iloc[0] == "category"
    with pytest.raises(ValueError, match="column 'b' is not numeric"):
        _ = task.matrix


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["a", "b"], "classification"),
        ([True, False], "classification"),
        ([0, 1, 2], "classification"),
        ([0.0, 1.0], "classification"),
        ([0.5, 1.0], "regression"),
        (list(range(21)), "regression"),
    ],
)
def test_the_kind_of_task_is_guessed_from_the_target(y, kind):
    """Text, truth values and few whole numbers are classes, anything else a quantity."""
    assert guess_kind(np.array(y)) == kind
