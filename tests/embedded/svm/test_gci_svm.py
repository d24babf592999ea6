"""GCI-SVM: one machine, its weights thinned out by correlation; GSA and mo-GSA."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded.svm import gci_svm
from subsel.embedded.svm.gci_svm import GCISVM, thin_out
from subsel.literature.recipes.gene_selection import gsa, mo_gsa
from tests.real_tables import real_table

X, Y = load_breast_cancer(return_X_y=True)


@parametrize_with_checks([GCISVM(n_features=1), GCISVM(cv=2, compare="last")])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def walk(X, threshold, compare):
    """The walk as the paper lists it, on the full matrix of correlations."""
    with np.errstate(invalid="ignore", divide="ignore"):
        C = np.nan_to_num(np.abs(np.corrcoef(X, rowvar=False).reshape(X.shape[1], -1)))
    kept = []
    for j in range(X.shape[1]):
        against = kept if compare == "all" else kept[-1:]
        if all(C[j, k] < threshold for k in against):
            kept.append(j)
    return np.isin(np.arange(X.shape[1]), kept)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    p=st.integers(1, 12),
    threshold=st.sampled_from([0.05, 0.3, 0.6, 0.95]),
    compare=st.sampled_from(["all", "last"]),
)
def test_thinning_out_is_the_walk_on_all_correlations(seed, p, threshold, compare):
    """What is kept block by block is what the walk over the whole correlation matrix keeps."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((12, 3)) @ rng.standard_normal((3, p)) + rng.standard_normal((12, p))
    if p > 3:
        X[:, 2], X[:, 3] = 5.0, -3 * X[:, 0]  # a constant, and a repetition
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gci_svm, "BLOCK", 4)
        assert_array_equal(thin_out(X, threshold, compare), walk(X, threshold, compare))


def test_ranking_is_by_weight_with_repetitions_last():
    """Kept features come first by falling weight, the others behind them by falling weight."""
    selector = GCISVM(n_features=5, threshold=0.7).fit(X, Y)
    Z = StandardScaler().fit_transform(X)
    assert_allclose(selector.weights_, np.abs(SVC(kernel="linear").fit(Z, Y).coef_[0]))
    n_kept = selector.kept_.sum()
    assert 1 < n_kept < X.shape[1]
    front, back = selector.ranking_[:n_kept], selector.ranking_[n_kept:]
    assert selector.kept_[front].all()
    assert not selector.kept_[back].any()
    for part in (front, back):
        assert (np.diff(selector.weights_[part]) <= 0).all()
    assert_array_equal(np.flatnonzero(selector.support_), np.sort(selector.ranking_[:5]))


def test_threshold_one_is_the_plain_order_of_weights():
    """If only perfect repetitions are dropped the ranking is the order of the weights."""
    selector = GCISVM(n_features=2, threshold=1.0).fit(X, Y)
    assert_array_equal(selector.ranking_, np.argsort(-selector.weights_, kind="stable"))


def test_a_copy_of_the_best_feature_goes_to_the_end():
    """A copied column is kept once; its twin is not among the selected."""
    twin = np.hstack([X, X[:, [27]]])
    selector = GCISVM(n_features=10).fit(twin, Y)
    assert selector.kept_[[27, 30]].sum() <= 1
    assert selector.support_[[27, 30]].sum() <= 1


def test_size_by_cross_validation():
    """Without a number of features few are kept where few matter, by the rule of one standard
    error.
    """
    rng = np.random.default_rng(0)
    table = rng.standard_normal((150, 40))
    y = (table[:, 3] - table[:, 8] + 0.2 * rng.standard_normal(150) > 0).astype(int)
    selector = GCISVM().fit(table, y)
    tried = selector.validation_
    enough = tried.scores >= tried.scores.max() - tried.standard_errors[tried.scores.argmax()]
    assert selector.n_features_ == tried.sizes[enough][0] == selector.support_.sum()
    assert selector.n_features_ <= 6
    assert selector.support_[[3, 8]].all()


def test_many_classes_sparse_tables_and_single_precision():
    """Three classes are ranked by the norm of all weights.

    A sparse or float32 table gives the same ranking.
    """
    table, y = load_wine(return_X_y=True)
    dense = GCISVM(n_features=4).fit(table, y)
    coef = SVC(kernel="linear").fit(StandardScaler().fit_transform(table), y).coef_
    assert_allclose(dense.weights_, np.sqrt((coef**2).sum(axis=0)))
    assert_array_equal(
        GCISVM(n_features=4).fit(sparse.csr_matrix(table), y).ranking_, dense.ranking_
    )
    single = table.astype(np.float32)
    assert_array_equal(
        GCISVM(n_features=4).fit(single, y).ranking_,
        GCISVM(n_features=4).fit(single.astype(float), y).ranking_,
    )


@pytest.mark.parametrize(
    "options",
    [
        {"n_features": 0},
        {"n_features": 31},
        {"threshold": 0.0},
        {"threshold": 1.5},
        {"compare": "first"},
    ],
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        GCISVM(**options).fit(X, Y)


def test_mo_gsa_is_the_walk_on_the_accuracy_of_gsa():
    """The quality of the chosen subset is the cross-validated accuracy of the machine on it."""
    table, y = load_wine(return_X_y=True)
    selector = mo_gsa("rbf", cv=3, budget=25, random_state=0).fit(table, y)
    chosen = selector.result_.chosen
    assert selector.result_.chosen_quality == pytest.approx(
        cross_val_score(gsa("rbf"), table[:, chosen], y, cv=3).mean()
    )


def test_thousands_of_genes():
    """On Golub's training samples of 7,129 genes the first 20 tell the classes of the test
    samples apart.
    """
    with np.load(real_table("leukemia_golub.npz")) as data:
        table, y, test = data["X"].astype(float), data["y"], data["split"] == 1
    selector = GCISVM(n_features=20).fit(table[~test], y[~test])
    assert (
        gsa()
        .fit(selector.transform(table[~test]), y[~test])
        .score(selector.transform(table[test]), y[test])
        > 0.85
    )
