"""ICOMP-PERF: its terms by hand, and when two evaluations see the same split."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from subsel import SubsetSelector
from subsel.criteria.refits.fresh_splits import FreshSplit
from subsel.criteria.refits.icomp import IcompPerf, frobenius_complexity, icomp_perf
from subsel.data.task import Task
from subsel.models.planes.kernel_discriminant import KernelDiscriminant
from subsel.space.candidates import Candidates
from subsel.space.space import Space


@pytest.fixture(scope="module")
def wine():
    return Task.of(*load_wine(return_X_y=True))


def ask(evaluator, task, *subsets, stream=(0, 0)):
    space = Space.of(task.n_columns)
    candidates = Candidates.of(space, [space.subset(s) for s in subsets])
    candidates.stream = stream
    return evaluator.evaluate(candidates)


def test_all_terms_by_hand_on_six_rows():
    """Train on 0, 2 | 6, 8, test on 3 | 3.5 with a linear kernel: numbers by hand.

    The rows of K within classes spread by +-x with x = (0, 2, 6, 8), so the covariance is xx' with
    eigenvalues 104, 0, 0, 0: stabilised 104, 26, 26, 26 of mean 45.5; b = 49/19, m = 26/3; convex
    sum 2431/38 and 1495/38. The threshold is 4, so that of the two test rows 3.5 is taken for the
    first class.
    """
    task = Task.of(np.array([[0.0], [2], [3], [6], [8], [3.5]]), [0, 0, 0, 1, 1, 1])
    evaluator = IcompPerf("linear", scaling=None, rank=None).bind(task)
    found = evaluator.terms(np.array([0]), FreshSplit(np.array([0, 1, 3, 4]), np.array([2, 5])))
    complexity = (702**2 + 3 * 234**2) / (38**2 * 4 * 45.5**2)
    assert_allclose(found.complexity, complexity)
    assert (found.train_error, found.test_error) == (0.0, 0.5)
    assert_allclose(found.score, 2 * np.log(2 * np.pi) + 2 * np.log(0.5) + 2 + 2 * complexity)
    top = (
        replace(evaluator.criterion, rank=2)
        .bind(task)
        .terms(np.array([0]), FreshSplit(np.array([0, 1, 3, 4]), np.array([2, 5])))
    )
    assert_allclose(
        top.complexity, 2 * 468**2 / (4 * 1963**2)
    )  # 2431/38 and 1495/38 lie 468/38 about 1963/38


def test_complexity_is_the_printed_form_with_the_square():
    """Half the squared distance from a multiple of the identity, relative to its size.

    0 for equal or zero values.
    """
    values = np.array([5.0, 2.0, 2.0])
    assert_allclose(frobenius_complexity(values), (4 + 1 + 1) / (4 * 9))
    assert_allclose(frobenius_complexity(1000 * values), frobenius_complexity(values))
    assert frobenius_complexity(np.full(4, 3.0)) == 0 == frobenius_complexity(np.zeros(4))


def test_a_perfect_fit_is_floored():
    """No error scores n log 2 below one error, and complexity still tells perfect fits apart."""
    one, none = icomp_perf(1 / 142, 142, 1.0), icomp_perf(0.0, 142, 1.0)
    assert_allclose(one - none, 142 * np.log(2))
    assert icomp_perf(0.0, 142, 1.0) < icomp_perf(0.0, 142, 1.5)


@pytest.mark.parametrize(
    ("columns", "kernel", "printed", "errors"),
    [([1, 2, 3, 4, 7, 8, 11, 12, 13], "quadratic", -229.61, 1),
      ([1, 3, 7, 11, 13], "cubic", -222.45, 1),
     ([1, 3, 6, 7, 8, 11, 12, 13], "quadratic", -145.87, 2),
      ([1, 3, 4, 7, 8, 9, 11, 12], "quadratic", -127.64, 2),
      ([1, 2, 3, 7, 10, 13], "quadratic", -125.01, 2),
     ([1, 4, 6, 9, 10, 11, 12, 13], "quadratic", -123.36, 2)],
)  # fmt: skip
def test_printed_scores_of_wine_are_within_reach_of_our_complexity(
    wine, columns, kernel, printed, errors
):
    """The complexity of a solution is within a quarter of what Table 4 implies.

    Looser than a golden figure: m, the covariance and the scaling are not printed, and the split
    was one of many.
    """
    implied = (printed - icomp_perf(errors / 142, 142, 0.0)) / 2
    ours = np.median(
        [t.complexity for t in IcompPerf(kernel).bind(wine, 0).sampled(np.array(columns) - 1, 20)]
    )
    assert abs(ours - implied) < implied / 4


@pytest.mark.parametrize(
    ("form", "decomposition", "scaler"),
    [
        ("fisher", "one-against-one", "standard"),
        ("support-vector", "one-against-all", "minmax"),
        ("fisher", "one-against-all", None),
    ],
)
def test_terms_are_those_of_the_discriminant_fitted_on_the_split(wine, form, decomposition, scaler):
    """Errors on both parts equal those of `KernelDiscriminant` behind a scaler fitted on
    the training rows.
    """
    columns = np.array([0, 2, 6, 10, 12])
    evaluator = IcompPerf("cubic", form, decomposition=decomposition, scaling=scaler).bind(wine, 3)
    train, test = split = evaluator.draws.draw(0, 7)
    scalers = {"standard": StandardScaler(), "minmax": MinMaxScaler(), None: FunctionTransformer()}
    model = make_pipeline(
        scalers[scaler], KernelDiscriminant("cubic", form=form, decomposition=decomposition)
    )
    X, y = wine.matrix[:, columns], wine.y
    model.fit(X[train], y[train])
    found = evaluator.terms(columns, split)
    assert_allclose(found.train_error, 1 - model.score(X[train], y[train]), atol=1e-12)
    assert_allclose(found.test_error, 1 - model.score(X[test], y[test]), atol=1e-12)


def test_splits_are_stratified_and_cover_the_rows(wine):
    """12 + 14 + 10 rows of Wine train and the other 142 test: a fifth of each class, rounded."""
    evaluator = IcompPerf().bind(wine, 0)
    train, test = evaluator.draws.draw(0, 0)
    assert_array_equal(np.bincount(wine.codes[train]), [12, 14, 10])
    assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(178))
    assert not np.array_equal(np.sort(train), np.sort(evaluator.draws.draw(0, 1).train))


def test_every_request_has_a_split_of_its_own(wine):
    """Quality depends on the restart and the number of the request, and on nothing else.

    Not on the batch.
    """
    evaluator = IcompPerf("linear").bind(wine, 0)
    subset, other = [0, 6, 12], [1, 2, 3]
    batch = ask(evaluator, wine, subset, other, subset, stream=(1, 5))
    assert batch[0] != batch[2]
    assert ask(evaluator, wine, subset, stream=(1, 7))[0] == batch[2]
    assert ask(evaluator, wine, subset, stream=(2, 7))[0] != batch[2]
    assert not evaluator.traits.deterministic


def test_seeds_and_children_of_one_seed_differ(wine):
    """Two replications spawned from one seed do not see the same splits."""
    one, two = np.random.SeedSequence(5).spawn(2)
    qualities = [ask(IcompPerf("linear").bind(wine, s), wine, [0, 6])[0] for s in (one, two, 5, 6)]
    assert len(set(qualities)) == 4
    assert ask(IcompPerf("linear").bind(wine, 5), wine, [0, 6])[0] == qualities[2]


def test_fixed_splits_make_it_deterministic(wine):
    """With splits=3 the quality is minus the median over the same three splits for every subset."""
    evaluator = IcompPerf("linear", splits=3, keep=True).bind(wine, 0)
    assert evaluator.traits.deterministic and evaluator.final is None
    first = ask(evaluator, wine, [0, 6], stream=(0, 0))[0]
    assert first == ask(evaluator, wine, [0, 6], stream=(4, 9))[0]
    assert first == -np.median([terms.score for _, terms in evaluator.record[:3]])
    assert evaluator.explain(np.array([0, 6])).quality == first


def test_what_is_kept(wine):
    """Every evaluation's columns, errors and score are in the record, in order.

    Without ``keep`` nothing is.
    """
    kept, plain = IcompPerf("linear", keep=True).bind(wine, 0), IcompPerf("linear").bind(wine, 0)
    qualities = ask(kept, wine, [0, 6], [3])
    assert_array_equal(ask(plain, wine, [0, 6], [3]), qualities)
    assert [columns.tolist() for columns, _ in kept.record] == [[0, 6], [3]]
    assert_allclose([-terms.score for _, terms in kept.record], qualities)
    assert plain.record == []


def test_the_variance_of_labels_depends_on_their_order_and_the_error_rate_does_not(wine):
    """Renaming the classes changes the published score of three classes, not the one by
    error rate.
    """
    renamed = Task.of(wine.X, np.array([1, 0, 2])[wine.y])
    columns = np.array([1, 3])
    rows = IcompPerf("linear").bind(wine, 0).draws.draw(0)

    def score(task, how):
        return IcompPerf("linear", variance=how).bind(task, 0).terms(columns, rows).score

    assert_allclose(score(wine, "errors"), score(renamed, "errors"))
    assert abs(score(wine, "labels") - score(renamed, "labels")) > 1
    assert score(wine, "labels") > score(wine, "errors")


def test_kernel_and_features_are_searched_together():
    """A ring that no line can cut: the search finds its two columns and a kernel that bends."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 1] ** 2 + X[:, 3] ** 2 > 1.4).astype(int)
    selector = SubsetSelector(
        IcompPerf(splits=3, train_share=0.5, scaling="standard"),
        search="exhaustive",
        choices={"kernel": ["linear", "quadratic"]},
        random_state=0,
    ).fit(X, y)
    assert_array_equal(np.flatnonzero(selector.support_), [1, 3])
    assert selector.chosen_options_ == {"kernel": "quadratic"}


def test_finalists_of_a_search_on_fresh_splits_are_judged_again(wine):
    """The chosen quality is the median over the final splits, not the luckiest draw."""
    criterion = IcompPerf("linear")
    selector = SubsetSelector(criterion, search="rfs2", budget=20, random_state=1).fit(
        wine.X, wine.y
    )
    final = replace(criterion, splits=25).bind(wine, np.random.SeedSequence(1))
    assert_allclose(selector.result_.chosen_quality, ask(final, wine, selector.result_.chosen)[0])
    assert selector.result_.trace["quality"].max() > selector.result_.chosen_quality


def test_a_column_without_spread_does_no_harm(wine):
    """A column constant on the training rows is only centred."""
    task = Task.of(np.column_stack([wine.matrix, np.ones(178)]), wine.y)
    with_it, without = (
        ask(IcompPerf("gaussian").bind(task, 0), task, subset)[0] for subset in ([0, 6, 13], [0, 6])
    )
    assert_allclose(with_it, without)


def test_bad_settings_are_named(wine):
    """Shares, kernels, targets and classes that cannot be split are refused."""
    with pytest.raises(ValueError, match=r"train_share must lie between 0 and 1, got 1\.5"):
        IcompPerf(train_share=1.5).bind(wine)
    with pytest.raises(ValueError, match="variance must be"):
        IcompPerf(variance="mse").bind(wine)
    with pytest.raises(ValueError, match="scaling must be"):
        IcompPerf(scaling="robust").bind(wine)
    with pytest.raises(ValueError, match="two rows or more of each class"):
        IcompPerf().bind(Task.of(np.eye(4), [0, 0, 0, 1]))
    with pytest.raises(ValueError, match="must hold classes"):
        IcompPerf().bind(Task.of(np.eye(4), [0.1, 0.2, 0.3, 0.4], "regression"))
