"""AutoSelector: a race that selects, predicts and says what to expect."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import AutoSelector

QUICK = {"budget": "0.2s", "random_state": 0}


UNEQUAL = (
    "a row of weight two counts twice in a fit, but the folds are drawn from the rows as they are"
)


@parametrize_with_checks(
    [AutoSelector(cv=2, search="sfs", budget="0.02s", random_state=0)],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": UNEQUAL,
        "check_sample_weight_equivalence_on_sparse_data": UNEQUAL,
    },
)
def test_scikit_learn_contract(estimator, check, monkeypatch):
    """Every check of scikit-learn passes, with two procedures.

    The clock stands still, so that the plan decides and not a busy machine.
    """
    for clock in ("subsel.auto", "subsel.assessment.race.rounds", "subsel.assessment.folds.fold"):
        monkeypatch.setattr(f"{clock}.perf_counter", lambda: 0.0)
    check(estimator)


def wide(n=60, p=150, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.array(["no", "yes"])[np.arange(n) % 2]
    X[:, [70, 31]] += 2.5 * (y == "yes")[:, None]
    return X, y


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, pd.DataFrame])
def test_it_selects_and_predicts_whatever_the_table(make):
    """The columns that matter are among those selected.

    New rows are predicted with the labels as given.
    """
    X, y = wide()
    auto = AutoSelector(prefer="few", **QUICK).fit(make(X), y)
    assert auto.support_.sum() < 150 and {31, 70} & set(auto.get_support(indices=True))
    assert set(auto.result_.chosen.tolist()) <= set(auto.get_support(indices=True).tolist())
    fresh, truth = wide(seed=1)
    assert (auto.predict(make(fresh)) == truth).mean() > 0.7
    assert auto.transform(make(X)).shape == (60, auto.support_.sum())
    assert auto.assessment_.performance == auto.nested_score_.estimate


def test_a_model_of_ones_own_is_not_cut_short_and_that_is_said_first(capsys):
    """A race looks at its clock between fits.

    Where a model is the user's, it says so before the first.
    """
    X, y = (part[:40] for part in wide(p=71))
    AutoSelector(GaussianNB(), verbose=1, cv=2, n_features=2, **QUICK).fit(X, y)
    assert "one fit of GaussianNB() is not cut short" in capsys.readouterr().out.splitlines()[0]


def test_fixed_forbidden_and_grouped_columns():
    """Fixed columns are in, forbidden ones nowhere, and groups whole, whichever procedure wins."""
    X, y = wide()
    auto = AutoSelector(
        prefer="few", fixed=[3], forbidden=[31], feature_groups=[[70, 71]], **QUICK
    ).fit(X, y)
    assert auto.support_[3] and not auto.support_[31] and auto.support_[70] == auto.support_[71]
    assert auto.predict(X).shape == (60,)


def test_the_upper_bound_holds_for_what_is_taken():
    """With at most five features no procedure that takes more can win."""
    X, y = wide()
    for prefer in ("accuracy", "balance"):
        assert AutoSelector(prefer=prefer, n_features=(1, 5), **QUICK).fit(X, y).support_.sum() <= 5


def test_the_upper_bound_holds_for_a_committee_together():
    """Procedures that are as good but read other columns do not vote where that makes too many.

    Those of the same do.
    """
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(80, 3)), 4, axis=1) + 0.3 * rng.normal(size=(80, 12))
    y = (X[:, ::4].sum(axis=1) > 0).astype(int)
    asked = {"prefer": "accuracy", "cv": 2, "budget": "0.5s", "random_state": 0}
    assert AutoSelector(**asked, committee=9, n_features=(1, 12)).fit(X, y).support_.sum() > 3
    for most in (1, 2, 3, 6):
        auto = AutoSelector(**asked, committee=9, n_features=(1, most)).fit(X, y)
        assert auto.support_.sum() <= most


def test_a_committee_takes_the_union_and_shows_shares():
    """Three procedures vote; each column has the share of the members that selected it."""
    X, y = wide()
    auto = AutoSelector(prefer="accuracy", **QUICK).fit(X, y)
    assert 1 <= len(auto.taken_) <= 3
    assert set(np.round(auto.shares_ * len(auto.taken_)) / len(auto.taken_)) == set(auto.shares_)
    assert (auto.support_ == (auto.shares_ > 0)).all()


def test_the_plan_and_the_answer_are_functions_of_the_table_and_the_seed():
    """The same call gives the same plan and the same selection; a clone carries the parameters."""
    X, y = wide()
    first = AutoSelector(GaussianNB(), "sfs", budget="5s", cv=2, n_features=(1, 3), random_state=3)
    a, b = first.fit(X, y), clone(first).fit(X, y)
    assert [c.name for c in a.plan_.contenders] == [c.name for c in b.plan_.contenders]
    assert a.taken_ == b.taken_ and (a.support_ == b.support_).all()


def test_a_bad_preference_is_refused():
    """A mistyped preference is one clear line."""
    with pytest.raises(
        ValueError, match="prefer must be 'accuracy', 'balance' or 'few', got 'fewer'"
    ):
        AutoSelector(prefer="fewer").fit(*wide())


def test_an_interruption_gives_the_best_so_far(monkeypatch):
    """Ctrl-C in the third fold of the race ends it.

    What was compared decides, and the result says so.
    """
    import subsel.assessment.race.rounds as running

    run_fold, calls = running.run_fold, []

    def interrupted(plan, split, number):
        calls.append(number)
        if number == 2:
            raise KeyboardInterrupt
        return run_fold(plan, split, number)

    monkeypatch.setattr(running, "run_fold", interrupted)
    auto = AutoSelector(GaussianNB(), "sfs", cv=4, n_features=(1, 2), random_state=0).fit(*wide())
    assert auto.race_.interrupted and auto.result_.stopped_by == "interrupted"
    assert max(len(standing.folds) for standing in auto.race_.standings) == 2
    assert any("interrupted" in note for note in auto.result_.notes)


def test_an_interruption_before_the_first_fold_is_passed_on(monkeypatch):
    """Nothing was found: there is nothing to return."""
    import subsel.assessment.race.rounds as running

    def interrupted(*job):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "run_fold", interrupted)
    with pytest.raises(KeyboardInterrupt):
        AutoSelector(GaussianNB(), "sfs", cv=4, random_state=0).fit(*wide())


def test_a_quantity_is_raced_by_r2():
    """For regression the measure is R2 and committees average.

    The relevant columns are found among noise.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 30))
    y = 3 * X[:, 4] - 2 * X[:, 9] + 0.3 * rng.normal(size=80)
    auto = AutoSelector(
        prefer="accuracy", cv=2, budget="4s", n_features=(1, 12), random_state=0
    ).fit(X, y)
    assert auto.scoring_ == "r2" and {4, 9} <= set(auto.get_support(indices=True))
    assert auto.nested_score_.estimate > 0.8
    assert np.corrcoef(auto.predict(X), y)[0, 1] > 0.9
