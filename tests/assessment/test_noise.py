"""Where there is nothing to find, nothing is found.

The nested score of every way of selecting is chance.
"""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from subsel import AutoSelector, RankingSelector, SubsetSelector, embedded
from subsel.assessment import assess
from subsel.criteria import NearestNeighbours
from subsel.embedded import (
    ACE,
    FSV,
    GCISVM,
    JCFO,
    AdaptiveScaling,
    ARDElimination,
    AROMClassifier,
    AROMRegressor,
    Boruta,
    BoundElimination,
    CPLSelector,
    EmbeddedSelector,
    EntropyDiscrimination,
    FewestSupportVectors,
    ForestHalving,
    ForwardWalk,
    ImportanceElimination,
    InclusionSelector,
    Knockoffs,
    MonomialRegression,
    NonlinearPSVM,
    OptimalBrainDamage,
    OptimalBrainSurgeon,
    PerceptronElimination,
    PosteriorSelector,
    PotentialSVM,
    ScalingFactors,
    SensitivityPruning,
    SparseBayesianSelector,
    SparseFisher,
    StabilitySelection,
    TransductiveSelector,
)
from subsel.literature.recipes.searches import RECIPES
from subsel.search.registry import SEARCHES

REPETITIONS = 20
ROWS, COLUMNS = 32, 6
EMBEDDED = {
    "ace": ACE(n_replicates=4, n_trees=8, max_passes=2),
    "adaptive scaling": AdaptiveScaling(n_features=3),
    "ard elimination": ARDElimination(n_features=5),
    "arom": AROMClassifier(),
    "arom for quantities": AROMRegressor(),
    "boruta": Boruta(RandomForestClassifier(8, max_depth=3), max_iter=5),
    "bound elimination": BoundElimination(n_features=3),
    "cpl": CPLSelector(),
    "entropy discrimination": EntropyDiscrimination(n_features=3),
    "fewest support vectors": FewestSupportVectors(),
    "forest halving": ForestHalving(
        RandomForestClassifier(4, max_depth=3), fewest=2, cv=2, n_repeats=1
    ),
    "l1 model": EmbeddedSelector(LogisticRegression(C=0.5), cut=2),
    "forward walk": ForwardWalk(estimator=GaussianNB(), cv=2),
    "fsv": FSV(),
    "gci svm": GCISVM(),
    "importance elimination": ImportanceElimination(GaussianNB()),
    "inclusion": InclusionSelector(n_warmup=20, n_draws=50),
    "jcfo": JCFO(max_iter=20),
    "knockoffs": Knockoffs(),
    "monomials": MonomialRegression(),
    "nonlinear psvm": NonlinearPSVM(),
    "brain damage": OptimalBrainDamage(),
    "brain surgeon": OptimalBrainSurgeon(n_features=2, hidden=3, max_iter=50),
    "perceptron elimination": PerceptronElimination(),
    "posterior": PosteriorSelector([LogisticRegression()]),
    "potential svm": PotentialSVM(),
    "scaling factors": ScalingFactors(),
    "sensitivity pruning": SensitivityPruning(n_features=2),
    "sparse bayes": SparseBayesianSelector(),
    "sparse fisher": SparseFisher(),
    "stability selection": StabilitySelection(RankingSelector("anova-f", cut=2), n_samples=10),
    "transductive": TransductiveSelector(n_features=2),
}


def recipe(name):
    """A recipe with a small budget.

    The nearest neighbour evaluators, but for the one with its own criterion.
    """
    options = {"budget": 30, "random_state": 0} | ({"n_features": 3} if name == "rve" else {})
    evaluator = () if name == "las_vegas_filter" else (NearestNeighbours(n_neighbors=1, cv=4),)
    return RECIPES[name](*evaluator, **options)


def search(name):
    """A search with a small budget, of models that give relevances where they are asked for."""
    model = (
        LogisticRegression() if name.startswith("rfe") else NearestNeighbours(n_neighbors=1, cv=4)
    )
    return SubsetSelector(model, search=name, n_features=(1, 3), budget=30, random_state=0)


WAYS = {
    **{
        f"recipe {name}": lambda name=name: (recipe(name), GaussianNB()) for name in sorted(RECIPES)
    },
    **{
        f"search {name}": lambda name=name: (search(name), GaussianNB())
        for name in sorted(SEARCHES)
    },
    **{
        name: lambda selector=selector: (selector, GaussianNB())
        for name, selector in EMBEDDED.items()
    },
    "auto": lambda: (AutoSelector(budget="1s", random_state=0), None),
}


def nested_estimate(name, seed):
    """What is said of a way of selecting on a table that holds nothing."""
    rng = np.random.default_rng([seed, len(name)])
    X, y = rng.standard_normal((ROWS, COLUMNS)), rng.permutation(np.arange(ROWS) % 2)
    selector, model = WAYS[name]()
    return assess(
        selector, model, X, y, cv=2, references=False, stability_pairs=0, random_state=seed
    ).performance


def test_every_embedded_selector_is_among_them():
    """A selector that joins the room is put to this test."""
    exported = {getattr(embedded, name) for name in embedded.__all__}
    selectors = {
        each for each in exported if isinstance(each, type) and hasattr(each, "get_support")
    }
    assert selectors == {type(selector) for selector in EMBEDDED.values()}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WAYS)
def test_the_nested_estimate_of_noise_is_chance(name):
    """Within four standard errors of one half, over tables that hold nothing."""
    found = [nested_estimate(name, seed) for seed in range(REPETITIONS)]
    assert abs(np.mean(found) - 0.5) <= 4 * np.std(found, ddof=1) / np.sqrt(REPETITIONS) + 1e-9
