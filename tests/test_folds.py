"""Tests of the folds: those made here are scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, check_cv

from subsel.criteria.cross_validated import _reseeded
from subsel.folds import make_folds, shuffled_splitter
from subsel.task import Task


def same_folds(task: Task, cv: object) -> None:
    folds, rows = make_folds(cv, task), np.zeros(task.n_rows)
    expected = list(check_cv(cv, task.y, classifier=task.kind == "classification").split(rows, task.y))
    assert len(folds) == len(expected)
    for train, test, pair in zip(folds.train, folds.test, expected):
        np.testing.assert_array_equal(train, pair[0])
        np.testing.assert_array_equal(test, pair[1])


@given(data=st.data(), n_folds=st.integers(2, 7), n_classes=st.integers(2, 5))
def test_classes_are_spread_as_scikit_learn_spreads_them(data, n_folds, n_classes):
    """A number of folds gives StratifiedKFold's, in whatever order and number the labels come."""
    counts = data.draw(st.lists(st.integers(n_folds, 20), min_size=n_classes, max_size=n_classes))
    names = data.draw(st.sampled_from([list("edcba"), [3, 1, 4, 0, 2], [2.0, -1.0, 7.0, 0.0, 5.0]]))
    labels = data.draw(st.permutations([names[k] for k, count in enumerate(counts) for _ in range(count)]))
    same_folds(Task.of(np.zeros((len(labels), 1)), np.array(labels), "classification"), n_folds)


@given(n_rows=st.integers(2, 60), data=st.data())
def test_quantities_are_held_out_in_runs(n_rows, data):
    """A number of folds gives KFold's for a quantity, up to one row each."""
    task = Task.of(np.zeros((n_rows, 1)), np.linspace(0.0, 1.0, n_rows), "regression")
    same_folds(task, data.draw(st.integers(2, n_rows)))


def test_labels_with_fractions_are_not_stratified():
    """scikit-learn takes 0.5 and 1.5 for a quantity, also where they are classes."""
    y = np.repeat([0.5, 1.5], 6)
    same_folds(Task.of(np.zeros((12, 1)), y, "classification"), 3)


@pytest.mark.parametrize(
    ("cv", "alone", "once"),
    [(LeaveOneOut(), True, True), (KFold(3), False, True), (RepeatedKFold(n_splits=3), False, False)],
)
def test_folds_know_their_shape(cv, alone, once):
    """Leave-one-out and partitions are recognised."""
    folds = make_folds(cv, Task.of(np.zeros((12, 1)), np.linspace(0, 1, 12), "regression"))
    assert folds.leave_one_out is alone
    assert folds.partition is once


def custom(*pairs, n_rows=12):
    return make_folds(list(pairs), Task.of(np.zeros((n_rows, 1)), np.linspace(0, 1, n_rows), "regression"))


def test_folds_that_only_look_like_partitions_are_told_apart():
    """Training rows drawn twice, a training part that holds its test row, rows held out twice: sizes alone do not tell."""
    rows = np.arange(12)
    halves = (rows[:6], rows[6:]), (rows[6:], rows[:6])
    assert custom(*halves).partition
    drawn = custom(halves[0], (np.repeat(rows[6:9], 2), rows[:6]))
    assert not drawn.partition and not drawn.complementary and not drawn.drawn_once
    overlapping = custom(halves[0], (np.append(rows[7:], 0), rows[:6]))
    assert not overlapping.partition and not overlapping.complementary and overlapping.drawn_once
    repeated = [(np.delete(rows, i), rows[i : i + 1]) for i in (0, 0, *range(2, 12))]
    assert not custom(*repeated).leave_one_out and custom(*repeated).complementary


def test_masks_are_rows():
    """Folds may be given as masks, as in scikit-learn; no folds at all is said so."""
    mask = np.arange(12) < 4
    folds = custom((~mask, mask))
    np.testing.assert_array_equal(folds.test[0], np.arange(4))
    np.testing.assert_array_equal(folds.train[0], np.arange(4, 12))
    with pytest.raises(ValueError, match="no folds"):
        custom()


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_shuffled_folds_keep_groups_together(kind):
    """Every way to shuffle rows keeps the rows of a group on one side, fresh folds of a criterion among them."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    y = groups % 2 if kind == "classification" else rng.normal(size=60)
    task = Task.of(rng.normal(size=(60, 2)), y, kind, groups=groups)
    for cv in (shuffled_splitter(3, task, 1), _reseeded(3, task, rng)):
        folds = make_folds(cv, task)
        assert folds.partition
        for train, test in zip(folds.train, folds.test):
            assert not set(groups[train]) & set(groups[test])
