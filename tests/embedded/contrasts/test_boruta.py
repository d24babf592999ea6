"""Boruta: columns against the best of their shuffled copies."""

from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.stats import binom
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import Boruta
from subsel.literature.problems import madelon
from subsel.models import BinnedForestClassifier


def problem(seed=0, n=100, p=12):
    """Two columns make the target, a third copies one of them, the rest is noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    X[:, 5] = X[:, 1] + 0.2 * rng.standard_normal(n)
    return X, (X[:, 1] + X[:, 8] > 0).astype(int)


@parametrize_with_checks([Boruta(DecisionTreeClassifier(max_depth=3), max_iter=2)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


def test_all_relevant_columns_are_kept_and_noise_is_not():
    """The columns that matter and the copy of one are confirmed.

    Noise, but for chance correlations, is rejected.
    """
    X, y = problem(n=150)
    found = Boruta(BinnedForestClassifier(25, max_depth=5), max_iter=30, random_state=0).fit(X, y)
    assert found.confirmed_[[1, 5, 8]].all()
    assert (~found.confirmed_ & ~found.tentative_).sum() >= 7


def test_decisions_follow_the_binomial_law():
    """Hits are what the histories say, and a column is decided at the first round where its tail
    is below alpha / p.
    """
    X, y = problem(n=50)
    found = Boruta(ExtraTreesClassifier(10), max_iter=25, alpha=0.05, random_state=1).fit(X, y)
    with np.errstate(invalid="ignore"):
        hits = (found.history_ > found.shadows_[:, None]).cumsum(axis=0)
    assert_array_equal(found.hits_, hits[-1])
    rounds, level = np.arange(1, found.n_iter_ + 1), 0.05 / X.shape[1]
    for k in range(X.shape[1]):
        few = binom.cdf(hits[:, k], rounds, 0.5) < level
        many = binom.sf(hits[:, k] - 1, rounds, 0.5) < level
        first = np.argmax(few | many) if (few | many).any() else None
        assert found.confirmed_[k] == (first is not None and many[first])
        assert found.tentative_[k] == (first is None)
        rejected = first is not None and few[first]
        assert np.isnan(found.history_[:, k]).sum() == (
            found.n_iter_ - first - 1 if rejected else 0
        )


def test_pure_noise_confirms_nothing():
    """Over ten draws of noise the columns confirmed are at most one in all.

    Each draw errs with chance 0.01.
    """
    confirmed = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((40, 6)), rng.permutation([0, 1] * 20)
        confirmed += (
            Boruta(BinnedForestClassifier(10), max_iter=15, random_state=seed)
            .fit(X, y)
            .confirmed_.sum()
        )
    assert confirmed <= 1


def test_tables_weights_and_workers():
    """Sparse and dense tables agree, whole weights and workers are taken, missing values too,
    and a seed repeats.
    """
    X, y = problem(n=80)

    def make(**options):
        return Boruta(ExtraTreesClassifier(10), max_iter=8, random_state=0, **options)

    plain = make().fit(X, y)
    assert_array_equal(make().fit(X, y).history_, plain.history_)
    assert_array_equal(make(n_jobs=2).fit(X, y).history_, plain.history_)
    assert_array_equal(make().fit(X, y, sample_weight=np.ones(80)).history_, plain.history_)
    assert make().fit(sparse.csr_array(X), y).history_.shape[1] == 12
    missing = X.copy()
    missing[::7, 2] = np.nan
    assert make().fit(missing, y).hits_[1] > 4


def test_the_rough_fix_keeps_tentative_columns_above_the_median():
    """With few rounds nothing is decided.

    The rough fix keeps the columns whose median beats the shadows' median.
    """
    X, y = problem()
    found = Boruta(RandomForestClassifier(30), max_iter=4, rough_fix=True, random_state=0).fit(X, y)
    assert found.tentative_.all() and found.stopped_by_ == "max_iter"
    assert_array_equal(
        found.support_, np.median(found.history_, axis=0) > np.median(found.shadows_)
    )
    assert found.support_[[1, 8]].all()


class InterruptedTree(DecisionTreeRegressor):
    """A tree at whose third fit somebody presses Ctrl-C."""

    fits = 0

    def fit(self, X, y):
        """Fit, or be interrupted."""
        InterruptedTree.fits += 1
        if InterruptedTree.fits == 3:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_interrupted_it_keeps_what_it_has(capsys):
    """After Ctrl-C in the third round the two rounds before stand, and both were told of."""
    X, y = problem()
    InterruptedTree.fits = 0
    found = Boruta(InterruptedTree(), random_state=0, verbose=1).fit(X, y)
    assert (found.n_iter_, found.stopped_by_, len(found.history_)) == (2, "interrupted", 2)
    assert capsys.readouterr().err.count("round") == 2


def test_the_recipe_is_the_published_one():
    """Without a model, a forest read by out-of-bag permutation finds what matters."""
    X, y = problem(n=60, p=9)
    found = Boruta(random_state=0, max_iter=1).fit(X, y)
    assert found.hits_[[1, 5, 8]].tolist() == [1, 1, 1]


@pytest.mark.parametrize("options", [{"alpha": 0}, {"percentile": 0}, {"max_iter": 0}])
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        Boruta(**options).fit(*problem(n=20))


@pytest.mark.slow
@pytest.mark.skipif(find_spec("boruta") is None, reason="the Boruta package is not installed")
def test_disagreement_with_the_package_is_that_of_its_own_seeds():
    """On ten sets and five seeds the mean Jaccard distance to the package is at most that
    between its own seeds.
    """
    from boruta import BorutaPy

    def distance(a, b):
        return 1 - (a & b).sum() / max((a | b).sum(), 1)

    between, own = [], []
    for number in range(10):
        X, y = graded(number)
        ours, theirs = [], []
        for seed in range(5):
            forest = RandomForestClassifier(20, max_depth=5)
            peer = BorutaPy(
                forest, n_estimators=20, max_iter=25, two_step=False, random_state=seed
            ).fit(X, y)
            theirs.append(peer.support_)
            ours.append(
                Boruta(forest, alpha=0.05, max_iter=25, random_state=seed).fit(X, y).confirmed_
            )
        own.append(np.mean([distance(a, b) for i, a in enumerate(theirs) for b in theirs[:i]]))
        between.append(np.mean([distance(a, b) for a in ours for b in theirs]))
    assert np.mean(own) > 0, "the sets hold no borderline column, so that nothing is compared"
    error = np.std(np.subtract(between, own), ddof=1) / np.sqrt(10)
    assert np.mean(between) <= np.mean(own) + 2 * error, (np.mean(between), np.mean(own), error)


def graded(seed, n=80, p=12):
    """Effects that fall from strong to none, so that some columns are borderline."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    return X, (
        X @ np.maximum(1 - 0.15 * np.arange(p), 0) + 0.5 * rng.standard_normal(n) > 0
    ).astype(int)


@pytest.mark.slow
def test_false_selections_on_madelon():
    """Over 100 draws of a small Madelon the false selections a run, with their error, stay below
    one half.
    """
    false, found = [], []
    for seed in range(100):
        drawn = madelon(20, random_state=seed, n_redundant=2, n_repeated=2, n_useless=30)
        relevant = np.isin(np.arange(drawn.X.shape[1]), drawn.relevant)
        kept = (
            Boruta(ExtraTreesClassifier(30), max_iter=30, random_state=seed)
            .fit(drawn.X, drawn.y)
            .support_
        )
        false.append((kept & ~relevant).sum())
        found.append((kept & relevant).sum() / relevant.sum())
    error = np.std(false) / 10
    assert np.mean(false) + 2 * error < 0.5, (np.mean(false), error, np.mean(found))
