"""Tests of the folds: those made here are scikit-learn's."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, check_cv
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector
from subsel.assessment.folds.splits import make_splits
from subsel.criteria.refits.cross_validated import _reseeded
from subsel.data.folds import (
    Folds,
    LoweredFolds,
    fewer_folds,
    make_folds,
    shuffled_splitter,
    split_rows,
)
from subsel.data.task import Task


def same_folds(task: Task, cv: object) -> None:
    folds, rows = make_folds(cv, task), np.zeros(task.n_rows)
    expected = list(
        check_cv(cv, task.y, classifier=task.kind == "classification").split(rows, task.y)
    )
    assert len(folds) == len(expected)
    assert (folds.partition, folds.complementary) == (True, True)
    again = Folds(folds.train, folds.test, folds.n_rows)
    assert (again.partition, again.complementary) == (True, True)
    for train, test, pair in zip(folds.train, folds.test, expected):
        np.testing.assert_array_equal(train, pair[0])
        np.testing.assert_array_equal(test, pair[1])


@given(data=st.data(), n_folds=st.integers(2, 7), n_classes=st.integers(2, 5))
def test_classes_are_spread_as_scikit_learn_spreads_them(data, n_folds, n_classes):
    """A number of folds gives StratifiedKFold's, in whatever order and number the labels come."""
    counts = data.draw(st.lists(st.integers(n_folds, 20), min_size=n_classes, max_size=n_classes))
    names = data.draw(st.sampled_from([list("edcba"), [3, 1, 4, 0, 2], [2.0, -1.0, 7.0, 0.0, 5.0]]))
    labels = data.draw(
        st.permutations([names[k] for k, count in enumerate(counts) for _ in range(count)])
    )
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
    [
        (LeaveOneOut(), True, True),
        (KFold(3), False, True),
        (RepeatedKFold(n_splits=3), False, False),
    ],
)
def test_folds_know_their_shape(cv, alone, once):
    """Leave-one-out and partitions are recognised."""
    folds = make_folds(cv, Task.of(np.zeros((12, 1)), np.linspace(0, 1, 12), "regression"))
    assert folds.leave_one_out is alone
    assert folds.partition is once


def custom(*pairs, n_rows=12):
    return make_folds(
        list(pairs), Task.of(np.zeros((n_rows, 1)), np.linspace(0, 1, n_rows), "regression")
    )


def test_folds_that_only_look_like_partitions_are_told_apart():
    """Training rows drawn twice, a training part that holds its test row, rows held out twice.

    Sizes alone do not tell.
    """
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
    """Every way to shuffle rows keeps groups together, also new folds of a criterion."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 5)
    y = groups % 2 if kind == "classification" else rng.normal(size=60)
    task = Task.of(rng.normal(size=(60, 2)), y, kind, groups=groups)
    for cv in (shuffled_splitter(3, task, 1), _reseeded(3, task, rng)):
        folds = make_folds(cv, task)
        assert folds.partition
        for train, test in zip(folds.train, folds.test):
            assert not set(groups[train]) & set(groups[test])


def few_rows(*counts):
    y = np.repeat([f"c{k}" for k in range(len(counts))], counts)
    return Task.of(np.random.default_rng(0).normal(size=(len(y), 2)), y)


def test_a_small_class_lowers_the_folds():
    """As many folds as the smallest class has rows.

    More are never made, fewer are left as they are.
    """
    task = few_rows(9, 3)
    assert fewer_folds(5, task) == (3, "class 'c1' has 3 rows: 3 folds instead of 5.")
    assert fewer_folds(2, task) == (2, "")
    assert len(make_folds(5, task)) == 3 and len(make_splits(5, task, 0)) == 3
    assert all(set(task.y[rows]) == {"c0", "c1"} for rows in make_folds(5, task).test)
    found = SubsetSelector(GaussianNB(), "sfs", n_features=1).fit(task.X, task.y)
    assert "class 'c1' has 3 rows: 3 folds instead of 5." in found.result_.notes


def test_a_class_of_one_row_is_always_trained_on():
    """It cannot be tested as well; where that leaves one class, there is nothing to tell apart."""
    task = few_rows(9, 1, 6)
    splits = [*zip(*(lambda folds: (folds.train, folds.test))(make_folds(5, task)))]
    splits += [(split.train, split.test) for split in make_splits(None, task, 0)]
    for train, test in splits:
        assert 9 in train and 9 not in test and not set(train) & set(test)
    assert sorted(np.concatenate([test for _, test in splits[:5]])) == [
        i for i in range(16) if i != 9
    ]
    assert "single row: it is always trained on" in fewer_folds(5, task)[1]
    with pytest.raises(
        ValueError, match="class 'c1' has a single row: training and testing need two"
    ):
        fewer_folds(5, few_rows(9, 1))


def test_few_groups_lower_the_folds():
    """Groups are kept together, so that there are no more folds than groups.

    One group cannot be split.
    """
    task = few_rows(6, 6)
    grouped = Task(task.X, task.y, task.kind, task.names, None, np.arange(12) % 3)
    assert fewer_folds(5, grouped) == (3, "there are 3 groups of rows: 3 folds instead of 5.")
    with pytest.raises(ValueError, match="one group of rows only"):
        fewer_folds(5, Task(task.X, task.y, task.kind, task.names, None, np.zeros(12)))


@pytest.mark.parametrize("counts", [(9, 3), (9, 9), (6, 1)])
@pytest.mark.parametrize("seed", [None, 0])
def test_lowered_folds_partition_the_rows(counts, seed):
    """Every row is tested once, without a warning, whatever the classes; groups stay together."""
    task, cv = few_rows(*counts), LoweredFolds(5, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tests = [test for _, test in cv.split(task.X, task.y)]
    assert sorted(np.concatenate(tests)) == list(range(task.n_rows))
    assert len(tests) == cv.get_n_splits(task.X, task.y) == max(2, min(5, *counts))
    groups = np.arange(task.n_rows) // 2
    if min(counts) > 1:
        for train, test in cv.split(task.X, task.y, groups):
            assert not set(groups[train]) & set(groups[test])


def test_folds_that_follow_time():
    """Every part is predicted from all rows before it and none after; another word is refused."""
    task = few_rows(30, 30)
    for train, test in split_rows("time", task.y):
        assert train.max() < test.min() and train.tolist() == list(range(len(train)))
    assert len(make_folds("time", task)) == len(make_splits("time", task, 0)) == 5
    with pytest.raises(
        ValueError, match="cv must be a number, 'time', a splitter or pairs of rows, got 'later'"
    ):
        split_rows("later", task.y)
