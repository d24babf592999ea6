"""The printed tables keep the identities that the whole of them has."""

import numpy as np
import pytest

from subsel.challenge import FRONT, PROBLEMS, published

DATES = {"1 Dec": 56, "8 Dec": 36}


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_scores_are_whole_numbers_of_wins(problem, date):
    """A score is a number of wins less losses over the number of opponents, times 100."""
    wins = np.array([row.score for row in published(problem, date)]) * (DATES[date] - 1) / 100
    assert np.abs(wins - wins.round()).max() < 0.01 and len(wins) == 20


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("problem", ["overall", *PROBLEMS])
def test_ranks_are_distinct_and_follow_the_error(problem, date):
    """No two entries share a rank, ranks are within the number of entries, and a lower rank has no larger error."""
    rows = sorted(published(problem, date), key=lambda row: row.ber_rank)
    ranks = [row.ber_rank for row in rows]
    assert len(set(ranks)) == len(ranks) == 20 and ranks[0] >= 1 and ranks[-1] <= DATES[date]
    assert (np.diff([row.ber for row in rows]) >= 0).all()
    areas = sorted(published(problem, date), key=lambda row: row.auc_rank)
    assert (np.diff([row.auc for row in areas]) <= 0).all()


@pytest.mark.parametrize(("date", "method"), [("1 Dec", "BayesNN-sm"), ("8 Dec", "BayesNN-DF"), ("8 Dec", "final 2-3")])
def test_overall_rows_are_means_of_the_five_problems(date, method):
    """Where an entry is among the first twenty everywhere, its overall row is the mean of its five."""
    overall = next(row for row in published("overall", date) if row.method == method)
    rows = [next(row for row in published(problem, date) if row.method == method) for problem in PROBLEMS]
    for column in ("ber", "auc", "features", "probes", "score"):
        assert np.mean([getattr(row, column) for row in rows]) == pytest.approx(getattr(overall, column), abs=0.011)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_percentages_are_those_of_the_numbers_of_features(problem):
    """The derived number of features gives the printed percentage."""
    for row in published(problem):
        if row.n_features and not row.n_features.startswith("~"):
            assert 100 * int(row.n_features) / PROBLEMS[problem].n_features == pytest.approx(row.features, abs=0.0051)


@pytest.mark.parametrize("problem", FRONT)
def test_the_front_is_one(problem):
    """Errors rise as features fall."""
    errors, sizes = zip(*FRONT[problem])
    assert (np.diff(errors) > 0).all() and (np.diff(sizes) < 0).all()
