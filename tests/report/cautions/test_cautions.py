"""What should make a reader doubt is found, and only that."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from subsel.report.cautions.assessment import chance_level
from subsel.report.cautions.cautions import find_cautions
from subsel.report.cautions.table import _predicts, _separated_by_chance
from subsel.report.page.material import Material
from tests.report import material


def clean(n=120, p=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)), rng.integers(0, 2, n), [f"x{j}" for j in range(p)]


def titles(X, y, names, **settings):
    return [c.title for c in find_cautions(X, y, names, **settings)]


def test_a_clean_table_gives_none():
    """Ordinary noise of enough rows raises nothing, whatever kind of table it is in."""
    X, y, names = clean()
    for table in (X, X.astype(np.float32), sparse.csr_array(X), pd.DataFrame(X, columns=names)):
        assert titles(table, y, names) == []


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csc_array, pd.DataFrame])
def test_a_copy_of_the_target_is_found(wrap):
    """A column that is the target in disguise is named; chosen or not."""
    X, y, names = clean()
    X[:, 3] = 2 * y + 1
    (found,) = find_cautions(wrap(X), y, names)
    assert (
        found.level == "serious"
        and found.title == "A feature alone predicts the target"
        and "x3" in found.text
    )


def test_perfect_by_thresholds_is_what_direct_search_says():
    """A column predicts alone if and only if sorting by it leaves each class in one piece, ties within one class."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(2000):
        n, k = rng.integers(3, 7), rng.integers(2, 4)
        values, y = rng.integers(0, 4, n).astype(float), rng.integers(0, k, n)
        if len(np.unique(y)) < 2:
            continue
        spans = sorted((values[y == c].min(), values[y == c].max()) for c in np.unique(y))
        apart = all(a[1] < b[0] for a, b in pairwise(spans))
        assert _predicts(values, y, "classification") == apart
        found += apart
    assert found > 20


def test_a_monotone_column_predicts_a_number():
    """For regression a column in the target's order, up or down, predicts alone; a constant or a pair of values does not."""
    y = np.arange(30.0)
    assert _predicts(np.exp(y), y, "regression") and _predicts(-y, y, "regression")
    assert not _predicts(np.zeros(30), y, "regression")
    assert not _predicts((y > 10).astype(float), y, "regression")
    assert not _predicts(np.where(y == 5, np.nan, y), y, "regression")


def test_separation_by_chance_is_counted():
    """The expected number of noise columns that separate two classes is that of a simulation, and is said where it matters."""
    rng = np.random.default_rng(0)
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    noise = rng.standard_normal((7, 20_000))
    seen = sum(_predicts(column, y, "classification") for column in noise.T)
    assert seen == pytest.approx(_separated_by_chance(y, 20_000), rel=0.1)
    (found,) = [c for c in find_cautions(noise[:, :500], y, list(range(500))) if "alone" in c.title]
    assert "expected by chance" in found.text


@pytest.mark.parametrize(
    ("values", "name", "is_id"),
    [
        (np.arange(120), "x", True),
        (np.random.default_rng(0).permutation(120) + 7, "x", True),
        (np.random.default_rng(0).choice(10**6, 120, replace=False), "patient_id", True),
        (np.random.default_rng(0).choice(10**6, 120, replace=False), "income", False),
        (np.arange(120) // 2, "id", False),
        (np.linspace(0.5, 1, 120), "id", False),
    ],
)
def test_identifiers(values, name, is_id):
    """Whole numbers, all different, that count the rows or are named so; not measurements, not labels that repeat."""
    X, y, names = clean()
    X[:, 0], names = values, [name, *names[1:]]
    for chosen, title in (
        ([0], "A chosen column looks like an identifier"),
        ([1], "A column looks like an identifier"),
    ):
        assert (title in titles(X, y, names, chosen=chosen)) == is_id


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_duplicated_rows_are_counted(wrap):
    """Repeated rows are counted, and those that contradict each other; minus zero is zero."""
    X, y, names = clean()
    X[10:14], X[20, :], X[21, :] = X[0], -0.0, 0.0
    y[[0, 10, 11, 12]], y[13], y[[20, 21]] = 0, 1, 0
    (found,) = find_cautions(wrap(X), y, names)
    assert found.title == "Duplicated rows" and found.level == "note"
    assert "5 of 120 rows" in found.text and "1 of them with another target" in found.text


def test_few_rows_small_and_skewed_classes():
    """Few rows, a class of a few, and a class of most are each said; accuracy under skew gravely."""
    X, y, names = clean(40)
    assert [(c.title, c.level) for c in find_cautions(X, y, names)] == [("Few rows", "serious")]
    X, y, names = clean(99)
    assert [(c.title, c.level) for c in find_cautions(X, y, names)] == [("Few rows", "note")]
    X, y, names = clean()
    y[:] = 0
    y[:9] = 1
    found = {c.title: c for c in find_cautions(X, y, names, scoring="accuracy")}
    assert {"A very small class", "Skewed classes"} == set(found)
    assert found["Skewed classes"].level == "serious" and "92%" in found["Skewed classes"].text
    assert find_cautions(X, y, names, scoring="balanced_accuracy")[-1].level == "note"
    assert "Many more columns than rows" in titles(
        np.random.default_rng(0).standard_normal((60, 700)),
        y[:60] * 0 + np.arange(60) % 2,
        list(range(700)),
    )


def test_chance_levels():
    """The score that needs no features: the largest class's share, one over the classes, a half, zero."""
    y = np.array([0, 0, 0, 1])
    assert [
        chance_level(s, y, "classification")
        for s in ("accuracy", "balanced_accuracy", "roc_auc", "f1")
    ] == [
        0.75,
        0.5,
        0.5,
        None,
    ]
    assert [chance_level(s, y, "regression") for s in ("r2", "neg_mean_squared_error")] == [
        0.0,
        None,
    ]


def test_what_an_assessment_says_against_the_choice():
    """Chance, a random subset, flattery, unsteadiness, probes, unfinished folds: each is said when it is so, and not else."""
    X, y, names = clean()
    a = replace(material.assessment(), permutation=None)

    def said(**changes):
        return set(titles(X, y, names, assessment=replace(a, **changes)))

    ordinary = {
        "The guide flatters",
        "Something simpler does as well",
    }  # 0.06 of 0.84; univariate top-k has 0.84
    assert said() == ordinary
    assert said(optimism=0.0, references={}) == set()
    assert said(interval=(0.4, 0.9)) - ordinary == {"No better than chance"}
    assert "Something simpler does better" in said(performance=0.7, interval=(0.6, 0.75))
    assert said(performance=0.55) - ordinary == {"No better than a random subset"}
    assert said(stability=replace(a.stability, value=0.2)) - ordinary == {"The choice is unsteady"}
    assert said(false_selections=replace(a.false_selections, share=0.6)) - ordinary == {
        "Many selections are false"
    }
    assert said(permutation=replace(material.assessment().permutation, p_value=0.3)) - ordinary == {
        "Shuffled labels do as well"
    }
    assert said(n_folds=25) - ordinary == {"Unfinished assessment"}


def test_the_gravest_come_first():
    """Serious cautions precede notes, over all parts of the material."""
    X, y, names = clean(40)
    selection = {**material.selection(), "run": {"stopped_by": "seconds"}}
    levels = [
        c.level
        for c in Material(
            selection, X=X, y=y, names=names, assessment=material.assessment()
        ).cautions()
    ]
    assert {"serious", "note"} == set(levels) and levels == sorted(levels, reverse=True)
