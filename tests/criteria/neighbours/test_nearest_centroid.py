"""The nearest-centroid evaluator against scikit-learn's refits."""

import numpy as np
import pytest
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold
from sklearn.neighbors import NearestCentroid as Peer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel import SubsetSelector
from subsel.criteria.exact import exact_criterion
from subsel.criteria.neighbours import nearest_centroid
from subsel.criteria.neighbours.nearest_centroid import NearestCentroid, _medians_without
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.models import NearestMean
from subsel.search import SequentialForward
from subsel.space.space import Space
from tests.criteria.neighbours.neighbour_battery import (
    CLASSES,
    check_judge,
    check_walk,
    make_task,
    moves,
    refit,
)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("case", CLASSES)
def test_every_move_equals_refitting(case, metric):
    """Additions, removals, swaps and random subsets have the quality and the labels of
    scikit-learn's refits.
    """
    task, cv = make_task(case)
    check_judge(
        NearestCentroid(metric, cv), Peer(metric=metric), task, cv, np.random.default_rng(0)
    )


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("scaling", [None, "standard", "minmax"])
@pytest.mark.parametrize(
    "cv", [LeaveOneOut(), RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0)]
)
def test_closed_forms_hold_for_every_splitter_and_scaling(metric, scaling, cv):
    """Leave-one-out centres, also of scaled columns, are those of refitting."""
    task = make_task("multi-class")[0].rows(np.arange(18))
    peer = Peer(metric=metric)
    if scaling is not None:
        peer = make_pipeline(StandardScaler() if scaling == "standard" else MinMaxScaler(), peer)
    evaluator = NearestCentroid(metric, cv, scaling=scaling).bind(task)
    for kind, candidates in moves(Space.of(9), np.random.default_rng(5), n=1).items():
        wanted = [refit(peer, task, cv, c)[0] for c in candidates.columns()]
        np.testing.assert_allclose(evaluator.evaluate(candidates), wanted, atol=1e-12, err_msg=kind)


@pytest.mark.parametrize("distance", ["l1", "l2"])
@pytest.mark.parametrize("cv", [LeaveOneOut(), 3])
def test_distances_to_means_equal_refitting(distance, cv):
    """Absolute differences to class means, leave-one-out in closed form, are those of the
    model fitted anew.
    """
    task = make_task("multi-class")[0].rows(np.arange(24))
    found = exact_criterion(NearestMean(distance), None, cv)
    assert isinstance(found, NearestCentroid)
    evaluator = found.bind(task)
    for kind, candidates in moves(Space.of(9), np.random.default_rng(5), n=2).items():
        wanted = [refit(NearestMean(distance), task, cv, c)[0] for c in candidates.columns()]
        np.testing.assert_allclose(evaluator.evaluate(candidates), wanted, atol=1e-12, err_msg=kind)


def test_forward_selection_by_nearest_means_is_scikit_learns():
    """Sequential selection evaluated by leave-one-out takes the columns that scikit-learn's
    selector takes by refitting.
    """
    task = make_task("balanced")[0].rows(np.arange(30))
    ours = SubsetSelector(
        NearestCentroid("manhattan", LeaveOneOut(), centre="mean"),
        SequentialForward(),
        n_features=3,
    ).fit(task.matrix, task.y)
    peer = SequentialFeatureSelector(NearestMean(), n_features_to_select=3, cv=LeaveOneOut()).fit(
        task.matrix, task.y
    )
    np.testing.assert_array_equal(ours.get_support(), peer.get_support())


def test_a_walk_does_not_drift():
    """After 200 single moves qualities and labels are still those of refitting."""
    task, cv = make_task("duplicated")
    check_walk(NearestCentroid(cv=cv), Peer(), task, cv, 200, 20)


@pytest.mark.slow
@pytest.mark.parametrize("case", CLASSES)
def test_a_long_walk_does_not_drift(case):
    """After 2,000 single moves qualities and labels are still those of refitting."""
    task, cv = make_task(case)
    check_walk(NearestCentroid(cv=cv), Peer(), task, cv, 2000, 20)


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_medians_without_each_entry(n):
    """The median without an entry is numpy's median of the others, ties among them or not."""
    values = np.random.default_rng(n).integers(0, 4, size=(5, n)).astype(float)
    wanted = [[np.median(np.delete(row, i)) for i in range(n)] for row in values]
    np.testing.assert_array_equal(_medians_without(values), wanted)


def test_constant_columns_cannot_be_fitted():
    """A subset without any spread in some training part counts as the worst, as in
    scikit-learn, which raises.
    """
    X = np.column_stack([np.zeros(12), np.arange(12.0)])
    evaluator, space = NearestCentroid(cv=3).bind(Task.of(X, [0, 1] * 6)), Space.of(2)
    qualities = evaluator.evaluate(space.additions(space.empty()))
    assert qualities[0] == -np.inf and np.isfinite(qualities[1])
    assert np.isfinite(evaluator.evaluate(space.additions(space.subset([0])))[0])


def test_scores_that_need_more_than_labels_are_refused():
    """Shares and decisions depend on more than distances: NotExact."""
    task, cv = make_task("balanced")
    with pytest.raises(NotExact, match="roc_auc"):
        NearestCentroid(cv=cv, scoring="roc_auc").bind(task)
    with pytest.raises(ValueError, match="metric"):
        NearestCentroid("cosine").bind(task)
    with pytest.raises(ValueError, match="classes"):
        NearestCentroid().bind(make_task("regression")[0])


def test_blocks_of_columns_change_no_answer(monkeypatch):
    """Sums that run over several blocks of columns give the qualities of refitting."""
    monkeypatch.setattr(nearest_centroid, "BLOCK", 3)
    task, cv = make_task("n<p")
    evaluator, space = NearestCentroid(cv=cv).bind(task), Space.of(task.n_columns)
    base = space.subset(range(0, 40, 4))
    for batch in (space.removals(base), space.swaps(base).take(np.arange(0, 300, 37))):
        wanted = [refit(Peer(), task, cv, columns)[0] for columns in batch.columns()]
        np.testing.assert_allclose(evaluator.evaluate(batch), wanted, atol=1e-12)


@pytest.mark.parametrize("scaling", [None, "standard"])
def test_leave_one_out_knows_columns_that_one_row_makes_vary(scaling):
    """Without that row the column is constant, and a model of it alone cannot be fitted."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)), np.arange(12) % 2
    X[:, 1] = 0.0
    X[4, 1] = 1.0
    X[:, 2] = X[:, 1]
    evaluator = NearestCentroid(cv=LeaveOneOut(), scaling=scaling).bind(Task.of(X, y))
    space = Space.of(3)
    first = evaluator.evaluate(space.additions(space.empty()))
    assert np.isfinite(first[0]) and np.isneginf(first[1:]).all()
    assert np.isneginf(evaluator.evaluate(space.additions(space.subset([1])))[-1])
    assert np.isneginf(evaluator.evaluate(space.removals(space.subset([0, 1, 2])))[0])
    assert np.isfinite(evaluator.evaluate(space.swaps(space.subset([1, 2])))).all()


def test_leave_one_out_of_a_class_of_one_is_refused():
    """Without its only row the class has no centre."""
    task = Task.of(np.arange(14.0).reshape(7, 2), [0, 0, 0, 1, 1, 1, 2])
    with pytest.raises(NotExact, match="lacks a class"):
        NearestCentroid(cv=LeaveOneOut()).bind(task)
