"""Stored tables know their content, yield rows in order, and name what is wrong with them."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from subsel.data import StoredProblem, open_table, read_table
from subsel.data.files.arrow_columns import numbers
from tests.data.stored.stored_tables import write_csv, write_duckdb, write_parquet

DATA = {
    "i": np.arange(1000),
    "x": np.random.default_rng(0).standard_normal(1000),
    "t": np.array(["a", "b", "c"])[np.arange(1000) % 3],
    "y": np.arange(1000) % 2,
}


@pytest.fixture(params=["parquet", "csv", "gz", "duckdb", "query", "folder"])
def table(request, tmp_path):
    """The same rows stored in each way."""
    if request.param == "parquet":
        return open_table(write_parquet(tmp_path / "t.parquet", DATA, [1, 333]))
    if request.param == "csv":
        return open_table(write_csv(tmp_path / "t.csv", DATA))
    if request.param == "gz":
        packed = tmp_path / "t.csv.gz"
        packed.write_bytes(gzip.compress(write_csv(tmp_path / "t.csv", DATA).read_bytes()))
        return open_table(packed)
    if request.param == "folder":
        write_parquet(tmp_path / "a.parquet", {k: v[:600] for k, v in DATA.items()}, [])
        write_parquet(tmp_path / "b.parquet", {k: v[600:] for k, v in DATA.items()}, [10])
        return open_table(tmp_path)
    path = write_duckdb(tmp_path / "t.duckdb", DATA)
    return open_table(path, "m" if request.param == "duckdb" else "SELECT * FROM m ORDER BY i;")


@pytest.mark.parametrize("rows", [1, 7, 999, 5000])
def test_rows_come_in_order(table, rows):
    """Names, kinds and number of rows are known.

    Batches of any size hold the columns in the order asked.
    """
    assert table.names == ("i", "x", "t", "y")
    assert table.n_rows == 1000
    assert [table.kinds[n] for n in table.names] == ["number", "number", "text", "number"]
    batches = list(table.scan(["x", "i"], rows))
    assert max(batch.num_rows for batch in batches) <= rows
    assert_array_equal(np.concatenate([numbers(batch.column(0)) for batch in batches]), DATA["x"])
    assert_array_equal(np.concatenate([numbers(batch.column(1)) for batch in batches]), DATA["i"])


@pytest.mark.parametrize("rows", [1, 2, 7, 333, 1000])
def test_chunks_are_cut_anew(table, rows, monkeypatch):
    """Chunks have the rows asked for, whatever the batches, and miss none."""
    monkeypatch.setattr("subsel.data.stored.problem.BATCH", 5)
    problem = StoredProblem(table, "y", columns=["i", "x"])
    chunks = [(chunk.X.copy(), chunk.y.copy()) for chunk in problem.chunks([0, 1], rows)]
    assert {len(y) for _, y in chunks[:-1]} <= {rows}
    assert_array_equal(np.vstack([X for X, _ in chunks]), np.column_stack([DATA["i"], DATA["x"]]))
    assert_array_equal(np.concatenate([y for _, y in chunks]), DATA["y"])


def test_problem_reads_what_the_file_reader_reads(tmp_path):
    """Numbers, text columns, missing cells, names, groups and notes are those of `read_table`."""
    lines = ["a, b,town,who,y"]
    rng = np.random.default_rng(1)
    cells = ["1", "2.5", "NA", "?", "", "-3e2", "None", "n/a"]
    lines += [
        f"{rng.choice(cells)},{i},{rng.choice(['x', 'y ', '', 'NA'])},p{i},{i % 3}"
        for i in range(200)
    ]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    whole, problem = read_table(path, "y"), StoredProblem(open_table(path), "y")
    assert problem.names == whole.names
    assert problem.groups == whole.groups
    assert [note.split(" has ")[0] for note in problem.notes[:1]] == [
        n.split(" has ")[0] for n in whole.notes if "who" in n
    ]
    for rows in (1, 64, 1000):
        chunks = [
            (c.X.copy(), c.y.copy())
            for c in problem.chunks(range(problem.n_features), rows, allow_nan=True)
        ]
        assert_array_equal(np.vstack([X for X, _ in chunks]), whole.X)
        assert_array_equal(np.concatenate([y for _, y in chunks]), whole.y)
    assert_array_equal(problem.whole(range(problem.n_features), allow_nan=True).X, whole.X)


def test_kinds_of_numbers(tmp_path):
    """Whole numbers, booleans, decimals, float32, dictionaries and missing cells are numbers.

    Dates are not.
    """
    import datetime
    import decimal

    table = pa.table(
        {
            "b": pa.array([True, None, False]),
            "d": pa.array([decimal.Decimal("1.50"), decimal.Decimal("2.25"), None]),
            "f": pa.array([0.1, 0.2, 0.3], pa.float32()),
            "u": pa.array([1, 2, 255], pa.uint8()),
            "c": pa.array(["p", "q", "p"]).dictionary_encode(),
            "w": [datetime.date(2020, 1, 2)] * 3,
            "y": [0, 1, 1],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    stored = open_table(tmp_path / "t.parquet")
    assert [stored.kinds[n] for n in "bdfucw"] == ["number"] * 4 + ["text", "other"]
    with pytest.raises(
        ValueError, match=r"column 'w' must hold numbers or text, got datetime.date\(2020, 1, 2\)"
    ):
        StoredProblem(stored, "y")
    problem = StoredProblem(stored, "y", columns=list("bdfuc"))
    X = problem.whole(range(problem.n_features), allow_nan=True).X
    assert_array_equal(X[:, 0], [1, np.nan, 0])
    assert_array_equal(X[:, 1], [1.5, 2.25, np.nan])
    assert_array_equal(X[:, 2], np.array([0.1, 0.2, 0.3], np.float32))
    assert problem.names[4:] == ["c=p", "c=q"]


def test_a_number_that_turns_out_to_be_text(tmp_path):
    """A cell deep in a CSV decides the kind of its column."""
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"{i},{i % 2}\n" for i in range(300_000)) + "oops,1\n")
    assert open_table(path).kinds == {"a": "text", "y": "number"}


def test_labels(tmp_path):
    """Labels are counted, text sorted; fractions and very many values are no classes."""
    problem = StoredProblem(open_table(write_parquet(tmp_path / "t.parquet", DATA, [10])), "t")
    assert problem.labels.tolist() == ["a", "b", "c"] and problem.label_counts.tolist() == [
        334,
        333,
        333,
    ]
    late = {"x": np.arange(150_000.0), "y": np.append(np.arange(149_999.0), 0.5)}
    problem = StoredProblem(open_table(write_parquet(tmp_path / "l.parquet", late, [140_000])), "y")
    assert problem.many_labels and (problem.labels != np.round(problem.labels)).any()


def test_wrong_sources(tmp_path):
    """Each trouble is named with the file, the column or the value, and what to do."""
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 not really")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,b\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    (tmp_path / "none").mkdir()
    (tmp_path / "differ").mkdir()
    write_parquet(tmp_path / "differ" / "a.parquet", {"x": [1.0]}, [])
    write_parquet(tmp_path / "differ" / "b.parquet", {"x": ["u"]}, [])
    (tmp_path / "no.duckdb").write_bytes(b"this is no database" * 1000)
    for name, message in {
        "missing.parquet": "there is no file",
        "missing*.parquet": "no file matches",
        "broken.parquet": "broken.parquet is not a readable Parquet file",
        "empty.csv": "is empty",
        "header.csv": "a header and no rows",
        "ragged.csv": "not a readable text table: .*Expected 2 columns, got 3",
        "twice.csv": "column name 'a' occurs twice",
        "none": "holds no .parquet file",
        "differ": "column 'x' is text here and number there",
        "no.duckdb": "no.duckdb",
    }.items():
        with pytest.raises((ValueError, FileNotFoundError), match=message):
            open_table(tmp_path / name, "m" if name == "no.duckdb" else None)
    with pytest.raises(ValueError, match="names a table of a DuckDB database"):
        open_table(broken, "m")


def test_a_file_that_breaks_while_it_is_read(tmp_path):
    """Damaged pages are noticed and the file is named."""
    path = write_parquet(
        tmp_path / "t.parquet", {"x": np.arange(100_000) % 7, "y": np.arange(100_000) % 2}, []
    )
    content = bytearray(path.read_bytes())
    content[4:2000] = b"\xff" * 1996
    path.write_bytes(bytes(content))
    with pytest.raises(ValueError, match=r"t.parquet is damaged"):
        list(open_table(path).scan(["x"], 1000))


def test_target_with_missing_values(tmp_path):
    """The row is named, for numbers and for text."""
    for values in ([0.0, 1.0, None], ["a", "b", " NA "]):
        write_parquet(tmp_path / "t.parquet", {"x": [1.0, 2.0, 3.0], "y": values}, [])
        with pytest.raises(ValueError, match="the target 'y' is missing in data row 3"):
            StoredProblem(open_table(tmp_path / "t.parquet"), "y")
