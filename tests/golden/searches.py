"""Every search strategy: on a quantity, on classes with constraints, and with settings of its own."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from subsel import Budget, SubsetSelector
from subsel import search as room
from subsel.criteria import find_criterion
from subsel.search import SEARCHES
from tests.golden import data
from tests.golden.record import Configuration, ends

BUDGET = 211

# searches that need a criterion of a certain kind, or columns fewer than usual
CRITERION = {
    "branch-and-bound": ("scatter", {"kind": "mahalanobis"}),
    "rfe": LinearDiscriminantAnalysis(),
    "rfe-half": LinearDiscriminantAnalysis(),
}

VARIANTS = {
    "walk of 64 walkers": room.RandomWalk(walkers=64),
    "walk of 64 walkers, better": room.RandomWalk("better", walkers=64),
    "walk of 64 walkers, restart": room.RandomWalk("restart", walkers=64),
    "walk with patience": room.RandomWalk(c=50.0, patience=20, tolerance=0.01),
    "annealing of 32 walkers": room.Annealing(walkers=32),
    "annealing by a factor": room.Annealing(1.0, 0.01, n_steps=97, cooling_factor=0.9),
    "climbing of 32 walkers": room.HillClimbing(walkers=32),
    "climbing as one string": room.HillClimbing(patience=30, string=True),
    "sampling of sizes": room.RandomSampling("sizes", walkers=16),
    "beam of all": room.Beam(width=None),
    "best first, backward": room.BestFirst("backward", stale=3),
    "best first, both": room.BestFirst("both"),
    "elimination, unknown": room.Elimination("unknown", tolerance=0.01),
    "flips from full": room.GFlip("full"),
    "flips from random": room.GFlip("random"),
    "islands": room.Genetic(
        population=12, islands=3, selection="proportional", crossover="uniform"
    ),
    "genetic, one elite of many": room.Genetic(population=10, mutation=0.1, elite=3, start="sizes"),
    "distribution, tree": room.Distribution("tree", population=20, elite=2, patience=3),
    "distribution, marginals": room.Distribution("marginals", population=20, start="sizes"),
    "floating backward": room.FloatingBackward(),
    "adaptive floating": room.AdaptiveFloatingForward(r_max=2, neighbourhood=2),
    "floating with margin": room.FloatingForward(margin=2),
    "sequential in threes": room.GeneralisedBackward(3),
    "sequential with patience": room.SequentialForward(patience=2),
    "pairs, then one by one": room.ExhaustiveForward(k=2, patience=1),
    "plus three, less two": room.PlusTakeAway(3, 2),
    "oscillating in twos": room.Oscillating(depth=2),
    "filter with a threshold": room.LasVegas(threshold=0.3, n_draws=50),
    "pruning with tolerance": room.Pruning(tolerance=0.01),
    "rfe with every size evaluated": room.RecursiveElimination(drop=2, evaluate_sizes=True),
    "rfe of a share": room.RecursiveElimination(drop=0.3),
}


def fitted(selector: SubsetSelector, X: Any, y: Any, **rows: Any) -> dict[str, Any]:
    """What a search found: supports, qualities, counts, and the qualities along the way."""
    result = selector.fit(X, y, **rows).result_
    best = [[f.columns, f.quality, f.cost, f.standard_error] for f in result.front]
    return {
        "chosen": result.chosen,
        "quality": result.chosen_quality,
        "best": result.best,
        "best_quality": result.best_quality,
        "front": best,
        "evaluations": result.n_evaluations,
        "stopped_by": result.stopped_by,
        "exact": result.evaluator.exact,
        "qualities": ends(result.trace["quality"]),
        "sizes": ends(result.trace["size"]),
        "notes": result.notes,
    }


def _estimator(search: str, usual: Any) -> Any:
    given = CRITERION.get(search, usual)
    return find_criterion(given[0], **given[1]) if isinstance(given, tuple) else given


def of_a_quantity(search: str) -> dict[str, Any]:
    usual = "scatter" if search == "branch-and-bound" else None
    X, y = data.tumours() if usual or search.startswith("rfe") else data.patients()
    estimator = _estimator(search, Ridge())
    return fitted(
        SubsetSelector(
            estimator, search, n_features=(1, 5), budget=BUDGET, restarts=2, random_state=1
        ),
        X,
        y,
    )


def with_constraints(search: str) -> dict[str, Any]:
    """Groups, fixed and forbidden columns, costs and a limit of cost, on two classes."""
    settings = {
        "n_features": (2, 6),
        "fixed": [1],
        "forbidden": [8],
        "feature_groups": [[2, 3], [6, 7]],
        "feature_costs": [1, 2, 1, 1, 3, 1, 2, 2, 1],
        "max_cost": 9.0,
        "budget": BUDGET,
        "random_state": 2,
    }
    estimator = _estimator(search, KNeighborsClassifier(3))
    return fitted(SubsetSelector(estimator, search, choose="best", **settings), *data.tumours())


def _variant(name: str) -> dict[str, Any]:
    estimator = SVC(kernel="linear") if name.startswith("rfe") else GaussianNB()
    selector = SubsetSelector(
        estimator, VARIANTS[name], n_features=(1, 6), budget=BUDGET, random_state=3
    )
    return fitted(selector, *data.three_classes())


def _with(estimator: Any, problem: Any, **settings: Any) -> dict[str, Any]:
    return fitted(SubsetSelector(estimator, random_state=4, **settings), *problem())


def _swaps() -> dict[str, Any]:
    selector = SubsetSelector(GaussianNB(), "sffs", n_features=4, random_state=4)
    found = fitted(selector, *data.three_classes())
    near = selector.result_.alternatives(0.05)
    return (
        found
        | {key: list(near[key]) for key in ("drop", "add")}
        | {"qualities of swaps": list(near["quality"])}
    )


def _resumed() -> dict[str, Any]:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:

        def run(budget):
            return _with(Ridge(), data.patients, search="rfs1", budget=budget, journal=folder)

        return {"begun": run(50), "extended": run(BUDGET)}


OPTIONS: dict[str, Configuration] = {
    "one standard error": partial(
        _with, KNeighborsClassifier(3), data.two_classes, search="sffs", choose="one-se"
    ),
    "best": partial(_with, GaussianNB(), data.two_classes, search="sbs", choose="best"),
    "choices": partial(
        _with,
        KNeighborsClassifier(),
        data.three_classes,
        search="genetic",
        choices={"n_neighbors": [1, 3, 7], "weights": ["uniform", "distance"]},
        budget=BUDGET,
    ),
    "patience": partial(
        _with, Ridge(), data.patients, search="rfs2", budget=Budget(evaluations=500, patience=40)
    ),
    "target": partial(
        _with, Ridge(), data.patients, search="rfs1", budget=Budget(evaluations=500, target=0.3)
    ),
    "share of columns": partial(_with, Ridge(), data.patients, search="sfs", n_features=0.5),
    "sizes of columns": partial(
        _with,
        Ridge(),
        data.patients,
        search="sffs",
        feature_sizes=[1, 0, 0, 1, 1, 1, 1, 1, 1, 1],
        feature_groups=[[0, 1, 2]],
        n_features=(1, 4),
    ),
    "rfe of a forest": partial(
        _with,
        ExtraTreesClassifier(10, random_state=0),
        data.three_classes,
        search="rfe",
        n_features=3,
    ),
    "rfe of a logistic model": partial(
        _with, LogisticRegression(), data.three_classes, search="rfe-half", n_features=2
    ),
    "rfe of ridge": partial(_with, Ridge(), data.patients, search="rfe", n_features=3),
    "never exact": partial(
        _with, Ridge(), data.patients, search="sfs", n_features=3, exact="never"
    ),
    "swaps": _swaps,
    "journal": _resumed,
}

CONFIGURATIONS: dict[str, Configuration] = {
    **{f"search/{key}": partial(of_a_quantity, key) for key in sorted(SEARCHES)},
    **{f"search/{key}, constraints": partial(with_constraints, key) for key in sorted(SEARCHES)},
    **{f"search/{name}": partial(_variant, name) for name in VARIANTS},
    **{f"selector/{name}": run for name, run in OPTIONS.items()},
}
