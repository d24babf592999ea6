"""What each cut keeps, on scores with ties, NaN and infinities, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from subsel.ranking.cuts.by_rank import largest_gap, n_by_fraction
from subsel.ranking.cuts.multiple_testing import bonferroni, q_values
from subsel.ranking.cuts.ordered_scores import OrderedScores
from subsel.ranking.cuts.registry import CUTS, find_cut

SCORES = np.array([0.5, 3.0, np.nan, 1.0, 3.0, -np.inf, 0.0, np.inf])
P = np.array([0.2, 0.001, np.nan, 0.03, 0.002, 1.0, 0.8, 0.0])


def ranked(scores=SCORES, p=None, **settings):
    """A ranking with these scores, whatever the data; probes score at random."""
    rng = np.random.default_rng(0)

    def score(X, y):
        return np.concatenate((scores, rng.random(X.shape[1] - len(scores))))

    law = None if p is None else lambda X, y: p
    return OrderedScores(
        np.arange(4.0)[:, None] * np.ones(len(scores)),
        np.arange(4),
        score,
        law,
        random_state=0,
        **settings,
    )


def kept(cut, **given):
    return find_cut(cut)(ranked(**given))


def test_the_first_of_equals_comes_first_and_nan_last():
    """Infinity leads, ties stand in the order of the columns, minus infinity and then NaN end the
    ranking."""
    assert_array_equal(ranked().order, [7, 1, 4, 3, 0, 6, 5, 2])


@pytest.mark.parametrize("cut", [3, np.int64(3), "k:3"])
def test_a_number(cut):
    """The k best are kept."""
    assert_array_equal(np.flatnonzero(kept(cut).mask), [1, 4, 7])


@pytest.mark.parametrize("cut", [0.25, np.float32(0.25), "fraction:0.25"])
def test_a_share(cut):
    """A share is rounded up to columns."""
    assert kept(cut).mask.sum() == 2
    assert kept(0.26).mask.sum() == 3


def test_a_share_is_not_rounded_up_by_rounding_errors():
    """Seven per cent of a hundred are seven, though 0.07 * 100 exceeds seven in the last bit."""
    assert n_by_fraction(0.07, 100) == 7


def test_a_threshold():
    """Scores at or above it, NaN never."""
    assert_array_equal(np.flatnonzero(kept("threshold:1").mask), [1, 3, 4, 7])
    assert not kept("threshold:nan").mask.any()


def test_laws():
    """With p-values of the score: each alone, times their number, or by Benjamini-Hochberg.

    NaN never passes.
    """
    assert_array_equal(kept("p:0.03", p=P).mask, P <= 0.03)
    assert_array_equal(kept("bonferroni:0.01", p=P).mask, bonferroni(P) <= 0.01)
    assert_array_equal(kept("fdr-any:0.1", p=P).mask, q_values(P, any_dependence=True) <= 0.1)
    fdr = kept("fdr:0.05", p=P)
    assert_array_equal(fdr.mask, q_values(P) <= 0.05)
    assert not fdr.mask[2]
    assert fdr.evidence == "p-values of the score, Benjamini-Hochberg"
    assert fdr.probing is None
    assert_array_equal(fdr.p_values, P)


@pytest.mark.parametrize("rule", ["p", "bonferroni", "fdr", "fdr-any", "probes", "probe-p"])
def test_probes_stand_in_where_there_is_no_law(rule):
    """Without p-values probes give them; the evidence says so, and says how many."""
    found = kept(f"{rule}:0.1")
    assert found.evidence.startswith("100 permuted probes")
    assert_array_equal(np.flatnonzero(found.mask), [1, 3, 4, 7])
    assert_allclose(found.p_values[[1, 2]], [1 / 101, 1.0])


def test_probes_can_be_asked_for_in_spite_of_a_law():
    """``probes`` and ``probe-p`` do not use the p-values of the score."""
    assert "probes" in kept("probes:0.1", p=P).evidence
    assert "probes" in kept("probe-p:0.1", p=P).evidence


def test_enough_probes_for_one_feature_alone_to_pass():
    """By default there are n / alpha probes, at least 100 and at most 10,000.

    A given number is used as it is.
    """
    many = np.zeros(200)
    assert len(kept("probes:0.05", scores=many).probing.probe_scores) == 4000
    assert len(kept("probes:0.0001", scores=many).probing.probe_scores) == 10_000
    assert len(kept("probe-p:0.005", scores=many).probing.probe_scores) == 200
    assert len(kept("probes:0.05", scores=many, n_probes=7).probing.probe_scores) == 7
    alone = np.zeros(200)
    alone[3] = 2.0
    assert_array_equal(np.flatnonzero(kept("probes:0.1", scores=alone).mask), [3])


def test_permutation_is_family_wise():
    """A feature passes if hardly any shuffle of the labels gives any feature as high a score."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), np.repeat([0.0, 1.0], 20)
    X[:, 2] += 3 * y

    def score(X, y):
        return np.abs(X.T @ (y - y.mean()))

    found = find_cut("permutation:0.05")(
        OrderedScores(X, y, score, random_state=1, n_permutations=99)
    )
    assert_array_equal(np.flatnonzero(found.mask), [2])
    assert found.p_values[2] == 0.01
    assert "99 shuffles" in found.evidence


@pytest.mark.parametrize(
    ("scores", "n"),
    [
        ([0.9, 0.1, 0.85, 0.2], 2),
        ([5.0], 1),
        ([2.0, 2.0, 2.0], 3),
        ([1.0, np.inf, 0.0], 1),
        ([3.0, 2.0, np.nan, -np.inf], 1),
        ([3.0, 2.0, 1.0], 1),
        ([np.nan, np.nan], 0),
    ],
)
def test_the_largest_gap(scores, n):
    """Above the largest gap of finite scores; all if there is no gap.

    The infinite ones if there are any.
    """
    assert largest_gap(np.array(scores)) == n
    assert kept("gap", scores=np.array(scores)).mask.sum() == n


@given(scores=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_no_gap_is_larger(scores):
    """No other place to cut has a larger step."""
    ordered = np.sort(scores)[::-1]
    n = largest_gap(np.array(scores))
    step = ordered[n - 1] - ordered[n] if n < len(scores) else 0.0
    assert step == np.max(ordered[:-1] - ordered[1:])


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (0, "between 1 and n_features = 8"),
        (9, "between 1 and n_features = 8"),
        ("k:2.5", "whole number"),
        (0.0, r"\(0, 1\]"),
        (1.5, r"\(0, 1\]"),
        ("fdr:2", r"\(0, 1\]"),
        ("p:nan", r"\(0, 1\]"),
        ("fdr", "needs a value, as in 'fdr:0.1'"),
        ("k", "'k:20'"),
        ("fdr:much", "must be a number"),
        ("gap:3", "takes no value"),
        ("best", "fdr:VALUE"),
        (True, "number, a share or a rule"),
        (None, "number, a share or a rule"),
        ([3], "number, a share or a rule"),
        (np.array([1, 2]), "number, a share or a rule"),
        ("permutation:2", r"\(0, 1\]"),
    ],
)
def test_a_bad_cut_is_refused(cut, message):
    """The message names the rule and what it wants."""
    with pytest.raises(ValueError, match=message):
        kept(cut, p=P)


def test_a_score_of_the_wrong_shape_is_refused():
    """A score function must give one number for each column."""
    with pytest.raises(ValueError, match=r"one number per column \(3\)"):
        find_cut(1)(OrderedScores(np.zeros((4, 3)), np.arange(4), lambda X, y: np.zeros(2)))


def test_every_rule_has_a_sentence():
    """The table of cuts documents itself."""
    assert all(rule.__doc__ for rule in CUTS.values())
