"""The earlier studies of mass spectra: pipelines that run and see a peak, and the map against k-means and plain loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import SelfOrganisingMap
from subsel.literature.models.networks.self_organising_map import batch_map
from subsel.literature.recipes import SPECTRA_STUDIES, genetic_map, roc_peaks


@parametrize_with_checks([SelfOrganisingMap((2, 2), n_rounds=3)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_without_a_radius_the_map_is_k_means():
    """Rounds of radius zero are Lloyd's rounds from the same start; with one, a loop over units and rows agrees."""
    X, _ = load_iris(return_X_y=True)
    start, places = X[[0, 60, 120, 140]], np.argwhere(np.ones((2, 2))).astype(float)
    peer = KMeans(4, init=start, n_init=1, max_iter=5, tol=0, algorithm="lloyd").fit(X)
    assert_allclose(batch_map(X, start, places, np.zeros(peer.n_iter_)), peer.cluster_centers_)
    once = batch_map(X, start, places, np.array([0.8]))
    winners = [min(range(4), key=lambda k: ((row - start[k]) ** 2).sum()) for row in X]
    for k in range(4):
        weights = [np.exp(-((places[k] - places[w]) ** 2).sum() / (2 * 0.8**2)) for w in winners]
        assert_allclose(once[k], np.average(X, axis=0, weights=weights))


def test_units_vote_for_the_rows_they_hold():
    """Probabilities are shares of the classes among the rows of the nearest unit; units without rows ask a neighbour."""
    X, y = load_iris(return_X_y=True)
    model = SelfOrganisingMap((5, 5), random_state=0).fit(X, y)
    held = ((X[:, None] - model.units_) ** 2).sum(axis=2).argmin(axis=1)
    for row in (3, 70, 130):
        mates = held == held[row]
        assert_allclose(
            model.predict_proba(X[[row]])[0], np.bincount(y[mates], minlength=3) / mates.sum()
        )
    assert_allclose(model.shares_.sum(axis=1), 1)
    assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


def spectra(n=40, p=60, seed=0):
    """Three peaks; the middle one is higher in the second class."""
    rng = np.random.default_rng(seed)
    y, bins = np.arange(n) % 2, np.arange(p)
    peaks = np.stack([np.exp(-((bins - at) ** 2) / 8) for at in (12, 30, 48)])
    heights = np.column_stack(
        [rng.normal(3, 0.3, n), 2 + 2 * y + rng.normal(0, 0.4, n), rng.normal(3, 0.3, n)]
    )
    return heights @ peaks + 0.05 * rng.random((n, p)), y


QUICK = {
    "forest-ranked": {"n_features": 5, "n_trees": 20, "random_state": 0},
    "genetic-map": {"n_features": (2, 6), "population": 8, "budget": 40, "random_state": 0},
    "pca-discriminant": {"n_components": 5},
    "roc-peaks": {"n_peaks": 2, "prominence": 0.05, "random_state": 0},
    "t-ranked": {"estimator": KNeighborsClassifier(1), "n_features": 5},
}


@pytest.mark.parametrize("name", SPECTRA_STUDIES)
def test_each_study_sees_the_peak_that_differs(name):
    """Trained on forty spectra, each pipeline tells new ones apart, and can be cloned."""
    X, y = spectra()
    new, labels = spectra(seed=1)
    assert clone(SPECTRA_STUDIES[name](**QUICK[name])).fit(X, y).score(new, labels) > 0.85


@pytest.mark.parametrize("learner", ["boosted-trees", "boosted-stumps"])
def test_boosted_peaks(learner):
    """Boosted trees and stumps do so too; another learner is named."""
    X, y = spectra()
    model = roc_peaks(learner, 2, 0.05, random_state=0).fit(X, y)
    assert model.score(*spectra(seed=1)) > 0.85
    peaks = model[0].peaks_[model[1].get_support()]
    assert np.abs(peaks - 30).min() <= 1
    with pytest.raises(ValueError, match="learner"):
        roc_peaks("forest")


def test_the_genetic_map_keeps_its_bounds():
    """The columns chosen lie within the bounds of their number."""
    model = genetic_map((3, 4), population=6, budget=18, random_state=0).fit(*spectra())
    assert 3 <= model[0].get_support().sum() <= 4
