"""Rows of no weight are not rows, and a class of such rows only is no class."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from subsel.ranking.registry import SCORES, find_score

COUNTED = (
    "univariate",
    "separation",
    "distribution",
    "threshold",
    "binary",
    "contingency",
    "information",
    "reliefx",
)
NAMES = sorted(
    entry.key
    for entry in set(SCORES.values())
    if entry.weights
    and entry.function.__module__.rsplit(".", 1)[1] in COUNTED
    and entry.key != "t-times-ks"
)
RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((30, 3)), 1) * (RNG.random((30, 3)) < 0.8)
Y = np.arange(30) % 3
WEIGHT = np.where(Y == 1, 0, RNG.integers(0, 4, 30))
ROWS = np.repeat(np.arange(30), WEIGHT)


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", NAMES)
def test_a_class_without_weight_is_none(name, given_as):
    """Three classes of which one weighs nothing score as the two do, p-values too."""
    entry = find_score(name)
    for f in filter(None, (entry.function, entry.p_value)):
        assert_allclose(
            f(given_as(X), Y, sample_weight=WEIGHT), f(X[ROWS], Y[ROWS]), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name != "pearson"]
)  # whose target is a number
def test_one_class_with_weight_is_too_few(name):
    """Where all others weigh nothing there is nothing to tell apart, which is an error and not a
    number."""
    with pytest.raises(ValueError, match="at least two classes"):
        find_score(name).function(X, Y, sample_weight=(Y == 0).astype(float))


@pytest.mark.parametrize("n_labels", [28, 32])
@pytest.mark.parametrize(
    "name", ["chi-square", "mutual-information", "modl", "presence-divergence", "auc"]
)
def test_as_many_labels_as_rows(name, n_labels):
    """A target of another length is refused by name."""
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        find_score(name).function(X, np.arange(n_labels) % 2)
