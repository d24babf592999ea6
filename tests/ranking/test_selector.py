"""RankingSelector as a scikit-learn selector.

Contract, frames, sparse tables, weights, refusals.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import RankingSelector
from subsel.ranking import anova_f, anova_f_p_value, gram_schmidt, mrmr, pearson, relieff
from subsel.ranking.cuts.multiple_testing import q_values
from subsel.ranking.registry import ORDERS, SCORES
from subsel.ranking.suitability import find_ranking

SELECTORS = [
    RankingSelector("anova-f", cut=1),
    RankingSelector("t-test", cut="p:0.5"),
    RankingSelector("pearson", cut=0.5),
    RankingSelector("mutual-information", cut="probes:0.5", n_probes=20),
    RankingSelector("relieff", cut="probe-p:0.9", n_probes=20),
    RankingSelector("rrelieff", cut="gap"),
    RankingSelector("mrmr", cut=1),
    RankingSelector("gram-schmidt", cut="probe-risk:1.0"),
    RankingSelector("auc", cut="permutation:0.9", n_permutations=5),
]


def expected_failures(selector):
    """What cannot hold, and why."""
    entry = find_ranking(selector.ranking)
    if not getattr(entry, "weights", False):
        return dict.fromkeys(
            WEIGHT_CHECKS, "the ranking takes no weights, and says so instead of ignoring them"
        )
    if "prob" in str(selector.cut) or "permutation" in str(selector.cut):
        return dict.fromkeys(
            WEIGHT_CHECKS[-2:],
            "probes and shuffles of repeated rows are not those of weighted ones",
        )
    return {}


WEIGHT_CHECKS = [
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]


@parametrize_with_checks(SELECTORS, expected_failed_checks=expected_failures)
def test_the_contract_of_scikit_learn(estimator, check):
    """Every check of scikit-learn holds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


# What is learnt -----------------------------------------------------------------------------------


def test_scores_ranking_and_values_are_those_of_the_functions():
    """The selector adds nothing to the score, its p-values and their correction."""
    X, y = load_wine(return_X_y=True)
    selector = RankingSelector("anova_f", cut="fdr:1e-9").fit(X, y)
    assert_allclose(selector.scores_, anova_f(X, y))
    assert_allclose(selector.p_values_, anova_f_p_value(X, y))
    assert_allclose(selector.q_values_, q_values(selector.p_values_))
    assert_array_equal(selector.support_, selector.q_values_ <= 1e-9)
    assert_array_equal(selector.ranking_, np.argsort(-selector.scores_))
    assert selector.evidence_ == "p-values of the score, Benjamini-Hochberg"
    assert selector.probe_scores_ is None


def test_a_score_without_law_gets_probes():
    """``fdr`` falls back on probes, says so, and gives the scores of features and probes side by
    side."""
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    X = np.hstack((X, rng.standard_normal((150, 6))))
    selector = RankingSelector("relieff", cut="fdr:0.1", random_state=0).fit(X, y)
    assert selector.evidence_ == "100 permuted probes, Benjamini-Hochberg"
    assert len(selector.probe_scores_) == 100
    assert_array_equal(selector.support_, selector.q_values_ <= 0.1)
    assert_array_equal(
        np.sort(selector.scores_[selector.support_]),
        np.sort(selector.scores_)[-selector.support_.sum() :],
    )
    assert {2, 3} <= set(selector.get_support(indices=True)) <= {0, 1, 2, 3}
    assert_allclose(RankingSelector("relieff", cut=2).fit(X, y).scores_, relieff(X, y))


def test_an_order_gives_its_path():
    """The ranking starts with the order; scores are those when selected, NaN for other columns."""
    X, y = load_wine(return_X_y=True)
    path = mrmr(X, y, 4)
    selector = RankingSelector("mrmr", cut=4).fit(X, y)
    assert_array_equal(selector.ranking_[:4], path.features)
    assert sorted(selector.ranking_) == list(range(13))
    assert_allclose(selector.scores_[path.features], path.scores)
    assert np.isnan(selector.scores_).sum() == 9
    assert selector.support_.sum() == 4
    assert RankingSelector("mrmr", cut=0.3).fit(X, y).support_.sum() == 4


def test_an_order_ends_by_itself():
    """``end`` takes what the order takes; asked for more than that, the evidence says so."""
    X, y = load_wine(return_X_y=True)
    own = RankingSelector("cfs", cut="end").fit(X, y)
    assert 1 < own.support_.sum() < 13
    assert own.evidence_ == "its own end"
    asked = RankingSelector("cfs", cut=13).fit(X, y)
    assert asked.evidence_ == "its own end, before the 13 asked for"
    assert_array_equal(asked.support_, own.support_)


def test_gram_schmidt_ends_by_probe_risk():
    """``probe-risk`` is the stop of the function."""
    X, y = load_diabetes(return_X_y=True)
    selector = RankingSelector("gram_schmidt", cut="probe-risk:0.1").fit(X, y)
    path = gram_schmidt(X, y, max_risk=0.1)
    assert_array_equal(np.flatnonzero(selector.support_), np.sort(path.features))
    assert 0 < len(path) < 10
    assert selector.evidence_ == "probe risk"


@pytest.mark.parametrize(
    "ranking", sorted({s.key for s in SCORES.values()} | {o.key for o in ORDERS.values()})
)
def test_every_ranking_fits_through_the_selector(ranking):
    """Every entry of both tables, by its key, keeps two columns (or its own fewer) of data it is
    defined for."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(40, 5)).astype(float)
    y = X[:, 1] + 0.1 * rng.standard_normal(40)
    y = (y > np.median(y)).astype(int) if find_ranking(ranking).classification else y
    selector = RankingSelector(ranking, cut=2, random_state=0).fit(X, y)
    assert 1 <= selector.support_.sum() <= 2
    assert selector.transform(X).shape[1] == selector.support_.sum()


def test_the_seed_decides():
    """The same seed gives the same probes, another one others; a RandomState is accepted."""
    X, y = load_iris(return_X_y=True)

    def fit(seed):
        return RankingSelector("gini", cut="probes:0.1", random_state=seed).fit(X, y).probe_scores_

    assert_array_equal(fit(3), fit(3))
    assert not np.array_equal(fit(3), fit(4))
    assert_array_equal(fit(np.random.RandomState(5)), fit(np.random.RandomState(5)))


def test_options_reach_the_score():
    """Options are passed on; one that the score does not know is refused with those it has."""
    X, y = load_iris(return_X_y=True)
    selector = RankingSelector("relieff", cut=1, options={"n_neighbors": 3}).fit(X, y)
    assert_allclose(selector.scores_, relieff(X, y, n_neighbors=3))
    with pytest.raises(ValueError, match="no option 'neighbours'; it has n_neighbors"):
        RankingSelector("relieff", cut=1, options={"neighbours": 3}).fit(X, y)


def test_a_function_is_a_score():
    """Any function of X and y can rank, with probes for evidence."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8)), np.repeat([0, 1], 30)
    X[:, 5] *= 1 + 4 * y

    def spread(X, y):
        return np.abs(np.log(X[y == 0].std(axis=0) / X[y == 1].std(axis=0)))

    selector = RankingSelector(spread, cut="fdr:0.1", random_state=0).fit(X, y)
    assert_array_equal(selector.get_support(indices=True), [5])


# Tables -------------------------------------------------------------------------------------------


def test_frames_in_and_out():
    """Names travel: in by pandas or polars, out by set_output, and columns in another order are
    found by name."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = RankingSelector(cut=2).set_output(transform="pandas").fit(X, y)
    assert list(selector.transform(X).columns) == ["flavanoids", "proline"]
    assert list(selector.transform(X[X.columns[::-1]]).columns) == ["flavanoids", "proline"]
    frame = pl.DataFrame(X.to_dict(orient="list"))
    selector = RankingSelector(cut=2).set_output(transform="polars").fit(frame, y)
    out = selector.transform(frame)
    assert isinstance(out, pl.DataFrame) and out.columns == ["flavanoids", "proline"]
    assert_array_equal(out["proline"].to_numpy(), X["proline"])


@pytest.mark.parametrize(
    "kind", ["Int64", "Float32", "boolean", "int64[pyarrow]", "double[pyarrow]", "polars"]
)
def test_columns_with_masks_of_missing_values(kind):
    """Numbers of pandas and polars that know missing values are numbers.

    A missing one is NaN, taken or named.
    """
    whole = [0, 1, 1, 0, 1, 0, 0, 1]

    def make(cells):
        return pl.Series(cells) if kind == "polars" else pd.array(cells, dtype=kind)

    def frame(cells):
        return (pl if kind == "polars" else pd).DataFrame({"a": make(cells), "b": np.arange(8.0)})

    cells = [bool(v) for v in whole] if kind == "boolean" else whole
    y = [0, 1, 1, 0, 1, 0, 1, 1]
    plain = np.column_stack((whole, np.arange(8.0)))
    assert_allclose(RankingSelector("pearson", 1).fit(frame(cells), y).scores_, pearson(plain, y))
    plain[3, 0], cells[3] = np.nan, None
    taken = RankingSelector("mutual-information", 1).fit(frame(cells), y)
    assert_allclose(taken.scores_, RankingSelector("mutual-information", 1).fit(plain, y).scores_)
    with pytest.raises(ValueError, match="'a' holds NaN in row 3"):
        RankingSelector("pearson", 1).fit(frame(cells), y)


def test_sparse_and_dense_agree():
    """A sparse table, rows or columns compressed, gives the same ranking, p-values and probes'
    evidence."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 12)) * rng.integers(1, 4, size=(60, 12)) * 1.0
    y = (X[:, 4] + rng.standard_normal(60) > 1).astype(int)
    for cut in ("fdr:0.2", 3, "probes:0.3"):
        dense = RankingSelector("t-test", cut=cut, random_state=0).fit(X, y)
        for make in (sparse.csr_array, sparse.csc_matrix):
            thin = RankingSelector("t-test", cut=cut, random_state=0).fit(make(X), y)
            assert_allclose(thin.scores_, dense.scores_)
            if cut != "probes:0.3":  # the same law, other draws
                assert_array_equal(thin.support_, dense.support_)
            assert sparse.issparse(thin.transform(make(X)))


def test_weights_are_repetitions():
    """Whole weights are repeated rows; zero leaves a row out."""
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, 150)
    weighted = RankingSelector("anova-f", cut=2).fit(X, y, sample_weight=weight)
    repeated = RankingSelector("anova-f", cut=2).fit(X.repeat(weight, axis=0), y.repeat(weight))
    assert_allclose(weighted.scores_, repeated.scores_)
    for cut in ("probes:0.1", "permutation:0.1"):
        assert (
            RankingSelector("t-test", cut, n_permutations=19, random_state=0)
            .fit(X[:100], y[:100], sample_weight=weight[:100])
            .support_[2]
        )


def test_it_works_in_pipelines_and_grids():
    """Inside a pipeline the ranking is learnt in every fold; cuts can be searched for.

    Copies and pickles are equal.
    """
    X, y = load_wine(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), RankingSelector(cut=3), LogisticRegression())
    assert cross_val_score(pipe, X, y, cv=3).mean() > 0.85
    grid = GridSearchCV(
        pipe,
        {"rankingselector__cut": [1, 5], "rankingselector__ranking": ["anova-f", "relieff"]},
        cv=3,
    )
    assert grid.fit(X, y).best_params_["rankingselector__cut"] == 5
    selector = RankingSelector("relieff", cut=0.3).fit(X, y)
    again = pickle.loads(pickle.dumps(selector))
    assert_array_equal(again.transform(X), clone(selector).fit(X, y).transform(X))


def test_metadata_routing():
    """Weights are routed through a pipeline where scikit-learn is told to."""
    X, y = load_wine(return_X_y=True)
    with config_context(enable_metadata_routing=True):
        pipe = make_pipeline(
            RankingSelector(cut=3).set_fit_request(sample_weight=True),
            LogisticRegression(max_iter=2000).set_fit_request(sample_weight=False),
        )
        pipe.fit(X, y, sample_weight=np.arange(178) % 3)
    expected = RankingSelector(cut=3).fit(X, y, sample_weight=np.arange(178) % 3)
    assert_array_equal(pipe[0].support_, expected.support_)


def test_constant_columns_and_columns_of_nothing():
    """A constant column has no evidence and is kept only if all are asked for."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 4)), np.repeat([0, 1], 20)
    X[:, 1] = 7.0
    for ranking in ("t-test", "auc", "mutual-information", "relieff", "pearson"):
        selector = RankingSelector(ranking, cut="p:0.9", random_state=0).fit(X, y)
        assert not selector.support_[1], ranking
    assert RankingSelector("t-test", cut=4).fit(X, y).support_.all()


def test_nothing_may_pass():
    """An empty selection is an answer: an empty table comes out, with scikit-learn's warning."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), np.repeat([0, 1], 20)
    selector = RankingSelector(cut="bonferroni:1e-6").fit(X, y)
    assert not selector.support_.any()
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (40, 0)


def test_missing_values():
    """Scores of contingency tables take NaN as a value; others name the cell."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.iloc[3, 2] = np.nan
    assert RankingSelector("mutual-information", cut=2).fit(X, y).transform(X).shape == (150, 2)
    with pytest.raises(ValueError, match=r"'petal length \(cm\)' holds NaN in row 3"):
        RankingSelector("anova-f", cut=2).fit(X, y)


def test_infinite_scores_lead():
    """A column that separates the classes without spread has an infinite score and comes first."""
    y = np.repeat([0, 1], 10)
    X = np.column_stack((np.arange(20.0), y * 2.0, np.tile([0.0, 1.0], 10)))
    selector = RankingSelector("anova-f", cut="gap").fit(X, y)
    assert np.isposinf(selector.scores_[1])
    assert_array_equal(selector.get_support(indices=True), [1])
    assert_array_equal(
        RankingSelector("signal-to-noise", cut="probes:0.3", random_state=0).fit(X, y).ranking_[:1],
        [1],
    )


# Targets ------------------------------------------------------------------------------------------


def test_whole_numbers_are_numbers_for_a_correlation():
    """A correlation reads ten grades as numbers, two labels as classes.

    Text labels of two classes too.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    grades = np.clip(np.round(5 + 2 * X[:, 1] + rng.standard_normal(80)), 1, 10).astype(int)
    assert_allclose(
        RankingSelector("pearson", cut=1).fit(X, grades).scores_, pearson(X, grades.astype(float))
    )
    text = np.where(grades > 5, "good", "bad")
    assert_allclose(RankingSelector("pearson", cut=1).fit(X, text).scores_, pearson(X, grades > 5))


def test_many_labels_are_classes_for_a_score_of_classes():
    """Thirty numbered classes are classes."""
    rng = np.random.default_rng(0)
    y = np.arange(30).repeat(4)
    X = np.column_stack((rng.standard_normal(120), y + rng.standard_normal(120)))
    assert_array_equal(RankingSelector("anova-f", cut=1).fit(X, y).get_support(indices=True), [1])


def test_surf_is_told_what_the_target_is():
    """A numeric target of whole numbers is not taken for classes by a score that knows both."""
    from subsel.ranking import surf

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    y = np.round(100 * X[:, 2] + 10 * rng.standard_normal(60))
    assert_allclose(RankingSelector("surf", cut=1).fit(X, y).scores_, surf(X, y, regression=True))


@pytest.mark.parametrize(
    ("selector", "kind", "message"),
    [
        (
            RankingSelector("relief_f"),
            "two",
            "no score or order named 'relief_f'. Did you mean relieff",
        ),
        (RankingSelector("xyzzy"), "two", "Known: .*anova-f.*mrmr"),
        (RankingSelector(3), "two", "ranking must be the name"),
        (
            RankingSelector("mutual-information"),
            "numeric",
            "'mutual-information' is defined for classes only; for regression use one of .*pearson",
        ),
        (
            RankingSelector("jmi", cut=2),
            "numeric",
            "'jmi' is defined for classes only; .*gram-schmidt",
        ),
        (
            RankingSelector("t-test"),
            "many",
            "'t-test' is defined for two classes, y has 3: use one of .*anova-f",
        ),
        (RankingSelector("rrelieff"), "text", "numeric"),
        (RankingSelector("relieff", cut=2), "sparse", "'relieff' needs a dense table"),
        (
            RankingSelector("gram-schmidt-relief", cut=2),
            "sparse",
            "'gram-schmidt-relief' needs a dense table",
        ),
        (RankingSelector("relieff", cut=2), "weighted", "'relieff' does not take sample weights"),
        (
            RankingSelector(lambda X, y: X[0], cut=2),
            "weighted",
            "the function does not take sample weights",
        ),
        (
            RankingSelector("mrmr"),
            "two",
            "'mrmr' cannot be cut by 'fdr:0.1': an order takes a number",
        ),
        (RankingSelector("mrmr", cut="probe-risk:0.1"), "two", "cannot be cut by 'probe-risk:0.1'"),
        (RankingSelector("mrmr", cut=9), "two", "between 1 and n_features = 4, got 9"),
        (RankingSelector("gram-schmidt", cut="probe-risk:2"), "two", r"\(0, 1\]"),
        (RankingSelector(cut="best"), "two", "there is no cut 'best'"),
        (RankingSelector(cut="probes:0.1", probes="odd"), "two", "probes must be one of"),
        (
            RankingSelector(n_probes=0),
            "two",
            "n_probes must be a whole number of at least 1, got 0",
        ),
        (RankingSelector(n_permutations=1.5), "two", "n_permutations must be"),
        (
            RankingSelector(n_probes=True),
            "two",
            "n_probes must be a whole number of at least 1, got True",
        ),
        (
            RankingSelector("mrmr", cut=np.array([1, 2])),
            "two",
            "cut must be a number, a share or a rule",
        ),
    ],
)
def test_refusals_name_the_trouble_and_the_way_out(selector, kind, message):
    """Unknown names, targets and tables a ranking is not defined for, and cuts that make no sense
    are refused."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    y = {
        "numeric": rng.standard_normal(30),
        "many": np.arange(30) % 3,
        "text": np.array(["a", "b"])[np.arange(30) % 2],
    }
    table = sparse.csr_array(X) if kind == "sparse" else X
    weight = np.ones(30) if kind == "weighted" else None
    with pytest.raises(ValueError, match=message):
        selector.fit(table, y.get(kind, np.arange(30) % 2), sample_weight=weight)


def test_text_columns_are_refused_by_name():
    """A frame with a text column names it."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "colour": list("rgbr")})
    with pytest.raises(ValueError, match="'colour' is not numeric"):
        RankingSelector(cut=1).fit(frame, [0, 1, 0, 1])
