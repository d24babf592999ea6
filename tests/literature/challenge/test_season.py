"""Entries run on small problems; what they hand in is kept, scored, and opened once."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from subsel.assessment import balanced_error
from subsel.literature.challenge import (
    ENTRIES,
    PROBLEMS,
    Entry,
    Openings,
    Season,
    Submission,
    load_problem,
    pairwise,
    problem_of,
    score,
)
from subsel.literature.challenge.problem import PARTS
from subsel.ranking.selector import RankingSelector
from tests.real_tables import real_table


def small(seed=0, n=60, p=20):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(2 * n, p)), np.where(np.arange(2 * n) % 2, 1, -1)
    X[:, :3] += y[:, None]
    return problem_of("small", X[:n], y[:n], X[n:], y[n:], np.arange(p) >= 3)


class Best(Entry):
    title, team, chapter = "best", "us", "none"
    fits: ClassVar[list[str]] = []

    def procedure(self, problem):
        self.fits.append(problem.name)
        return make_pipeline(RankingSelector("anova-f", cut=3), LogisticRegression())


class Twin(Best):
    title = "twin"

    def same_as(self, problem):
        return "best"


class Broken(Best):
    def procedure(self, problem):
        raise RuntimeError("no")


@pytest.fixture
def keys(monkeypatch):
    for key, cls in (("best", Best), ("broken", Broken)):
        ENTRIES.add(key, cls, home=f"{__name__}:{cls.__name__}")
    Best.fits.clear()
    return ["best", "broken"]


def test_what_two_entries_do_alike_is_done_once(tmp_path, keys):
    """The second hands in what the first did, under its own name; alone, it does it itself."""
    problem = small()
    ENTRIES.add("twin", Twin, home=f"{__name__}:Twin")
    season = Season([problem], ["best", "twin"], tmp_path / "both")
    season.run()
    given = season.submissions(problem)
    assert Best.fits == ["small"]
    assert [given[key].entry for key in ("best", "twin")] == ["best", "twin"]
    assert given["best"].fingerprint == given["twin"].fingerprint
    alone = Season([problem], ["twin"], tmp_path / "alone")
    alone.run()
    assert alone.submissions(problem)["twin"].fingerprint == given["twin"].fingerprint


def test_a_season_keeps_what_was_handed_in_and_goes_on(tmp_path, keys):
    """A failed entry does not end it; a finished one is not run again; predictions are those of the estimator."""
    problem = small()
    season = Season([problem], keys, tmp_path)
    assert set(season.run()) == {"broken on small"} and Best.fits == ["small"]
    season.run()
    assert Best.fits == ["small"]
    given = season.submissions(problem)["best"]
    model = Best().procedure(problem).fit(problem.X, problem.y)
    assert (given.predicted == model.predict(problem.others)).all()
    assert given.features.tolist() == model[0].get_support(indices=True).tolist()


def test_scores_by_definition(tmp_path):
    """Balanced error, area, shares of features and probes of a submission made by hand."""
    problem = small()
    confidence = np.where(np.arange(60) < 15, -1.0, 1.0) * problem.sealed
    given = Submission(
        "hand", "small", problem.y.astype(float), confidence, np.array([0, 1, 5, 6]), 1.0
    )
    found = score(problem, given)
    assert found.ber == pytest.approx(100 * balanced_error(problem.sealed, np.sign(confidence)))
    assert found.auc == pytest.approx(100 - found.ber)
    assert (found.features, found.probes, found.n_features) == (20.0, 50.0, 4)
    given.save(tmp_path / "kept.npz")
    again = Submission.load(tmp_path / "kept.npz")
    assert again.fingerprint == given.fingerprint and again.seconds == 1.0


def test_openings_are_recorded_once_and_the_first_stays_first(tmp_path):
    """Scoring the same predictions again adds nothing; others are added with their date and version."""
    problem, path = small(), tmp_path / "openings.jsonl"
    right = Submission("hand", "small", problem.y * 1.0, problem.sealed * 1.0, np.array([0]), 1.0)
    wrong = Submission("hand", "small", problem.y * 1.0, problem.sealed * -1.0, np.array([0]), 1.0)
    for given in (wrong, wrong, right, wrong):
        Openings(path).open(problem, given)
    assert [record["ber"] for record in Openings(path).of("hand", "small")] == [100.0, 0.0]


def test_the_pairwise_score_prefers_the_right_then_the_small(tmp_path):
    """A clearly better entry wins; of equals the one with fewer features; the scores sum to nothing."""
    problem = small()

    def hand(sign, features):
        return Submission(
            "hand", "small", problem.y * 1.0, problem.sealed * sign, np.arange(features), 1.0
        )

    scores = pairwise(problem, [hand(1.0, 5), hand(1.0, 2), hand(-1.0, 1)])
    assert scores.tolist() == [0.0, 100.0, -100.0]


def test_the_full_form_counts_where_both_were_run(tmp_path, keys):
    """A season gives the full submission where it is there, else the quick one, under its own name."""
    problem = small()
    Season([problem], ["best"], tmp_path, quick=True).run()
    full = Season([problem], ["best"], tmp_path)
    assert [given.entry for given in full.submissions(problem).values()] == ["best, quick"] and len(
        full.pending()
    ) == 1
    full.run()
    assert [given.entry for given in full.submissions(problem).values()] == ["best"]


@pytest.mark.parametrize("name", ["madelon", "arcene", "dexter", "dorothea", "gisette-valid"])
def test_the_problems_at_hand_are_what_is_printed(name):
    """Rows, columns, classes and zeros agree with the description of the problem."""
    folder = real_table(PARTS.get(name, f"{name}.npz")).parent
    problem = load_problem(folder, name)
    known = PROBLEMS[problem.recipe]
    assert problem.X.shape[0] == len(problem.y) and set(problem.y) == {-1, 1}
    assert problem.n_features == known.n_features
    assert problem.sparse == (name in ("dexter", "dorothea"))
    assert problem.probes is None or problem.probes.sum() == known.n_probes
    if name == "gisette-valid":  # every other row of each class is for training
        assert (
            len(problem.y) == len(problem.sealed) == 500
            and problem.y.sum() == problem.sealed.sum() == 0
        )


def test_another_table_is_not_taken_for_a_problem(tmp_path):
    """A file of the wrong width, or a name that is not of the challenge, is refused."""
    np.savez(tmp_path / "madelon.npz", X=np.ones((4, 3)), y=np.array([1, -1, 1, -1]))
    with pytest.raises(ValueError, match="madelon has 500 features, this table has 3"):
        load_problem(tmp_path, "madelon")
    with pytest.raises(
        ValueError, match=r"^the challenge has no problem 'madelom'\. Did you mean madelon\?$"
    ):
        load_problem(tmp_path, "madelom")
