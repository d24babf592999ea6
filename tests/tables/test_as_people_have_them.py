"""Tables as people have them: 40 small files, and what must be read from each."""

import datetime
import gzip

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from subsel.data import StoredProblem, open_table, read_table
from subsel.data.files.dialect import Dialect

nan = np.nan


def rows(*lines, end="\n"):
    return end.join(lines)


# content, encoding, names, first column of X, target, something that is noted ("" for nothing)
FILES = {
    "plain": (rows("a,b,y", "1,2,0", "3,4,1"), "utf-8", ["a", "b"], [1, 3], [0, 1], ""),
    "spaces after commas": (rows("a, b, y", "1, 2, 0", "3, 4, 1"), "utf-8", ["a", "b"], [1, 3], [0, 1], ""),
    "windows line ends": (rows("a,y", "1,0", "3,1", end="\r\n"), "utf-8", ["a"], [1, 3], [0, 1], ""),
    "old mac line ends": (rows("a,y", "1,0", "3,1", end="\r"), "utf-8", ["a"], [1, 3], [0, 1], ""),
    "blank lines": (rows("", "a,y", "", "1,0", "  ", "3,1", ""), "utf-8", ["a"], [1, 3], [0, 1], ""),
    "semicolons": (rows("a;y", "1;0", "3;1"), "utf-8", ["a"], [1, 3], [0, 1], "read as ; separated."),
    "tabs": (rows("a\ty", "1\t0", "3\t1"), "utf-8", ["a"], [1, 3], [0, 1], "read as tab separated."),
    "bars": (rows("a|y", "1|0", "3|1"), "utf-8", ["a"], [1, 3], [0, 1], "read as | separated."),
    "decimal commas": (rows("a;y", "1,5;0", "3;1"), "utf-8", ["a"], [1.5, 3], [0, 1], "; separated, decimal comma."),
    "decimal commas and tabs": (rows("a\ty", "1,5\t0", "-3,25\t1"), "utf-8", ["a"], [1.5, -3.25], [0, 1], "decimal comma"),
    "points among semicolons": (rows("a;t;y", "1.5;x,y;0", "3;z;1"), "utf-8", ["a", "t=x,y", "t=z"], [1.5, 3], [0, 1], "; sep"),
    "a decimal target": (rows("a;y", "1;0,5", "3;1,5"), "utf-8", ["a"], [1, 3], [0.5, 1.5], "decimal comma"),
    "German Excel": (
        rows("größe;y", "1,5;männlich", "3;weiblich", end="\r\n"), "cp1252", ["größe"], [1.5, 3],
        ["männlich", "weiblich"], "read as ; separated, decimal comma, cp1252.",
    ),
    "UTF-8 with a mark": (rows("a,y", "1,0", "3,1"), "utf-8-sig", ["a"], [1, 3], [0, 1], ""),
    "UTF-16": (rows("å,y", "1,0", "3,1"), "utf-16", ["å"], [1, 3], [0, 1], "read as utf-16."),
    "UTF-16 tabs": (rows("a\ty", "1,5\t0", "3\t1"), "utf-16", ["a"], [1.5, 3], [0, 1], "tab separated, decimal comma, utf-16."),
    "no header": (rows("1.5,2,0", "3.5,2,1"), "utf-8", ["column 1", "column 2"], [1.5, 3.5], [0, 1], "without a header"),
    "no header, a class": (rows("5.1,3.5,u", "4.9,3.0,v"), "utf-8", ["column 1", "column 2"], [5.1, 4.9], ["u", "v"], "without a header"),
    "zeros and ones": (rows("1,0,1", "0,1,0"), "utf-8", ["column 1", "column 2"], [1, 0], [1, 0], "without a header"),
    "years as names": (rows("2019,2020,y", "1,2,0", "3,4,1"), "utf-8", ["2019", "2020"], [1, 3], [0, 1], ""),
    "quoted cells": (rows('"a","b, c","y"', '"1","2","0"', '"3","4","1"'), "utf-8", ["a", "b, c"], [1, 3], [0, 1], ""),
    "a line end in a name": (rows('"a\nb",y', "1,0", "3,1"), "utf-8", ["a\nb"], [1, 3], [0, 1], ""),
    "inches": (rows("a,t,y", '1,5",0', '3,6",1'), "utf-8", ["a", 't=5"', 't=6"'], [1, 3], [0, 1], "became 2 columns"),
    "names twice": (rows("a,a,y", "1,2,0", "3,4,1"), "utf-8", ["a", "a (2)"], [1, 3], [0, 1], "occur more than once"),
    "no names": (rows(",,y", "1,2,0", "3,4,1"), "utf-8", ["", " (2)"], [1, 3], [0, 1], "occur more than once"),
    "missing cells": (rows("a,b,y", ",2,0", "3,4,1"), "utf-8", ["a", "b"], [nan, 3], [0, 1], ""),
    "words for missing": (rows("a,y", "NA,0", "#N/A,1", "null,0", "?,1", "7,0"), "utf-8", ["a"], [nan] * 4 + [7], [0, 1, 0, 1, 0], ""),
    "true and false": (rows("a,y", "TRUE,0", "FALSE,1", ",1"), "utf-8", ["a"], [1, 0, nan], [0, 1, 1], ""),
    "yes and no": (rows("a,y", "yes,0", "no,1", "Yes,1"), "utf-8", ["a"], [1, 0, 1], [0, 1, 1], ""),
    "text": (rows("t,y", "u,0", "v,1"), "utf-8", ["t=u", "t=v"], [1, 0], [0, 1], "became 2 columns"),
    "dates": (
        rows("d,y", "2020-03-01,0", "2021-03-02,1"), "utf-8",
        ["d (year)", "d (month)", "d (weekday)", "d (days)"], [2020, 2021], [0, 1], "column 'd' holds dates",
    ),
    "German dates": (
        rows("d;y", "01.03.2020;0", "31.12.2021;1"), "utf-8",
        ["d (year)", "d (month)", "d (weekday)", "d (days)"], [2020, 2021], [0, 1], "column 'd' holds dates",
    ),
    "British dates, one missing": (
        rows("d,y", "13/03/2020,0", ",1", "01/12/2021,1"), "utf-8",
        ["d (year)", "d (month)", "d (weekday)", "d (days)"], [2020, nan, 2021], [0, 1, 1], "column 'd' holds dates",
    ),
    "times": (
        rows("d,y", "2020-03-01T10:00:00Z,0", "2021-03-02 11:30,1"), "utf-8",
        ["d (year)", "d (month)", "d (weekday)", "d (days)"], [2020, 2021], [0, 1], "column 'd' holds dates",
    ),
    "row numbers": (rows("id,a,y", *(f"{i},{i % 3},{i % 2}" for i in range(1, 31))), "utf-8", ["a"], [i % 3 for i in range(1, 31)], [i % 2 for i in range(1, 31)], "'id' numbers the rows"),
    "codes of persons": (rows("who,a,y", *(f"p{i},{i % 3},{i % 2}" for i in range(30))), "utf-8", ["a"], [i % 3 for i in range(30)], [i % 2 for i in range(30)], "an identifier?"),
    "a word among numbers": (rows("a,age,y", *(f"{i},{'unknown' if i == 7 else i % 9},{i % 2}" for i in range(30))), "utf-8", ["a"] + [f"age={k}" for k in [*range(9), "unknown"]], list(range(30)), [i % 2 for i in range(30)], "'age' would hold numbers but for 'unknown'"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "encoding", "names", "first", "target", "note"), FILES.values(), ids=FILES
)
def test_text_tables(tmp_path, content, encoding, names, first, target, note):
    """Names, numbers and target are what a person sees in the file; what is unusual is noted."""
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode(encoding))
    table = read_table(path, "-1")
    assert list(table.names) == names
    assert_array_equal(table.X[:, 0], first)
    assert table.y.tolist() == target
    assert note in " ".join(table.notes) if note else table.notes == []


def test_a_packed_table(tmp_path):
    """A gzipped file is read as it was before."""
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("größe;y\n1,5;0\n2;1\n".encode("cp1252")))
    table = read_table(tmp_path / "t.csv.gz", "y")
    assert list(table.names) == ["größe"] and table.X.tolist() == [[1.5], [2.0]]


def test_parquet_with_times_and_truths(tmp_path):
    """Timestamps are dates, truth values one column, missing ones NaN."""
    frame = pd.DataFrame(
        {"d": pd.to_datetime(["2020-03-01 10:00", None]), "b": [True, False], "y": [0, 1]}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", "y")
    assert table.groups == {"d": [0, 1, 2, 3]} and table.names[4] == "b"
    assert_array_equal(table.X, [[2020, 3, 6, 0, 1], [nan] * 4 + [0]])


def test_excel(tmp_path):
    """Numbers, dates, truth values, text and gaps of the first sheet."""
    openpyxl = pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    workbook = openpyxl.Workbook()
    for row in (
        ["a", "d", "b", "t", "y"],
        [1.5, datetime.date(2020, 3, 1), True, "u", 0],
        [None, None, False, "v", 1],
    ):
        workbook.active.append(row)
    workbook.save(tmp_path / "t.xlsx")
    table = read_table(tmp_path / "t.xlsx", "y")
    assert table.file_columns == {"a": [0], "d": [1, 2, 3, 4], "b": [5], "t": [6, 7]}
    assert_array_equal(table.X, [[1.5, 2020, 3, 6, 0, 1, 1, 0], [nan, nan, nan, nan, nan, 0, 0, 1]])


def test_a_broken_workbook_is_named(tmp_path):
    """Bytes that are no workbook are refused in one line."""
    pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(ValueError, match=r"t\.xlsx is not a readable Excel workbook"):
        read_table(tmp_path / "t.xlsx", "y")


def test_what_is_told_wins(tmp_path):
    """A dialect that is given is taken instead of the one that is told from the file."""
    (tmp_path / "t.csv").write_text("1;2\n3;4\n")
    dialect = Dialect.of(tmp_path / "t.csv", header=False)
    table = read_table(tmp_path / "t.csv", "column 2", dialect=dialect)
    assert table.X.tolist() == [[1], [3]] and table.y.tolist() == [2, 4]
    assert read_table(tmp_path / "t.csv", "2").y.tolist() == [4]


def test_groups_and_weights_are_no_features(tmp_path):
    """Columns of groups and weights are set aside, by name or position."""
    (tmp_path / "t.csv").write_text("a,who,w,y\n1,p,1,0\n2,p,0.5,1\n3,q,2,0\n")
    table = read_table(tmp_path / "t.csv", "y", groups="who", weights="3")
    assert list(table.names) == ["a"] and table.file_columns == {"a": [0]}
    assert table.row_groups.tolist() == ["p", "p", "q"] and table.sample_weight.tolist() == [
        1,
        0.5,
        2,
    ]
    with pytest.raises(ValueError, match="the weights 'who' must be numbers"):
        read_table(tmp_path / "t.csv", "y", weights="who")


ONLY_WHOLE = {"blank lines", "old mac line ends", "names twice", "no names", "row numbers"}


@pytest.mark.parametrize("name", [name for name in FILES if name not in ONLY_WHOLE])
def test_tables_left_on_disk(tmp_path, name):
    """A file left on disk is read in the same dialect.

    Same rows, same numbers in the columns of numbers, same note.
    """
    content, encoding, *_ = FILES[name]
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode(encoding))
    whole, stored = read_table(path, "-1"), open_table(path)
    problem = StoredProblem(stored, stored.names[-1])
    X = problem.whole(range(problem.n_features), allow_nan=True).X
    assert problem.n_rows == len(whole.y)
    for j, column in enumerate(problem.names):
        if column in whole.names and stored.kinds.get(column) == "number":
            assert_array_equal(X[:, j], whole.X[:, list(whole.names).index(column)])
    assert [n for n in problem.notes if n.startswith("read as")] == [
        n for n in whole.notes if n.startswith("read as")
    ]
