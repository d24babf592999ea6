"""Which contenders are taken, what they decide together, and what to expect of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from subsel.assessment.folds.fold import Fold
from subsel.assessment.folds.predictions import Predictions
from subsel.assessment.folds.splits import Split
from subsel.assessment.race.bias_corrected_cv import bias_corrected
from subsel.assessment.race.combination import Combination
from subsel.assessment.race.contender import Contender, Standing
from subsel.assessment.race.nested_score import nested_score, price_of_selecting
from subsel.assessment.race.plan import MOST_REPEATS, plan_race
from subsel.assessment.race.preference import preferred_option
from subsel.assessment.race.rounds import Race
from subsel.data.task import Task
from subsel.models.committee import majority

SPLITS = [Split(0, i, np.arange(80), np.arange(80, 100)) for i in range(5)]


def standing(name, scores, size):
    folds = tuple(Fold(s, s, None, np.arange(size), 0.1, None, False, False) for s in scores)
    return Standing(Contender(name, None), folds, True)


def raced(*standings):
    return Race(tuple(sorted(standings, key=lambda s: -s.score)), SPLITS)


STRONG = standing("strong", [0.90, 0.92, 0.91, 0.93, 0.90], 50)
NEAR = standing("near", [0.90, 0.92, 0.90, 0.93, 0.90], 5)
WEAK = standing("weak", [0.70, 0.72, 0.70, 0.71, 0.70], 1)


@pytest.mark.parametrize(
    ("prefer", "name"), [("accuracy", "strong"), ("balance", "near"), ("few", "near")]
)
def test_preferences(prefer, name):
    """The best.

    Or the smallest that is not worse by more than is tolerated, and never a poor one.
    """
    assert [s.name for s in preferred_option(raced(STRONG, NEAR, WEAK), prefer)] == [name]


def test_a_committee_is_the_best_in_order():
    """Three that decide together are the three best, the most trusted first."""
    assert [s.name for s in preferred_option(raced(WEAK, NEAR, STRONG), "accuracy", 2)] == [
        "strong",
        "near",
    ]


def test_a_poor_one_has_no_vote():
    """Where two are good and one is poor, the poor one would decide whenever the two disagree."""
    assert [s.name for s in preferred_option(raced(WEAK, NEAR, STRONG), "accuracy", 3)] == [
        "strong",
        "near",
    ]


def guessing(wrong, sizes):
    """A race of contenders with given errors and numbers of columns.

    They name the wrong class for the given rows of each fold.
    """
    y = np.tile([0, 1], 25)
    task = Task.of(np.eye(50), y, kind="classification")
    tests = [np.arange(10 * i, 10 * i + 10) for i in range(5)]
    splits = [Split(0, i, np.setdiff1d(np.arange(50), test), test) for i, test in enumerate(tests)]
    standings = []
    for number, (rows, size) in enumerate(zip(wrong, sizes)):
        said = [
            np.where(np.isin(np.arange(10), rows), 1 - y[split.test], y[split.test])
            for split in splits
        ]
        folds = tuple(
            Fold(
                float((p == y[s.test]).mean()),
                0.0,
                None,
                np.arange(size),
                0.1,
                None,
                False,
                False,
                outputs=Predictions(p),
            )
            for p, s in zip(said, splits)
        )
        standings.append(Standing(Contender(f"{number}", GaussianNB()), folds, True))
    race = Race(tuple(sorted(standings, key=lambda s: -s.score)), splits)
    return race, Combination(race, task, "accuracy")


def test_balance_takes_several_where_they_are_better_together():
    """Three that err in different rows err in none together.

    Three that err in the same are no better than the smallest.
    """
    race, together = guessing([[0], [1], [2]], [4, 5, 6])
    assert together.scores(race.eligible).tolist() == [1.0] * 5
    assert len(preferred_option(race, "balance", 3, together)) == 3
    assert [s.name for s in preferred_option(race, "few", 1, together)] == ["0"]
    race, together = guessing([[0], [0], [0]], [5, 4, 6])
    assert [s.name for s in preferred_option(race, "balance", 3, together)] == ["1"]


def test_the_honest_number_of_several_is_that_of_their_votes():
    """Each is right in nine rows of ten, together in all.

    Now and then a sample of the rows shows no error of one alone.
    """
    race, together = guessing([[0], [1], [2]], [4, 5, 6])
    taken = list(preferred_option(race, "balance", 3, together))
    nested = nested_score(race, taken, "balance", together.task, "accuracy", 0, committee=3)
    assert nested.estimate > 0.97


def test_several_that_cannot_be_scored_together_are_not_taken():
    """A measure that asks for probabilities is none of predictions, nor is one of weighted rows."""
    race, together = guessing([[0], [1], [2]], [4, 5, 6])
    assert Combination(race, together.task, "neg_log_loss").scores(race.eligible) is None
    weighted = Task.of(
        np.eye(50), together.task.y, kind="classification", sample_weight=np.ones(50)
    )
    assert Combination(race, weighted, "accuracy").scores(race.eligible) is None


@given(st.integers(1, 6), st.integers(2, 4), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_majority_is_what_counting_gives(members, classes, seed):
    """Most votes win; of classes with equal votes, the one whose first voter is most trusted."""
    votes = np.random.default_rng(seed).integers(0, classes, (members, 9))
    for row, found in zip(votes.T, majority(votes, classes)):
        counts = np.bincount(row, minlength=classes)
        best = [vote for vote in row if counts[vote] == counts.max()]
        assert found == best[0]


def test_the_corrected_estimate_of_noise_is_chance_and_of_signal_is_not_spoilt():
    """The best of forty guessers is expected to guess.

    With one that knows, the estimate is its own score.
    """
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)

    def accuracy(y, outputs):
        return float((y == outputs).mean())

    def best(scores):
        return [int(np.argmax(scores))]

    def first(outputs):
        return outputs[0]

    noise = [
        bias_corrected(
            [rng.integers(0, 2, (40, 100))], y, accuracy, best, first, rng, n_samples=100
        )
        for _ in range(8)
    ]
    estimates = np.array([found.estimate for found in noise])
    assert abs(estimates.mean() - 0.5) < 4 * 0.05 / np.sqrt(8)
    knowing = np.where(rng.random(100) < 0.9, y, 1 - y)
    outputs = np.vstack([rng.integers(0, 2, (40, 100)), knowing])
    found = bias_corrected([outputs], y, accuracy, best, first, rng, n_samples=200)
    assert abs(found.estimate - accuracy(y, knowing)) < 0.02
    assert found.interval[0] < found.estimate < found.interval[1]


def test_the_price_of_selecting_is_the_paired_difference():
    """Against the best procedure with all columns, fold by fold.

    None where the winner takes them all.
    """
    rng = np.random.default_rng(0)
    task = Task.of(rng.random((100, 50)), np.arange(100) % 2)
    price = price_of_selecting(raced(STRONG, NEAR, WEAK), NEAR, task, "accuracy", 0.95)
    assert price.against == "strong" and price.difference == pytest.approx(-0.002)
    assert price.interval[0] < -0.002 < price.interval[1]
    assert price_of_selecting(raced(STRONG, NEAR), STRONG, task, "accuracy", 0.95) is None


def test_the_price_is_against_the_best_of_all_features_also_where_time_dropped_it():
    """A poor procedure that ran all folds does not replace a better one that ran three."""
    task = Task.of(np.random.default_rng(0).random((100, 50)), np.arange(100) % 2)
    dear, poor = (
        standing("dear", [0.92, 0.93, 0.92], 50),
        standing("poor", [0.6, 0.6, 0.6, 0.6, 0.6], 50),
    )
    price = price_of_selecting(raced(NEAR, dear, poor), NEAR, task, "accuracy", 0.95)
    assert price.against == "dear" and price.difference < 0


@given(st.floats(0.1, 500), st.floats(1.0, 3.0))
@settings(max_examples=50, deadline=None)
def test_more_seconds_never_leave_out_more(seconds, factor):
    """A plan is a function of costs and seconds.

    With more of them it takes at least as many contenders.
    """
    offered = [
        Contender(str(i), None, cost) for i, cost in enumerate([0.01, 0.2, 0.1, 3.0, 0.5, 20.0])
    ]
    less, more = plan_race(offered, seconds, 5), plan_race(offered, seconds * factor, 5)
    assert len(less.contenders) >= 2
    assert sum(c.seconds for c in less.contenders) <= sum(c.seconds for c in more.contenders)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "r2"])
def test_quick_scores_are_those_of_scikit_learn(scoring):
    """On random truths and predictions, classes missing from either side too."""
    from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score

    from subsel.assessment.race.combination import _QUICK

    expected = {
        "accuracy": accuracy_score,
        "balanced_accuracy": balanced_accuracy_score,
        "r2": r2_score,
    }[scoring]
    rng = np.random.default_rng(0)
    for _ in range(50):
        y, outputs = rng.integers(0, 4, (2, 12))
        if scoring == "balanced_accuracy" and set(outputs) - set(y):
            outputs = np.where(np.isin(outputs, y), outputs, y[0])
        assert _QUICK[scoring](y, outputs) == pytest.approx(expected(y, outputs))


def test_evaluations_alone_set_no_limit_of_time():
    """Without seconds every contender runs, and folds are repeated as often as ever."""
    plan = plan_race([Contender("quick", None, 0.1), Contender("dear", None, 1e6)], np.inf, 5)
    assert len(plan.contenders) == 2 and plan.repeats == MOST_REPEATS and plan.left_out == ()
