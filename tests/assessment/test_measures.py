"""The challenge's measures and score: scikit-learn, and invariants of the published tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from subsel.assessment.measures import (
    balanced_error,
    binary_auc,
    compactness,
    pairwise_scores,
    pairwise_wins,
    probe_share,
    saliency,
)
from subsel.literature.challenge import published

# Scores as printed in the overall and dataset tables of the 2003 challenge, with the
# number of entries.
PRINTED = {
    56: (98.18, 96.36, 90.91, 76.36, 74.55, 41.82, 38.18),
    36: (97.14, 94.29, 85.71, 54.29, 8.57, -2.86, -20.00),
}


def entries(rng, n, rows):
    """Random entries: errors, fractions of features and of probes, with ties in both."""
    wrong = rng.random((n, rows)) < rng.uniform(0.05, 0.5, n)[:, None]
    return wrong, rng.choice([0.02, 0.021, 0.5, 1.0], n), rng.choice([0.0, 0.1, 0.5], n)


def test_measures_equal_scikit_learn():
    """BER is one minus balanced accuracy; AUC is that of scikit-learn, ties included."""
    rng = np.random.default_rng(0)
    y, predicted, confidence = (
        rng.integers(0, 3, 60),
        rng.integers(0, 3, 60),
        rng.integers(0, 5, 60),
    )
    assert_allclose(balanced_error(y, predicted), 1 - balanced_accuracy_score(y, predicted))
    assert_allclose(binary_auc(y > 0, confidence), roc_auc_score(y > 0, confidence))


def test_hard_labels_give_one_minus_ber():
    """An AUC of hard labels is exactly one minus BER, which marks such entries in the tables."""
    rng = np.random.default_rng(1)
    y, predicted = rng.integers(0, 2, 40), rng.integers(0, 2, 40)
    assert_allclose(binary_auc(y, predicted), 1 - balanced_error(y, predicted))
    assert balanced_error(y, np.ones(40, int)) == 0.5
    assert np.isnan(binary_auc(np.ones(4), np.arange(4)))


def test_pairs_are_antisymmetric_and_scores_sum_to_zero():
    """As in every published table: scores sum to zero and are multiples of 100 / (entries - 1)."""
    rng = np.random.default_rng(2)
    for n in (2, 5, 12):
        pairs = pairwise_wins(*entries(rng, n, 60))
        scores = pairwise_scores(pairs)
        assert (pairs == -pairs.T).all()
        assert_allclose(scores.sum(), 0, atol=1e-9)
        assert_allclose(scores * (n - 1) / 100, np.round(scores * (n - 1) / 100), atol=1e-9)


@pytest.mark.parametrize("n", PRINTED)
def test_printed_scores_are_multiples(n):
    """Every printed score is a whole number of wins over n - 1 opponents."""
    for score in PRINTED[n]:
        wins = score * (n - 1) / 100
        assert abs(wins - round(wins)) < 0.005 * (n - 1) / 100 + 1e-9


def test_a_twin_winner_scores_as_printed():
    """Two identical entries that beat 54 others have 54/55 = 98.18 each, not 100."""
    wrong = np.ones((56, 200), bool)
    wrong[:2] = False
    scores = pairwise_scores(pairwise_wins(wrong, np.full(56, 0.5), np.zeros(56)))
    assert_allclose(scores[:2].round(2), 98.18)


def test_order_of_the_criteria():
    """A significant error decides first, then a size that differs by more than 5%, then probes."""
    better, worse = np.zeros(100), np.r_[np.ones(10), np.zeros(90)]
    assert pairwise_wins([better, worse], [1.0, 0.1], [0.5, 0.0])[0, 1] == 1
    near = np.r_[np.ones(1), np.zeros(99)]
    assert pairwise_wins([better, near], [1.0, 0.1], [0.0, 0.5])[0, 1] == -1
    assert pairwise_wins([better, near], [0.100, 0.096], [0.0, 0.5])[0, 1] == 1
    assert pairwise_wins([better, near], [0.100, 0.096], [0.5, 0.5])[0, 1] == 0


def test_mcnemar_threshold():
    """Three errors more out of three decide (z = 1.73), two do not (z = 1.41)."""
    none, two, three = (np.r_[np.ones(k), np.zeros(50 - k)] for k in (0, 2, 3))
    assert pairwise_wins([none, three], [1, 1], [0, 0])[0, 1] == 1
    assert pairwise_wins([none, two], [1, 1], [0, 0])[0, 1] == 0


def test_weighting_by_class_changes_nothing_for_equal_classes():
    """With classes of equal size the weighted statistic is McNemar's.

    With unequal ones the balanced error decides.
    """
    rng = np.random.default_rng(3)
    given = entries(rng, 6, 60)
    assert (pairwise_wins(*given) == pairwise_wins(*given, y=np.arange(60) % 2)).all()
    y = np.r_[np.zeros(8), np.ones(92)]
    rare, common = np.r_[np.ones(6), np.zeros(94)], np.r_[np.zeros(8), np.ones(12), np.zeros(80)]
    assert pairwise_wins([rare, common], [1, 1], [0, 0])[0, 1] == 0
    assert pairwise_wins([rare, common], [1, 1], [0, 0], y=y)[0, 1] == -1


def test_overall_score_is_the_mean_over_problems():
    """Pairs of several problems give the mean of their scores."""
    rng = np.random.default_rng(4)
    several = np.array([pairwise_wins(*entries(rng, 5, 40)) for _ in range(3)])
    assert_allclose(
        pairwise_scores(several), np.mean([pairwise_scores(p) for p in several], axis=0)
    )


def test_published_tables_keep_the_identities():
    """In the printed tables every score is a multiple of 100/55 (1 Dec) or 100/35 (8 Dec).

    Overall it is a multiple of a fifth of that.
    """
    rows = published()
    assert len(rows) == 6 * (56 + 36)
    for row in rows:
        opponents = {"1 Dec": 55, "8 Dec": 35}[row.date]
        problems = 5 if row.problem == "overall" else 1
        wins = row.score * opponents / 100 * problems
        assert abs(wins - round(wins)) < 0.0051 * opponents / 100 * 5, row


def test_known_truth_scores():
    """Probe share, saliency and compactness by hand."""
    assert probe_share(np.zeros(3), np.ones(3)) == 0.0
    assert saliency([0, 3], [[0, 1, 2], [3, 4, 5]]) == 1.0
    assert saliency([0, 1], [[0, 1, 2], [3, 4, 5]]) == 0.5
    assert saliency([8, 9], [[0], [1]]) == -1.0
    assert saliency([], [[0]]) == -1.0
    assert compactness(np.arange(203), [0, 1, 2, 3]) == 4 / 203
