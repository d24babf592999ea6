"""What a page shows: columns that were used, distances from the printed figures, reasons."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.literature.challenge import Figure, Openings, Season, Submission, problem_of
from subsel.literature.challenge.entries.unlabelled_rows import FittedOnAll, TrainedWithOthers
from subsel.literature.challenge.entry import columns_used
from subsel.literature.challenge.page import challenge_page
from subsel.literature.challenge.picture import draw_fronts
from subsel.literature.challenge.results import EntryResult, opened_results
from subsel.literature.challenge.scoring import EntryScore
from subsel.literature.models import DecisionThreshold
from subsel.models import TransductiveSVM


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 10)), np.tile([-1, 1], 30)
    X[:, [2, 7]] += y[:, None]
    return X, y


MODELS = {
    "behind components": (
        make_pipeline(StandardScaler(), SelectKBest(k=2), PCA(1), LogisticRegression()),
        [2, 7],
    ),
    "before components": (
        make_pipeline(PCA(4), SelectKBest(k=2), LogisticRegression()),
        list(range(10)),
    ),
    "searched": (
        GridSearchCV(
            make_pipeline(SelectKBest(), LogisticRegression()), {"selectkbest__k": [2]}, cv=3
        ),
        [2, 7],
    ),
    "with a threshold": (
        make_pipeline(SelectKBest(k=2), DecisionThreshold(LogisticRegression(), cv=None)),
        [2, 7],
    ),
    "scaled with others": (
        make_pipeline(
            FittedOnAll(StandardScaler(), np.ones((3, 10))), SelectKBest(k=2), LogisticRegression()
        ),
        [2, 7],
    ),
    "united": (
        make_pipeline(
            FeatureUnion([("few", SelectKBest(k=2)), ("mixed", PCA(2))]), LogisticRegression()
        ),
        range(10),
    ),
    "voting": (
        VotingClassifier(
            [("few", make_pipeline(SelectKBest(k=2), LogisticRegression()))], voting="soft"
        ),
        [2, 7],
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_columns_used_are_those_that_change_predictions(rows, name):
    """Shuffling any other column leaves every output as it is; the columns named are those expected."""
    X, y = rows
    model, expected = MODELS[name]
    fitted = model.fit(X, y)
    used = columns_used(fitted, 10)
    assert used.tolist() == list(expected)
    rest = np.setdiff1d(np.arange(10), used)
    changed = X.copy()
    changed[:, rest] = np.random.default_rng(1).permuted(X[:, rest], axis=0)
    np.testing.assert_allclose(fitted.predict_proba(changed), fitted.predict_proba(X))


def test_steps_that_look_at_other_rows_are_those_of_all_rows(rows):
    """A scaler is that of both tables; a machine is that of a transductive one on scaled rows."""
    X, y = rows
    step = FittedOnAll(StandardScaler(), X[40:]).fit(X[:40])
    np.testing.assert_allclose(step.transform(X), StandardScaler().fit_transform(X))
    front = StandardScaler().fit(X[:40])
    alone = TransductiveSVM(C_unlabelled=0.5).fit(
        front.transform(X[:40]), y[:40], unlabelled=front.transform(X[40:])
    )
    model = TrainedWithOthers(StandardScaler(), TransductiveSVM(C_unlabelled=0.5), X[40:]).fit(
        X[:40], y[:40]
    )
    np.testing.assert_allclose(
        model.decision_function(X), alone.decision_function(front.transform(X))
    )


def result(key, ber, validation):
    score = EntryScore(key, "madelon", ber, 1.0, 95.0, 4.0, 0.0, 20, 3.0)
    return EntryResult(
        key,
        score,
        0.0,
        1,
        "2026-01-01",
        None if validation is None else Figure(validation, 8.0, "1 Dec", 20),
    )


def test_misses_are_those_above_two_bars_with_their_reasons():
    """Three bars above is a miss, one above and five below are none, and the reason stands beside it."""
    found = [
        result("rf-rlsc", 10.0, 7.0),
        result("kpls", 8.0, 7.0),
        result("cba", 2.0, 7.0),
        result("esnb", 9.0, None),
    ]
    page = challenge_page({"madelon": found}, {"rf-rlsc": {"madelon": "for a reason."}})
    misses = page[page.index("## What lies off") :]
    assert "Of 3 results with a printed figure, 2 lie within" in misses
    assert [line for line in misses.splitlines() if line.startswith("-")] == [
        "- rf-rlsc on MADELON, 10.00 against 7.00: for a reason."
    ]


def test_our_front_is_told_and_drawn_where_there_is_one(tmp_path):
    """By rising number of features, below the table of its problem, and as a line of its own."""
    found = {"madelon": [result("rf-rlsc", 10.0, 7.0)]}
    ours = {"madelon": [(20.0, 4.25, 0.5), (8.0, 6.0, 0.6)], "arcene": [(300.0, 15.0, 3.0)]}
    told = "Ours with few features, by ten folds of the training rows, shuffled three times: 6.00 (0.60) with 8, 4.25 (0.50) with 20."
    page = challenge_page(found, ours=ours)
    assert page.count(told) == page.count("Ours with few features") == 1 and page.index(
        told
    ) > page.index("## MADELON")
    assert "Ours with few features" not in challenge_page(found)
    draw_fronts(found, tmp_path / "plain.png")
    draw_fronts(found, tmp_path / "ours.png", ours)
    assert (tmp_path / "plain.png").read_bytes() != (tmp_path / "ours.png").read_bytes()


def test_results_are_opened_once_and_sorted(rows, tmp_path):
    """The least error comes first; every submission is recorded when it is opened."""
    X, y = rows
    problem = problem_of("madelon", X, y, X, y)

    def hand(name, wrong):
        return Submission(
            name,
            "madelon",
            y * 1.0,
            np.where(np.arange(60) < wrong, -y, y) * 1.0,
            np.arange(2),
            1.0,
        )

    for key, wrong in (("kpls", 10), ("cba", 0)):
        hand(key, wrong).save(tmp_path / "madelon" / f"{key}.npz")
    openings = Openings(tmp_path / "openings.jsonl")
    found = opened_results(Season([problem], ["kpls", "cba"], tmp_path), problem, openings)
    assert [r.key for r in found] == ["cba", "kpls"] and [r.points for r in found] == [
        100.0,
        -100.0,
    ]
    assert len(openings.records) == 2 and found[0].figure is not None


def test_all_openings_of_our_entries_are_shown():
    """A line for each date, problems that were not opened anew as before, their mean; those of others are not told."""
    scores = {
        name: EntryScore("subsel, few features", name, 9.0, 1.0, 90.0, 4.0, 0.0, 20, 1.0)
        for name in ("a", "b")
    }
    found = {
        name: [EntryResult("subsel-few", score, 0.0, 1, "2026-01-01", None)]
        for name, score in scores.items()
    }

    def record(date, entry, name, ber):
        return {
            "date": date,
            "entry": entry,
            "problem": name,
            "ber": ber,
            "features": ber / 2,
        }

    openings = [
        record("2026-01-01", "subsel, few features", "a", 20.0),
        record("2026-01-01", "subsel, few features", "b", 10.0),
        record("2026-01-02", "another", "a", 1.0),
        record("2026-01-03", "subsel, few features", "a", 12.0),
    ]
    page = challenge_page(found, openings=openings)
    assert "| subsel, few features | 2026-01-01 | 20.00 | 10.00 | 15.00 | 7.50 |" in page
    assert "| subsel, few features | 2026-01-03 | 12.00 | 10.00 | 11.00 | 5.50 |" in page
    assert "2026-01-02" not in page and "All openings" not in challenge_page(found)


def test_openings_of_the_quick_form_count(tmp_path):
    """A full form that is opened after its quick form was opened twice."""
    problem = problem_of(
        "tiny", np.eye(4), np.array([1, -1, 1, -1]), np.eye(4), np.array([1, -1, 1, -1])
    )
    openings = Openings(tmp_path / "openings.jsonl")
    for entry, said in (
        ("KPLS, quick", [1.0, 1, 1, 1]),
        ("KPLS, quick", [-1.0, 1, 1, 1]),
        ("KPLS", [1.0, -1, 1, -1]),
    ):
        handed = Submission(entry, "tiny", np.ones(4), np.array(said), np.arange(2), 0.1)
        openings.open(problem, handed)
    handed.save(tmp_path / "tiny" / "kpls.npz")
    (found,) = opened_results(Season([problem], ["kpls"], tmp_path), problem, openings)
    assert found.n_openings == 3 and found.first == openings.records[0]["date"]
