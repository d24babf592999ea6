"""ACE: contrasts, masking and residuals."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.embedded import ACE

QUICK = {"n_replicates": 6, "n_trees": 12}


def problem(kind="numbers", seed=0, n=200):
    """A strong column with a copy, a weak one, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 9))
    X[:, 4] = X[:, 2] + 0.01 * rng.standard_normal(n)
    f = 5 * X[:, 2] + X[:, 7]
    return X, {"numbers": f, "two": f > 0, "three": np.digitize(f, [-3, 3])}[kind]


@parametrize_with_checks([ACE(n_replicates=2, n_trees=2, max_passes=1)])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("kind", ["numbers", "two", "three"])
def test_one_of_two_copies_is_kept(kind):
    """The strong column or its copy is kept, the other is recorded as masked by it."""
    X, y = problem(kind)
    found = ACE(**QUICK, random_state=0).fit(X, y)
    kept = set(found.get_support(indices=True).tolist()) & {2, 4}
    assert len(kept) == 1
    other = ({2, 4} - kept).pop()
    assert found.masked_by_[other] == kept.pop()


def test_a_weak_effect_behind_a_strong_one_is_found_on_the_residuals():
    """The weak column is kept in the end, and what is kept is what the passes added."""
    X, y = problem()
    found = ACE(**QUICK, random_state=0).fit(X, y)
    assert found.support_[7]
    assert_array_equal(np.sort(np.concatenate(found.passes_)), found.get_support(indices=True))


def test_a_wide_table_shows_its_nodes_the_few_good_columns():
    """Of 60 rows and 500 columns the strong one is found.

    With nodes that see the root of their number it is not.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 500))
    y = 3 * X[:, 123] + X[:, 321]
    options = {"n_replicates": 10, "n_trees": 20, "max_passes": 1, "random_state": 0}
    assert ACE(**options).fit(X, y).get_support(indices=True).tolist() == [123]
    assert not ACE(**options, max_features="sqrt").fit(X, y).support_.any()


def test_little_is_kept_of_pure_noise():
    """Over ten draws of noise, the columns kept are at most a tenth of all.

    These correlate with the target by chance.
    """
    kept = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        kept += (
            ACE(**QUICK, random_state=seed)
            .fit(rng.standard_normal((60, 8)), rng.standard_normal(60))
            .support_.sum()
        )
    assert kept <= 8


def test_seeds_and_workers():
    """A seed repeats, and workers change nothing."""
    X, y = problem("three", n=80)
    first, again, other = (
        ACE(n_replicates=2, n_trees=5, random_state=0, n_jobs=jobs).fit(X, y)
        for jobs in (None, None, 2)
    )
    assert_array_equal(first.support_, again.support_)
    assert_array_equal(first.support_, other.support_)


def test_interrupted_it_keeps_the_passes_done(monkeypatch, capsys):
    """After Ctrl-C in the second pass the first stands; before any pass is done it is raised."""
    X, y = problem()
    add, calls = ACE._add, []

    def pressed(self, *given):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return add(self, *given)

    monkeypatch.setattr(ACE, "_add", pressed)
    found = ACE(**QUICK, random_state=0, verbose=1).fit(X, y)
    assert found.stopped_by_ == "interrupted" and len(found.passes_) == 1 and found.support_.any()
    assert "pass 1" in capsys.readouterr().err
    calls[:] = [1]
    with pytest.raises(KeyboardInterrupt):
        ACE(**QUICK, random_state=0).fit(X, y)


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_percentile_to_beat_is_that_of_the_level(alpha):
    """Without a percentile it is 1 - alpha of the contrasts."""
    level, given = (
        ACE(alpha=alpha, **QUICK),
        ACE(alpha=alpha, percentile=100 * (1 - alpha), **QUICK),
    )
    X, y = problem(n=60)
    assert level._percentile_of(np.arange(21.0)) == pytest.approx(20 * (1 - alpha))
    np.testing.assert_array_equal(
        *(model.set_params(random_state=0).fit(X, y).support_ for model in (level, given))
    )


@pytest.mark.parametrize(
    "options", [{"alpha": 1}, {"percentile": 0}, {"n_replicates": 1}, {"n_trees": 0}]
)
def test_wrong_arguments_are_named(options):
    """A message names the argument that is out of its range."""
    with pytest.raises(ValueError, match=next(iter(options))):
        ACE(**options).fit(*problem(n=20))


@pytest.mark.slow
def test_false_selections_over_a_hundred_runs():
    """Over 100 draws the strong effect is always found, by one column mostly.

    False selections stay below a tenth.
    """
    false, strong = [], []
    for seed in range(100):
        X, y = problem(seed=seed, n=120)
        kept = ACE(**QUICK, max_passes=3, random_state=seed).fit(X, y).support_
        strong.append(kept[[2, 4]].sum())
        false.append(kept[[0, 1, 3, 5, 6, 8]].mean())
    error = np.std(false) / 10
    assert min(strong) >= 1 and np.mean(strong) < 1.3
    assert np.mean(false) + 2 * error < 0.1, (np.mean(false), error)
