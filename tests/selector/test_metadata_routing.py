"""SubsetSelector routes weights and groups as scikit-learn's meta-estimators do."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector, criteria

RNG = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
X = RNG.normal(size=(60, 4))
X[(Y == 1) & (np.arange(60) >= 30), 3] += 5  # only rows of weight know that 3 matters
X[(Y == 1) & (np.arange(60) < 30), 1] += 9
WEIGHTS = np.where(np.arange(60) < 30, 1e-9, 1.0)
GROUPS = np.repeat(np.arange(12), 5)


class Told(ClassifierMixin, BaseEstimator):
    """A classifier that notes whether it was given weights."""

    weighted: list[bool] = []

    def fit(self, X, y, sample_weight=None):
        """Note it."""
        self.weighted.append(sample_weight is not None)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """One class for all."""
        return np.full(len(X), self.classes_[0])


@pytest.fixture
def routing():
    """Metadata routing enabled, and nothing told yet."""
    Told.weighted.clear()
    with config_context(enable_metadata_routing=True):
        yield


def selector(estimator, **options):
    return SubsetSelector(estimator, search="sfs", n_features=1, **{"cv": 3, **options})


@pytest.mark.parametrize("requested", [True, False])
def test_an_estimator_gets_the_weights_it_requested_and_no_others(routing, requested):
    """A request of True brings weights to every fit, a request of False to none."""
    model = Told().set_fit_request(sample_weight=requested)
    grouped = {"groups": GROUPS}  # so that something is routed even where the weights are not
    selector(model).fit(X, Y, sample_weight=WEIGHTS if requested else None, **grouped)
    assert set(Told.weighted) == {requested}
    if not requested:
        pipeline = make_pipeline(selector(model), GaussianNB().set_fit_request(sample_weight=True))
        pipeline.fit(X, Y, sample_weight=WEIGHTS)
        assert set(Told.weighted) == {False}


def test_a_request_that_was_not_made_is_an_error(routing):
    """As everywhere in scikit-learn, weights for an estimator that has not said whether it
    wants them are refused.
    """
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        selector(Told()).fit(X, Y, sample_weight=WEIGHTS)


@pytest.mark.parametrize("exact", ["auto", "never"])
def test_weights_decide_where_they_are_requested(routing, exact):
    """The column that counts under the weights is found with them, the other without."""
    asked = GaussianNB().set_fit_request(sample_weight=True)
    assert selector(asked, exact=exact).fit(X, Y, sample_weight=WEIGHTS).get_support(
        indices=True
    ).tolist() == [3]
    assert selector(asked, exact=exact).fit(X, Y).get_support(indices=True).tolist() == [1]


def test_an_alias_is_followed(routing):
    """Weights passed under the name that the estimator asked for arrive as its weights."""
    model = Told().set_fit_request(sample_weight="importance")
    selector(model).fit(X, Y, importance=WEIGHTS)
    assert set(Told.weighted) == {True}


def test_groups_go_to_the_splitter(routing):
    """A splitter of groups gets them, a number of folds keeps them together, a splitter
    without groups refuses.
    """
    chosen = selector(GaussianNB(), cv=GroupKFold(3)).fit(X, Y, groups=GROUPS)
    with config_context(enable_metadata_routing=False):
        assert np.array_equal(
            chosen.support_,
            selector(GaussianNB(), cv=GroupKFold(3)).fit(X, Y, groups=GROUPS).support_,
        )
    selector(GaussianNB()).fit(X, Y, groups=GROUPS)
    with pytest.raises(TypeError, match="groups"):
        selector(GaussianNB(), cv=KFold(3)).fit(X, Y, groups=GROUPS)


def test_a_scorer_that_requested_weights_is_refused(routing):
    """Weights that would be left out of the score without a word are an error."""
    scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    asked = GaussianNB().set_fit_request(sample_weight=True)
    with pytest.raises(ValueError, match="scoring requested weights or groups"):
        selector(asked, scoring=scorer).fit(X, Y, sample_weight=WEIGHTS)
    assert selector(asked, scoring=scorer).fit(X, Y).support_.sum() == 1


def test_the_routing_says_who_consumes_what(routing):
    """The selector itself consumes nothing: weights are its estimator's, groups its splitter's."""
    router = selector(
        GaussianNB().set_fit_request(sample_weight=True), cv=GroupKFold(3)
    ).get_metadata_routing()
    assert router.consumes("fit", ["sample_weight", "groups"]) == {"sample_weight", "groups"}
    router = selector(
        GaussianNB().set_fit_request(sample_weight=False), cv=KFold(3)
    ).get_metadata_routing()
    assert router.consumes("fit", ["sample_weight", "groups"]) == set()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("scaled", [True, False])
def test_pipelines_inside_and_outside(routing, n_jobs, scaled):
    """Weights pass cross_validate and a pipeline, and reach those steps of the inner
    pipeline that requested them.
    """

    def asked():
        bayes = GaussianNB().set_fit_request(sample_weight=True)
        return bayes.set_score_request(sample_weight=True)

    inner = make_pipeline(StandardScaler().set_fit_request(sample_weight=scaled), asked())
    outer = make_pipeline(selector(inner, exact="never", n_jobs=n_jobs), asked())
    folds = KFold(2, shuffle=True, random_state=0)
    done = cross_validate(
        outer, X, Y, params={"sample_weight": WEIGHTS}, return_estimator=True, cv=folds
    )
    for model, (train, _) in zip(done["estimator"], folds.split(X)):
        for column, quality in enumerate(model[0].result_.trace["quality"]):
            held_out = []
            for seen, hidden in StratifiedKFold(3).split(X[train], Y[train]):
                rows, hidden = train[seen], train[hidden]
                scaler = StandardScaler().fit(
                    X[rows][:, [column]], sample_weight=WEIGHTS[rows] if scaled else None
                )
                table = scaler.transform(X[:, [column]])
                bayes = GaussianNB().fit(table[rows], Y[rows], sample_weight=WEIGHTS[rows])
                held_out.append(bayes.score(table[hidden], Y[hidden]))
            assert quality == pytest.approx(np.mean(held_out))


def test_a_scaler_that_weighs_rows_is_refitted(routing):
    """Exact evaluators scale by unweighted moments.

    A scaler that requested weights keeps the refitting one.
    """
    scaler, ridge = StandardScaler(), RidgeClassifier().set_fit_request(sample_weight=True)

    def name(asked):
        pipeline = make_pipeline(scaler.set_fit_request(sample_weight=asked), ridge)
        return selector(pipeline).fit(X, Y, sample_weight=WEIGHTS).result_.evaluator.name

    assert name(True).startswith("refit")
    assert not name(False).startswith("refit")


def test_a_criterion_leaves_the_request_to_the_selector(routing):
    """With a criterion, which is no estimator, the weights requested of the selector are used."""
    evaluated = selector(criteria.Discriminant("gaussian-nb", cv=3)).set_fit_request(
        sample_weight=True
    )
    outer = make_pipeline(evaluated, DecisionTreeClassifier().set_fit_request(sample_weight=True))
    assert outer.fit(X, Y, sample_weight=WEIGHTS)[0].get_support(indices=True).tolist() == [3]


def test_without_routing_weights_reach_an_estimator_that_takes_them():
    """Where routing is not enabled, nothing has to be requested."""
    Told.weighted.clear()
    selector(Told()).fit(X, Y, sample_weight=WEIGHTS)
    assert set(Told.weighted) == {True}
    with pytest.raises(TypeError, match="takes sample_weight and groups, not importance"):
        selector(Told()).fit(X, Y, importance=WEIGHTS)
