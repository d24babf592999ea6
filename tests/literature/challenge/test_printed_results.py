"""The printed tables keep the identities that the whole of them has."""

from itertools import product

import numpy as np
import pytest

from subsel.literature.challenge import FRONT, PROBLEMS, published
from subsel.literature.studies import SURVEY

DATES = {"1 Dec": 56, "8 Dec": 36}


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_scores_are_whole_numbers_of_wins_that_sum_to_nothing(problem, date):
    """A score is a number of wins less losses over the number of opponents, times 100; what one wins another loses."""
    scores = np.array([row.score for row in published(problem, date)])
    wins = scores * (DATES[date] - 1) / 100
    assert np.abs(wins - wins.round()).max() < 0.01 and len(wins) == DATES[date]
    assert scores.sum() == pytest.approx(0, abs=0.1) and (np.diff(scores) <= 0).all()


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("problem", ["overall", *PROBLEMS])
def test_ranks_are_all_numbers_once_and_follow_the_error(problem, date):
    """Ranks by error and by area are permutations, and a lower rank has no larger error and no smaller area."""
    rows = published(problem, date)
    by_error, by_area = (
        sorted(rows, key=lambda row, n=name: getattr(row, n)) for name in ("ber_rank", "auc_rank")
    )
    assert [row.ber_rank for row in by_error] == list(range(1, DATES[date] + 1))
    assert [row.auc_rank for row in by_area] == list(range(1, DATES[date] + 1))
    assert (np.diff([row.ber for row in by_error]) >= 0).all()
    assert (np.diff([row.auc for row in by_area]) <= 0).all()


def same(row, other):
    """Whether two rows can be of one entry: names are cut, and written in several ways."""

    def start(r):
        return (r.method[:5].lower(), "".join(filter(str.isalpha, r.people))[:5].lower())

    return start(row) == start(other) and row.date == other.date


@pytest.mark.parametrize("date", DATES)
def test_overall_rows_are_means_of_the_five_problems(date):
    """Every overall row is the mean of one row of each problem, in every column."""
    columns = ("score", "ber", "auc", "features", "probes")
    tables = [published(problem, date) for problem in PROBLEMS]
    for overall in published("overall", date):
        ways = product(*([row for row in rows if same(row, overall)] for rows in tables))
        gaps = (np.mean([[getattr(r, c) for c in columns] for r in way], axis=0) for way in ways)
        assert any(
            np.abs(gap - [getattr(overall, c) for c in columns]).max() < 0.011 for gap in gaps
        ), overall


@pytest.mark.parametrize("problem", PROBLEMS)
def test_percentages_are_those_of_the_numbers_of_features(problem):
    """The derived number of features gives the printed percentage."""
    for row in published(problem):
        if row.n_features and not row.n_features.startswith("~"):
            assert 100 * int(row.n_features) / PROBLEMS[problem].n_features == pytest.approx(
                row.features, abs=0.0051
            )


@pytest.mark.parametrize("problem", FRONT)
def test_the_front_is_that_of_the_table(problem):
    """No entry of the first date beats one of the front in error and number of features, and errors rise as features fall."""
    errors, sizes = zip(*FRONT[problem])
    assert (np.diff(errors) > 0).all() and (np.diff(sizes) < 0).all()

    def share(n):
        return round(100 * n / PROBLEMS[problem].n_features, 2)

    for row in published(problem, "1 Dec"):
        assert any(ber <= row.ber and share(n) <= row.features + 0.011 for ber, n in FRONT[problem])


def test_the_survey_counts_what_the_chapter_counts():
    """Of 17 groups 12 used kernels, 2 an elaborate search, 7 ensembles, 3 rows without labels."""
    assert len(SURVEY) == 17
    assert sum("kernel" in group.classifiers for group in SURVEY) == 12
    assert sum("elaborate" in group.search for group in SURVEY) == 2
    assert sum(group.ensemble for group in SURVEY) == 7
    assert sum(group.transduction for group in SURVEY) == 3


def test_facts_that_are_told_of_the_challenge():
    """Bayesian networks won on both dates, a forest before least squares came second, filters by correlation ranked high."""
    assert all(published("overall", date)[0].method == "BayesNN-DF" for date in DATES)
    others = [row for row in published("overall", "1 Dec") if "Neal" not in row.people]
    assert others[0].method == "RF+RLSC"
    assert (
        published("dexter", "8 Dec")[0].method == "FS+SVM"
        and published("dexter", "1 Dec")[4].method == "FS + SVM"
    )
    assert len(PROBLEMS) == 5 and all(known.n_probes > 0 for known in PROBLEMS.values())
    largest = {name: max(row.features for row in published(name, "1 Dec")[:1]) for name in PROBLEMS}
    assert (
        sum(share < 100 for share in largest.values()) == 3
    )  # three of five winners used a selection
