"""What every score of one column at a time must hold: order, storage, weights, width."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from subsel.data.statistics import blocks
from subsel.ranking import auc
from subsel.ranking.aggregation.one_vs_rest import one_vs_rest
from subsel.ranking.registry import SCORES
from subsel.testing import BrokenPromise, check_score

MODULES = [
    import_module(f"subsel.ranking.scores.{module}")
    for module in (
        "counts.binary",
        "counts.hypergeometric",
        "counts.odds_ratio",
        "information.gaussian_information",
        "moments.anova",
        "moments.class_sums",
        "moments.fisher",
        "moments.pearson",
        "moments.signal_to_noise",
        "moments.student_t",
        "one_feature_models.one_rule",
        "one_feature_models.single_variable_classifier",
        "one_feature_models.split_value",
        "one_feature_models.threshold",
        "ranks.kolmogorov_smirnov",
        "ranks.mann_whitney",
        "ranks.rank_correlation",
        "ranks.runs",
    )
]
OURS = {
    entry.key: entry
    for entry in SCORES.values()
    if entry.function.__module__ in {m.__name__ for m in MODULES}
}
KEYS = sorted(OURS)
FUNCTIONS = [
    pytest.param(f, entry, id=f"{key}{tag}")
    for key, entry in OURS.items()
    for tag, f in (("", entry.function), ("-p", entry.p_value))
    if f is not None
]

RNG = np.random.default_rng(7)
X = np.round(RNG.standard_normal((26, 6)) * [1, 1, 2, 3, 1, 1], 1) * (RNG.random((26, 6)) < 0.5)
X[:, 4:] = X[:, 4:] != 0
Y = RNG.permutation(np.repeat([0, 1], [15, 11]))


ALL = sorted({entry.key for entry in SCORES.values()})
CANNOT = {  # what does not hold, and why
    # noise is drawn column by column, seed for seed as scikit-learn
    "neighbour-information": "follow their columns",
    "neighbour-information-regression": "follow their columns",
    # its folds are dealt to rows, not to weights
    "one-feature-tree-regression": "a row of weight w counts as w rows",
}


@pytest.mark.parametrize("key", ALL)
@pytest.mark.filterwarnings("ignore")
def test_keeps_the_promises_of_a_score(key):
    """Every score of the table passes the checks that we offer to others, but for what is listed
    with its reason."""
    if key not in CANNOT:
        check_score(key)
        return
    with pytest.raises(BrokenPromise, match=CANNOT[key]):
        check_score(key)


@pytest.mark.parametrize("key", KEYS)
def test_scores_of_one_column_take_sparse_tables(key):
    """All of these rooms do, so that the checks try them on sparse tables."""
    assert OURS[key].sparse and OURS[key].univariate


def test_all_scores_are_entered():
    """The table holds each score of these modules under its own name with hyphens."""
    functions = {m.__name__: [n for n in m.__all__ if not n.endswith("p_value")] for m in MODULES}
    for module, names in functions.items():
        for name in names:
            assert SCORES[name.replace("_", "-")].function.__module__ == module


@pytest.mark.parametrize(("f", "entry"), FUNCTIONS)
@settings(max_examples=5, deadline=None)
@given(order=st.permutations(range(6)))
def test_scores_follow_their_columns(f, entry, order):
    """Permuting the columns permutes the scores and nothing else."""
    assert_array_equal(f(X[:, order], Y), f(X, Y)[list(order)])


@pytest.mark.parametrize("key", ["t-test", "pearson", "auc"])
def test_the_place_of_a_column_does_not_reach_its_last_digit(key):
    """In a wide table, too, where loops take columns by eights, a score does not depend on where
    its column is."""
    wide = np.random.default_rng(8).standard_normal((26, 203))
    order = np.random.default_rng(9).permutation(203)
    f = OURS[key].function
    assert_array_equal(f(wide[:, order], Y), f(wide, Y)[order])


@pytest.mark.parametrize("given_as", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("key", [key for key in KEYS if OURS[key].weights])
def test_weights_are_repetitions(key, given_as):
    """Weights 0, 1, 2, 3 score as rows left out or repeated."""
    times = np.r_[0, 1, 2, 3, RNG.integers(0, 4, 22)]
    again = np.repeat(np.arange(26), times)
    f = OURS[key].function
    weighted, repeated = f(given_as(X), Y, times), f(given_as(X[again]), Y[again])
    assert_allclose(weighted, repeated, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    "key", [key for key in KEYS if not OURS[key].multiclass and not OURS[key].regression]
)
def test_scores_of_two_classes_refuse_more(key):
    """A score of two classes says so; one class against the rest makes it take three."""
    y = np.arange(26) % 3
    with pytest.raises(ValueError, match="2 classes"):
        OURS[key].function(X, y)
    scores = one_vs_rest(OURS[key].function, X, y)
    assert_allclose(scores, np.max([OURS[key].function(X, y == k) for k in range(3)], axis=0))


@pytest.mark.parametrize("key", KEYS)
def test_blocks_of_columns_change_nothing(key, monkeypatch):
    """The answer does not depend on how many columns are taken at a time."""
    whole = OURS[key].function(X, Y)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 60)
    assert_allclose(OURS[key].function(X, Y), whole, rtol=1e-12)
    assert_allclose(OURS[key].function(sparse.csc_array(X), Y), whole, rtol=1e-9, atol=1e-12)


def test_one_class_is_refused():
    """Labels of one class only are named."""
    with pytest.raises(ValueError, match="at least two classes"):
        auc(X, np.ones(26))
