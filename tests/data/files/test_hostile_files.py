"""Files that would lose rows, exhaust the memory or end in a traceback are refused in one line."""

import gzip
import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from subsel.cli import main
from subsel.data import StoredProblem, load_npz, open_table, read_table
from subsel.runtime.memory import NotEnoughMemory

ROWS = [f"{i},{i * i % 7},{'uv'[i % 2]}" for i in range(40)]


def write(path, content):
    (path.write_bytes if isinstance(content, bytes) else path.write_text)(content)
    return path


@pytest.mark.parametrize(
    "read", [lambda path: read_table(path, "y"), open_table], ids=["whole", "stored"]
)
def test_a_quote_that_is_never_closed_is_refused(tmp_path, read):
    """No row vanishes into a cell.

    The line on which the quote opens is named, as pandas refuses the file, too.
    """
    lines = [*ROWS[:20], ROWS[20].replace("u", '"u'), *ROWS[21:]]
    path = write(tmp_path / "t.csv", "a,b,y\n" + "\n".join(lines) + "\n")
    with pytest.raises(pd.errors.ParserError, match="EOF inside string"):
        pd.read_csv(path)
    with pytest.raises(ValueError, match=r"line 22: a quote .* never closed"):
        read(path)
    with pytest.raises(ValueError, match=r"line 3: a quote .* never closed"):
        read(write(path, 'a,y\n1,u\n"'))


@pytest.mark.parametrize(
    "read", [lambda path: read_table(path, "y"), open_table], ids=["whole", "stored"]
)
def test_quotes_that_are_closed_are_read(tmp_path, read):
    """Line ends, separators and doubled quotes inside a cell are text, as a quote in its middle."""
    path = write(tmp_path / "t.csv", 'a,b,y\n1,"x\n,""",u\n2,5",v\n3,"",u\n')
    table = read(path)
    assert len(getattr(table, "y", [])) == 3 or table.n_rows == 3


def test_one_long_cell_costs_its_own_length(tmp_path):
    """A cell of 130,000 characters among 20,000 rows does not make every row as long."""
    lines = ["u" * 130_000 if i == 7 else "uv"[i % 2] for i in range(20_000)]
    path = write(
        tmp_path / "t.csv", "t,x,y\n" + "\n".join(f"{t},{i},{i % 2}" for i, t in enumerate(lines))
    )
    table = read_table(path, "y", memory="30MB")
    assert table.X.shape == (20_000, 4)
    with pytest.raises(NotEnoughMemory, match=r"the text of the target 't' needs 10.4 GB"):
        read_table(path, "t", memory="30MB")


def npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def sparse_npz(shape):
    parts = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2])}
    return npz(format="csr", shape=np.array(shape), y=np.array([0, 1]), **parts)


def claiming(shape):
    """An NPZ file whose header promises more than there is."""
    buffer, header = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("X.npy", header.getvalue() + b"\0" * 16)
    return buffer.getvalue()


def encrypted(content):
    """An NPZ file with the mark of encryption on every entry."""
    changed = bytearray(content)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(mark)
        while at >= 0:
            changed[at + offset] |= 1
            at = changed.find(mark, at + 4)
    return bytes(changed)


def bomb():
    buffer = io.BytesIO()
    with gzip.open(buffer, "wb", 9) as file:
        file.write(b"a,y\n")
        for _ in range(100):
            file.write(b"0" * 1_000_000)
    return buffer.getvalue()


PARAM = "Data type: {}\nNumber of features: {}\n"
LARGE = {
    "libsvm index": ("t.libsvm", b"1 1:1 3000000000:1\n0 2:1\n"),
    "libsvm index beyond all": ("t.libsvm", b"1 1:1 99999999999999999999:1\n0 2:1\n"),
    "sparse columns": ("t.npz", sparse_npz((2, 10**9))),
    "sparse columns beyond all": ("t.npz", sparse_npz((2, 2**62))),
    "header beyond the file": ("t.npz", claiming((10**6, 10**6))),
    "encrypted": ("t.npz", encrypted(npz(X=np.eye(3), y=np.arange(3)))),
    "damaged": ("t.npz", npz(X=np.eye(3), y=np.arange(3)).replace(np.eye(3).tobytes(), b"?" * 72)),
    "features": ("t.param", PARAM.format("sparse binary", 10**12)),
    "features beyond all": ("t.param", PARAM.format("sparse binary", "9" * 5000)),
    "gzip bomb": ("t.csv.gz", bomb()),
    "cut gzip": ("t.csv.gz", gzip.compress(b"a,y\n1,2\n" * 1000)[:40]),
}


@pytest.mark.parametrize(("name", "content"), LARGE.values(), ids=LARGE)
def test_small_files_that_ask_for_much_are_refused(tmp_path, capsys, monkeypatch, name, content):
    """What a file would need is known before it is taken.

    The error is one line that names the file.
    """
    write(tmp_path / "t_train.data", "1\n2\n")
    write(tmp_path / "t_train.labels", "1\n-1\n")
    path = write(tmp_path / name, content)
    with pytest.raises(ValueError, match=r"t\.(libsvm|npz|param|csv\.gz)"):
        read_table(path, "y", memory="50MB")
    monkeypatch.setattr("subsel.data.files.source.available_bytes", lambda: 10**8)
    assert main(["rank", str(path), "--target", "y"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("subsel: error: ") and error.count("\n") == 1 and name in error


def test_a_table_of_very_many_values_is_refused(tmp_path):
    """One column per value is counted before it is made."""
    path = write(
        tmp_path / "t.csv",
        "town,x,y\n" + "\n".join(f"t{i % 999},{i},{i % 2}" for i in range(2_000)),
    )
    with pytest.raises(NotEnoughMemory, match="a table of 2000 rows and 1000 columns needs 16 MB"):
        read_table(path, "y", memory="10MB")


def test_a_parquet_file_that_unfolds_is_refused(tmp_path):
    """A text repeated by a dictionary takes its length in every row."""
    path = tmp_path / "t.parquet"
    pd.DataFrame({"t": ["u" * 10_000] * 20_000, "y": np.arange(20_000) % 2}).to_parquet(path)
    assert path.stat().st_size < 200_000
    with pytest.raises(NotEnoughMemory, match=r"t.parquet: reading more than"):
        read_table(path, "y", memory="20MB")


FLIPPED = """
import sys
from pathlib import Path
from subsel.data import StoredProblem, open_table, read_table

path = Path(sys.argv[1])
whole = path.read_bytes()
length = int.from_bytes(whole[-8:-4], "little")
for at in range(len(whole) - 8 - length, len(whole) - 8):
    for bit in (0, 6):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        counts = []
        for read in (lambda: len(read_table(path, "y").y), lambda: StoredProblem(open_table(path), "y").n_rows):
            try:
                counts.append(read())
            except (ValueError, OSError) as error:
                assert "\\n" not in str(error), error
        assert len(set(counts)) < 2, (at, bit, counts)
        print("read" if counts else "refused")
"""


def test_no_byte_of_a_parquet_footer_ends_the_process(tmp_path):
    """Two bits of each are flipped in turn.

    The file is read, with the same rows whole and from disk, or refused.
    """
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({"a": [1.0, 2.0, np.nan], "y": ["u", "v", "u"]})
    frame.to_parquet(path, store_schema=False, index=False)
    done = subprocess.run(
        [sys.executable, "-c", FLIPPED, str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"read", "refused"}


def test_a_parquet_file_with_fewer_rows_than_it_says_is_refused(tmp_path):
    """The pages end before the rows that the footer counts, in the group and in all."""
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1.5] * 100, "y": [0, 1] * 50}).to_parquet(
        path, store_schema=False, index=False
    )
    footer_begin = path.stat().st_size - 8 - int.from_bytes(path.read_bytes()[-8:-4], "little")
    content = path.read_bytes()
    said, more = (
        bytes([0x16, 0xC8, 0x01]),
        bytes([0x16, 0xCA, 0x01]),
    )  # 100 and 101 rows as Thrift writes them
    path.write_bytes(content[:footer_begin] + content[footer_begin:].replace(said, more))
    for read in (lambda: read_table(path, "y"), lambda: StoredProblem(open_table(path), "y")):
        with pytest.raises(ValueError, match="states 101 rows but it holds 100"):
            read()


def test_load_npz_keeps_to_the_memory(tmp_path):
    """The public loader refuses what the reader of tables refuses."""
    with pytest.raises(ValueError, match=r"t.npz is not a readable NPZ file"):
        load_npz(write(tmp_path / "t.npz", claiming((10**6, 10**6))))


@pytest.mark.parametrize("options", [[], ["--memory", "50MB"]], ids=["whole", "stored"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_what_is_no_file_is_refused(tmp_path, capsys, options, kind):
    """A pipe is not waited on, a device not read for ever, a folder without tables not opened."""
    path = tmp_path / "t.csv"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    assert main(["rank", str(path), "--target", "y", *options]) == 1
    error = capsys.readouterr().err
    assert (
        error.count("\n") == 1 and ("folder" if kind == "folder" else "a pipe or a device") in error
    )


CELLS = [
    "1_000",
    "１２",
    "٣",
    "0x10",
    "+5",
    " 7 ",
    "1.",
    ".5",
    "1e400",
    "inf",
    "-Infinity",
    "1e",
    "e5",
    "1d5",
    "-nan",
]
CELLS += [
    "1 2",
    "--1",
    "1e-400",
    "\xa05",
    "1E+05",
    "#N/A",
    "<NA>",
    "1.#IND",
    "null",
    "True",
    "123456789012345678901",
]


@pytest.mark.parametrize("cell", [*CELLS, "1\x00"], ids=ascii)
def test_a_number_is_what_pandas_takes_for_one(tmp_path, cell):
    """Read whole or left on disk, a column holds the numbers that it holds in pandas."""
    path = write(tmp_path / "t.csv", f"a,y\n1,0\n{cell},1\n2,0\n".encode())
    column = pd.read_csv(path)["a"]
    table, stored = read_table(path, "y"), open_table(path)
    if pd.api.types.is_numeric_dtype(column) or (cell.isdigit() and cell.isascii()):
        np.testing.assert_array_equal(table.X[:, 0], column.astype(float))
        assert stored.kinds["a"] == "number"
    else:
        assert table.groups == {"a": [0, 1, 2]}
        assert stored.kinds["a"] == "text"


@pytest.mark.parametrize(
    "text", ["1 1:1_0\n0 2:1\n", "1 1:１\n0 2:1\n", "1 1:1\x00\n0 2:1\n"], ids=ascii
)
def test_the_same_numbers_in_libsvm_files(tmp_path, text):
    """What is no number in a CSV is none in a libsvm file, and the line is named."""
    with pytest.raises(ValueError, match=r"t.libsvm is not a readable libsvm file: line 1"):
        read_table(write(tmp_path / "t.libsvm", text))


@pytest.mark.parametrize("kind", ["sparse integer", "non-sparse"])
@pytest.mark.parametrize("value", ["1_0", "１"], ids=ascii)
def test_the_same_numbers_in_the_files_of_the_challenge(tmp_path, kind, value):
    """What is no number in a CSV is none there."""
    write(tmp_path / "t.param", PARAM.format(kind, 1))
    write(
        tmp_path / "t_train.data",
        f"1:{value}\n1:2\n" if kind.startswith("sparse") else f"{value}\n2\n",
    )
    with pytest.raises(ValueError, match=r"t_train.data"):
        read_table(tmp_path / "t.param")


def test_names_that_are_formulas_or_move_the_cursor(tmp_path, capsys):
    """A spreadsheet does not run a name; a terminal and a page show escaped control characters."""
    names = ["=cmd|' /C calc'!A0", "@SUM(1)", "a\x1b[2Jb", "-x"]
    lines = ["\t".join([*names, "y"])] + [
        "\t".join(map(str, [i, i % 3, i % 5, i % 7, i % 2])) for i in range(40)
    ]
    path = write(tmp_path / "t.tsv", "\n".join(lines))
    assert main(["rank", str(path), "--target", "y", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "a\\x1b[2Jb" in printed
    cells = pd.read_csv(tmp_path / "out" / "ranking.csv")["feature"]
    assert set(cells) == {"'" + names[0], "'" + names[1], names[2], "'" + names[3]}
    options = [
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--n-features",
        "4",
        "--no-assess",
        "--out",
        str(tmp_path / "s"),
    ]
    assert main(["select", str(path), "--target", "y", *options]) == 0
    assert "\x1b" not in capsys.readouterr().out
    page = (tmp_path / "s" / "report.html").read_text()
    assert "\x1b" not in page and "a\\x1b[2Jb" in page
    assert "'=cmd" in (tmp_path / "s" / "features.csv").read_text()
