"""Tables made as those of the challenge: what is kept, what is permuted, what the appendix says of them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from subsel.literature.challenge.tables import make_dexter, make_dorothea, make_gisette
from subsel.ranking import unbalanced_score


def test_pixels_and_their_products():
    """Real columns are products of the pixels they name; every lit pixel is there; probes keep values and nothing else."""
    images = load_digits().images[:200]
    made = make_gisette(images, 300, 200, centre=(3.5, 3.5), spread=2.0, random_state=0)
    pixels = (images / 16).reshape(200, -1)
    pixels = np.where(pixels < 0.5, 0, pixels)
    for column, origin in zip(made.X.T, made.origin):
        if origin >= 0:
            a, b = made.pairs[origin]
            np.testing.assert_array_equal(column, np.round(999 * pixels[:, a] * pixels[:, b]))
    same = made.pairs[made.pairs[:, 0] == made.pairs[:, 1], 0]
    assert set(same) == set(np.flatnonzero(pixels.any(axis=0)))
    assert len(made.probes) == 200 and made.X.min() == 0 and made.X.max() == 999
    with pytest.raises(ValueError, match="n_real"):
        make_gisette(images, 5, 5)


def test_words_and_zipf_probes():
    """Frequencies of probes fall as a power of their rank; real columns keep which entries are not zero."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 50), density=0.05, rng=rng, format="csc")
    made = make_dexter(X, 300, density=0.05, random_state=0)
    real = made.X[:, made.origin >= 0][:, np.argsort(made.origin[made.origin >= 0])]
    assert ((real != 0) != (X != 0)).nnz == 0
    assert made.X.max() == 999 and np.array_equal(made.X.data, np.round(made.X.data))
    often = np.sort(np.diff(made.X[:, made.probes].tocsc().indptr))[::-1]
    assert often[0] > 5 * often[-1] and abs(often.mean() / 400 - 0.05) < 0.01


def test_bits_ranked_by_the_unbalanced_score():
    """The best columns are kept, the lower half of them permuted; empty rows but one are gone."""
    rng = np.random.default_rng(0)
    X = (rng.random((60, 20)) < 0.1).astype(float)
    X[5:9] = 0
    y = np.where(np.arange(60) % 3 == 0, "active", "a-none")
    y = np.where(y == "active", "z-active", y)
    made, labels = make_dorothea(X, y, 10, random_state=0)
    order = np.argsort(-unbalanced_score(X, y), kind="stable")[:10]
    assert set(made.origin[made.origin >= 0]) == set(order[:5]) and len(made.probes) == 5
    kept = X[:, order]
    empty = np.flatnonzero(~kept.any(axis=1))
    assert (
        len(made.rows) == 60 - len(empty) + 1
        and labels[list(made.rows).index(empty[0])] == "a-none"
    )
    for j, origin in enumerate(made.origin):
        if origin >= 0:
            np.testing.assert_array_equal(made.X[:, [j]].toarray().ravel(), X[made.rows, origin])
    assert made.X[:, made.probes].sum() == kept[made.rows][:, 5:].sum()
