"""An interruption inside a fold ends the assessment; resuming gives the uninterrupted one."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from subsel import SubsetSelector, assess, compare
from subsel.runtime.fold_loop import run_jobs
from tests.faults.injection import fault_at, n_lines

X, Y = (part[::3] for part in load_wine(return_X_y=True))


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def selector(folder=None):
    return SubsetSelector(GaussianNB(), "rmhc", cv=2, budget=8, random_state=0, journal=folder)


def assessed(folder=None, procedure=None):
    """An assessment with shuffled labels, in a journal that its searches share."""
    given = selector(folder) if procedure is None else procedure
    found = assess(
        given,
        GaussianNB(),
        X,
        Y,
        cv=3,
        permutations=1,
        references=False,
        random_state=0,
        journal=folder,
    )
    return found.folds["score"], None if found.permutation is None else found.permutation.scores


def compared(folder=None):
    """A comparison."""
    methods = [("walk", selector(folder)), ("two", SelectKBest(k=2))]
    found = compare(methods, GaussianNB(), X, Y, cv=3, random_state=0, journal=folder)
    return found.scores, found.table["n_features"]


def survive(job, folder, lines):
    """Interrupt at each line: what was finished is part of the whole, and resuming gives the whole.

    Counts them.
    """
    plain, n_partial = job(), 0
    for number, line in enumerate(lines):
        place = folder / str(number)
        with fault_at(line):
            try:
                found = job(place)
            except KeyboardInterrupt:
                found = None
        if found is not None:
            n_partial += found[0].shape != plain[0].shape or found[1] is None
            assert np.array_equal(found[0], plain[0][..., : found[0].shape[-1]]), line
        again = job(place)
        assert all(np.array_equal(a, b) for a, b in zip(again, plain)), line
    return n_partial


@pytest.mark.parametrize("job", [assessed, compared], ids=["assess", "compare"])
def test_an_interruption_at_any_line_keeps_finished_folds_only(job, tmp_path):
    """Four lines of each job, drawn evenly."""
    total = n_lines(lambda: job(tmp_path / "count"))
    survive(job, tmp_path, np.random.default_rng(2).integers(total, size=4))


@pytest.mark.slow
@pytest.mark.parametrize("job", [assessed, compared], ids=["assess", "compare"])
def test_forty_interruptions_at_any_line_keep_finished_folds_only(job, tmp_path):
    """Twenty of forty."""
    total = n_lines(lambda: job(tmp_path / "count"))
    assert survive(job, tmp_path, np.random.default_rng(3).integers(total, size=20)) > 0


class Impatient(GaussianNB):
    """Naive Bayes whose user presses Ctrl-C during one of its fits."""

    fits, stop_at = 0, None

    def fit(self, X, y, sample_weight=None):
        Impatient.fits += 1
        if Impatient.fits == Impatient.stop_at:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("inside", ["selector", "pipeline", "grid"])
def test_an_interrupted_search_within_any_procedure_ends_the_job(inside, tmp_path, monkeypatch):
    """The search does not pass for finished: its fold is not kept, later folds are not begun."""
    searching = SubsetSelector(Impatient(), "rmhc", cv=2, budget=8, exact="never", random_state=0)
    whole = make_pipeline(searching, GaussianNB())
    procedure = {
        "selector": (searching, GaussianNB()),
        "pipeline": (whole, None),
        "grid": (GridSearchCV(whole, {"subsetselector__budget": [6, 8]}, cv=2), None),
    }[inside]
    more = {"references": False, "stability_pairs": 0, "random_state": 0, "journal": tmp_path}

    def go():
        return assess(*procedure, X, Y, cv=3, **more)

    monkeypatch.setattr(Impatient, "fits", 0)
    per_fold = n_fits_of(go) // 3
    for file in tmp_path.iterdir():
        file.unlink()
    monkeypatch.setattr(Impatient, "fits", 0)
    monkeypatch.setattr(Impatient, "stop_at", per_fold + 3)
    partial = go()
    assert Impatient.fits == per_fold + 3
    assert len(partial.folds["score"]) == 1
    assert partial.interrupted


def n_fits_of(go):
    go()
    return Impatient.fits


def test_a_run_of_jobs_within_a_job_passes_the_interruption_on():
    """A race inside a fold is a part of it."""

    def nested(_, number):
        return run_jobs(interrupted, None, [(0,), (1,)], 2, n_jobs=1, what="race")

    assert run_jobs(nested, None, [(0,)], 1, n_jobs=1, what="assess") == ([], True)
    assert run_jobs(interrupted, None, [(0,), (1,)], 2, n_jobs=1, what="race") == ([], True)


def interrupted(*given):
    raise KeyboardInterrupt


@pytest.mark.parametrize("rule", ["search", "best", "one-se"])
def test_an_interruption_after_the_search_keeps_its_answer(rule, monkeypatch):
    """While the rule is applied or swaps are looked at.

    The search's own answer stands, and the result says so.
    """
    searching = SubsetSelector(
        Impatient(), "rmhc", cv=2, budget=8, exact="never", choose=rule, random_state=0
    )
    monkeypatch.setattr("subsel.selector.subset.choose", interrupted)
    found = searching.fit(X, Y)
    assert found.result_.stopped_by == "interrupted"
    assert found.get_support(indices=True).tolist() == found.result_.answer.columns.tolist()
    assert rule in found.result_.notes[-1]
