"""Files of every format that we read, broken in one to four places.

Each number gives the same file every time.
"""

import gzip
import io
from pathlib import Path

import numpy as np
from scipy import sparse

FORMATS = [
    "csv",
    "csv",
    "csv",
    "csv.gz",
    "tsv",
    "parquet",
    "npz",
    "npz",
    "libsvm",
    "param",
    "duckdb",
]
TEXTS = [
    "u",
    "v",
    "",
    "NA",
    "?",
    "x y",
    '"q,r"',
    '"two\nlines"',
    "größe",
    "=1+1",
    "yes",
    "True",
    "2020-01-31",
    "1_000",
]
NUMBERS = [
    "1",
    "-2.5",
    "1e3",
    " 7",
    "inf",
    "1_000",
    "１２",
    "0x1F",
    "1e999",
    "9" * 30,
    "nan",
    "1,5",
    "+4",
    ".5",
    "1.",
    "--1",
]
PIECES = [
    b'"',
    b"\n",
    b"\r",
    b"\r\n",
    b",",
    b";",
    b"\t",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1b[2J",
    b"=",
    b"#",
]
PIECES += [
    b":",
    b"9" * 40,
    b"-1",
    b"1e309",
    b"nan",
    b"\xe2\x80\xa8",
    b"\xc3",
    b"'",
    b"''",
    b"99999999999",
    b"0" * 3000,
]


def malformed(number: int, folder: Path) -> Path:
    """Write the file of a number, with what must lie beside it, and give its path."""
    rng = np.random.default_rng(number)
    ending = FORMATS[number % len(FORMATS)]
    path = folder / f"t{number}.{ending}"
    if ending == "duckdb":
        _duckdb(path, rng)
        path.write_bytes(_broken(path.read_bytes(), rng))
    elif ending == "param":
        _challenge(folder, f"t{number}", rng)
    else:
        content = _WRITERS[ending.split(".")[0]](rng)
        if ending == "csv.gz" and rng.random() < 0.5:
            content = gzip.compress(_broken(content, rng), mtime=0)
        else:
            content = _broken(
                gzip.compress(content, mtime=0) if ending == "csv.gz" else content, rng
            )
        path.write_bytes(content)
    return path


def _broken(content: bytes, rng) -> bytes:
    for _ in range([0, 1, 1, 2, 3][rng.integers(5)]):
        content = _BREAKS[rng.integers(len(_BREAKS))](content, rng)
    return content


def _place(content, rng):
    return (
        int(rng.integers(len(content) + 1))
        if rng.random() < 0.7
        else int(rng.integers(min(len(content), 60) + 1))
    )


def _insert(content, rng):
    at = _place(content, rng)
    return content[:at] + PIECES[rng.integers(len(PIECES))] + content[at:]


def _flip(content, rng):
    at = min(_place(content, rng), len(content) - 1)
    return (
        content[:at] + bytes([content[at] ^ (1 << rng.integers(8))]) + content[at + 1 :]
        if content
        else content
    )


def _cut(content, rng):
    return content[: _place(content, rng)]


def _drop(content, rng):
    at = _place(content, rng)
    return content[:at] + content[at + int(rng.integers(1, 30)) :]


def _repeat(content, rng):
    at = _place(content, rng)
    return content[:at] + content[max(0, at - int(rng.integers(1, 60))) :]


def _overwrite(content, rng):
    at = _place(content, rng)
    more = rng.bytes(int(rng.integers(1, 9)))
    return content[:at] + more + content[at + len(more) :]


_BREAKS = [_insert, _insert, _insert, _flip, _cut, _drop, _repeat, _overwrite]


def _text_table(rng, delimiter=None) -> bytes:
    delimiter = delimiter or ",,,;|"[rng.integers(5)]
    n, p = int(rng.integers(1, 30)), int(rng.integers(1, 6))
    kinds = rng.integers(0, 3, p)
    names = [
        ["a", "b b", '"c,d"', "e", "a", "größe"][rng.integers(6)] + str(j % 4) for j in range(p)
    ]
    names = [name if not name.startswith('"') else f'"c,d{j}"' for j, name in enumerate(names)]
    lines = [delimiter.join([*names, "y"])]
    for i in range(n):
        cells = [
            f"{rng.normal():.3f}"
            if kind == 0
            else (TEXTS if kind == 1 else NUMBERS)[rng.integers(14)]
            for kind in kinds
        ]
        lines.append(delimiter.join([*cells, str(i % 2)]))
    text = ["\n", "\r\n"][rng.integers(2)].join(lines)
    return text.encode(
        ["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"][rng.integers(5)], "replace"
    )


def _parquet(rng) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    n = int(rng.integers(1, 30))
    columns = {"a": rng.normal(size=n), "t": rng.choice(["u", "v"], n), "y": np.arange(n) % 2}
    if rng.random() < 0.3:  # which a table that stays on disk cannot take
        columns["d"] = np.arange(n).astype("M8[D]")
    buffer = io.BytesIO()
    parquet.write_table(
        pa.table(columns), buffer, compression=["none", "snappy", "gzip"][rng.integers(3)]
    )
    return buffer.getvalue()


def _npz(rng) -> bytes:
    n, p = int(rng.integers(1, 20)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.5)
    arrays = {
        "y": [np.arange(n) % 2, np.array(list("uv"))[np.arange(n) % 2], np.ones((n, 2))][
            rng.integers(3)
        ]
    }
    if rng.random() < 0.5:
        arrays["X"] = X.astype(["f8", "f4", "f2", "i4", "c16", "U3", "M8[D]", "?"][rng.integers(8)])
    else:
        matrix = sparse.csr_array(X)
        shape = [(n, p), (n, 10**9), (10**9, p), (-1, p), (n,), (n, 2**62)][rng.integers(6)]
        arrays |= {
            "format": "csr",
            "shape": np.array(shape),
            "data": matrix.data,
            "indices": matrix.indices,
        }
        arrays["indptr"] = matrix.indptr
    if rng.random() < 0.3:
        arrays["feature_names"] = np.array([f"f{j % 3}" for j in range(p + int(rng.integers(2)))])
    buffer = io.BytesIO()
    (np.savez if rng.random() < 0.5 else np.savez_compressed)(buffer, **arrays)
    return buffer.getvalue()


def _libsvm(rng) -> bytes:
    lines = []
    for i in range(int(rng.integers(1, 20))):
        entries = [
            f"{j}:{NUMBERS[rng.integers(16)] if rng.random() < 0.1 else rng.integers(9)}"
            for j in range(1, 6)
        ]
        lines.append(" ".join([str(i % 2), *entries, *(["# note"] if rng.random() < 0.1 else [])]))
    if rng.random() < 0.2:
        lines.append(f"1 {10 ** int(rng.integers(6, 22))}:1")
    return "\n".join(lines).encode()


_WRITERS = {
    "csv": _text_table,
    "tsv": lambda rng: _text_table(rng, "\t"),
    "parquet": _parquet,
    "npz": _npz,
    "libsvm": _libsvm,
}


def _challenge(folder: Path, name: str, rng) -> None:
    kind = ["non-sparse", "sparse integer", "sparse binary"][rng.integers(3)]
    width = [4, 4, 4, 10**12, 10**30, 0][rng.integers(6)]
    entry = {"non-sparse": "{1}", "sparse integer": "{0}:{1}", "sparse binary": "{0}"}[kind]
    lines = [" ".join(entry.format(j + 1, rng.integers(1, 9)) for j in range(4)) for _ in range(6)]
    parts = {
        f"{name}.param": f"Data type: {kind}\nNumber of features: {width}\n",
        f"{name}_train.data": "\n".join(lines) + "\n",
        f"{name}_train.labels": "1\n-1\n" * 3,
    }
    hit = list(parts)[rng.integers(3)]
    for part, text in parts.items():
        (folder / part).write_bytes(_broken(text.encode(), rng) if part == hit else text.encode())


_DATABASE: dict[str, bytes] = {}


def _duckdb(path: Path, rng) -> None:
    if "bytes" not in _DATABASE:
        import duckdb

        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE m AS SELECT i AS a, i % 2 AS y FROM range(20) t(i)")
        _DATABASE["bytes"] = path.read_bytes()
    path.write_bytes(_DATABASE["bytes"])
