"""Columns in several parts have one score, and evidence that counts the parts."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from subsel import RankingSelector
from subsel.ranking import mutual_information
from subsel.ranking.original_columns.joint_columns import joint_columns
from subsel.ranking.original_columns.parts import Parts
from subsel.ranking.original_columns.ranking import WholeColumnRanking
from subsel.ranking.scores.moments.anova import anova_f, anova_f_p_value

ORIGIN = np.array([0, 0, 0, 1, 2, 2])


def table(n=60, seed=0):
    """Text of three values, a number that tells the target, text of two values."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    three, two = rng.integers(0, 3, n), rng.integers(0, 2, n)
    number = y + rng.normal(0, 0.5, n)
    return np.column_stack([three == 0, three == 1, three == 2, number, two == 0, two == 1]).astype(
        float
    ), y


def test_scores_and_p_values_are_those_of_the_best_part():
    """The score is the maximum over the parts, the p-value the minimum times their number, at most
    one."""
    X, y = table()
    found = WholeColumnRanking("anova-f", "bonferroni:0.05").fit(X, y, origin=ORIGIN)
    scores, p = anova_f(X, y), anova_f_p_value(X, y)
    groups = [j == ORIGIN for j in range(3)]
    np.testing.assert_allclose(found.scores_, [scores[g].max() for g in groups])
    np.testing.assert_allclose(
        found.p_values_, [min(1, g.sum() * p[g].min()) for g in groups], rtol=1e-6
    )
    assert found.support_.tolist() == [False, True, False]
    assert [int(scores[:3].argmax()), 3] == found.best_part_[:2].tolist()


@pytest.mark.parametrize(
    "cut", ["fdr:0.2", 1, "probes:0.2", "permutation:0.05", "relabelled:2", "gap", "cv"]
)
def test_single_parts_are_ranked_as_ever(cut):
    """Where each column is one part, all is as without parts."""
    X, y = table()
    settings = {
        "estimator": LogisticRegression(),
        "random_state": 0,
        "n_permutations": 19,
        "n_probes": 30,
    }
    plain = RankingSelector("anova-f", cut, **settings).fit(X, y)
    whole = WholeColumnRanking("anova-f", cut, **settings).fit(X, y, origin=np.arange(6))
    np.testing.assert_allclose(whole.scores_, plain.scores_)
    if not str(cut).startswith("probes"):  # which draw whole columns, in another order
        np.testing.assert_array_equal(whole.support_, plain.support_)


@pytest.mark.parametrize("score", ["anova-f", "relieff"])
@pytest.mark.parametrize("cut", ["probes:0.3", "permutation:0.1", "relabelled:2", "cv", 0.4])
def test_every_cut_keeps_whole_columns(score, cut):
    """The number that tells the target is kept whatever the cut.

    Masks have one entry for each column.
    """
    X, y = table()
    settings = {
        "estimator": LogisticRegression(),
        "random_state": 0,
        "n_permutations": 19,
        "n_probes": 60,
    }
    found = WholeColumnRanking(score, cut, **settings).fit(X, y, origin=ORIGIN)
    assert found.support_.shape == found.scores_.shape == (3,) and found.support_[1]


def test_noise_in_many_parts_passes_no_more_often_than_it_may():
    """Text of twenty values that says nothing.

    P-values at or under 0.2 in no more than about a fifth of tables.
    """
    passed = {"p:0.2": 0, "probe-p:0.2": 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        text = np.eye(20)[np.resize(np.arange(20), 80)]
        y = rng.permutation(np.resize([0, 1], 80))
        for cut in passed:
            found = WholeColumnRanking("anova-f", cut, n_probes=40, random_state=seed).fit(
                text, y, origin=np.zeros(20, int)
            )
            passed[cut] += int(found.support_[0])
    assert all(count <= 20 * 0.2 + 3 * np.sqrt(20 * 0.16) for count in passed.values())


def test_an_order_takes_a_column_at_its_first_part():
    """As many columns as were asked for, whichever parts come first."""
    X, y = table()
    for k in (1, 2, 3):
        found = WholeColumnRanking("mrmr", k).fit(X, y, origin=ORIGIN)
        assert found.support_.sum() == k and found.ranking_[0] == 1


def test_probes_of_numbers_are_refused_for_text():
    """Gaussian columns do not look like the values of text."""
    X, y = table()
    with pytest.raises(ValueError, match="gaussian probes are for numbers only"):
        WholeColumnRanking("anova-f", "probes:0.1", probes="gaussian").fit(X, y, origin=ORIGIN)


def test_parts_must_stand_in_order():
    """Anything else is a mistake of ours."""
    with pytest.raises(ValueError, match="0, 1, 2"):
        Parts(np.array([0, 2]))


def test_names_are_scored_jointly():
    """Mutual information of text is that of its values together, not of the best of them."""
    X, y = table()
    joint, parts, _ = joint_columns(
        mutual_information, X, Parts(ORIGIN), np.array([True, False, True])
    )
    code = X[:, :3].argmax(axis=1)
    counts = np.array([[np.sum((code == v) & (y == c)) for c in (0, 1)] for v in range(3)]) / len(y)
    expected = np.nansum(counts * np.log(counts / np.outer(counts.sum(1), counts.sum(0))))
    assert parts.widths.tolist() == [1, 1, 1]
    np.testing.assert_allclose(
        mutual_information(joint, y)[0] / expected, [1.0, np.log(2)][0], rtol=1e-9
    )
