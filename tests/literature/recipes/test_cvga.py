"""The CVGA study: chromosomes, medians, averages over replications, and independence of how it is run."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.linear_model import Ridge

from subsel.criteria import FreshSplitScore
from subsel.criteria.refits.icomp import IcompPerf, IcompTerms
from subsel.data.task import Task
from subsel.engine import Budget
from subsel.literature.recipes.cvga import (
    Chromosome,
    Seen,
    _summary,
    cvga,
    cvga_of,
    kernel_number,
    medians_of,
    replicate,
)
from subsel.models.kernels import KERNELS, find_kernel, laplace
from subsel.search import Genetic

SMALL = {
    "generations": 4,
    "population": 6,
    "replications": 3,
    "n_finalists": 2,
    "n_confirm": 5,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def study(wine):
    return cvga(*wine, **SMALL)


def test_codes_beyond_the_last_kernel_are_repaired_modulo_nine():
    """The paper's example: the twelfth kernel becomes the third. Codes 1 to 9 stand."""
    assert [kernel_number(code) for code in range(1, 16)] == [*range(1, 10), 1, 2, 3, 4, 5, 6]
    assert kernel_number(12) == 3


def test_every_evaluation_is_counted_once(study):
    """Three runs of a first population of 6 and three broods of 5 (the best goes on) are 63 visits."""
    assert study.n_evaluations == 3 * (6 + 3 * 5) == sum(s.n_visits for s in study.solutions)
    assert sum(s.frequency for s in study.solutions) == 3 == sum(study.kernel_frequency.values())
    assert len({(s.columns, s.kernel) for s in study.solutions}) == len(study.solutions)
    assert all(s.columns and s.kernel in KERNELS for s in study.solutions)


def test_the_winner_has_the_least_median_of_its_replication():
    """Medians within a replication, means over replications, wins, and the middle 95% of the medians."""
    one, two = Chromosome((0,), 1), Chromosome((0, 2), 0)
    found = [
        {one: Seen(-10.0, 0.1, 0.2, 3), two: Seen(-20.0, 0.0, 0.1, 1)},
        {one: Seen(-30.0, 0.3, 0.4, 1)},
        {one: Seen(-20.0, 0.2, 0.3, 2), two: Seen(-20.0, 0.0, 0.1, 1)},
    ]
    first, second = _summary(found, ["linear", laplace])
    assert (first.columns, first.kernel, first.frequency, first.n_replications, first.n_visits) == (
        (0,),
        "laplace",
        2,
        3,
        6,
    )
    assert_allclose([first.score, first.train_error, first.test_error], [-20, 0.2, 0.3])
    assert_allclose(first.test_interval, [0.205, 0.395])
    assert (second.frequency, second.n_replications, second.score) == (1, 2, -20)
    terms = [IcompTerms(score, 1.0, 0.0, error) for score, error in ((5, 0.3), (-1, 0.1), (9, 0.2))]
    assert medians_of(terms) == Seen(5.0, 0.0, 0.2, 3)


def test_a_replication_keeps_what_its_judge_has_seen(wine):
    """With one kernel and all codes naming it, no solution is lost to a repaired code."""
    seen = replicate(
        Task.of(*wine),
        IcompPerf(keep=True),
        ["linear"],
        Genetic(population=5),
        Budget(evaluations=13),
        np.random.SeedSequence(0),
    )
    assert sum(s.n_visits for s in seen.values()) == 13
    assert {key.kernel for key in seen} == {0}


def test_neither_workers_nor_their_number_change_the_study(wine, study):
    """The same study on two threads."""
    with joblib.parallel_config("threading"):
        other = cvga(*wine, **SMALL, n_jobs=2)
    assert other.solutions == study.solutions


def test_finalists_are_judged_on_splits_of_their_own(wine, study):
    """Two by score and two by visits (perhaps the same) are confirmed; the best is the least of their medians."""
    confirmed = [s for s in study.solutions if s.confirmed_error is not None]
    assert 2 <= len(confirmed) <= 4
    assert study.solutions[0] in confirmed and study.solutions[1] in confirmed
    assert study.best.confirmed_score == min(s.confirmed_score for s in confirmed)
    assert all(
        s.confirmed_interval[0] <= s.confirmed_error <= s.confirmed_interval[1] for s in confirmed
    )
    plain = cvga(*wine, **{**SMALL, "n_confirm": 0})
    assert plain.best is plain.solutions[0] and plain.best.confirmed_score is None


def test_the_table_is_ordered_as_asked(study):
    """Rows by score, wins, visits or confirmed score; names in place of columns."""
    assert study.table()["score"] == sorted(s.score for s in study.solutions)[:10]
    assert (
        study.table(3, by="frequency")["frequency"]
        == sorted((s.frequency for s in study.solutions), reverse=True)[:3]
    )
    assert study.table(1, by="visits")["visits"] == [max(s.n_visits for s in study.solutions)]
    assert study.table(1, by="confirmed")["confirmed_error"] == [study.best.confirmed_error]
    assert study.table(1)["subset"] == [[f"x{c}" for c in study.solutions[0].columns]]
    with pytest.raises(ValueError, match="by must be one of"):
        study.table(by="luck")


def test_the_search_finds_planted_columns_and_a_kernel_that_bends():
    """Of six columns two make a ring; the confirmed best holds both and its kernel is not linear."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 6))
    y = np.where(X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4, "out", "in")
    found = cvga(
        X, y, criterion=IcompPerf(train_share=0.5), kernels=("linear", "quadratic", laplace), replications=3,
        generations=8, population=12, n_confirm=20, random_state=0,
    ).best  # fmt: skip
    assert {1, 4} <= set(found.columns) and len(found.columns) <= 3
    assert found.kernel != "linear"
    assert found.confirmed_error < 0.1


def test_progress_is_reported(wine, capsys):
    """With verbose, one line a tenth of the replications."""
    cvga(*wine, **{**SMALL, "n_confirm": 0, "generations": 1}, verbose=1)
    assert "cvga: 3 of 3 replications" in capsys.readouterr().err


def test_nothing_to_search_is_refused(wine):
    """At least one replication, one generation and two chromosomes."""
    with pytest.raises(ValueError, match="population of two"):
        cvga(*wine, population=1)


def test_the_parsimonious_solution_is_the_smallest_that_is_no_worse(wine, study):
    """Among finalists that are as good as the best on a fortieth of the same splits or more, the fewest columns."""
    alike = study.indistinguishable
    assert study.best in alike and all(len(s.confirmed_scores) == 5 for s in alike)
    for s in study.solutions:
        if s.confirmed_scores:
            worse = (
                np.percentile(np.subtract(s.confirmed_scores, study.best.confirmed_scores), 2.5) > 0
            )
            assert (s in alike) is not worse
    assert len(study.parsimonious.columns) == min(len(s.columns) for s in alike)
    assert study.best.n_support == 36, "Fisher's discriminant stands on all training rows"
    few = cvga(*wine, criterion=IcompPerf(form="support-vector"), kernels=("linear",), **SMALL)
    assert 3 <= few.best.n_support < 36
    assert few.table(by="confirmed")["support"][0] == few.best.n_support


def test_kernel_parameters_are_searched():
    """Kernels with set parameters have names of their own."""
    X, y = load_wine(return_X_y=True)
    wide = cvga(X, y, kernels=[find_kernel("gaussian", a=a) for a in (0.5, 2.0)], **SMALL)
    assert {s.kernel for s in wide.solutions} <= {"gaussian(a=0.5)", "gaussian(a=2.0)"}


def test_any_learner_and_its_parameters():
    """Scores are minus those of the estimator on fresh splits; the planted columns and the better setting win."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    y = 3 * X[:, 1] - 2 * X[:, 3] + 0.1 * rng.normal(size=90)
    plan = {
        "replications": 2,
        "generations": 6,
        "population": 10,
        "n_confirm": 15,
        "random_state": 0,
    }
    study = cvga_of(Ridge(), X, y, choices={"alpha": [1e-3, 1e4]}, train_share=0.5, **plan)
    assert {1, 3} <= set(study.best.columns) and study.best.kernel == "alpha=0.001"
    assert study.best.confirmed_score < -0.99 and study.parsimonious.columns == (1, 3)
    task, columns = Task.of(X, y, "regression"), np.array([1, 3])
    evaluator = FreshSplitScore(Ridge(1e-3), train_share=0.5).bind(task, 3)
    split = evaluator.draws.draw(0, 0)
    fitted = Ridge(1e-3).fit(X[split.train][:, columns], y[split.train])
    terms = evaluator.terms(columns, split)
    assert terms.score == pytest.approx(-fitted.score(X[split.test][:, columns], y[split.test]))
    assert terms.train_error == pytest.approx(
        -fitted.score(X[split.train][:, columns], y[split.train])
    )
    assert len(split.train) == 45 and not set(split.train) & set(split.test)
