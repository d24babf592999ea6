"""AutoSelector and ScreenedSelector on frames as people have them.

They select the user's columns, gaps and all.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from subsel import AutoSelector, assess, auto, compare
from subsel.data import TableEncoder
from subsel.data.encoding.selectable_columns import SourceColumns
from subsel.data.task import Task
from subsel.selector.screening import ScreenedSelector

FEATURES = ["id", "größe", "town", "joined", "smokes", "who", "n0", "n1", "n2", "n3"]
LEARNABLE = [name for name in FEATURES if name not in ("id", "who")]
QUICK = {"search": "sfs", "cv": 2, "budget": 60, "random_state": 0}


@pytest.fixture(scope="module")
def raced(wards):
    return AutoSelector(GaussianNB(), prefer="few", n_features=(1, 3), **QUICK).fit(
        wards[FEATURES], wards["y"]
    )


def test_the_race_speaks_of_the_users_columns(raced, wards):
    """Support, names, sizes, front, assessment.

    All count columns of the frame, never encoded ones.
    """
    assert raced.support_.shape == (10,) and set(raced.get_feature_names_out()) <= set(LEARNABLE)
    assert {"größe", "town"} & set(raced.get_feature_names_out())
    assert raced.result_.names == tuple(FEATURES) and raced.result_.chosen.max() < 10
    assert raced.assessment_.names == tuple(FEATURES) and raced.assessment_.supports.shape[1] == 10
    assert all(found.size == len(set(found.columns.tolist())) <= 3 for found in raced.result_.front)
    sizes = [standing.size for standing in raced.race_.standings if standing.name == "all features"]
    assert sizes == [len(LEARNABLE)]
    assert "'who' has 120 different values" in " ".join(raced.result_.notes)
    assert any("größe, town" in note for note in raced.notes_)


def test_new_rows_are_predicted_as_they_come(raced, wards):
    """New rows may hold gaps, towns that nobody saw, and their columns in another order."""
    new = (
        wards[FEATURES]
        .head(6)
        .assign(town=["A", "Z", None, "B", "Z", "C"], größe=[50.0, None, 30.0, 60.0, None, 20.0])
    )
    assert set(raced.predict(new[FEATURES[::-1]])) <= {"ja", "nein"}
    assert raced.predict_proba(new).shape == (6, 2)
    kept = raced.transform(new)
    assert kept.columns.tolist() == raced.get_feature_names_out().tolist()


def test_polars_gives_the_same_selection(raced, wards):
    """A polars frame with the same cells is raced in the same way."""
    again = clone(raced).fit(pl.from_pandas(wards[FEATURES]), wards["y"].tolist())
    assert again.support_.tolist() == raced.support_.tolist() and again.taken_ == raced.taken_


def test_plain_arrays_with_gaps_are_filled_with_a_note(wards):
    """NaN in an array of numbers is filled in every fold, and the user is told."""
    X = wards[["größe", "n0", "n1", "n2"]].to_numpy()
    found = AutoSelector(GaussianNB(), n_features=(1, 2), **QUICK).fit(X, wards["y"])
    assert found.support_[0] and "1 of the columns have missing values (x0)" in " ".join(
        found.notes_
    )
    with pytest.raises(ValueError, match="column 'x1' holds infinity"):
        AutoSelector(GaussianNB(), **QUICK).fit(np.where(X[3, 1] == X, np.inf, X), wards["y"])


def test_what_fills_gaps_is_learnt_in_the_folds(wards, monkeypatch):
    """No encoder of a race has seen held-out rows.

    What a column holds was told once, so that all folds have the same.
    """
    seen, within, fit, run = [], [], TableEncoder.fit, auto.race

    def fitted(self, X, y=None):
        seen.append((len(X), len(self.plans[0].levels), bool(within)))
        return fit(self, X, y)

    def running(*given, **settings):
        within.append(True)
        found = run(*given, **settings)
        within.clear()
        return found

    monkeypatch.setattr(TableEncoder, "fit", fitted)
    monkeypatch.setattr(auto, "race", running)
    AutoSelector(GaussianNB(), n_features=(1, 2), **QUICK).fit(wards[["town", "größe"]], wards["y"])
    assert {rows for rows, _, racing in seen if racing} == {len(wards) // 2}
    assert {levels for _, levels, _ in seen} == {wards["town"].nunique()}
    assert any(rows == len(wards) for rows, _, racing in seen if not racing)


def test_models_that_read_gaps_get_them_as_they_are(wards):
    """In one race boosting reads NaN and naive Bayes filled values.

    Where none are filled only the former take part.
    """
    X, y = wards[["größe", "town", "n0"]], wards["y"]
    boosting = HistGradientBoostingClassifier(max_iter=2)
    for impute in ("median", "none"):
        found = AutoSelector(boosting, impute=impute, **QUICK | {"budget": 5}).fit(X, y)
        whole = [s.contender.procedure for s in found.race_.standings if s.name == "all features"]
        assert [procedure[0].impute for procedure in whole] == ["none"]
    filled = AutoSelector(GaussianNB(), impute="knn", **QUICK).fit(X, y)
    assert {s.contender.procedure[0].impute for s in filled.race_.standings} == {"knn"}


def test_fixed_forbidden_and_grouped_columns_of_the_user(wards):
    """They are named as in the frame, whatever the columns become.

    One that is left out cannot be fixed.
    """
    rules = {"fixed": ["joined"], "forbidden": ["town"], "feature_groups": [["smokes", "n0"]]}
    X, y = wards[FEATURES], wards["y"]
    for make in (lambda **more: AutoSelector(GaussianNB(), n_features=(1, 5), **QUICK, **more),
                 lambda **more: ScreenedSelector(GaussianNB(), n_features=(1, 5), **QUICK, **more)):  # fmt: skip
        chosen = set(make(**rules).fit(X, y).get_feature_names_out())
        assert "joined" in chosen and "town" not in chosen and len(chosen) <= 5
        assert ("smokes" in chosen) == ("n0" in chosen)
        with pytest.raises(ValueError, match="fixed names column 'who', which cannot be selected"):
            make(fixed=["who"]).fit(X, y)


def test_weights_and_groups_reach_the_race(wards):
    """Rows of one group are never in both parts of a fold.

    Weights of zero are as if rows were not there.
    """
    X, y, groups = wards[FEATURES], wards["y"], wards["ward"].to_numpy()
    found = AutoSelector(GaussianNB(), n_features=(1, 2), **QUICK).fit(
        X, y, sample_weight=wards["weight"], groups=groups
    )
    for split in found.race_.splits:
        assert not set(groups[split.train]) & set(groups[split.test])


def test_assess_takes_the_race_whole(wards):
    """`assess(AutoSelector(), None, X, y)` repeats the race, encoder and all, in every fold."""
    auto = AutoSelector(GaussianNB(), n_features=(1, 3), **QUICK)
    found = assess(auto, None, wards[FEATURES], wards["y"], cv=2, random_state=0)
    assert found.performance > 0.5 and found.sizes.max() <= 3 and found.names == tuple(FEATURES)
    ranked = assess(
        auto, None, wards[FEATURES], wards["y"], cv=2, scoring="roc_auc", random_state=0
    )
    assert ranked.performance > 0.6


def test_the_levels_of_held_out_rows_are_not_known():
    """A value of a held-out row only has no column of its own when the race is assessed."""
    seen = []

    class Spy(TableEncoder):
        def fit(self, X, y=None):
            super().fit(X, y)
            seen.append(set(self.get_feature_names_out()))
            return self

    frame = pd.DataFrame({"t": ["u", "v"] * 10 + ["w"], "x": np.arange(21.0) % 4})
    y = np.arange(21) % 2
    cv = [(np.arange(20), np.array([20])), (np.arange(5, 21), np.arange(5))]
    assess(
        None,
        make_pipeline(Spy(), LogisticRegression()),
        frame,
        y,
        cv=cv,
        scoring="accuracy",
        references=False,
    )
    assert [("t=w" in names) for names in seen] == [False, True]


@pytest.mark.parametrize("limits", [2, (1, 2), (2, 3)])
def test_sizes_count_columns_of_the_frame(wards, limits):
    """A date is one column, though it becomes four.

    Bounds and the front count the user's columns.
    """
    X, y = wards[["joined", "town", "n0", "n1", "größe"]], wards["y"]
    found = ScreenedSelector(GaussianNB(), n_features=limits, fixed=["joined"], **QUICK).fit(X, y)
    low, high = (limits, limits) if isinstance(limits, int) else limits
    assert low <= found.support_.sum() <= high and found.support_[0]
    assert all(low <= front.size <= high for front in found.result_.front)
    assert found.transform(X).columns.tolist() == found.get_feature_names_out().tolist()


def test_screened_boosting_reads_gaps(wards):
    """An estimator that takes NaN gets them as they are: nothing is filled, nothing is refused."""
    boosting = HistGradientBoostingClassifier(max_iter=3)
    found = ScreenedSelector(boosting, n_features=1, **QUICK).fit(
        wards[["größe", "n0"]], wards["y"]
    )
    assert found.encoder_.impute == "none" and found.get_feature_names_out().tolist() == ["größe"]


def test_references_read_text_and_dates(wards):
    """All features, the best single one, the k best and random ones are columns of the frame."""
    X, y = wards[FEATURES], wards["y"]
    selector = ScreenedSelector(GaussianNB(), n_features=2, **QUICK)
    model = make_pipeline(TableEncoder(), LogisticRegression(max_iter=500))
    found = assess(selector, model, X, y, cv=2, random_state=0)
    assert set(found.references) == {
        "all features",
        "best single feature",
        "univariate top-k",
        "random subset",
    }
    assert found.references["univariate top-k"].mean > found.references["random subset"].mean


def test_a_comparison_traces_columns_through_the_encoder(wards):
    """Behind a selector stands an encoder.

    What was selected is still told in the user's columns.
    """
    pipeline = make_pipeline(
        ScreenedSelector(GaussianNB(), n_features=2, **QUICK), TableEncoder(), GaussianNB()
    )
    before = make_pipeline(TableEncoder(), GaussianNB())
    found = compare(
        [("two", pipeline), ("all", before)],
        None,
        wards[FEATURES],
        wards["y"],
        cv=2,
        random_state=0,
    )
    assert found.assessments["two"].sizes.tolist() == [2, 2]
    assert found.assessments["all"].sizes.tolist() == [len(LEARNABLE)] * 2


def test_encoded_columns_find_their_way_back():
    """Groups partition what was made from more than one column; sizes sum to the columns."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        origins = SourceColumns(np.repeat(np.arange(5), rng.integers(1, 4, 5)))
        asked = [[0, 3], [4]]
        groups = origins.groups(asked)
        wanted = [
            [j for j in range(len(origins.of)) if origins.of[j] in part]
            for part in ([0, 3], [4], [1], [2])
        ]
        assert groups == [group for group in wanted if len(group) > 1]
        assert origins.sizes is None or sum(origins.sizes) == 5
        assert origins.made_from([2]) == [j for j in range(len(origins.of)) if origins.of[j] == 2]


def test_a_journal_knows_a_frame_of_dates_by_its_content(wards, tmp_path):
    """The fingerprint of a frame with times and text is one of its cells."""
    frame = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2020-02-01"]), "t": ["u", "v"]})
    same, other = frame.copy(), frame.assign(d=pd.to_datetime(["2020-01-01", "2020-02-02"]))
    marks = [Task.of(each, [0, 1]).fingerprint for each in (frame, same, other)]
    assert marks[0] == marks[1] != marks[2]
