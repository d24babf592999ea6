"""Every model that selects while it learns, and every function beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.tree import DecisionTreeClassifier

from subsel import embedded as room
from subsel.models import ARDKernelClassifier
from tests.golden import data
from tests.golden.record import Configuration

# what a fitted selector may say beside its support
TOLD = ("scores_", "ranking_", "frequencies_", "statistics_", "threshold_", "relevances_")
TOLD += ("p_values_", "q_values_", "bounds_", "shadows_", "history_", "coef_", "bound_", "scales_")
TOLD += ("importances_", "sizes_", "lam_", "lambda_", "probabilities_", "stopped_by_")


def fitted(selector: Any, problem: Callable[[], data.Rows], **rows: Any) -> dict[str, Any]:
    """The columns that a selector keeps, what it says of them, and its predictions."""
    X, y = problem()
    selector.fit(X, y, **rows)
    found: dict[str, Any] = {"kept": selector.get_support(indices=True)}
    for name in TOLD:
        value = getattr(selector, name, None)
        if isinstance(value, (np.ndarray, float, int, str, dict)):
            found[name.strip("_")] = value
    if hasattr(selector, "predict"):
        found["predicted"] = selector.predict(X)
    if hasattr(selector, "evidence_"):
        found["printed"] = [selector.evidence_]
    return found


def small() -> data.Rows:
    return data.two_classes(41, 6)


def small_quantity() -> data.Rows:
    return data.quantity(41, 6)


def three() -> data.Rows:
    return data.three_classes(47, 6)


def apart() -> data.Rows:
    """Two classes that a plane separates."""
    X, y = small()
    X = X - X.mean(axis=0)
    X[:, 1] += 6.0 * (2 * y - 1)
    return X, y


def _forest():
    return RandomForestClassifier(10, max_depth=4, random_state=0)


SELECTORS: dict[str, list[tuple[Any, Callable[[], data.Rows]]]] = {
    "ACE": [(room.ACE(n_replicates=5, n_trees=10, random_state=0), p) for p in (small, three)],
    "ARDElimination": [
        (room.ARDElimination(2, ARDKernelClassifier("linear", n_starts=1, random_state=0)), small)
    ],
    "AROMClassifier": [(room.AROMClassifier(2), small), (room.AROMClassifier(kernel="rbf"), small)],
    "AROMRegressor": [(room.AROMRegressor(2), small_quantity)],
    "AdaptiveScaling": [(room.AdaptiveScaling(2, max_iter=10), small)],
    "Boruta": [
        (room.Boruta(_forest(), max_iter=15, random_state=0), small),
        (room.Boruta(Ridge(), max_iter=15, rough_fix=True, random_state=0), small_quantity),
    ],
    "BoundElimination": [
        (room.BoundElimination(3, bound=bound, kernel="linear"), small)
        for bound in ("radius-margin", "variance", "span")
    ],
    "CPLSelector": [(room.CPLSelector(0.05), small), (room.CPLSelector(n_lambdas=4, cv=3), small)],
    "EmbeddedSelector": [
        (room.EmbeddedSelector(Lasso(0.1), cut="threshold:1e-12"), small_quantity),
        (room.EmbeddedSelector(LogisticRegression(), cut=3), three),
        (room.EmbeddedSelector(_forest(), cut="probes:0.2", random_state=0), small),
        (
            room.EmbeddedSelector(Ridge(), "permutation", cut=2, cv=3, random_state=0),
            small_quantity,
        ),
    ],
    "EntropyDiscrimination": [(room.EntropyDiscrimination(2, max_iter=50), small)],
    "FSV": [(room.FSV(0.05), small)],
    "FewestSupportVectors": [(room.FewestSupportVectors(), small)],
    "ForestHalving": [(room.ForestHalving(_forest(), fewest=2, cv=3, random_state=0), small)],
    "ForwardWalk": [(room.ForwardWalk(LogisticRegression(), LogisticRegression(), cv=3), small)],
    "GCISVM": [(room.GCISVM(3), small), (room.GCISVM(compare="last", cv=3), small)],
    "ImportanceElimination": [
        (
            room.ImportanceElimination(
                LogisticRegression(), nested=nested, n_values=3, random_state=0
            ),
            small,
        )
        for nested in (False, True)
    ],
    "InclusionSelector": [
        (room.InclusionSelector(2, n_warmup=10, n_draws=40, random_state=0), small)
    ],
    "JCFO": [(room.JCFO(2, max_iter=20), small), (room.JCFO(kernel="rbf", max_iter=10), small)],
    "Knockoffs": [
        (room.Knockoffs(fdr=0.5, random_state=0), small_quantity),
        (room.Knockoffs("coefficient", fdr=0.5, offset=0, random_state=0), small),
        (room.Knockoffs(fdr=0.5, copies="fixed", random_state=0), small_quantity),
    ],
    "MonomialRegression": [(room.MonomialRegression(2, n_terms=6), small_quantity)],
    "NonlinearPSVM": [(room.NonlinearPSVM(2, hidden=3, max_iter=30, random_state=0), small)],
    "OptimalBrainDamage": [
        (room.OptimalBrainDamage(3, hidden=2, max_iter=20, random_state=0), small)
    ],
    "OptimalBrainSurgeon": [
        (room.OptimalBrainSurgeon(3, hidden=2, max_iter=20, random_state=0), small)
    ],
    "PerceptronElimination": [(room.PerceptronElimination(), apart)],
    "PosteriorSelector": [
        (
            room.PosteriorSelector(
                [DecisionTreeClassifier(max_depth=3, random_state=0)], n_features=2
            ),
            small,
        ),
    ],
    "PotentialSVM": [(room.PotentialSVM(0.2), small), (room.PotentialSVM(n_features=2), small)],
    "ScalingFactors": [
        (room.ScalingFactors(2, bound=bound, max_iter=10, random_state=0), small)
        for bound in ("radius-margin", "variance", "span", "validation")
    ],
    "SensitivityPruning": [
        (room.SensitivityPruning(Ridge(), n_features=2, n_models=3, random_state=0), small_quantity)
    ],
    "SparseBayesianSelector": [(room.SparseBayesianSelector(2), small)],
    "SparseFisher": [(room.SparseFisher(0.1), small)],
    "StabilitySelection": [
        (room.StabilitySelection(n_samples=20, random_state=0), small_quantity),
        (
            room.StabilitySelection(
                n_features=3, threshold=0.6, weakness=0.5, n_samples=20, random_state=0
            ),
            small_quantity,
        ),
        (room.StabilitySelection(pairs=False, bound="worst", n_samples=20, random_state=0), small),
    ],
    "TransductiveSelector": [
        (room.TransductiveSelector(2, method=method), small)
        for method in ("filter", "rfe", "multiplicative")
    ],
}


def _kernel() -> tuple[np.ndarray, np.ndarray]:
    X, y = small()
    return rbf_kernel(X, gamma=0.1) + 0.1 * np.eye(len(y)), 2.0 * y - 1.0


def _bound(bound: Any) -> dict[str, Any]:
    return {"value": bound.value, "slope": np.diag(bound.slope)}


def _path(path: Any) -> dict[str, Any]:
    return {"features": path.features, "scores": path.scores}


def _plane(found: Any) -> dict[str, Any]:
    """The columns and the value of a plane, of a subspace or of a report."""
    told = vars(found) if hasattr(found, "__dict__") else found._asdict()
    return {
        key: value
        for key, value in told.items()
        if isinstance(value, (np.ndarray, float, int, bool, tuple))
    }


def _quadratic(loss: str) -> dict[str, Any]:
    path = room.quadratic_path(*(small_quantity() if loss == "squared" else small()), loss)
    return {
        "penalties": path.penalties,
        "coefs": path.coefs,
        "intercepts": path.intercepts,
        "entered": path.entered,
    }


def _surrogates() -> dict[str, Any]:
    X, y = small()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    return {
        "importances": room.surrogate_importances(tree, X, y),
        "splits": [[s.node, s.column, s.association] for s in room.surrogate_splits(tree, X)],
    }


def _logistic() -> Any:
    return LogisticRegression().fit(*small())


def _noised() -> dict[str, Any]:
    found = room.noised_out(Ridge(), *small_quantity(), cv=3, random_state=0)
    return {"importances": found.importances, "standard errors": found.standard_errors}


def _out_of_bag() -> dict[str, Any]:
    forest = RandomForestClassifier(10, random_state=0, oob_score=False).fit(*small())
    found = room.out_of_bag_importance(forest, *small(), random_state=0)
    return {"importances": found.importances, "z": found.z, "p_values": found.p_values}


def _boosted() -> Any:
    return GradientBoostingClassifier(n_estimators=5, random_state=0).fit(*three())


FUNCTIONS: dict[str, Configuration] = {
    "class_importances": lambda: {"boosted": room.class_importances(_boosted())},
    "convex_scaling": lambda: {"scales": room.convex_scaling(*small(), C=1.0)},
    "derivative_sensitivity": lambda: {
        "logistic": room.derivative_sensitivity(_logistic(), small()[0])
    },
    "descending_sequence": lambda: {
        "subspaces": [list(_plane(s).values()) for s in room.descending_sequence(*apart())]
    },
    "expected_weights": lambda: {"weights": room.expected_weights([0.5, -1.0, 2.0], 0.1)},
    "fixed_knockoffs": lambda: {"copies": room.fixed_knockoffs(small()[0], random_state=0)[:5]},
    "gaussian_knockoffs": lambda: {
        "copies": room.gaussian_knockoffs(small()[0], random_state=0)[:5]
    },
    "impurity_importances": lambda: {
        "forest": room.impurity_importances(_forest().fit(*three())),
        "boosted": room.impurity_importances(_boosted()),
    },
    "interaction_scores": lambda: {
        "scores": room.interaction_scores(*small_quantity(), n_estimators=20, random_state=0)
    },
    "masking": lambda: {
        "masking": room.masking(
            ExtraTreesClassifier(5, random_state=0).fit(*small()).estimators_, small()[0]
        )
    },
    "noised_out": _noised,
    "out_of_bag_importance": _out_of_bag,
    "output_sensitivity": lambda: {"logistic": room.output_sensitivity(_logistic(), small()[0], 5)},
    "perceptron_criterion": lambda: _plane(room.perceptron_criterion(*small())),
    "quadratic_path": lambda: {loss: _quadratic(loss) for loss in ("squared",)},
    "radius_margin": lambda: _bound(room.radius_margin(*_kernel())),
    "range_sensitivity": lambda: {"logistic": room.range_sensitivity(_logistic(), 6)},
    "rlsc_error_bound": lambda: {"errors": room.rlsc_error_bound(*_kernel())},
    "rlsc_leave_one_out": lambda: {"outputs": room.rlsc_leave_one_out(*_kernel())},
    "sampled_sensitivity": lambda: {
        "logistic": room.sampled_sensitivity(_logistic(), small()[0], 0.2, random_state=0)
    },
    "separable": lambda: (
        {"apart": _plane(room.separable(*apart()))} | {"mixed": _plane(room.separable(*small()))}
    ),
    "span": lambda: _bound(room.span(*_kernel())),
    "span_leave_one_out": lambda: {"outputs": room.span_leave_one_out(*_kernel())},
    "ssv_tree_ranks": lambda: {"ranks": room.ssv_tree_ranks(*three())},
    "subspace_of_size": lambda: _plane(room.subspace_of_size(*small(), 2, method="exact")),
    "surrogate_importances": _surrogates,
    "validation_error": lambda: _bound(room.validation_error(*_kernel(), np.arange(41) % 3 == 0)),
    "variance_margin": lambda: _bound(room.variance_margin(*_kernel())),
}

# covered under another name, or not at all
ELSEWHERE = {
    **dict.fromkeys(("NoisedOut", "OutOfBagImportance", "L1Path", "Surrogates"), "a result"),
    **dict.fromkeys(("surrogate_splits",), "with surrogate_importances"),
    **dict.fromkeys(("Importance",), "tests/golden/rankings.py"),
    **dict.fromkeys(
        ("grafting", "huber_lasso", "l1_huberized_hinge", "l1_logistic", "l1_squared_hinge"),
        "an order",
    ),
    **dict.fromkeys(("lars", "lasso", "omp", "one_norm_svm", "rfe"), "an order"),
    "shap_importance": "needs the optional package shap",
}


def _selected(name: str) -> dict[str, Any]:
    return {str(i): fitted(*pair) for i, pair in enumerate(SELECTORS[name])}


def _in_searches() -> dict[str, Any]:
    """A forest of trees as a regressor, by its own importances with every kind of cut."""
    selector = room.EmbeddedSelector(RandomForestRegressor(8, random_state=0), cut=3)
    return fitted(selector, small_quantity, sample_weight=data.weights(41))


CONFIGURATIONS: dict[str, Configuration] = {
    **{f"embedded/{name}": partial(_selected, name) for name in SELECTORS},
    **{f"embedded/{name}": run for name, run in FUNCTIONS.items()},
    "embedded/weights": _in_searches,
}
MISSING = set(room.__all__) - SELECTORS.keys() - FUNCTIONS.keys() - ELSEWHERE.keys()
