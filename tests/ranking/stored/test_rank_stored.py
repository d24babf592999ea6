"""A stored table is ranked as one in memory, under its limit of memory, and refused with a number
where it cannot be."""

import csv as csv_module
import gc
import subprocess
import sys
import tracemalloc
from inspect import signature

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import subsel.ranking
from subsel import RankingSelector
from subsel.cli import main
from subsel.data import StoredProblem, open_table
from subsel.ranking import find_score
from subsel.ranking.registry import SCORES
from subsel.ranking.stored.histogram_bounds import BOUNDED
from subsel.ranking.stored.rank_stored import rank_stored
from subsel.ranking.stored.scores import ACCUMULATED, PRESENT, SEVERAL_COLUMNS, StoredMeasure
from subsel.runtime.memory import NotEnoughMemory, byte_count
from tests.data.stored.stored_tables import write_csv, write_duckdb, write_parquet

KEYS = sorted({entry.key for entry in SCORES.values()})
TWO, MANY, NUMBERS = "two", "many", "numbers"


def columns(n=400, kind=TWO, seed=0, p=6):
    """Noise, signal, few values, a constant, ties, a rare one; the target last."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(n)
    if kind == NUMBERS:
        y = z
    elif kind == TWO:
        y = np.where(z > 0.3, "yes", "no")
    else:
        y = np.digitize(z, [-0.5, 0.7]).astype(float) * 2
    table = {
        "signal": z + rng.standard_normal(n),
        "few": np.round(z + 2 * rng.standard_normal(n)).clip(-2, 2),
        "flat": np.full(n, 3.5),
        "ties": np.round(rng.standard_normal(n), 1),
        "rare": (rng.random(n) < 0.03).astype(float),
        "large": 1e3 + rng.standard_normal(n),
    }
    table.update({f"noise{j}": rng.standard_normal(n) for j in range(p - 6)})
    return {**table, "y": y}


def in_memory(table, ranking, cut=3, weight=None, **settings):
    X = np.column_stack([v for name, v in table.items() if name not in ("y", "w")])
    return RankingSelector(ranking, cut, random_state=0, **settings).fit(
        X, table["y"], sample_weight=weight
    )


def same(stored, memory):
    assert_allclose(stored.scores_, memory.scores_, rtol=1e-9, atol=1e-12)
    assert_array_equal(stored.support_, memory.support_)
    for name in ("p_values_", "q_values_"):
        a, b = getattr(stored, name), getattr(memory, name)
        assert (a is None) == (b is None)
        if a is not None:
            assert_allclose(a, b, rtol=1e-7, atol=1e-300)
    assert stored.evidence_ == memory.evidence_
    assert_array_equal(stored.bounds_, 0)


@pytest.mark.parametrize("kind", [TWO, MANY, NUMBERS])
@pytest.mark.parametrize("key", [key for key in KEYS if key not in SEVERAL_COLUMNS])
def test_every_score_of_single_columns(key, kind, tmp_path):
    """From unequal row groups, in one block and in blocks of a column, the scores are those in
    memory."""
    entry = find_score(key)
    suits = {
        TWO: entry.classification,
        MANY: entry.classification and entry.multiclass,
        NUMBERS: entry.regression,
    }
    if not suits[kind]:
        pytest.skip("not defined for this target")
    data = columns(kind=kind)
    table = open_table(write_parquet(tmp_path / "t.parquet", data, [1, 7, 150]))
    memory = in_memory(data, key)
    for limit in ("100MB", smallest(StoredProblem(table, "y"), key)):
        same(rank_stored(table, "y", key, 3, memory=limit, random_state=0), memory)


def smallest(problem, key):
    """The least limit at which the score is exact."""
    measure = StoredMeasure(problem, key, 1)
    if key not in ACCUMULATED:
        return measure.columns_bytes(1)
    with pytest.raises(NotEnoughMemory) as refused:
        measure.run([])
    return refused.value.needed


@pytest.mark.parametrize(
    "key", ["anova-f", "odds-ratio", "pearson", "auc", "chi-square", "spearman"]
)
def test_storage_does_not_show(key, tmp_path):
    """Parquet of any row groups, several files, CSV and DuckDB give the same digits."""
    data = columns()
    folder = tmp_path / "parts"
    folder.mkdir()

    def rows(a, b):
        return {name: values[a:b] for name, values in data.items()}

    write_parquet(folder / "a.parquet", rows(0, 130), [10])
    write_parquet(folder / "b.parquet", rows(130, 400), [100, 3])
    tables = [
        open_table(write_parquet(tmp_path / "one.parquet", data, [1] * 20)),
        open_table(folder),
        open_table(str(folder / "*.parquet")),
        open_table(write_csv(tmp_path / "t.csv", data)),
        open_table(write_duckdb(tmp_path / "t.duckdb", data), "m"),
        open_table(tmp_path / "t.duckdb", "SELECT * FROM m"),
    ]
    found = [rank_stored(table, "y", key, memory="100MB").scores_ for table in tables]
    for scores in found[1:]:
        assert_array_equal(scores, found[0])
    assert_allclose(found[0], in_memory(data, key).scores_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 7, 399, 400, 1000])
def test_rows_of_a_chunk_do_not_show(rows, tmp_path, monkeypatch):
    """Chunks of one row, too, accumulate to the moments of all rows."""
    monkeypatch.setattr("subsel.ranking.stored.scores.ROWS", rows)
    monkeypatch.setattr("subsel.ranking.stored.scores.FEW_ROWS", rows)
    monkeypatch.setattr("subsel.ranking.stored.scores.LEAST_ROWS", 1)
    for kind, keys in (
        (TWO, ("anova-f", "welch-t", "bi-normal-separation", "auc")),
        (NUMBERS, ("pearson",)),
    ):
        data = columns(kind=kind)
        table = open_table(write_parquet(tmp_path / f"{kind}.parquet", data, [3, 200]))
        for key in keys:
            same(rank_stored(table, "y", key, 3, memory="100MB"), in_memory(data, key))


@pytest.mark.parametrize("key", ["anova-f", "pearson", "odds-ratio", "auc", "gini", "threshold-f1"])
def test_weights(key, tmp_path, monkeypatch):
    """A column of weights weighs the rows, zeros among them, chunks of no weight too."""
    monkeypatch.setattr("subsel.ranking.stored.scores.ROWS", 2)
    monkeypatch.setattr("subsel.ranking.stored.scores.LEAST_ROWS", 1)
    data = columns()
    weight = np.random.default_rng(1).integers(0, 4, 400).astype(float)
    table = open_table(write_parquet(tmp_path / "t.parquet", {**data, "w": weight}, [100]))
    memory = in_memory(data, key, weight=weight)
    same(rank_stored(table, "y", key, 3, sample_weight="w", memory="100MB"), memory)


@pytest.mark.parametrize(
    "cut",
    [
        2,
        0.5,
        "fdr:0.1",
        "p:0.05",
        "bonferroni:0.1",
        "gap",
        "threshold:2",
        "probes:0.2",
        "permutation:0.1",
        "relabelled:2",
    ],
)
@pytest.mark.parametrize("key", ["anova-f", "auc", "gini"])
def test_cuts(key, cut, tmp_path):
    """Every cut keeps what it keeps in memory, probes and shuffles of the same seed included."""
    data = columns(n=120, p=9)
    table = open_table(write_parquet(tmp_path / "t.parquet", data, [11, 50]))
    settings = {"n_permutations": 19}
    stored = rank_stored(table, "y", key, cut, memory="100MB", random_state=0, **settings)
    same(stored, in_memory(data, key, cut, **settings))
    if cut == "probes:0.2" or (key == "gini" and stored.probe_scores_ is not None):
        assert_allclose(
            stored.probe_scores_, in_memory(data, key, cut, **settings).probe_scores_, rtol=1e-9
        )


def test_the_selector_is_fitted(tmp_path):
    """It names its features and transforms a frame."""
    import pandas as pd

    data = columns()
    selector = rank_stored(
        open_table(write_parquet(tmp_path / "t.parquet", data, [])), "y", "auc", 1
    )
    assert selector.get_feature_names_out().tolist() == ["signal"]
    frame = pd.DataFrame(data).drop(columns="y")
    assert_array_equal(np.ravel(selector.transform(frame)), data["signal"])
    assert selector.constant_.tolist() == [False, False, True, False, False, False]


def test_one_column_and_one_row_group(tmp_path):
    """A single column is a table."""
    data = {name: columns()[name] for name in ("signal", "y")}
    table = open_table(write_parquet(tmp_path / "t.parquet", data, []))
    same(rank_stored(table, "y", "anova-f", 1), in_memory(data, "anova-f", 1))


def test_missing_values(tmp_path):
    """A score that takes them gets them, another refuses with the column and the row.

    Infinity is refused by all.
    """
    data = columns()
    data["ties"][[17, 90]] = np.nan
    table = open_table(write_parquet(tmp_path / "t.parquet", data, [5, 10]))
    same(rank_stored(table, "y", "chi-square", 3), in_memory(data, "chi-square"))
    for key in ("anova-f", "auc"):
        with pytest.raises(ValueError, match="column 'ties' holds NaN in row 17: impute it"):
            rank_stored(table, "y", key)
    data["few"][301] = np.inf
    table = open_table(write_parquet(tmp_path / "t.parquet", data, [5, 10]))
    with pytest.raises(ValueError, match="column 'few' holds infinity in row 301"):
        rank_stored(table, "y", "chi-square")


def test_table_of_accumulated_scores_is_complete():
    """Every registered score that takes accumulated rows in place of X is in the table, and no
    other."""
    take = {e.key for e in SCORES.values() if signature(e.function).parameters["y"].default is None}
    assert take - {"presence-count"} == set(ACCUMULATED)  # which has no use for a target at all


# Tables of which not even a column fits -----------------------------------------------------------


def narrow(problem, key, share=0.5):
    """A limit under what one column takes."""
    return int(share * StoredMeasure(problem, key, 1).columns_bytes(1))


def long_table(tmp_path, n=60_000):
    data = columns(n, seed=3)
    return data, open_table(
        write_parquet(tmp_path / "long.parquet", data, [2_000, 1, *[1_500] * 35])
    )


@pytest.mark.parametrize("key", sorted(BOUNDED))
@pytest.mark.parametrize("weighted", [False, True])
def test_histograms_are_within_their_bounds(key, weighted, tmp_path):
    """The exact score lies within the bound, which is small, and nothing where values are few."""
    data, table = long_table(tmp_path)
    weight = (
        np.random.default_rng(1).integers(0, 4, len(data["y"])).astype(float) if weighted else None
    )
    if weighted:
        table = open_table(
            write_parquet(tmp_path / "w.parquet", {**data, "w": weight}, [2_000, 1, *[1_500] * 35])
        )
    problem = StoredProblem(table, "y", weight="w" if weighted else None)
    stored = rank_stored(problem, ranking=key, cut=3, memory=narrow(problem, key))
    exact = in_memory(data, key, weight=weight).scores_
    assert (np.abs(stored.scores_ - exact) <= stored.bounds_ + 1e-12).all()
    few = [1, 2, 4]  # all of whose values the edges hold
    assert_allclose(stored.scores_[few], exact[few], rtol=1e-12)
    assert_array_equal(stored.bounds_[few], 0)
    assert stored.bounds_[3] < 0.01 and 0 < stored.bounds_[0] < 0.01
    assert any("histograms" in note for note in stored.notes_)


def test_bound_of_the_area_is_half_the_tied_pairs():
    """The bound of the AUC is half the share of pairs within open intervals, and the extreme orders
    reach it."""
    from subsel.ranking import auc
    from subsel.ranking.stored.histogram_bounds import Histograms

    rng = np.random.default_rng(0)
    x, codes = rng.random(2000), rng.integers(0, 2, 2000)
    edges = np.array([0.2, 0.5, 0.9])
    coarse = Histograms([edges], 2)
    coarse.accumulate(x[:700, None], codes[:700])
    coarse.accumulate(x[700:, None], codes[700:])
    score = coarse.finish(auc)
    place = np.searchsorted(edges, x)
    n = [np.bincount(place[codes == c], minlength=4) for c in (0, 1)]
    half = (n[0] * n[1]).sum() / (2 * n[0].sum() * n[1].sum())
    assert_allclose(coarse.bounds(auc, score), [half])
    orders = [
        auc((place + 0.5 * (codes if up else 1 - codes))[:, None], codes)[0] for up in (True, False)
    ]
    assert max(orders) == pytest.approx(score[0] + half)


@pytest.mark.parametrize("key", ["chi-square", "mutual-information", "gini", *sorted(PRESENT)])
def test_counts_of_few_values_are_exact(key, tmp_path):
    """Where a column does not fit its values are counted in one pass: exactly, if they are few."""
    data, _ = long_table(tmp_path)
    if key not in PRESENT:
        data = {name: data[name] for name in ("few", "flat", "ties", "rare", "y")}
    table = open_table(write_parquet(tmp_path / "few.parquet", data, [2_000, 1, *[1_500] * 35]))
    problem = StoredProblem(table, "y")
    limit = narrow(problem, key)
    same(rank_stored(problem, ranking=key, cut=3, memory=limit), in_memory(data, key))


def test_what_does_not_fit_is_refused_with_the_number(tmp_path):
    """The message and the exception say how many bytes would do, and with those it does."""
    data, table = long_table(tmp_path)
    for key in ("spearman", "chi-square"):
        problem = StoredProblem(table, "y")
        with pytest.raises(NotEnoughMemory, match=r"needs .* bytes\), but the limit is") as refused:
            rank_stored(problem, ranking=key, cut=3, memory=narrow(problem, key))
        same(
            rank_stored(problem, ranking=key, cut=3, memory=refused.value.needed),
            in_memory(data, key),
        )
    data = columns()
    table = open_table(write_parquet(tmp_path / "short.parquet", data, []))
    with pytest.raises(
        NotEnoughMemory, match="accumulating rows of one column, 64 at a time, needs"
    ) as refused:
        rank_stored(table, "y", "anova-f", 3, memory=1000)
    same(
        rank_stored(table, "y", "anova-f", 3, memory=refused.value.needed),
        in_memory(data, "anova-f"),
    )


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A table of 16 MB in uneven row groups, and a small one of the same columns."""
    folder, rng = tmp_path_factory.mktemp("wide"), np.random.default_rng(0)
    for name, n in (("small", 200), ("wide", 20_000)):
        data = {f"x{j}": rng.standard_normal(n) for j in range(100)}
        write_parquet(folder / f"{name}.parquet", {**data, "y": rng.integers(0, 2, n)}, [n // 4])
    return open_table(folder / "wide.parquet"), open_table(folder / "small.parquet")


@pytest.mark.parametrize(
    "key, limit",
    [
        *(
            (key, 6_000_000)
            for key in (
                "anova-f",
                "odds-ratio",
                "pearson",
                "auc",
                "spearman",
                "chi-square",
                "threshold-f1",
            )
        ),
        ("auc", 3_300_000),  # from histograms
    ],
)
def test_memory_held_is_under_the_limit(key, limit, wide):
    """What Python holds while ranking a table of several times the limit stays under it, and Arrow
    holds nothing after."""
    table, small = wide
    rank_stored(small, "y", key, 3, memory="200MB")  # compiles
    gc.collect()
    problem, held = StoredProblem(table, "y"), pa.total_allocated_bytes()
    tracemalloc.start()
    rank_stored(problem, ranking=key, cut=3, memory=limit)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < limit
    assert pa.total_allocated_bytes() - held < 100_000


# Refusals -----------------------------------------------------------------------------------------


def test_refusals(tmp_path):
    """What cannot be ranked from disk says why and what to do."""
    table = open_table(write_parquet(tmp_path / "t.parquet", columns(), []))
    numbers = open_table(write_parquet(tmp_path / "n.parquet", columns(kind=NUMBERS), []))
    for message, arguments in {
        "looks at several columns at once.*sample_rows": (table, "y", "relieff"),
        "order 'mrmr-difference' looks at several": (table, "y", "mrmr-difference"),
        "cut 'cv' fits models": (table, "y", "anova-f", "cv"),
        "has no column 'yy'. Did you mean y": (table, "yy"),
        "name the target column; .* has signal, few": (table,),
        "is defined for classes": (numbers, "y", "anova-f"),
        "'kendall' does not take sample weights": (table, "y", "kendall"),
    }.items():
        weights = {"sample_weight": "rare"} if "weights" in message else {}
        with pytest.raises(ValueError, match=message):
            rank_stored(*arguments, **weights)
    with pytest.raises(ValueError, match="memory must be a number of bytes or text"):
        rank_stored(table, "y", memory="lots")


def test_byte_counts():
    """Amounts are read as written."""
    assert (
        byte_count("2KiB") == 2048 and byte_count("0.5 GB") == 500_000_000 and byte_count(12) == 12
    )
    for bad in ("", "MB", "-3MB", "3XB", True, None, 0, float("nan")):
        with pytest.raises(ValueError, match="memory must be"):
            byte_count(bad)


# The command --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--score", "auc"),
        ("--score", "gini"),
        ("--cut", "probes:0.2"),
        ("--score", "chi-square", "--cut", "2"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_command_prints_and_writes_the_same_table(options, ending, tmp_path, capsys):
    """With --memory the printed table and the written file are the same, text columns included.

    Probes are the same where all columns are numbers: in memory those of text are whole columns, on
    disk single values.

    A note says of the default, F cut by its p-values, that moments cannot tell where its law fails.
    """
    data = columns(150)
    if "probes:0.2" not in options:
        data["town"] = np.array(["ulm", "bonn", "", "köln"])[
            np.random.default_rng(5).integers(0, 4, 150)
        ]
    path = tmp_path / f"t.{ending}"
    (write_csv(path, data) if ending == "csv" else write_parquet(path, data, [50]))
    printed, written = [], []
    for memory in ((), ("--memory", "50MB")):
        out = tmp_path / "out"
        assert main(["rank", str(path), "--target", "y", "--out", str(out), *options, *memory]) == 0
        printed.append(capsys.readouterr().out)
        written.append(list(csv_module.DictReader((out / "ranking.csv").open(encoding="utf8"))))
    notes = [line for line in printed[1].splitlines() if "from moments" in line]
    assert len(notes) == (not options)
    assert printed[0].splitlines() == [
        line for line in printed[1].splitlines() if line not in notes
    ]
    for a, b in zip(*written, strict=True):
        for name in ("score", "p", "q"):
            first, second = a.pop(name), b.pop(name)
            assert (first == second) or float(first) == pytest.approx(float(second), rel=1e-9)
        assert a == b


def test_command_reads_folders_and_databases(tmp_path, capsys):
    """A folder of Parquet files and a DuckDB table are ranked; what is missing is said."""
    data = columns(150)
    (tmp_path / "parts").mkdir()
    write_parquet(tmp_path / "parts" / "a.parquet", data, [])
    write_duckdb(tmp_path / "t.duckdb", data)
    assert main(["rank", str(tmp_path / "parts"), "--target", "y"]) == 0
    first = capsys.readouterr().out
    assert main(["rank", str(tmp_path / "t.duckdb"), "--table", "m", "--target", "y"]) == 0
    assert capsys.readouterr().out == first
    for arguments, message in {
        ("t.duckdb", "--target", "y"): "name the table of",
        ("t.duckdb", "--table", "q", "--target", "y"): "has no table 'q'; it has m.",
        ("parts",): "name the target column with --target",
        ("parts", "--target", "y", "--memory", "1KB"): "the limit is 1 KB",
        ("parts", "--target", "y", "--probes", "zipf"): "permuted columns only",
    }.items():
        wrong_option = "--probes" in arguments
        assert main(["rank", str(tmp_path / arguments[0]), *arguments[1:]]) == 1 + wrong_option
        assert message in capsys.readouterr().err


assert subsel.ranking  # fills the table of scores


MEASURED = """
import sys
from pathlib import Path
from subsel.data import open_table
from subsel.ranking.stored.rank_stored import rank_stored

def peak():
    return 1024 * int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

small, large, key = sys.argv[1:]
# compiles and loads all that is needed
rank_stored(open_table(small), "y", key, 3, memory="50MB")
before = peak()
rank_stored(open_table(large), "y", key, 3, memory="50MB")
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak is read from /proc")
@pytest.mark.parametrize("key", ["anova-f", "auc", "mutual-information"])
def test_the_process_stays_under_the_limit(key, tmp_path):
    """Ranking a table of 200 MB within 50 MB raises the peak of the whole process by no more than
    that."""
    rng = np.random.default_rng(0)
    for name, n in (("small", 300), ("large", 100_000)):
        data = {f"x{j}": rng.standard_normal(n) for j in range(250)}
        write_parquet(tmp_path / f"{name}.parquet", {**data, "y": rng.integers(0, 2, n)}, [n // 3])
    paths = [str(tmp_path / f"{name}.parquet") for name in ("small", "large")]
    assert (tmp_path / "large.parquet").stat().st_size > 200_000_000
    command = [sys.executable, "-c", MEASURED, *paths, key]
    held = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert held < 50_000_000, held
