"""The published variants of knockoffs and stability selection are settings of two classes."""

import numpy as np
import pytest

from subsel.embedded import Knockoffs, StabilitySelection

RELEVANT = {3, 7, 11}


def problem(n=120, p=40):
    """Three columns of a linear model with noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return X, 2 * X[:, 3] + 2 * X[:, 7] - 2 * X[:, 11] + rng.standard_normal(n)


@pytest.mark.parametrize("distances", ["equicorrelated", "minimum-variance"])
def test_fixed_knockoffs_fit(distances):
    """Barber and Candes 2015: fixed copies, entry penalties; offset 0 selects no less than 1."""
    X, y = problem()
    options = {"copies": "fixed", "distances": distances, "fdr": 0.4, "random_state": 0}
    plus = Knockoffs("entry", **options).fit(X, y)
    modified = Knockoffs("entry", offset=0, **options).fit(X, y)
    assert set(modified.get_support(indices=True)) >= RELEVANT
    assert (modified.support_ >= plus.support_).all()
    assert plus.evidence_ == "fixed knockoffs, false discovery rate of at most 0.4"


def test_fixed_knockoffs_are_refused_without_enough_rows():
    """Fixed copies need more than twice as many rows as columns."""
    X, y = problem(n=60)
    with pytest.raises(ValueError, match="more than twice as many rows"):
        Knockoffs("entry", copies="fixed").fit(X, y)


@pytest.mark.parametrize(
    ("settings", "bounds"),
    [
        ({"pairs": False, "bound": "worst"}, {"worst"}),
        ({"weakness": 0.5}, {"worst", "unimodal", "r-concave"}),
        ({"weakness": 0.5, "pairs": False, "bound": "worst"}, {"worst"}),
        ({"pairs": True, "bound": "r-concave"}, {"worst", "unimodal", "r-concave"}),
    ],
    ids=["meinshausen-buehlmann", "randomised-lasso", "randomised-lasso-2010", "shah-samworth"],
)
def test_stability_selection_fits(settings, bounds):
    """Each variant finds the relevant columns, and reports the bounds that are proved for it."""
    X, y = problem()
    selector = StabilitySelection("lasso", n_samples=40, random_state=0, **settings).fit(X, y)
    assert set(selector.get_support(indices=True)) >= RELEVANT
    assert set(selector.bounds_) == bounds
    assert selector.bounds_[selector.bound] <= selector.false_selections


def test_the_default_is_shah_and_samworth():
    """Complementary pairs and the r-concave bound are the defaults."""
    X, y = problem()
    default = StabilitySelection(n_samples=20, random_state=0).fit(X, y)
    published = StabilitySelection(
        "lasso", pairs=True, bound="r-concave", n_samples=20, random_state=0
    ).fit(X, y)
    np.testing.assert_array_equal(default.frequencies_, published.frequencies_)
    assert default.bounds_ == published.bounds_
