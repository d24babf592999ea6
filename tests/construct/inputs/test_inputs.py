"""Inputs made by hand, against their plain definitions.

The search over products is run from end to end.
"""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import SubsetSelector
from subsel.construct import (
    HiddenUnits,
    MeanNormScaler,
    Monomials,
    PowerChoice,
    RareCounts,
    RowColumnScaling,
    SearchedMonomials,
    StabilisedScaler,
)
from subsel.construct.inputs import monomials as monomial
from subsel.construct.inputs.association import association
from subsel.literature.spectra.operators import OPERATORS, operator

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 6))
COUNTS = RNG.poisson(0.4, size=(40, 30)).astype(float)


@pytest.mark.parametrize("scaler", [StabilisedScaler(), MeanNormScaler()], ids=str)
def test_scalers_follow_their_formulas_and_invert(scaler):
    """Dense and sparse results are those of the formulas, sparse ones without the mean.

    Inverses undo them.
    """
    fitted = clone(scaler).fit(COUNTS)
    if isinstance(scaler, StabilisedScaler):
        deviations = COUNTS.std(axis=0)
        scale, mean = deviations + np.median(deviations), COUNTS.mean(axis=0)
    else:
        scale, mean = np.mean(np.sqrt((COUNTS**2).sum(axis=1))), 0
        assert_allclose(np.linalg.norm(fitted.transform(COUNTS), axis=1).mean(), 1)
    assert_allclose(fitted.transform(COUNTS), (COUNTS - mean) / scale)
    assert_allclose(fitted.inverse_transform(fitted.transform(COUNTS)), COUNTS, atol=1e-12)
    rows = sparse.csr_array(COUNTS)
    thin = clone(scaler).fit(rows)
    assert sparse.issparse(thin.transform(rows))
    assert_allclose(thin.transform(rows).toarray(), COUNTS / scale)
    assert_allclose(thin.inverse_transform(thin.transform(rows)).toarray(), COUNTS)


def test_scalers_survive_constants():
    """Columns, or tables, that do not vary are not divided by zero."""
    for scaler in (StabilisedScaler(), MeanNormScaler()):
        assert_array_equal(scaler.fit_transform(np.zeros((4, 3))), np.zeros((4, 3)))


def test_rare_counts_count_what_is_rare():
    """Counts are those of a slow loop over rows and columns, dense and sparse.

    Zeros of any kind are absent.
    """
    fitted = RareCounts((3, 9, 12)).fit(COUNTS)
    support = (COUNTS != 0).sum(axis=0)
    assert {3, 9, 12} & set(support)
    slow = [
        [sum(support[j] == k and row[j] != 0 for j in range(30)) for k in (3, 9, 12)]
        for row in COUNTS
    ]
    assert_allclose(fitted.transform(COUNTS), np.log1p(slow))
    assert_allclose(RareCounts((3, 9, 12)).fit_transform(sparse.csr_array(COUNTS)), np.log1p(slow))


def test_power_choice_finds_the_power_that_made_the_target():
    """Of columns whose root or square is the target, that power is chosen; constants keep 1.

    Inverses undo it.
    """
    z = RNG.uniform(1, 3, size=60)
    table = np.column_stack([z**2, z, np.sqrt(z), -(z**2), np.ones(60)])
    fitted = PowerChoice().fit(table, z)
    assert_array_equal(fitted.powers_, [0.5, 1, 2, 0.5, 1])
    assert_allclose(fitted.inverse_transform(fitted.transform(table)), table)
    rows = sparse.csr_array(COUNTS)
    y = np.arange(40) % 2
    assert_array_equal(PowerChoice().fit(rows, y).powers_, PowerChoice().fit(COUNTS, y).powers_)
    assert_allclose(
        PowerChoice().fit_transform(rows, y).toarray(), PowerChoice().fit_transform(COUNTS, y)
    )


def test_power_choice_is_the_best_of_all():
    """Each column's power has the largest association of the three."""
    y = np.exp(np.abs(X[:, 0]))
    fitted = PowerChoice().fit(np.abs(X), y)
    strength = np.stack([association(np.abs(X) ** p, y) for p in (0.5, 1, 2)])
    assert_array_equal(fitted.powers_, np.array([0.5, 1, 2])[strength.argmax(axis=0)])


def test_row_column_scaling_follows_its_formula():
    """Entries are divided by the roots of both sums; equal entries stay equal.

    Empty rows and columns stay zero.
    """
    counts = COUNTS.copy()
    counts[3], counts[:, 5] = 0, 0
    fitted = RowColumnScaling().fit(counts)
    with np.errstate(invalid="ignore"):
        slow = counts / np.sqrt(np.outer(counts.sum(axis=1), counts.sum(axis=0)))
    assert_allclose(fitted.transform(counts), np.nan_to_num(slow))
    assert_allclose(fitted.transform(sparse.csr_array(counts)).toarray(), np.nan_to_num(slow))
    assert np.ptp(RowColumnScaling().fit_transform(np.full((4, 3), 7.0))) < 1e-12


def test_association_is_the_share_of_variance():
    """Classes and numbers get the share that scikit-learn's F stands for.

    A constant column gets 0, the target itself 1.
    """
    table = np.column_stack([X, np.full(50, 0.1)])
    classes, numbers = np.arange(50) % 3, X[:, 0] + X[:, 1]
    share = association(table, classes)[:-1]
    assert_allclose(share / 2 / ((1 - share) / 47), f_classif(X, classes)[0])
    share = association(table, numbers)[:-1]
    assert_allclose(share / ((1 - share) / 48), f_regression(X, numbers)[0])
    assert (
        association(classes[:, None], classes).round(12)
        == association(numbers[:, None], numbers).round(12)
        == 1
    )
    assert_allclose(
        association(sparse.csr_array(table), classes), association(table, classes), atol=1e-12
    )
    assert association(table, classes)[-1] == association(table, numbers)[-1] == 0


def test_hidden_units_make_the_output_of_the_network():
    """The network's output layer on our features is its prediction, for classes and numbers."""
    for y, form in [((X[:, 0] > 0).astype(int), "classes"), (X[:, 0] * X[:, 1], "numbers")]:
        fitted = HiddenUnits((4, 3), random_state=0, max_iter=200).fit(X, y)
        network = fitted.network_
        out = (fitted.transform(X) @ network.coefs_[-1] + network.intercepts_[-1]).ravel()
        expected = network.predict(X)
        assert_allclose(out > 0 if form == "classes" else out, expected)
        assert fitted.transform(X).shape == (50, 3)


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("degree", [2, 3])
def test_monomials_are_those_of_scikit_learn(degree, repeated):
    """Columns and products are, as a set, those of PolynomialFeatures."""
    ours = Monomials(degree, repeated=repeated).fit_transform(X)
    theirs = PolynomialFeatures(
        degree, interaction_only=not repeated, include_bias=False
    ).fit_transform(X)
    assert ours.shape == theirs.shape
    assert_allclose(ours[:, np.lexsort(ours)], theirs[:, np.lexsort(theirs)])


def test_ratios_divide_every_pair_and_never_by_zero():
    """Ratios of all ordered pairs follow the products, 0 where the lower column is 0.

    Names say what they are.
    """
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [4.0, 0.0]})
    made = Monomials(ratios=True).set_output(transform="pandas").fit(frame)
    expected = pd.DataFrame(
        {"a": [1.0, 2.0], "b": [4.0, 0.0], "a*b": [4.0, 0.0], "a/b": [0.25, 0.0], "b/a": [4.0, 0.0]}
    )
    pd.testing.assert_frame_equal(made.transform(frame), expected)


def test_best_monomials_are_those_of_a_full_table(monkeypatch):
    """Keeping the best while making blocks gives what a table of all gives, whatever the block."""
    y = X[:, 0] * X[:, 3] + X[:, 1] * X[:, 2] + 0.1 * X[:, 5]
    everything = Monomials(3).fit(X, y)
    strength = association(everything.transform(X)[:, 6:], y)
    expected = [everything.monomials_[k] for k in sorted(np.argsort(-strength, kind="stable")[:5])]
    for block in (1, 7, 256):
        monkeypatch.setattr(monomial, "BLOCK", block)
        assert Monomials(3, max_constructed=5).fit(X, y).monomials_ == expected
    assert {(0, 3), (1, 2)} <= {m.over for m in expected}


def test_heredity_groups_hold_copies_of_the_parents():
    """Each group is the copies of a product's parents and the product; nothing else is grouped."""
    made = Monomials(3, repeated=True, heredity=True).fit(X[:, :3])
    table = made.transform(X[:, :3])
    assert len(made.feature_groups_) == len(made.monomials_)
    for group, made_of in zip(made.feature_groups_, made.monomials_):
        assert_array_equal(table[:, group[:-1]], X[:, made_of.parents()])
        assert_allclose(table[:, group[-1]], np.prod(X[:, list(made_of.over)], axis=1))
    grouped = [k for group in made.feature_groups_ for k in group]
    assert sorted(grouped) == list(range(3, table.shape[1]))
    assert len(set(made.get_feature_names_out())) == table.shape[1]
    assert Monomials().fit(X).feature_groups_ == []


@pytest.mark.parametrize("search", ["sfs", "sffs"])
def test_search_brings_a_product_with_its_parents(search):
    """SubsetSelector finds the product that makes the target, and its parents come along, though
    useless alone.
    """
    y = X[:, 1] * X[:, 4] + 0.5 * X[:, 2] + 0.01 * RNG.normal(size=50)
    selector = SubsetSelector(LinearRegression(), search=search, n_features=(1, 4), cv=5)
    found = SearchedMonomials(selector).fit(X, y)
    assert found.get_feature_names_out().tolist() == ["x1", "x2", "x4", "x1*x4"]
    assert_allclose(found.transform(X), np.column_stack([X[:, [1, 2, 4]], X[:, 1] * X[:, 4]]))
    assert cross_val_score(make_pipeline(found, LinearRegression()), X, y, cv=3).mean() > 0.99
    for source in found.sources_:
        if not isinstance(source, int):
            assert set(source.parents()) <= set(found.sources_)


def test_search_keeps_names_of_frames():
    """A frame's names come out, and pandas output works."""
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    selector = SubsetSelector(LinearRegression(), search="sfs", n_features=3)
    found = SearchedMonomials(selector, Monomials(ratios=True, max_constructed=4))
    made = found.set_output(transform="pandas").fit_transform(frame, frame["a"] * frame["c"])
    assert list(made.columns) == ["a", "c", "a*c"] and list(found.feature_names_in_) == [
        "a",
        "b",
        "c",
    ]


@parametrize_with_checks(
    [SearchedMonomials(SubsetSelector(LinearRegression(), search="sfs", n_features=1, cv=2))]
)
def test_searched_monomials_keep_scikit_learns_rules(estimator, check):
    """The search over constructed columns passes scikit-learn's checks of estimators."""
    check(estimator)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_transforms(name):
    """Each operator by name gives a table with as many rows, from training rows only."""
    fitted = operator(name).fit(np.abs(X))
    assert fitted.transform(np.abs(X[:7])).shape[0] == 7
    assert fitted is not operator(name)


@pytest.mark.parametrize(
    ("transformer", "words"),
    [
        (RareCounts(()), "supports"),
        (RareCounts((0,)), "supports"),
        (PowerChoice((-1,)), "powers"),
        (HiddenUnits(activation="x"), "activation"),
        (Monomials(1), "degree"),
    ],
)
def test_parameters_out_of_range_are_named(transformer, words):
    """A wrong parameter is refused by name when fitting."""
    with pytest.raises(ValueError, match=words):
        transformer.fit(X, X[:, 0])


def test_unknown_operators_and_missing_targets_are_named():
    """An unknown operator, or a choice without a target, is refused."""
    with pytest.raises(ValueError, match="must be one of"):
        operator("nobody")
    with pytest.raises(ValueError, match="y must be given"):
        Monomials(max_constructed=2).fit(X)
