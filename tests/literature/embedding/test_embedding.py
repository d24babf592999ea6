"""Spectral embeddings of training rows and of new rows.

They are compared with scikit-learn's, and with what the chapter proves.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from subsel.literature.embedding import (
    Distance,
    Geodesic,
    LaplacianEigenmaps,
    LocallyLinear,
    NgJordanWeiss,
    NystromEmbedding,
    Similarity,
    induction_against_perturbation,
    reconstruction_loss,
)

ROLL = make_swiss_roll(90, random_state=0)[0] / 5
TRAIN, NEW = ROLL[:70], ROLL[70:]
EVERY = [
    Similarity(kernel_params={"gamma": 0.1}),
    Similarity("poly"),
    Distance(),
    Distance("cityblock"),
    NgJordanWeiss(),
    NgJordanWeiss(reflexive=False),
    LaplacianEigenmaps(),
    LaplacianEigenmaps(n_neighbors=6),
    LaplacianEigenmaps(reflexive=False),
    Geodesic(8),
    LocallyLinear(8),
]


def same_up_to_sign(one, other, atol=1e-8):
    """Compare columns, whichever way their signs fell."""
    signs = np.sign((one * other).sum(axis=0))
    assert_allclose(one, other * signs, atol=atol)


@pytest.mark.parametrize("kernel", EVERY, ids=str)
def test_map_reproduces_training_rows(kernel):
    """Nystrom's formula gives the scaled eigenvectors on training rows (proposition 1)."""
    fitted = NystromEmbedding(kernel, 3).fit(TRAIN)
    one_by_one = np.vstack([fitted.transform(row[None]) for row in TRAIN])
    expected = fitted.kernel_.finish(fitted.eigenvectors_ * fitted.scales_, TRAIN)
    assert_allclose(one_by_one, expected, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", [k for k in EVERY if getattr(k, "reflexive", True)], ids=str)
def test_copies_of_rows_share_their_place(kernel):
    """Rows that occur twice get one place."""
    twice = np.vstack([TRAIN[:30], TRAIN[:12]])
    places = NystromEmbedding(kernel, 2).fit(twice).transform(twice)
    assert_allclose(places[:12], places[30:], atol=1e-6 * np.abs(places).max())


@pytest.mark.parametrize("kernel", EVERY, ids=str)
def test_eigenpairs_are_those_of_the_kernel(kernel):
    """The kernel matrix maps each eigenvector to its multiple, and eigenvalues descend."""
    fitted = NystromEmbedding(kernel, 3).fit(TRAIN)
    K = fitted.kernel_(TRAIN)
    assert_allclose(
        K @ fitted.eigenvectors_, fitted.eigenvectors_ * fitted.eigenvalues_, rtol=1e-6, atol=1e-7
    )
    assert (np.diff(fitted.eigenvalues_) <= 1e-12 * abs(fitted.eigenvalues_[0])).all()


@pytest.mark.parametrize(
    ("kernel", "oracle"),
    [
        (Similarity(kernel_params={"gamma": 0.1}), KernelPCA(3, kernel="rbf", gamma=0.1)),
        (Distance(), PCA(3)),
        (Geodesic(8), Isomap(n_neighbors=8, n_components=3)),
    ],
    ids=str,
)
def test_equals_scikit_learn_on_training_and_new_rows(kernel, oracle):
    """Kernel PCA, classical scaling and Isomap agree with scikit-learn, also for new rows."""
    ours, theirs = NystromEmbedding(kernel, 3).fit(TRAIN), oracle.fit(TRAIN)
    both = np.vstack([TRAIN, NEW])
    same_up_to_sign(ours.transform(both), theirs.transform(both), atol=1e-7)


def test_laplacian_eigenmaps_equal_scikit_learn_up_to_scale():
    """Without self-affinity the embedding is SpectralEmbedding's times root m."""
    kernel = LaplacianEigenmaps(width=1.5, reflexive=False)
    oracle = SpectralEmbedding(
        3, affinity="rbf", gamma=1 / 1.5**2, eigen_solver="arpack", random_state=0
    )
    expected = oracle.fit_transform(TRAIN)
    same_up_to_sign(
        NystromEmbedding(kernel, 3).fit_transform(TRAIN) / np.sqrt(len(TRAIN)), expected, atol=1e-6
    )


def test_locally_linear_embedding_equals_scikit_learn_up_to_scale():
    """Training rows have the coordinates of scikit-learn times the root of their number.

    New rows have the weighted mean of their neighbours.
    """
    oracle = LocallyLinearEmbedding(
        n_neighbors=8, n_components=2, reg=1e-3, eigen_solver="dense"
    ).fit(TRAIN)
    ours = NystromEmbedding(LocallyLinear(8), 2).fit(TRAIN)
    same_up_to_sign(ours.transform(TRAIN) / np.sqrt(len(TRAIN)), oracle.embedding_, atol=1e-6)
    same_up_to_sign(ours.transform(NEW) / np.sqrt(len(TRAIN)), oracle.transform(NEW), atol=1e-6)


def test_affinity_spectrum_has_the_stated_top():
    """The largest eigenvalue of a normalised affinity is 1.

    Its eigenvector is proportional to the roots of the degrees.
    """
    fitted = NystromEmbedding(NgJordanWeiss(), 1).fit(TRAIN)
    root = np.sqrt(fitted.kernel_.degree(TRAIN))
    assert_allclose(fitted.eigenvalues_, 1)
    assert_allclose(fitted.eigenvectors_[:, 0], root / np.linalg.norm(root))


def test_landmarks_are_isomap_on_them_with_paths_over_all():
    """Landmark Isomap equals the formula with distances to landmarks.

    All rows as landmarks equal plain Isomap.
    """
    fitted = NystromEmbedding(Geodesic(8, n_landmarks=25, random_state=0)).fit(TRAIN)
    kernel, landmarks = fitted.kernel_, fitted.kernel_.rows_
    assert len(landmarks) == 25 and len(fitted.eigenvectors_) == 25
    squares, to_new = kernel.lengths(landmarks, landmarks) ** 2, kernel.lengths(NEW, landmarks) ** 2
    printed = (
        (squares.mean(axis=0) - to_new) @ fitted.eigenvectors_ / (2 * np.sqrt(fitted.eigenvalues_))
    )
    assert_allclose(fitted.transform(NEW), printed, atol=1e-8)
    everyone = NystromEmbedding(Geodesic(8, n_landmarks=70, random_state=0)).fit(TRAIN)
    same_up_to_sign(
        everyone.transform(NEW), NystromEmbedding(Geodesic(8)).fit(TRAIN).transform(NEW), atol=1e-6
    )


def test_pieces_of_a_graph_are_joined():
    """Two far clusters still get finite coordinates, and a warning."""
    X = np.vstack([TRAIN[:20], TRAIN[:20] + 100])
    with pytest.warns(UserWarning, match="2 pieces"):
        coordinates = NystromEmbedding(Geodesic(4)).fit_transform(X)
    assert np.isfinite(coordinates).all()
    assert (
        len(set(np.sign(coordinates[:20, 0]))) == 1 and coordinates[0, 0] * coordinates[20, 0] < 0
    )


def test_reconstruction_loss_is_the_sum_of_squares_left_out():
    """On training rows, m^2 times the loss is the sum of the other squared eigenvalues."""
    K = Geodesic(8).gram(TRAIN)
    values = np.linalg.eigvalsh(K)
    values = values[np.argsort(-np.abs(values))]
    fitted = NystromEmbedding(Geodesic(8), 4, order="magnitude").fit(TRAIN)
    assert_allclose(np.abs(fitted.eigenvalues_), np.abs(values[:4]))
    assert_allclose(len(TRAIN) ** 2 * reconstruction_loss(fitted, TRAIN), (values[4:] ** 2).sum())


@pytest.mark.parametrize("kernel", [k for k in EVERY if not isinstance(k, LocallyLinear)], ids=str)
def test_kernel_between_new_rows_is_one_function(kernel):
    """The kernel between two sets of rows is symmetric.

    It does not depend on which of them were training rows.
    """
    fitted = NystromEmbedding(kernel, 3).fit(TRAIN)
    k = fitted.kernel_
    assert_allclose(k(TRAIN[:5], TRAIN), k(TRAIN[:5]), atol=1e-10)
    assert_allclose(k(NEW, TRAIN), k(NEW), atol=1e-10)
    assert_allclose(k(NEW, NEW), k(NEW, NEW).T, atol=1e-10)
    assert reconstruction_loss(fitted, NEW) > 0


def test_perturbation_grows_with_the_share_exchanged():
    """Exchanging more rows changes the embedding more; the error of induction does not change.

    The same seed gives the same result.
    """
    X = ROLL[:60]
    embedding = NystromEmbedding("mds")
    few = induction_against_perturbation(embedding, X, 0.05, n_rows=15, random_state=0)
    many = induction_against_perturbation(embedding, X, 0.4, n_rows=10, random_state=0)
    assert many.difference > few.difference and many.perturbation.mean() > few.perturbation.mean()
    again = induction_against_perturbation(embedding, X, 0.05, n_rows=15, random_state=0)
    assert again.difference == few.difference and few.standard_error > 0
    with pytest.raises(ValueError, match="share"):
        induction_against_perturbation(embedding, X, 0.5)


def test_kernel_parameters_are_reached_by_a_grid():
    """GridSearchCV sets a parameter of the kernel within the embedding within a pipeline."""
    y = TRAIN[:, 1]
    model = make_pipeline(NystromEmbedding(Geodesic()), KNeighborsRegressor(3))
    grid = GridSearchCV(model, {"nystromembedding__kernel__n_neighbors": [5, 9]}, cv=3).fit(
        TRAIN, y
    )
    assert grid.best_params_["nystromembedding__kernel__n_neighbors"] in (5, 9)


@pytest.mark.parametrize(
    ("embedding", "words"),
    [
        (NystromEmbedding("nobody"), "kernel must be one of"),
        (NystromEmbedding(n_components=71), "n_components"),
        (NystromEmbedding(order="x"), "order"),
        (NystromEmbedding(Geodesic(0)), "n_neighbors"),
        (NystromEmbedding(Geodesic(n_landmarks=1)), "n_landmarks"),
        (NystromEmbedding(LocallyLinear(70)), "n_neighbors"),
        (NystromEmbedding(LocallyLinear(ridge=0)), "ridge"),
        (NystromEmbedding(NgJordanWeiss(width=0)), "width"),
        (NystromEmbedding(NgJordanWeiss(n_neighbors=0)), "n_neighbors"),
    ],
)
def test_parameters_out_of_range_are_named(embedding, words):
    """A wrong parameter is refused by name when fitting."""
    with pytest.raises(ValueError, match=words):
        embedding.fit(TRAIN)
