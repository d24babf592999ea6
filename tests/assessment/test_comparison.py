"""Several selectors on common folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mean_squared_error, roc_auc_score
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from subsel import RankingSelector, SubsetSelector
from subsel.assessment import assess, balanced_error, compare, corrected_t_test, holm
from subsel.criteria import NearestNeighbours


def data(n=80, p=10, seed=0):
    """Two columns that know the class, eight that do not."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    X[:, :2] += y[:, None]
    return X, y


@pytest.fixture(scope="module")
def found():
    """Three selectors on two repeats of four folds."""
    X, y = data()
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    selectors = [("one", SelectKBest(k=1)), ("two", SelectKBest(k=2)), ("all", None)]
    return compare(selectors, GaussianNB(), X, y, cv=cv, probes=np.arange(2, 10), random_state=0)


def test_each_method_is_assessed_as_if_alone(found):
    """Scores are those of cross_val_score and of assess on the same folds."""
    X, y = data()
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    for name, k in (("one", 1), ("two", 2)):
        row = found.names.index(name)
        assert_allclose(
            found.scores[row],
            cross_val_score(make_pipeline(SelectKBest(k=k), GaussianNB()), X, y, cv=cv),
        )
    alone = assess(SelectKBest(k=2), GaussianNB(), X, y, cv=cv, references=False)
    assert found.assessments["two"].interval == alone.interval
    assert_array_equal(found.assessments["two"].supports, alone.supports)


def test_table_by_direct_computation(found):
    """Error, BER, AUC, sizes and probes equal what scikit-learn's held-out predictions give."""
    X, y = data()
    pipe = make_pipeline(SelectKBest(k=1), GaussianNB())
    errors, bers, areas = [], [], []
    for seed_splits in np.array_split(
        np.array(
            list(RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0).split(X, y)),
            dtype=object,
        ),
        2,
    ):
        cv = [(train.astype(int), test.astype(int)) for train, test in seed_splits]
        predicted = cross_val_predict(pipe, X, y, cv=cv)
        errors.append((predicted != y).mean())
        bers.append(balanced_error(y, predicted))
        sure = cross_val_predict(pipe, X, y, cv=cv, method="predict_proba")[:, 1]
        areas += [roc_auc_score(y[test], sure[test]) for _, test in cv]
    table = found.table
    assert_allclose(table["error"][0], np.mean(errors))
    assert_allclose(table["ber"][0], np.mean(bers))
    assert_allclose(table["auc"][0], np.mean(areas))
    assert_allclose(table["n_features"], [1, 2, 10])
    assert_allclose(table["fraction_features"], [0.1, 0.2, 1.0])
    assert_allclose(table["fraction_probes"][2], 0.8)
    assert_allclose(table["score"], found.scores.mean(axis=1))


def test_paired_differences(found):
    """Each pair has the test of the differences of rows, with Holm's correction.

    It also counts the rows on which only one erred.
    """
    assert [(d.first, d.second) for d in found.differences] == [
        ("one", "two"),
        ("one", "all"),
        ("two", "all"),
    ]
    score = found.table["score"]
    assert_allclose(
        [d.mean for d in found.differences],
        [score[0] - score[1], score[0] - score[2], score[1] - score[2]],
    )
    p = [d.p_value for d in found.differences]
    assert_allclose([d.p_adjusted for d in found.differences], holm(p))
    for d in found.differences:
        assert (d.interval[0] <= 0 <= d.interval[1]) == (d.p_value >= 0.05)
    X, y = data()
    first = list(RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0).split(X, y))[:4]
    wrong = [
        cross_val_predict(make_pipeline(SelectKBest(k=k), GaussianNB()), X, y, cv=first) != y
        for k in (1, 2)
    ]
    d = found.differences[0]
    assert (d.only_first_wrong, d.only_second_wrong) == (
        (wrong[0] & ~wrong[1]).sum(),
        (wrong[1] & ~wrong[0]).sum(),
    )


def test_a_measure_that_is_not_made_of_rows_is_compared_by_folds():
    """F1 has the corrected resampled t-test of fold scores, since no row has a share in it."""
    X, y = data()
    found = compare(
        [SelectKBest(k=1), None], GaussianNB(), X, y, cv=5, scoring="f1", random_state=0
    )
    assert_allclose(
        found.differences[0].p_value, corrected_t_test(found.scores[0] - found.scores[1], 1 / 4)
    )
    assert_allclose(found.differences[0].mean, (found.scores[0] - found.scores[1]).mean())


def test_front_agreement_and_challenge(found):
    """Nobody on the front is beaten in size and error; agreement is symmetric.

    Challenge scores sum to zero.
    """
    sizes, errors, front = (found.pareto[key] for key in ("n_features", "error", "on_front"))
    for i in range(3):
        beaten = any(
            sizes[j] <= sizes[i]
            and errors[j] <= errors[i]
            and (sizes[j], errors[j]) != (sizes[i], errors[i])
            for j in range(3)
        )
        assert front[i] == (not beaten)
    assert_allclose(found.agreement, found.agreement.T)
    one, two = found.assessments["one"].supports, found.assessments["two"].supports
    assert_allclose(
        found.agreement[0, 1], np.mean([(a & b).sum() / (a | b).sum() for a, b in zip(one, two)])
    )
    assert_allclose(found.table["challenge"].sum(), 0, atol=1e-9)
    assert (found.pairwise_wins == -found.pairwise_wins.T).all()


def test_identical_methods_do_not_differ():
    """Twins differ by nothing, at p = 1, and neither beats the other."""
    X, y = data()
    twins = compare([SelectKBest(k=2), SelectKBest(k=2)], GaussianNB(), X, y, cv=3, random_state=0)
    assert twins.names == ("SelectKBest", "SelectKBest 2")
    d = twins.differences[0]
    assert (d.mean, d.p_value, d.p_adjusted, d.only_first_wrong) == (0.0, 1.0, 1.0, 0)
    assert_array_equal(twins.pairwise_wins, 0)
    assert twins.table["on_front"].all()


def test_costs_and_names():
    """Evaluations of a search are counted; names tell the search; pipelines are taken whole."""
    X, y = data()
    search = SubsetSelector(NearestNeighbours(n_neighbors=1), search="sfs", n_features=2)
    whole = make_pipeline(SelectKBest(k=2), LogisticRegression())
    ranking = RankingSelector("anova-f", cut=2)
    found = compare(
        [search, whole, None, ranking], KNeighborsClassifier(1), X, y, cv=2, random_state=0
    )
    assert found.names[:3] == (
        "SubsetSelector(sfs)",
        "selectkbest + logisticregression",
        "all features",
    )
    assert found.names[3] == "RankingSelector(anova-f)"
    assert found.table["n_evaluations"][0] > 10 and np.isnan(found.table["n_evaluations"][1])
    assert (found.table["seconds"] > 0).all()
    assert np.isnan(found.table["fraction_probes"]).all()


def test_regression():
    """Regression has no rows that are wrong and no challenge.

    The error is the root mean squared one.
    """
    X, y = load_diabetes(return_X_y=True)
    cv = [(np.arange(0, 300), np.arange(300, 442))]
    found = compare([SelectKBest(f_regression, k=3), None], LinearRegression(), X, y, cv=cv)
    predicted = LinearRegression().fit(X[:300], y[:300]).predict(X[300:])
    assert_allclose(found.table["error"][1], np.sqrt(mean_squared_error(y[300:], predicted)))
    assert found.pairwise_wins is None and found.differences[0].only_first_wrong is None
    assert np.isnan(found.table["ber"]).all() and np.isnan(found.table["auc"]).all()


def test_float_labels_and_three_classes():
    """Whole numbers as labels stay classes, though floats; three classes have no AUC but a BER."""
    X, y = data()
    y = (np.arange(80) % 3).astype(float)
    found = compare([SelectKBest(k=2), None], GaussianNB(), X, y, cv=StratifiedKFold(2))
    assert found.kind == "classification" and found.differences[0].only_first_wrong is not None
    assert np.isnan(found.table["auc"]).all() and not np.isnan(found.table["ber"]).any()


class Interrupting(SelectKBest):
    """Raises on its third fit."""

    calls: list = []

    def fit(self, X, y):
        self.calls.append(1)
        if len(self.calls) == 3:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_interruption_keeps_common_folds():
    """After Ctrl-C all methods have the same folds, those that every one of them finished."""
    Interrupting.calls.clear()
    X, y = data()
    found = compare([SelectKBest(k=1), Interrupting(k=2)], GaussianNB(), X, y, cv=4)
    assert found.scores.shape == (2, 2)
    assert "interrupted: 2 of 4 folds were finished." in found.notes


def test_no_selector_is_an_error():
    """Nothing to compare is refused by name."""
    with pytest.raises(ValueError, match="selectors"):
        compare([], GaussianNB(), *data())
