"""Madelon: counts, exact structure before the noise, and the published figures after it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from subsel.data.files.challenge_format import load_npz
from subsel.literature.problems.madelon import draw_madelon, madelon
from tests.real_tables import real_table

SMALL = {"n_useless": 8, "random_state": 0}


def test_counts_of_columns_rows_and_classes():
    """The challenge's parameters give 5 + 5 + 10 + 480 columns and even classes."""
    law = draw_madelon(label_noise=0, random_state=0)
    problem = law.sample(3, random_state=0)
    names, counts = np.unique(law.roles, return_counts=True)
    assert dict(zip(names, counts)) == {"useful": 5, "redundant": 5, "repeated": 10, "useless": 480}
    assert problem.X.shape == (96, 500)
    assert_array_equal(np.bincount(problem.y), [48, 48])
    assert_array_equal(problem.relevant, np.flatnonzero(law.roles != "useless"))


def test_without_value_noise_the_structure_is_exact():
    """Copies are copies up to shift and scale, and redundant columns are linear in the useful ones."""
    law = draw_madelon(value_noise=0, **SMALL)
    X = law.sample(20, random_state=1).X
    unmapped = X / law.scale[law.order] - law.shift[law.order]
    repeated = np.flatnonzero(law.roles == "repeated")
    assert_allclose(unmapped[:, repeated], unmapped[:, law.source[repeated]])
    place = np.argsort(law.order)
    assert_allclose(unmapped[:, place[:5]] @ law.combinations, unmapped[:, place[5:10]])
    centred = X - X.mean(axis=0)
    assert np.linalg.matrix_rank(centred[:, law.roles != "useless"] / X.std(axis=0).mean()) == 5
    assert np.linalg.matrix_rank(centred) == 5 + 8


def test_clusters_sit_on_the_corners_of_their_class():
    """Without mixing every row is its corner, each corner is used once, and its class follows the cluster."""
    law = draw_madelon(
        value_noise=0, label_noise=0, n_repeated=0, n_redundant=0, n_useless=0, random_state=2
    )
    object.__setattr__(law, "mixings", np.zeros_like(law.mixings))
    problem = law.sample(2, random_state=0)
    corners = (problem.X / law.scale[law.order] - law.shift[law.order])[
        :, np.argsort(law.order)
    ] / 2
    number = [int(np.flatnonzero((law.vertices == row).all(axis=1))[0]) for row in np.rint(corners)]
    assert_array_equal(np.bincount(number), np.full(32, 2))
    assert_array_equal(np.array(number) // 16, problem.y)


def test_two_useful_columns_give_xor():
    """Two classes of two clusters in the plane are XOR."""
    law = draw_madelon(n_useful=2, clusters_per_class=2, random_state=0)
    assert_array_equal(law.vertices.prod(axis=1), [1, 1, -1, -1])


def test_half_of_the_noisy_labels_keep_their_value():
    """With two classes the effective rate of wrong labels is half the nominal one."""
    law = draw_madelon(label_noise=0.2, **SMALL)
    clean = draw_madelon(label_noise=0.0, **SMALL)
    rates = [
        np.mean(
            law._labels(100, np.random.default_rng(seed))
            != clean._labels(100, np.random.default_rng(seed))
        )
        for seed in range(5)
    ]
    assert np.mean(rates) == pytest.approx(0.1, abs=0.01)


def test_the_ends_are_repeated_half_as_often():
    """Rounding a uniform number makes the first and the last column half as likely as the others."""
    law = draw_madelon(n_repeated=20_000, n_useless=0, random_state=0)
    shares = np.bincount(law.repeated, minlength=10) / 20_000
    assert_allclose(shares, [1 / 18, *[1 / 9] * 8, 1 / 18], atol=0.01)


def test_noisy_copies_correlate_as_in_the_published_data():
    """Copies correlate by about .99, as in the public files, and five directions hold nearly everything."""
    law = draw_madelon(**SMALL)
    X = law.sample(60, random_state=0).X
    repeated = np.flatnonzero((law.roles == "repeated") & (law.source != np.arange(len(law.order))))
    correlation = np.corrcoef(X.T)
    ours = correlation[repeated, law.source[repeated]]
    assert ours.mean() == pytest.approx(0.99, abs=0.004)
    public = load_npz(real_table("madelon.npz")).X.astype(float)
    assert np.corrcoef(public[:, 28], public[:, 318])[0, 1] == pytest.approx(ours.mean(), abs=0.005)
    for table in (
        X[:, law.roles != "useless"],
        public[:, [28, 48, 64, 105, 128, 153, 241, 281, 318, 336]],
    ):
        values = np.linalg.eigvalsh(np.corrcoef(table.T))[::-1]
        assert values[5:].max() < 0.05 < values[4]


def test_neighbours_on_the_useful_columns_err_as_specified():
    """3-NN with 2000 rows to learn and 2000 to count errs 7.5 +- .9 % on the clean useful columns."""
    errors = []
    for seed in range(3):
        law = draw_madelon(n_useless=0, value_noise=0, random_state=seed)
        sample = law.sample(125, random_state=seed)
        X = StandardScaler().fit_transform(
            (sample.X / law.scale[law.order] - law.shift[law.order])[:, law.roles == "useful"]
        )
        learner = KNeighborsClassifier(3).fit(X[:2000], sample.y[:2000])
        errors.append(1 - learner.score(X[2000:], sample.y[2000:]))
    assert np.mean(errors) == pytest.approx(0.075, abs=0.02)


def test_replicates_differ_by_noise_only():
    """Two replicates give every row twice, with the same label and values within the noise."""
    law = draw_madelon(**SMALL)
    problem = law.sample(5, n_replicates=2, random_state=0)
    first, second = np.split(problem.X, 2)
    assert_array_equal(*np.split(problem.y, 2))
    ratio = (second - first) / (np.abs(first) + np.abs(second))
    assert 0.05 < np.median(np.abs(ratio)) < 0.15


def test_too_many_clusters_are_refused():
    """There must be a corner for every cluster."""
    with pytest.raises(ValueError, match="at most 2"):
        madelon(n_useful=3, clusters_per_class=5)
