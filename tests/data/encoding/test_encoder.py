"""TableEncoder: frames become numbers column by column, and gaps are filled by training rows."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.impute import KNNImputer
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.data import TableEncoder
from subsel.data.encoding.kinds import MOST_LEVELS
from subsel.data.encoding.missing_values import without_gaps

nan = np.nan


@parametrize_with_checks([TableEncoder(), TableEncoder("knn"), TableEncoder("none")])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def day(text):
    return datetime.date.fromisoformat(text)


# cells, names that come out, numbers of the second row
COLUMNS = {
    "numbers": ([1, 2, 4], ["c"], [2]),
    "numbers with a gap": ([1.0, None, 4.0], ["c", "c (missing)"], [2.5, 1]),
    "numbers in text": (["1", " 2.5 ", "NA"], ["c", "c (missing)"], [2.5, 0]),
    "numbers as objects": (np.array([1, 2.5, 4], dtype=object), ["c"], [2.5]),
    "nullable numbers": (pd.array([1, None, 4], dtype="Int64"), ["c", "c (missing)"], [2.5, 1]),
    "truth values": ([True, False, True], ["c"], [0]),
    "truth values with a gap": (pd.array([True, None, True], dtype="boolean"), ["c", "c (missing)"], [1, 1]),
    "truth objects": (np.array([True, None, False], dtype=object), ["c", "c (missing)"], [0, 1]),
    "yes and no": (["yes", "No", "yes"], ["c"], [0]),
    "text": (["u", "v", "u"], ["c=u", "c=v"], [0, 1]),
    "text with a gap": (["u", None, "u"], ["c=u", "c (missing)"], [1, 1]),
    "categories of numbers": (pd.Categorical([3, 1, 3]), ["c=1", "c=3"], [1, 0]),
    "dates in text": (
        ["2020-03-01", "2021-03-02", "2020-03-01"], ["c (year)", "c (month)", "c (weekday)", "c (days)"],
        [2021, 3, 1, 366],
    ),
    "dates": (
        [day("2020-03-01"), day("2021-03-02"), None],
        ["c (year)", "c (month)", "c (weekday)", "c (days)", "c (missing)"], [2021, 3, 1, 366, 0],
    ),
    "times of a zone": (
        pd.to_datetime(["2020-03-01 23:30", "2021-03-02 10:00", "2020-03-01 10:00"]).tz_localize("Europe/Paris"),
        ["c (year)", "c (month)", "c (weekday)", "c (days)"], [2021, 3, 1, 366],
    ),
    "lengths of time": (pd.to_timedelta([1, 36, 2], unit="h") * 2, ["c"], [3]),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "names", "second"), COLUMNS.values(), ids=COLUMNS)
def test_columns_of_every_kind(cells, names, second):
    """A column becomes the numbers a person would write down for it, whichever library holds it."""
    frame = pd.DataFrame({"c": cells, "x": [5, 6, 7]})
    encoder = TableEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == [*names, "x"]
    assert_array_equal(encoder.origin_, [0] * len(names) + [1])
    assert_allclose(encoder.transform(frame)[1], [*second, 6])


POLARS = {
    "numbers": pl.Series([1, None, 4]),
    "truth": pl.Series([True, None, False]),
    "text": pl.Series(["u", None, "v"]),
    "categories": pl.Series(["u", None, "v"], dtype=pl.Categorical),
    "dates": pl.Series([day("2020-03-01"), None, day("2021-03-02")]),
    "times": pl.Series([datetime.datetime(2020, 3, 1, 5), None, datetime.datetime(2021, 3, 2, 6)]),
    "lengths": pl.Series([datetime.timedelta(days=1), None, datetime.timedelta(hours=36)]),
}


@pytest.mark.parametrize("column", POLARS.values(), ids=POLARS)
def test_polars_as_pandas(column):
    """The same column of polars and of pandas becomes the same numbers under the same names."""
    frame = pl.DataFrame({"c": column})
    other = pd.DataFrame({"c": column.to_list()})
    ours, theirs = TableEncoder().fit(frame), TableEncoder().fit(other)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert_allclose(ours.transform(frame), theirs.transform(other))


def test_what_fills_gaps_comes_from_the_rows_it_was_fitted_on():
    """New rows never change what is filled in.

    Medians, most frequent values and levels are those of fit.
    """
    train = pd.DataFrame({"a": [1.0, 2.0, nan, 6.0], "t": ["u", "u", "v", None]})
    encoder = TableEncoder().fit(train)
    new = pd.DataFrame({"a": [nan, 100.0], "t": [None, "w"]})
    assert_array_equal(encoder.transform(new), [[2, 1, 1, 0, 1], [100, 0, 0, 0, 0]])
    assert_array_equal(encoder.transform(new.iloc[:1]), encoder.transform(new)[:1])


def test_gaps_left_as_they_are():
    """Numbers and dates stay NaN for models that read them; missing text is a value of its own."""
    frame = pd.DataFrame({"a": [1.0, nan, 3.0], "t": ["u", None, "v"]})
    assert_array_equal(TableEncoder("none").fit_transform(frame)[1], [nan, 1, 0, 0, 1])


def test_nearest_rows_fill_in_columns_of_unit_spread():
    """Against scikit-learn's imputer on standardised columns.

    The unit of a column makes no difference.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) * [1, 1000, 0.01, 1]
    X[rng.random((60, 4)) < 0.1] = nan
    encoder = TableEncoder("knn").fit(X)
    kept = ~np.char.endswith(encoder.get_feature_names_out().astype(str), "(missing)")
    marks = np.isnan(X)[:, np.isnan(X).any(axis=0)].astype(float)
    wide = np.column_stack([X, marks])
    spread = np.nanstd(wide, axis=0)
    oracle = KNNImputer().fit_transform(wide / spread)[:, :4] * spread[:4]
    assert_allclose(encoder.transform(X)[:, kept], oracle)


def test_rare_values_share_a_column():
    """The most frequent of many values have a column each; all others share the last."""
    cells = [f"v{k:02}" for k in range(30) for _ in range(1 + (k < 10))] * 2
    encoder = TableEncoder().fit(pd.DataFrame({"t": cells}))
    names = encoder.get_feature_names_out().tolist()
    assert (
        len(names) == MOST_LEVELS
        and names[-1] == "t (other)"
        and names[:10] == [f"t=v{k:02}" for k in range(10)]
    )
    told = encoder.transform(pd.DataFrame({"t": ["v03", "v29", "never seen"]}))
    assert_array_equal(told.argmax(axis=1), [3, MOST_LEVELS - 1, MOST_LEVELS - 1])
    assert any("30 values" in note for note in encoder.notes_)


def test_what_cannot_be_learnt_from_is_left_out_with_a_note():
    """Row numbers, identifiers and empty columns are left out.

    A table of nothing else is refused.
    """
    frame = pd.DataFrame(
        {
            "id": range(7, 37),
            "who": [f"p{i}" for i in range(30)],
            "e": [None] * 30,
            "a": [1, 2] * 15,
        }
    )
    encoder = TableEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["a"] and encoder.origin_.tolist() == [3]
    told = " ".join(encoder.notes_)
    assert (
        "'id' numbers the rows" in told
        and "'who' has 30 different values" in told
        and "'e' is empty" in told
    )
    with pytest.raises(
        ValueError, match="must have a column that can be selected, but all 1 are left out"
    ):
        TableEncoder().fit(frame[["who"]])


def test_plans_of_another_encoder_keep_the_columns():
    """With plans given only the filling is learnt, so that all folds have the same columns.

    New columns are planned.
    """
    whole = pd.DataFrame({"a": [1.0, nan, 3.0, 5.0], "t": ["u", "v", "w", "u"]})
    plans = TableEncoder().fit(whole).plans_
    part = TableEncoder(plans=plans).fit(whole.iloc[[0, 3]])
    assert part.get_feature_names_out().tolist() == ["a", "a (missing)", "t=u", "t=v", "t=w"]
    assert_array_equal(part.transform(whole.iloc[[1]]), [[3, 1, 0, 1, 0]])
    assert TableEncoder(plans=plans).fit(whole[["t"]]).origin_.tolist() == [0, 0, 0]
    more = TableEncoder(plans=plans).fit(whole.assign(b=["x", "y", "x", "y"]))
    assert more.origin_.tolist() == [0, 0, 1, 1, 1, 2, 2]


def test_columns_are_found_by_name():
    """New rows may have their columns in another order, and more of them.

    A missing one is named.
    """
    frame = pd.DataFrame({"a": [1, 2], "t": ["u", "v"]})
    encoder = TableEncoder().fit(frame)
    assert_array_equal(
        encoder.transform(frame.assign(z=0)[["z", "t", "a"]]), encoder.transform(frame)
    )
    with pytest.raises(ValueError, match="column 'a' is missing"):
        encoder.transform(frame[["t"]])


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        ([1, 2], ["one", "2"], "column 'c' must hold numbers, .* got 'one'"),
        (
            ["2020-01-01", "2020-01-02"],
            ["soon", "later"],
            "column 'c' must hold dates, .* got 'soon'",
        ),
        ([1.0, np.inf], [1.0, 2.0], "column 'c' holds infinity in row 1"),
    ],
)
def test_what_does_not_fit_is_named(before, now, message):
    """A column that changes its kind, and infinity, are refused by name."""
    with pytest.raises(ValueError, match=message):
        TableEncoder().fit(pd.DataFrame({"c": before})).transform(pd.DataFrame({"c": now}))


def test_text_that_looks_like_numbers_in_new_rows_stays_text():
    """The kind of a column is that of fit: "7" among words is a word, also alone."""
    encoder = TableEncoder().fit(pd.DataFrame({"c": ["7", "x", "7"]}))
    assert_array_equal(encoder.transform(pd.DataFrame({"c": ["7", "7"]})), [[1, 0], [1, 0]])


def test_a_table_without_gaps_is_not_copied():
    """Filling by medians gives back what has no gaps, and fills nothing else."""
    X = np.arange(6.0).reshape(3, 2)
    assert without_gaps(X) is X
    X[0, 1] = nan
    assert_array_equal(without_gaps(X), [[0, 4], [2, 3], [4, 5]])


def test_frames_out():
    """set_output gives frames with the names of the encoded columns."""
    frame = pd.DataFrame({"a": [1, 2], "t": ["u", "v"]}, index=[7, 9])
    told = TableEncoder().set_output(transform="pandas").fit_transform(frame)
    assert told.columns.tolist() == ["a", "t=u", "t=v"] and told.index.tolist() == [7, 9]
