"""Our own entries on small problems of the kinds that the challenge has."""

import json
import sys

import numpy as np
import pytest
from scipy import sparse

from subsel.assessment.folds.procedure import with_seed
from subsel.literature.challenge import ENTRIES, problem_of, score
from subsel.literature.challenge import problem as problems
from subsel.literature.challenge.entries.ours.subsel_few import SystematicSample
from subsel.literature.challenge.problem import Known
from subsel.literature.problems.madelon import draw_madelon

challenge_cv = pytest.importorskip(
    "benchmarks.challenge_cv", reason="tests of the benchmarks need the repository"
)


def halves(name, X, y):
    """Every second row is a validation row."""
    return problem_of(name, X[::2], y[::2], X[1::2], y[1::2])


def spectra(rng, n=80, p=300):
    """Columns in bands of neighbours that rise together, one band with the class; the last hundred alone."""
    y = np.where(np.arange(n) // 2 % 2, 1, -1)
    heights = rng.gamma(4.0, size=(n, 10)) + np.outer(y > 0, np.arange(10) == 3) * 6
    bands = np.repeat(heights, 20, axis=1) + rng.normal(scale=0.3, size=(n, 200))
    return np.hstack([bands, rng.gamma(4.0, size=(n, p - 200))]) + 5, y


def documents(rng, n=120, p=900):
    """Counts of words, the first forty of which each class has more of than the other."""
    y = np.where(np.arange(n) // 2 % 2, 1, -1)
    rates = np.full((n, p), 0.05)
    rates[:, :40] += np.where((np.arange(40) % 2 == 0) == (y[:, None] > 0), 0.5, 0.0)
    return sparse.csr_array(rng.poisson(rates).astype(float)), y


def molecules(rng, n=120, p=200):
    """Bits, of which the first thirty are set more often in the one molecule of five that is active."""
    y = np.where(np.arange(n) // 2 % 5 == 0, 1, -1)
    rates = np.full((n, p), 0.05)
    rates[:, :30] += 0.4 * (y[:, None] > 0)
    return sparse.csr_array((rng.random((n, p)) < rates).astype(float)), y


@pytest.mark.parametrize(
    ("key", "name", "make"),
    [
        ("subsel-few", "arcene", spectra),
        ("subsel-all", "arcene", spectra),
        ("subsel-few", "dexter", documents),
        ("subsel-all", "dexter", documents),
        pytest.param("subsel-few", "dorothea", molecules, marks=pytest.mark.slow),
        pytest.param("subsel-all", "dorothea", molecules, marks=pytest.mark.slow),
    ],
)
def test_recipes_find_what_was_planted(key, name, make):
    """On each kind of table few errors; hardly a probe among few of spectra; bits that were not handed in are not read."""
    problem = halves(name, *make(np.random.default_rng(0)))
    entry = ENTRIES.find(key)()
    given = entry.fit(problem)
    assert score(problem, given).ber < 12
    if (key, name) == ("subsel-few", "arcene"):
        assert np.mean(given.features < 200) > 0.95
    if (key, name) == ("subsel-all", "arcene"):  # one of whose machines reads all columns
        assert len(given.features) == problem.n_features
    if name == "dorothea":  # whose steps do not look along rows before columns are chosen
        blank = problem.others.toarray() * np.isin(np.arange(problem.n_features), given.features)
        model = with_seed(entry.procedure(problem), np.random.default_rng(0)).fit(
            problem.X, problem.y
        )
        assert (model.predict(sparse.csr_array(blank)) == given.predicted).all()


def test_madelon_is_solved_by_its_structure():
    """The real columns and no other, and fewer errors than any method that does not know the cube."""
    law = draw_madelon(n_useless=60, random_state=3)
    table = law.sample(rows_per_cluster=60, random_state=4)
    problem = halves("madelon", table.X, np.where(table.y == 1, 1, -1))
    given = ENTRIES.find("subsel-few")().fit(problem)
    assert (law.roles[given.features] != "useless").all() and len(given.features) == 20
    assert score(problem, given).ber < 8


def test_a_systematic_sample_has_every_spread():
    """As many columns as asked for, one of each stretch of the order of spreads; all where there are no more."""
    X = np.random.default_rng(0).normal(size=(50, 30)) * np.arange(1, 31)
    chosen = SystematicSample(10).fit(X).get_support(indices=True)
    places = np.argsort(np.argsort(X.std(axis=0)))[chosen]
    assert np.unique(places // 3).size == len(chosen) == 10
    assert SystematicSample(99).fit(X).get_support().all()


def test_cross_validation_keeps_folds_and_goes_on(tmp_path, monkeypatch, capsys):
    """Finished folds are lines of a file and are not run again; every row is predicted once a repeat."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 8)), np.tile([-1, 1], 30)
    X[:, 2:5] += 2 * y[:, None]
    np.savez(
        tmp_path / "madelon.npz",
        X=X,
        y=y,
        split=np.repeat([0, 1], 30),
        split_names=np.array(["train", "valid"]),
    )
    known = Known(8, 7, {"train": (15, 15), "valid": (15, 15)}, 0.0, 5)
    monkeypatch.setitem(problems.PROBLEMS, "madelon", known)
    monkeypatch.setattr("benchmarks.table.RESULTS", tmp_path)
    out = tmp_path / "folds.jsonl"
    typed = [
        "x",
        "--data",
        str(tmp_path),
        "--entries",
        "subsel-few",
        "--sets",
        "madelon",
        "--folds",
        "3",
        "--out",
        str(out),
    ]
    for more, rows in (["--seconds", "0"], 0), ([], 60), ([], 60), (["--part", "train"], 90):
        monkeypatch.setattr(sys, "argv", typed + more)
        challenge_cv.main()
        lines = out.read_text().splitlines() if out.exists() else []
        assert sum(len(json.loads(line)["rows"]) for line in lines) == rows
    assert "| both | subsel-few | madelon | 3 |" in capsys.readouterr().out
