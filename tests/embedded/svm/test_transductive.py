"""Selection with unlabelled rows: sizes of columns by hand, and what the rows help with."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import RFE
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import TransductiveSelector
from subsel.embedded.svm.transductive import kernel_sizes
from subsel.models import TransductiveSVM
from subsel.ranking import fisher


@parametrize_with_checks([TransductiveSelector()])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def toy(seed, n_labelled=30, n_unlabelled=60, n_noise=14):
    """Six relevant columns in two groups of copies, the others noise.

    The toy of the chapter, smaller.
    """
    rng = np.random.default_rng(seed)
    n = n_labelled + n_unlabelled
    y = np.where(rng.random(n) < 0.5, -1, 1)
    X = np.column_stack([rng.normal(size=(n, 6)), 3 * rng.normal(size=(n, n_noise))])
    first = rng.random(n) < 0.7
    for i in range(3):
        X[first, i] += (y * (i + 1))[first]
        X[~first, 3 + i] += (y * (i + 1))[~first]
    return X[:n_labelled], y[:n_labelled], X[n_labelled:], y[n_labelled:]


def test_elimination_without_unlabelled_rows_is_scikit_learns():
    """One column at a time, by a linear machine of labelled rows, the ranking is that of
    recursive elimination.
    """
    X, y, _, _ = toy(0)
    ours = TransductiveSelector(3, step=0.01).fit(X, y)
    peer = RFE(SVC(kernel="linear", tol=1e-5), n_features_to_select=3).fit(X, y)
    assert_array_equal(ours.support_, peer.support_)
    assert_array_equal(ours.ranking_[3:], np.argsort(peer.ranking_, kind="stable")[3:])


def test_sizes_of_columns_by_taking_them_from_the_kernel():
    """The size of a column is the root of half the change of the quadratic form, whatever the
    kernel.
    """
    X, y, other, _ = toy(1)
    machine = TransductiveSVM(kernel="rbf", gamma=0.01).fit(X, y, unlabelled=other)
    c, rows = machine.coefficients_, machine.X_fit_

    def form(A):
        return c @ rbf_kernel(A, gamma=0.01) @ c

    wanted = [
        np.sqrt(abs(form(rows) - form(np.delete(rows, t, axis=1))) / 2)
        for t in range(rows.shape[1])
    ]
    assert_allclose(kernel_sizes(machine), wanted, rtol=1e-6)
    assert kernel_sizes(machine)[:6].max() > kernel_sizes(machine)[6:].max()


@pytest.mark.parametrize("method", ["filter", "rfe", "multiplicative"])
def test_relevant_columns_are_found(method):
    """Of six relevant columns among twenty, most of the four kept are.

    A filter is the order of Fisher's ratio.
    """
    found = []
    for seed in range(4):
        X, y, other, truth = toy(seed)
        selector = TransductiveSelector(4, method=method).fit(X, y, unlabelled=other)
        assert sorted(selector.ranking_) == list(range(20)) and selector.support_.sum() == 4
        if method == "filter":
            assert_array_equal(selector.ranking_, np.argsort(-fisher(X, y), kind="stable"))
        found.append(selector.support_[:6].sum())
        assert selector.score(other, truth) > 0.6
    assert np.mean(found) >= 2.5
