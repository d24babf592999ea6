"""The challenge's files survive a round trip, and the real ones agree with their printed counts."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from subsel.data.files.challenge_format import load_npz, read_challenge, read_param
from subsel.literature.challenge.tables.files import quantise, write_challenge, write_submission
from tests.real_tables import real_table, real_tables

rng = np.random.default_rng(0)
INTEGERS = np.where(rng.random((9, 6)) < 0.4, rng.integers(1, 999, (9, 6)), 0)
INTEGERS[3] = 0
BITS = (INTEGERS > 0).astype(int)
Y = np.array([1, -1, 1, -1, 1, -1, 1, 0, 0])
SPLIT = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
PARTS = ("train", "valid", "test")


def as_dense(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        (INTEGERS, "non-sparse"),
        (sparse.csr_array(INTEGERS), "sparse integer"),
        (sparse.csc_array(BITS), "sparse binary"),
    ],
)
def test_round_trip(tmp_path, X, kind):
    """What is written in each format is read back, with empty rows and withheld labels."""
    write_challenge(
        tmp_path, "toy", sparse.csr_array(X) if sparse.issparse(X) else X, Y, SPLIT, PARTS
    )
    data = read_challenge(tmp_path, "toy")
    assert data.param.kind == kind
    assert sparse.issparse(data.X) == (kind != "non-sparse")
    assert_array_equal(as_dense(data.X), as_dense(X))
    assert_array_equal(data.y, Y)
    assert_array_equal(data.split_names[data.split], np.array(PARTS)[SPLIT])
    assert not (tmp_path / "toy_test.labels").exists()


def test_the_files_look_as_the_challenge_printed_them(tmp_path):
    """Indices count from 1, a value follows a colon, and the sums stand in the .param file."""
    X = sparse.csr_array(np.array([[0, 7, 0], [5, 0, 2]]))
    write_challenge(tmp_path, "toy", X, [1, -1])
    assert (tmp_path / "toy_train.data").read_text() == "2:7\n1:5 3:2\n"
    assert (tmp_path / "toy_train.labels").read_text() == "1\n-1\n"
    assert read_param(tmp_path / "toy.param").parts == {"train": (1, 1, 14.0)}


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("toy_train.data", "1 2\n3 5\n", "sum to 11"),
        ("toy_train.data", "1 2 0\n3 4 0\n", "got shape"),
        ("toy_train.labels", "1\n1\n", "must hold 1 positive and 1 negative labels"),
        ("toy.param", "Number of features: 2\n", "must state 'Data type:'"),
        (
            "toy.param",
            "Data type: non-sparse\nNumber of features: 2#00\n",
            "must state .*'Number of features:'",
        ),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, file, text, message):
    """A wrong sum, width, class count or header raises an error that says so."""
    write_challenge(tmp_path, "toy", np.array([[1, 2], [3, 4]]), [1, -1])
    (tmp_path / file).write_text(text)
    with pytest.raises(ValueError, match=message):
        read_challenge(tmp_path, "toy")


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("sparse integer", "1:5 2:1\n0:2\n", r"line 2: the index must lie in \[1, 3\], got '0:2'"),
        ("sparse integer", "1:5 4:1\n1:2\n", r"line 1: the index must lie in \[1, 3\], got '4:1'"),
        ("sparse binary", "1 2\n0\n", r"line 2: the index must lie in \[1, 3\], got '0'"),
        (
            "sparse binary",
            "1 2\n1 99999999999\n",
            r"line 2: the index must lie in \[1, 3\], got '99999999999'",
        ),
        (
            "sparse integer",
            "1:5\n1:2:3\n",
            r"line 2: each entry .* must be index:value, got '1:2:3'",
        ),
        ("sparse integer", "1:5\n2: 3:1\n", r"line 2: each entry .* must be index:value, got '2:'"),
        ("sparse integer", "1:5 7\n2:1\n", r"line 1: each entry .* must be index:value, got '7'"),
        (
            "sparse integer",
            "1.5:5\n2:1\n",
            r"line 1: each entry .* must be index:value, got '1.5:5'",
        ),
        ("sparse integer", "1:5\nx:1\n", r"line 2: each entry .* must be index:value, got 'x:1'"),
        ("sparse binary", "1 2\n2:1\n", r"line 2: each entry .* must be an index, got '2:1'"),
        ("non-sparse", "1 2 3\n1 2\n", r"toy_train.data: the number of columns changed"),
        ("non-sparse", "1 2 3\n1 2 x\n", r"toy_train.data: could not convert string 'x'"),
    ],
)
def test_an_entry_that_does_not_fit_is_named(tmp_path, kind, text, message):
    """An index outside the table, and what is no entry at all, is refused with its line."""
    (tmp_path / "toy.param").write_text(f"Data type: {kind}\nNumber of features: 3\n")
    (tmp_path / "toy_train.data").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_challenge(tmp_path, "toy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n3\n", r"got \[1, 3\]"),
        ("1\n", "each of the 2 rows of the table, got 1 labels"),
        ("1\nx\n", "could not convert string 'x'"),
    ],
)
def test_labels_that_do_not_fit_are_named(tmp_path, text, message):
    """Labels are -1, 0 or +1, one for each row."""
    write_challenge(tmp_path, "toy", np.array([[1, 2], [3, 4]]), [1, -1])
    (tmp_path / "toy_train.labels").write_text(text)
    with pytest.raises(ValueError, match=rf"toy_train.labels.*{message}"):
        read_challenge(tmp_path, "toy")


def test_an_index_twice_in_a_row_is_one_entry(tmp_path):
    """Entries in any order are sorted, repeated ones added up."""
    (tmp_path / "toy.param").write_text("Data type: sparse integer\nNumber of features: 3\n")
    (tmp_path / "toy_train.data").write_text("3:1 1:2 3:4\n\n")
    X = read_challenge(tmp_path, "toy").X
    assert X.has_canonical_format and X.nnz == 2
    assert_array_equal(X.toarray(), [[2, 0, 5], [0, 0, 0]])


@pytest.mark.parametrize("kind", ["csr", b"csr", "csc", b"csc"])
def test_sparse_arrays_in_a_file(tmp_path, kind):
    """The format may be written as text or, as SciPy does, as bytes.

    Indices outside the table are refused.
    """
    dense = INTEGERS[:6]  # square, so that both formats fit
    matrix = sparse.csr_array(dense) if kind in ("csr", b"csr") else sparse.csc_array(dense)
    parts = {
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "shape": matrix.shape,
    }
    np.savez(tmp_path / "t.npz", format=kind, y=np.arange(6), **parts)
    assert_array_equal(load_npz(tmp_path / "t.npz").X.toarray(), dense)
    np.savez(
        tmp_path / "t.npz", format=kind, y=np.arange(6), **{**parts, "indices": matrix.indices + 3}
    )
    with pytest.raises(ValueError, match="indices must be < 6"):
        load_npz(tmp_path / "t.npz")


def test_fractions_and_other_labels_are_not_written(tmp_path):
    """The format holds integers and the labels -1 and +1."""
    with pytest.raises(ValueError, match="quantise"):
        write_challenge(tmp_path, "toy", np.array([[0.5]]), [1])
    with pytest.raises(ValueError, match="labels"):
        write_challenge(tmp_path, "toy", np.array([[1]]), [3])


def test_quantise_spans_the_levels():
    """The smallest value becomes 0, the largest 999, a constant table 0."""
    levels = quantise(rng.standard_normal((20, 3)))
    assert (levels.min(), levels.max()) == (0, 999)
    assert not quantise(np.ones((2, 2))).any()
    with pytest.raises(ValueError, match="has no level"):
        quantise(np.array([[1.0, np.nan]]))


def test_submission_counts_features_from_one(tmp_path):
    """Results are one label per line, features are numbered from 1 with the best first."""
    write_submission(tmp_path, "toy", {"test": [1, -1]}, {"test": [0.5, 2.0]}, features=[4, 0])
    assert (tmp_path / "toy_test.resu").read_text() == "1\n-1\n"
    assert_array_equal(np.loadtxt(tmp_path / "toy_test.conf"), [0.5, 2.0])
    assert (tmp_path / "toy.feat").read_text() == "5\n1\n"


@pytest.mark.parametrize(
    ("name", "shape", "train", "valid", "total"),
    [
        ("arcene", (200, 10000), (44, 56), (44, 56), 70726744 + 71410108),
        ("dexter", (600, 20000), (150, 150), (150, 150), 2816528 + 2820952),
        ("dorothea", (1150, 100000), (78, 722), (34, 316), 727760 + 317752),
        ("madelon", (2600, 500), (1000, 1000), (300, 300), 488083511 + 146395833),
    ],
)
def test_real_challenge_data(name, shape, train, valid, total):
    """Shapes, class counts and sums are those of the public files."""
    data = load_npz(real_table(f"{name}.npz"))
    assert data.X.shape == shape
    assert data.X.sum(dtype=np.int64) == total
    for number, counts in enumerate((train, valid)):
        y = data.y[data.split == number]
        assert ((y > 0).sum(), (y < 0).sum()) == counts
    assert list(data.split_names) == ["train", "valid"]


def test_every_real_file_loads():
    """Each file has as many labels and splits as rows, and as many names as columns."""
    files = real_tables()
    assert files
    for path in files:
        data = load_npz(path)
        assert data.X.shape[0] == len(data.y) == len(data.split), path.name
        assert data.feature_names is None or len(data.feature_names) == data.X.shape[1]


def test_real_sparse_data_survive_the_text_format(tmp_path):
    """Dexter written as text and read again is Dexter."""
    data = load_npz(real_table("dexter.npz"))
    write_challenge(tmp_path, "dexter", data.X, data.y, data.split, data.split_names)
    again = read_challenge(tmp_path, "dexter")
    assert (again.X != data.X).nnz == 0
    assert_array_equal(again.y, data.y)


def test_a_plain_file_has_one_split(tmp_path):
    """X and y alone make a data set; a file with neither X nor a sparse matrix is refused."""
    np.savez(tmp_path / "plain.npz", X=np.eye(2), y=[0, 1])
    assert list(load_npz(tmp_path / "plain.npz").split_names) == ["all"]
    np.savez(tmp_path / "empty.npz", y=[0, 1])
    with pytest.raises(ValueError, match="lacks"):
        load_npz(tmp_path / "empty.npz")


def test_pickles_are_refused(tmp_path):
    """An array of objects is not loaded."""
    np.savez(tmp_path / "bad.npz", X=np.array([{}], dtype=object), y=[0])
    with pytest.raises(ValueError, match="pickle"):
        load_npz(tmp_path / "bad.npz")
