"""Read malformed files in turn, with limits of memory and time, and report the outcomes.

Run as ``python -m tests.fuzz.campaign FIRST COUNT``; prints a JSON document.
"""

import collections
import contextlib
import io
import json
import re
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

from tests.fuzz.malformed import malformed

LIMIT = "100MB"  # what a reader is told it may take
ADDRESSES = 8 * 2**30  # addresses of the process: what a library maps and never touches counts, too
SECONDS = 20
PROGRESS = "subsel: ranking the columns of"  # said of a command that takes more than a second
CLEAN = (ValueError, OSError, ImportError)


def main(first: int, count: int) -> None:
    """Try the files of these numbers."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    signal.signal(signal.SIGALRM, _too_long)
    warnings.simplefilter("ignore")
    outcomes, failures = collections.Counter(), []
    for number in range(first, first + count):
        print(number, file=sys.stderr, flush=True)  # the last one is known if the process dies
        with tempfile.TemporaryDirectory() as folder:
            path = malformed(number, Path(folder))
            for attempt in (_whole, _stored, _command):
                signal.alarm(SECONDS)
                try:
                    outcomes[f"{attempt.__name__[1:]}: {attempt(path)}"] += 1
                except BaseException as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    at = f"{Path(where.filename).name}:{where.lineno}"
                    failures.append(
                        f"{path.name} {attempt.__name__}: {type(error).__name__} {at} {error}"[:600]
                    )
                finally:
                    signal.alarm(0)
    peak = _peak()
    print(json.dumps({"outcomes": outcomes, "failures": failures, "peak": peak}))


def _too_long(*_):
    raise TimeoutError(f"not done after {SECONDS} s")


def _whole(path: Path) -> str:
    from subsel.data import read_table

    if path.suffix == ".duckdb":
        return "not tried"
    try:
        table = read_table(path, "y", memory=LIMIT)
    except TimeoutError:
        raise
    except CLEAN as error:
        return _clean(path, str(error))
    assert table.X.shape == (len(table.y), len(table.names)), (
        "rows, columns, target and names do not fit together"
    )
    if path.name.endswith((".csv", ".csv.gz", ".tsv")):
        _as_pandas(path, table)
    return "read"


def _stored(path: Path) -> str:
    from subsel.data import StoredProblem, open_table, read_table

    if not path.name.endswith((".csv", ".csv.gz", ".tsv", ".parquet", ".duckdb")):
        return "not tried"
    try:
        problem = StoredProblem(open_table(path, "m" if path.suffix == ".duckdb" else None), "y")
        X = problem.whole(range(problem.n_features), allow_nan=True).X
    except TimeoutError:
        raise
    except CLEAN as error:
        return _clean(path, str(error), "column ")
    assert X.shape == (problem.n_rows, len(problem.names)), (
        "rows, columns and names do not fit together"
    )
    with contextlib.suppress(*CLEAN):
        assert path.suffix == ".duckdb" or len(read_table(path, "y").y) == len(X), (
            "the two readers differ in rows"
        )
    return "read"


def _command(path: Path) -> str:
    from subsel.cli import main as run

    said, complained = io.StringIO(), io.StringIO()
    options = ["--table", "m"] if path.suffix == ".duckdb" else []
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        code = run(["rank", str(path), "--target", "y", "--cut", "1", *options])
    assert code in (0, 1), f"exit code {code}"
    lines = [line for line in complained.getvalue().splitlines() if not line.startswith(PROGRESS)]
    assert "not done after" not in complained.getvalue(), lines
    if code:
        assert len(lines) == 1 and lines[0].startswith("subsel: error: ") and not said.getvalue(), (
            lines
        )
    assert said.getvalue().replace("\n", "").isprintable(), "control characters on the terminal"
    return "refused" if code else "read"


def _clean(path: Path, message: str, *begins: str) -> str:
    named = path.name.split(".")[0] in message or message.startswith(begins)
    assert named, f"the file is not named: {message}"
    assert "\n" not in message, f"more than a line: {message!r}"
    return "refused"


def _as_pandas(path: Path, table) -> None:
    """Rows and numbers are those of pandas in the dialect that we announce."""
    import pandas as pd

    from subsel.data.encoding.cells import MISSING
    from subsel.data.files.dialect import Dialect

    dialect = Dialect.of(path)
    missing = sorted(
        {
            form(word)
            for word in MISSING
            for form in (str.lower, str.upper, str.capitalize, str.title)
        }
    )
    frame = pd.read_csv(
        path, sep=dialect.delimiter, decimal=dialect.decimal, encoding=dialect.encoding, na_values=missing,
        header=0 if dialect.header else None, index_col=False, low_memory=False, float_precision="round_trip",
    )  # fmt: skip
    assert len(frame) == len(table.y), f"pandas reads {len(frame)} rows, we {len(table.y)}"
    names = (
        [str(name).strip() for name in frame.columns]
        if dialect.header
        else [f"column {j + 1}" for j in frame]
    )
    for j, name in enumerate(names):
        column = frame.iloc[:, j]
        if names.count(name) == 1 and name in table.names and column.dtype.kind in "if":
            np.testing.assert_array_equal(
                table.X[:, list(table.names).index(name)], column.astype(float), name
            )
        elif names.count(name) == 1 and name in table.names and name not in table.groups:
            assert column.dtype.kind == "b" or _two_valued(column) or _beyond_64_bits(column), (
                f"{name!r} is text to pandas"
            )


def _two_valued(column) -> bool:
    said = {str(value).strip().lower() for value in column.dropna()}
    return said <= {"true", "false"} or said <= {"yes", "no", "none", "?", "", "na"}


def _beyond_64_bits(column) -> bool:
    """Pandas leaves whole numbers that fit no machine word as they are, beside others even as text.

    We read them.
    """
    return any(
        cell.strip(" +-\t").isdigit() and len(cell.strip()) > 18 for cell in map(str, column)
    )


def _peak() -> int:
    """The most memory that this process held.

    What getrusage tells includes the process that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
