"""Parts of a table: the same columns however the table is stored, and no copy of it."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from subsel import RankingSelector
from subsel.data.statistics import blocks
from subsel.data.statistics.blocks import column_blocks, entry_blocks, parts
from subsel.ranking.registry import SCORES
from tests.real_tables import real_table

RNG = np.random.default_rng(3)
X = RNG.integers(0, 4, (17, 23)) * (RNG.random((17, 23)) < 0.4)
FORMS = [
    np.asarray,
    np.asfortranarray,
    sparse.csr_array,
    sparse.csr_matrix,
    sparse.csc_array,
    sparse.csc_matrix,
]
SPARSE_SCORES = sorted({entry.key for entry in SCORES.values() if entry.sparse})
# One score of each module represents the others in the short run: they read the table alike.
FIRST = set({SCORES[key].function.__module__: key for key in SPARSE_SCORES}.values())
SHORT = [pytest.param(key, marks=[] if key in FIRST else pytest.mark.slow) for key in SPARSE_SCORES]


def written_out(table, slices):
    """All parts beside each other."""
    found = [(block, part) for block, part in parts(table, slices)]
    assert all(
        part.dtype.kind == "f" and part.shape[1] == block.stop - block.start
        for block, part in found
    )
    return np.hstack([part.toarray() if sparse.issparse(part) else part for _, part in found])


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("width", [1, 5, 23])
def test_parts_are_the_columns(form, dtype, width):
    """The parts beside each other are the table, whatever its storage and its numbers."""
    slices = [slice(first, min(first + width, 23)) for first in range(0, 23, width)]
    assert_array_equal(written_out(form(X.astype(dtype)), slices), X.astype(dtype).astype(float))


@pytest.mark.parametrize("stored", [1, 7, 30, 10_000])
@pytest.mark.parametrize("form", FORMS)
def test_blocks_cover_every_column_once(form, stored, monkeypatch):
    """Blocks of entries and of cells divide the columns, in order, and keep to their bounds."""
    monkeypatch.setattr(blocks, "BLOCK_STORED", stored)
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", stored)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", stored)
    table = form(X.astype(np.uint8))
    for slices in (entry_blocks(table), list(column_blocks(table))):
        assert_array_equal(
            np.concatenate([np.arange(23)[block] for block in slices]), np.arange(23)
        )
        assert_array_equal(written_out(table, slices), X)
    visits = 1 + np.count_nonzero(X, axis=0) if sparse.issparse(table) else np.full(23, 17)
    assert all(
        visits[block].sum() <= stored or block.stop == block.start + 1
        for block in entry_blocks(table)
    )


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_unsorted_and_repeated_cells(form):
    """Cells are sorted, and cells stored twice are added up, beyond what a byte represents."""
    table = form(
        (np.array([200, 1, 3, 100], np.uint8), np.array([1, 0, 1, 1]), np.array([0, 3, 4])),
        shape=(2, 2),
    )
    assert table.toarray().max() < 300  # a byte is too small for the sum
    wide = form((table.data.astype(float), table.indices, table.indptr), shape=(2, 2))
    assert_array_equal(written_out(table, [slice(0, 1), slice(1, 2)]), wide.toarray())
    assert not table.has_canonical_format, "the caller's table was changed"


def test_many_rows_and_few_entries():
    """A tall table stored by rows is converted, not visited row by row for every block."""
    rows = RNG.integers(0, 5000, 60)
    table = sparse.coo_array(
        (np.ones(60), (rows, RNG.integers(0, 40, 60))), shape=(5000, 40)
    ).tocsr()
    assert_array_equal(written_out(table, [slice(j, j + 1) for j in range(40)]), table.toarray())


CUT = [
    ("t-test", 20),
    ("hypergeometric", "fdr:0.05"),
    pytest.param("jmi", 5, marks=pytest.mark.slow),
]


def peak(function, *arguments):
    """The most memory, in bytes, that a call had at once beyond what was there before."""
    tracemalloc.start()
    function(*arguments)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def stored_bytes(table):
    return table.data.nbytes + table.indices.nbytes + table.indptr.nbytes


@pytest.fixture(scope="module")
def bits():
    """A table of the shape and sparsity of DOROTHEA, in bytes, stored by rows, and its labels."""
    rng = np.random.default_rng(0)
    stored = np.minimum(rng.geometric(1 / 7, 100_000), 800)
    rows = np.concatenate([rng.choice(800, n, replace=False) for n in stored])
    columns = np.repeat(np.arange(100_000), stored)
    table = sparse.csr_array((np.ones(len(rows), np.uint8), (rows, columns)), shape=(800, 100_000))
    return table, rng.permutation(np.repeat([0, 1], [722, 78]))


@pytest.mark.parametrize("key", SHORT)
def test_sparse_bytes_are_ranked_in_the_memory_of_the_table(key, bits):
    """Table and work take less than twice the table, of which one number per column is a fifth."""
    table, y = bits
    score = SCORES[key].function
    score(table[:, :50], y)  # compiled before it is measured
    most = peak(score, table, y)
    assert most < stored_bytes(table), f"{most / stored_bytes(table):.2f} times the table"


@pytest.mark.parametrize(("ranking", "cut"), CUT)
def test_the_selector_leaves_a_sparse_table_sparse(ranking, cut, bits):
    """Fitting takes a few tables of doubles, far less than the dense table."""
    table, y = bits
    RankingSelector(ranking, cut=2).fit(table[:, :50], y)
    most = peak(RankingSelector(ranking, cut=cut).fit, table, y)
    assert most < 10 * stored_bytes(table), f"{most / stored_bytes(table):.2f} times the table"


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("key", SPARSE_SCORES)
def test_dorothea_is_ranked_in_twice_its_memory(key, form, dtype):
    """The 100,000 columns of DOROTHEA and any score or p-value take less than twice the table.

    A score that compares columns with each other reads rows: it makes one more copy of compressed
    columns.
    """
    stored = np.load(real_table("dorothea.npz"))
    table = sparse.csr_array(
        (stored["data"], stored["indices"], stored["indptr"]), shape=stored["shape"]
    )
    train = stored["split"] == 0
    table, y = form(table[train].astype(dtype)), stored["y"][train]
    entry = SCORES[key]
    for function in filter(None, (entry.function, entry.p_value)):
        function(table[:, :50], y)
        limit = 1 if function is entry.function else 2
        limit += not entry.univariate and form is sparse.csc_array
        most = peak(function, table, y)
        assert most < limit * stored_bytes(table), (
            f"{most / stored_bytes(table):.2f} times the table"
        )
