"""Samples of stored rows.

Exactly as many as asked for, every row equally likely, however the table is stored.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector
from subsel.criteria.exact import criterion_of
from subsel.data import StoredProblem, open_table, sample_rows
from subsel.data.stored.row_samples import row_numbers, stratum_sizes
from subsel.data.task import Task
from subsel.runtime.memory import NotEnoughMemory
from subsel.selector.stored import search_stored
from tests.data.stored.stored_tables import write_csv, write_duckdb, write_parquet

N = 120
SEEDS = 300


def data(n=N):
    return {"row": np.arange(n), "y": np.where(np.arange(n) % 4 == 0, "b", "a")}


def stored(kind, tmp_path):
    if kind == "parquet":  # row groups of 1, 2, 60 and 57 rows
        return open_table(write_parquet(tmp_path / "t.parquet", data(), [1, 2, 60]))
    if kind == "csv":
        return open_table(write_csv(tmp_path / "t.csv", data()))
    return open_table(write_duckdb(tmp_path / "t.duckdb", data()), "m")


@pytest.mark.parametrize("stratify", [False, True])
@pytest.mark.parametrize("kind", ["parquet", "duckdb"])
def test_uniform(kind, stratify, tmp_path):
    """Over many seeds every row, and every pair of neighbours, is drawn equally often."""
    problem, k = StoredProblem(stored(kind, tmp_path), "y"), 12
    drawn, together = np.zeros(N), np.zeros(N - 1)
    for seed in range(SEEDS):
        sample = sample_rows(problem, n_rows=k, stratify=stratify, random_state=seed)
        assert_array_equal(sample.X[:, 0], sample.rows)
        assert_array_equal(sample.y, data()["y"][sample.rows])
        drawn[sample.rows] += 1
        mask = np.isin(np.arange(N), sample.rows)
        together += mask[1:] & mask[:-1]
    share = k / N
    statistic = ((drawn - SEEDS * share) ** 2 / (SEEDS * share * (1 - share))).sum() * (N - 1) / N
    assert chi2.ppf(1e-4, N - 1) < statistic < chi2.ppf(1 - 1e-4, N - 1)
    pair = share * (k - 1) / (N - 1)
    assert abs(together.sum() - SEEDS * (N - 1) * pair) < 5 * np.sqrt(SEEDS * (N - 1) * pair)


def test_the_test_of_uniformity_sees_blocks(tmp_path):
    """The block sample of a database draws neighbours together, which ours must not.

    The count of pairs tells.
    """
    path = write_duckdb(tmp_path / "long.duckdb", data(20_480))
    pairs = {"ours": 0.0, "blocks": 0.0}
    table = StoredProblem(open_table(path, "m"), "y")
    for seed in range(20):
        query = f"SELECT row FROM m USING SAMPLE 20 PERCENT (system, {seed})"
        blocks = np.sort(table.table.connection.execute(query).fetchnumpy()["row"])
        ours = sample_rows(table, n_rows=4096, random_state=seed).rows
        for name, rows in (("ours", ours), ("blocks", blocks)):
            pairs[name] += (np.diff(rows) == 1).sum() / 20
    expected = 4096 * 4095 / 20_480
    assert abs(pairs["ours"] - expected) < 0.05 * expected
    assert pairs["blocks"] > 2 * expected


def test_storage_does_not_show(tmp_path):
    """A seed draws the same rows from Parquet, CSV and DuckDB."""
    tables = [stored(kind, tmp_path) for kind in ("parquet", "csv", "duckdb")]
    for stratify in (False, True):
        samples = [
            sample_rows(table, "y", 30, stratify=stratify, random_state=7) for table in tables
        ]
        for other in samples[1:]:
            assert_array_equal(other.rows, samples[0].rows)
            assert_array_equal(other.X, samples[0].X)
            assert_array_equal(other.y, samples[0].y)


def test_every_set_is_equally_likely():
    """All ten pairs of five numbers come equally often, whether drawn or left out."""
    for k in (2, 3):
        seen: dict = {}
        rng = np.random.default_rng(0)
        for _ in range(5_000):
            key = tuple(row_numbers(5, k, rng).tolist())
            seen[key] = seen.get(key, 0) + 1
        assert len(seen) == 10
        statistic = sum((n - 500) ** 2 / 500 for n in seen.values())
        assert statistic < chi2.ppf(1 - 1e-4, 9)


def test_row_numbers_of_long_tables():
    """Numbers are different, in order, within range, and few for a long table."""
    rng = np.random.default_rng(0)
    for n, k in ((10**12, 1000), (1000, 500), (1000, 501), (7, 7), (3, 0), (1, 1)):
        rows = row_numbers(n, k, rng)
        assert len(np.unique(rows)) == k and (np.diff(rows) > 0).all()
        assert k == 0 or (rows[0] >= 0 and rows[-1] < n)
    with pytest.raises(ValueError, match="k must lie between"):
        row_numbers(3, 4, rng)


def test_strata():
    """Shares are proportional to a row, sum up, and leave no class out where rows suffice."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = rng.integers(1, 1000, rng.integers(2, 8))
        k = int(rng.integers(1, counts.sum() + 1))
        given = stratum_sizes(counts, k)
        assert given.sum() == k and (given <= counts).all()
        assert k < len(counts) or given.min() >= 1
        if (k * counts / counts.sum() >= 1).all():
            assert (np.abs(given - k * counts / counts.sum()) < 1).all()


def test_stratified_counts(tmp_path):
    """A stratified sample holds the shares of the classes exactly."""
    sample = sample_rows(stored("parquet", tmp_path), "y", 40, stratify=True, random_state=1)
    assert [(sample.y == label).sum() for label in "ab"] == [30, 10]
    everything = sample_rows(stored("parquet", tmp_path), "y", 10_000, random_state=1)
    assert_array_equal(everything.rows, np.arange(N))


def test_wide_tables_are_sampled_in_blocks(tmp_path):
    """Blocks of columns give the sample of one reading.

    A sample that cannot fit is refused with the number.
    """
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.standard_normal(500) for j in range(40)}
    table = open_table(
        write_parquet(tmp_path / "t.parquet", {**columns, "y": np.arange(500) % 2}, [100])
    )
    at_once = sample_rows(table, "y", 50, random_state=0)
    with pytest.raises(
        NotEnoughMemory, match="a sample of 50 rows and 40 columns needs"
    ) as refused:
        sample_rows(table, "y", 50, random_state=0, memory=1000)
    blocks = sample_rows(table, "y", 50, random_state=0, memory=refused.value.needed)
    assert_array_equal(blocks.X, at_once.X)
    assert_array_equal(at_once.X, np.column_stack(list(columns.values()))[at_once.rows])


# A search on a sample ------------------------------------------------------------------------


def problem_of(tmp_path, kind, n=3000):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 10))
    z = X[:, 1] - X[:, 4] + X[:, 7] + 0.8 * rng.standard_normal(n)
    y = z if kind == "numbers" else np.where(z > 0, "yes", "no")
    columns = {f"x{j}": X[:, j] for j in range(10)}
    return X, y, open_table(write_parquet(tmp_path / "t.parquet", {**columns, "y": y}, [1000, 1]))


@pytest.mark.parametrize("kind, model", [("numbers", Ridge()), ("classes", GaussianNB())])
@pytest.mark.parametrize("rule", ["search", "best", "one-se"])
def test_search_on_a_sample(kind, model, rule, tmp_path):
    """The search sees the sample, the qualities are those on all rows, by the evaluator itself."""
    X, y, table = problem_of(tmp_path, kind)
    selector = SubsetSelector(model, "sfs", n_features=(1, 4), choose=rule, cv=5, random_state=0)
    fitted = search_stored(selector, table, "y", n_rows=300, random_state=1)
    assert len(fitted.sampled_rows_) == 300
    result = fitted.result_
    assert "searched on 300 of 3,000 rows" in result.notes[-1]
    evaluator = criterion_of(model).bind(Task.of(X, y), 0)
    for found in (*result.finalists, *result.front):
        assert found.quality == pytest.approx(evaluator.explain(found.columns).quality, rel=1e-9)
    assert result.best_quality == max(f.quality for f in result.finalists)
    assert {"x1", "x4", "x7"} <= set(fitted.get_feature_names_out())
    on_sample = SubsetSelector(model, "sfs", n_features=(1, 4), choose=rule, cv=5, random_state=0)
    on_sample.fit(X[fitted.sampled_rows_], y[fitted.sampled_rows_])
    assert_allclose(fitted.sample_result_.chosen_quality, on_sample.result_.chosen_quality)


def test_search_refuses_what_does_not_fit(tmp_path):
    """The columns of the finalists must fit; the number is said."""
    _, _, table = problem_of(tmp_path, "numbers")
    selector = SubsetSelector(Ridge(), "sfs", n_features=2)
    with pytest.raises(NotEnoughMemory, match="a sample of 300 rows"):
        search_stored(selector, table, "y", n_rows=300, memory="50KB")
    with pytest.raises(ValueError, match="leave choices out"):
        search_stored(SubsetSelector(Ridge(), choices={"alpha": [1.0, 2.0]}), table, "y")
