"""The tables of scores, orders and cuts are open to others, and nobody's name can be taken."""

from types import FunctionType

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from subsel import RankingSelector
from subsel.ranking import relieff, score
from subsel.ranking.cuts.ordered_scores import CutResult
from subsel.ranking.cuts.registry import CUTS, cut
from subsel.ranking.registry import ORDERS, SCORES, order
from subsel.registry.table import Registry


@pytest.fixture(autouse=True)
def tables_as_before(monkeypatch):
    """What a test enters is gone after it."""
    for table in (SCORES, ORDERS, CUTS):
        monkeypatch.setattr(table, "_entries", dict(table._entries))
        monkeypatch.setattr(table, "_homes", dict(table._homes))


def stranger(function, module="stranger"):
    """The same function from another module."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    copy.__module__, copy.__qualname__ = module, function.__name__
    return copy


@pytest.mark.parametrize(
    ("enter", "name", "owner"),
    [
        (score, "pearson", "subsel.ranking.scores.moments.pearson:pearson"),
        (score, "mann_whitney", "subsel.ranking.scores.ranks.mann_whitney:auc"),
        (order, "gram-schmidt", "subsel.ranking.orders.gram_schmidt:gram_schmidt"),
        (cut, "fdr", "subsel.ranking.cuts.by_evidence:by_fdr"),
    ],
)
def test_a_name_in_use_is_refused(enter, name, owner):
    """Registering another's name or alias is an error that says whose it is, and leaves the table
    as it was."""
    table = {score: SCORES, order: ORDERS, cut: CUTS}[enter]
    before = table[name]
    with pytest.raises(ValueError, match=f"{name.replace('_', '-')!r} belongs to {owner}"):
        enter(name)(stranger(lambda X, y: None))
    assert table[name] is before


@pytest.mark.parametrize("table", [SCORES, ORDERS, CUTS])
def test_the_tables_are_open(table):
    """All three are tables that installed packages can add to."""
    assert isinstance(table, Registry) and table.group == "subsel.scores"


def test_the_same_function_again_replaces():
    """A cell of a notebook that is run twice leaves its last version."""

    def mine(X, y):
        return np.zeros(X.shape[1])

    first, second = stranger(mine, "__main__"), stranger(mine, "__main__")
    for function in (first, second):
        score("mine-alone", "mine-too")(function)
    assert SCORES["mine_alone"].function is SCORES["mine-too"].function is second


def neighbourly_table(rng):
    """An exclusive-or of two columns, three that repeat noise, all of few values so that a sparse
    table holds them."""
    X = rng.integers(0, 2, (60, 6)).astype(float)
    return X, (X[:, 0] != X[:, 1]).astype(int)


def dense_relief(X, y):
    """Relief, which compares rows by all columns, of dense and sparse tables."""
    return relieff(X.toarray() if sparse.issparse(X) else X, y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_taking_sparse_tables_does_not_change_the_choice(form):
    """A score of rows keeps both columns of an exclusive-or, of dense and of sparse tables.

    Scored apart, as univariate scores are, probes of Relief know nothing of each other and the
    features stand out by another measure.
    """
    X, y = neighbourly_table(np.random.default_rng(0))
    score("relief-here", sparse=True)(stranger(dense_relief))
    chosen = RankingSelector("relief-here", "probe-p:0.05", random_state=3).fit(form(X), y)
    direct = RankingSelector(lambda X, y: dense_relief(X, y), "probe-p:0.05", random_state=3).fit(
        form(X), y
    )
    assert_array_equal(chosen.scores_, direct.scores_)
    assert_array_equal(chosen.probe_scores_, direct.probe_scores_)
    assert_array_equal(chosen.get_support(indices=True), [0, 1])


def test_rows_of_a_table_are_seen_together():
    """Its score beside probes is not that of the table alone.

    The score was asked for both together.
    """
    X, y = neighbourly_table(np.random.default_rng(0))
    score("relief-here", sparse=True)(stranger(dense_relief))
    chosen = RankingSelector("relief-here", "probe-p:0.05", random_state=3).fit(X, y)
    assert not np.allclose(chosen.scores_, dense_relief(X, y))


def test_a_cut_of_ones_own_is_used():
    """A rule without a value is named alone, one with a value gets it after a colon."""
    cut("positive")(lambda ranked: CutResult(ranked.scores > 0, "sign"))
    cut("above")(lambda ranked, bar: CutResult(ranked.scores > bar, f"above {bar:g}"))
    X, y = np.array([[0, 3, 0], [1, 2, 0], [2, 1, 2], [3, 0, 0]]), np.array([0, 0, 1, 1])
    kept = {
        rule: RankingSelector(lambda X, y: y @ X - 3, cut=rule).fit(X, y)
        for rule in ("positive", "above:-1.5")
    }
    assert kept["positive"].get_support().tolist() == [True, False, False]
    assert kept["above:-1.5"].get_support().tolist() == [True, False, True]
    assert kept["above:-1.5"].evidence_ == "above -1.5"
