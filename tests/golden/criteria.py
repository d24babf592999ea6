"""Every criterion, and every estimator that is evaluated without refitting, over folds, rows and scorings of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from subsel import SubsetSelector
from subsel.criteria import CRITERIA, NotExact, find_criterion
from subsel.literature.linkage import persons
from subsel.models import IntervalNaiveBayes, LeastSquaresClassifier, NearestMean
from subsel.search import RandomWalk
from tests.golden import data
from tests.golden.record import Configuration
from tests.golden.searches import fitted


def walks(criterion: Any, X: Any, y: Any, rows: dict[str, Any], **settings: Any) -> dict[str, Any]:
    """Steps up and back, steps down, and flips of several columns: the three ways in which evaluators are asked."""

    def run(search, **more):
        return fitted(
            SubsetSelector(criterion, search, random_state=6, **settings, **more), X, y, **rows
        )

    return {
        "floating": run("sffs", n_features=(1, 4), budget=120),
        "backward": run("sbs", n_features=(2, X.shape[1]), budget=60),
        "walkers": run(RandomWalk(walkers=8), budget=60),
    }


# the problem and the parameters that a criterion is tried with; usually two classes and none
SETTINGS: dict[str, tuple[Callable[[], data.Rows], dict[str, Any]]] = {
    "cross-validated": (
        data.two_classes,
        {"estimator": DecisionTreeClassifier(max_depth=2, random_state=0)},
    ),
    "discrete-naive-bayes": (data.codes, {}),
    "fresh-split-score": (
        data.two_classes,
        {"estimator": RidgeClassifier(), "splits": 3, "train_share": 0.4},
    ),
    "graded-linkage": (lambda: _persons(), {}),
    "icomp": (data.quantity, {}),
    "icomp-perf": (data.two_classes, {"splits": 2, "train_share": 0.4}),
    "inconsistency": (data.codes, {}),
    "kernel-ridge": (data.quantity, {"kernel": "rbf", "gamma": 0.1}),
    "linkage-accuracy": (lambda: _persons(), {}),
    "tree-fitness": (data.two_classes, {"cv": 2}),
}

# further settings, by the key of the criterion and a name
VARIANTS: dict[tuple[str, str], tuple[Callable[[], data.Rows], dict[str, Any]]] = {
    ("correlation-merit", "pearson"): (data.two_classes, {"association": "pearson"}),
    ("correlation-merit", "quantity"): (data.quantity, {"association": "pearson"}),
    ("cross-validated", "fresh folds"): (
        data.two_classes,
        {"estimator": RidgeClassifier(), "cv": 3, "fresh": True},
    ),
    ("discrete-naive-bayes", "pooled"): (data.codes, {"pooled": True, "alpha": 0.3}),
    ("discriminant", "qda"): (data.three_classes, {"kind": "qda", "reg_param": 0.1}),
    ("discriminant", "priors"): (data.three_classes, {"priors": [0.2, 0.5, 0.3]}),
    ("discriminant", "naive"): (data.three_classes, {"kind": "gaussian-nb", "pooled": True}),
    ("graded-linkage", "single"): (lambda: _persons(), {"linkage": "single"}),
    ("icomp", "c1f"): (data.patients, {"complexity": "c1f"}),
    ("icomp-perf", "polynomial"): (
        data.three_classes,
        {"kernel": "quadratic", "splits": 2, "train_share": 0.4},
    ),
    ("interval-naive-bayes", "folds"): (data.two_classes, {"cv": 3, "scoring": "accuracy"}),
    ("kernel-ridge", "laplacian"): (data.quantity, {"kernel": "laplacian", "sigma": 2.0}),
    ("kernel-ridge", "several penalties"): (data.quantity, {"alpha": [0.1, 1.0, 10.0]}),
    ("kernel-ridge-classification", "cosine"): (data.two_classes, {"kernel": "cosine"}),
    ("least-squares", "quantity"): (data.quantity, {"alpha": 0.5, "pooled": True}),
    ("least-squares", "no intercept"): (data.quantity, {"fit_intercept": False}),
    ("linkage-accuracy", "two differences"): (lambda: _persons(), {"threshold": 2}),
    ("margin", "sigmoid"): (data.two_classes, {"utility": "sigmoid", "beta": 1.0}),
    ("margin", "zero-one"): (data.three_classes, {"utility": "zero-one"}),
    ("margin", "held out"): (data.two_classes, {"held_out": 0.3}),
    ("nearest-centroid", "medians"): (data.three_classes, {"metric": "manhattan"}),
    ("nearest-neighbours", "l1"): (data.three_classes, {"n_neighbors": 3, "metric": "l1"}),
    ("redundancy-penalised", "mifs"): (data.two_classes, {"form": "mifs"}),
    ("scatter", "hotelling"): (data.three_classes, {"kind": "hotelling"}),
    ("scatter", "mahalanobis"): (data.two_classes, {"kind": "mahalanobis"}),
    ("scatter", "bhattacharyya"): (data.two_classes, {"kind": "bhattacharyya"}),
    ("separability", "priced"): (
        data.two_classes,
        {"lam": 0.05, "feature_costs": [1, 2, 1, 1, 1, 1, 1, 2, 1]},
    ),
}
VARIANTS |= {
    (key, "little memory"): (problem, {**settings, "memory": 1.0})
    for key, problem, settings in (
        ("correlation-merit", data.two_classes, {}),
        ("discrete-naive-bayes", data.codes, {}),
        ("discriminant", data.three_classes, {}),
        ("discriminant", data.two_classes, {"kind": "qda"}),
        ("interval-naive-bayes", data.two_classes, {}),
        ("least-squares", data.quantity, {}),
        ("margin", data.two_classes, {}),
        ("nearest-neighbours", data.three_classes, {}),
        ("redundancy-penalised", data.two_classes, {}),
    )
}
HEAVY = {"graded-linkage", "tree-fitness"}


def _persons() -> data.Rows:
    drawn = persons(40, records=(1, 3), random_state=0)
    return drawn.records, drawn.person


def _criterion(key: str, problem: Any, settings: dict[str, Any]) -> dict[str, Any]:
    X, y = problem()
    criterion = find_criterion(key, **settings)
    if key == "prototype-accuracy":
        return _prototypes(criterion, X, y)
    if "linkage" in key:
        selector = SubsetSelector(criterion, "exhaustive", random_state=6)
        return fitted(selector, X, y)
    return walks(criterion, X, y, {})


def _prototypes(criterion: Any, X: Any, y: Any) -> dict[str, Any]:
    """Its subsets are of rows, so that its searches are those of the selector of prototypes."""
    from subsel.literature.recipes import PrototypeSelector

    own = {"leave_self_out": criterion.leave_self_out, "n_neighbors": criterion.n_neighbors}

    def fit(**more):
        return PrototypeSelector(7, budget=200, random_state=0, **own, **more).fit(X, y)

    rows, both = fit(), fit(features=True, search="rfs1")
    return {
        "rows": rows.prototypes_,
        "rows of both": both.prototypes_,
        "columns of both": both.get_support(indices=True),
    }


def _scaled(model, scaler=StandardScaler):
    return make_pipeline(scaler(), model)


REGRESSORS: dict[str, Any] = {
    "linear regression": LinearRegression(),
    "ridge": Ridge(2.0),
    "scaled ridge": _scaled(Ridge(2.0)),
    "neighbours": KNeighborsRegressor(3),
    "scaled neighbours by distance": _scaled(KNeighborsRegressor(4, weights="distance")),
    "neighbours in a unit cube": _scaled(KNeighborsRegressor(3), MinMaxScaler),
    "kernel ridge": KernelRidge(alpha=0.5, kernel="rbf", gamma=0.05),
    "polynomial kernel ridge": _scaled(KernelRidge(alpha=2.0, kernel="poly", degree=2)),
}
CLASSIFIERS: dict[str, Any] = {
    "ridge classifier": RidgeClassifier(2.0),
    "scaled ridge classifier": _scaled(RidgeClassifier()),
    "naive bayes": GaussianNB(),
    "lda": LinearDiscriminantAnalysis(),
    "lda, shrunken": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2),
    "qda": QuadraticDiscriminantAnalysis(reg_param=0.05),
    "nearest neighbour": KNeighborsClassifier(1),
    "neighbours": KNeighborsClassifier(5),
    "neighbours by distance": KNeighborsClassifier(4, weights="distance"),
    "neighbours, manhattan": KNeighborsClassifier(3, metric="manhattan"),
    "scaled neighbours": _scaled(KNeighborsClassifier(3)),
    "centroid": NearestCentroid(),
    "nearest mean": NearestMean(),
    "kernel classifier": LeastSquaresClassifier(kernel="rbf", gamma=0.1),
    "interval naive bayes": IntervalNaiveBayes(),
    "refitted": LogisticRegression(C=0.5),
}

FOLDS: dict[str, dict[str, Any]] = {
    "usual folds": {},
    "leave one out": {"cv": LeaveOneOut()},  # where R2 does not exist
    "repeated": {"cv": RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)},
    "groups": {"cv": GroupKFold(4)},
    "random parts": {"cv": ShuffleSplit(4, test_size=0.2, random_state=0)},
    "time": {"cv": "time"},
}

# models that take weights; the others refuse them
WEIGHTED = {"linear regression", "ridge", "scaled ridge", "kernel ridge", "polynomial kernel ridge"}
WEIGHTED |= {"ridge classifier", "scaled ridge classifier", "naive bayes", "kernel classifier"}
WEIGHTED |= {"refitted"}
# refitted in every fold; scaling with one row left out has no closed form
SLOW = {"refitted": {"leave one out", "repeated"}} | {
    name: {"leave one out"}
    for name in ("scaled ridge", "polynomial kernel ridge", "scaled ridge classifier")
}


def evaluated(estimator: Any, problem: Any, situation: str, **settings: Any) -> dict[str, Any]:
    """The walks of an estimator where rows are as the situation says."""
    X, y = problem()
    rows = {}
    if situation == "leave one out" and is_regressor(estimator):
        settings["scoring"] = "neg_mean_squared_error"
    if situation == "groups":
        rows["groups"] = data.groups(len(y))
    if situation == "weights":
        rows["sample_weight"] = data.weights(len(y))
    if situation == "sparse":
        X = data.with_zeros(X)
    if situation == "single precision":
        X = X.astype(np.float32)
    return walks(estimator, X, y, rows, **FOLDS.get(situation, {}), **settings)


SITUATIONS = (*FOLDS, "weights", "sparse", "single precision")
TABLE = [
    *((name, model, data.quantity, "quantity") for name, model in REGRESSORS.items()),
    *((name, model, data.two_classes, "classes") for name, model in CLASSIFIERS.items()),
]
EVALUATORS: dict[str, Configuration] = {
    f"evaluator/{name}, {kind}, {situation}": partial(evaluated, model, problem, situation)
    for name, model, problem, kind in TABLE
    for situation in SITUATIONS
    if situation not in SLOW.get(name, ()) and (situation != "weights" or name in WEIGHTED)
}
EVALUATORS |= {
    f"evaluator/{name}, three classes": partial(evaluated, model, data.three_classes, "usual folds")
    for name, model in CLASSIFIERS.items()
    if name != "kernel classifier"  # which is for two classes
}


def _scaled_without_one() -> dict[str, Any]:
    """Every subset is refitted here: there is no closed form."""
    selector = SubsetSelector(_scaled(RidgeClassifier()), "sfs", n_features=2, cv=LeaveOneOut())
    return fitted(selector, *data.two_classes(23, 6))


SCORINGS = {
    "labels": ["accuracy", "balanced_accuracy", "f1", "f1_macro", "f1_micro", "f1_weighted"],
    "more of labels": ["matthews_corrcoef", "precision_macro", "jaccard_weighted"],
    "decisions": ["roc_auc", "average_precision", "lift_area"],
    "probabilities": ["neg_log_loss", "neg_brier_score", "balanced_brier", "roc_auc_ovr"],
    "codes": ["ber", "code_error", "balanced_code_error"],
    "values": ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error"],
    "more of values": ["neg_mean_absolute_error", "neg_median_absolute_error", "max_error"],
}
SCORED = ["discrete-naive-bayes", "discriminant", "interval-naive-bayes", "kernel-ridge"]
SCORED += ["kernel-ridge-classification", "least-squares", "nearest-centroid"]
SCORED += ["nearest-neighbours"]


def scored(scoring: str, pooled: bool) -> dict[str, Any]:
    """A scoring by every criterion that knows it, for every kind of target."""
    problems = {
        "quantity": lambda: data.quantity(67, 6),
        "two classes": lambda: data.two_classes(67, 6),
        "three classes": lambda: data.three_classes(67, 6),
    }
    found = {}
    for key in SCORED:
        for name, problem in problems.items():
            if (name == "quantity") == (key in ONLY_CLASSES):
                continue
            found[f"{key}, {name}"] = _scored(key, scoring, problem, pooled)
    return found


ONLY_CLASSES = set(SCORED) - {"kernel-ridge"}


def _scored(key: str, scoring: str, problem: Any, pooled: bool) -> dict[str, Any]:
    X, y = problem()
    more = {} if key == "interval-naive-bayes" and not pooled else {"pooled": pooled}
    criterion = find_criterion(key, scoring=scoring, cv=3, **more)
    try:
        return fitted(SubsetSelector(criterion, "sfs", n_features=2, random_state=8), X, y)
    except NotExact:
        return {"quality": None}


def _larger(estimator: Any, problem: Any) -> dict[str, Any]:
    """Rows and columns enough for compiled loops, which small problems do not pay for."""
    return walks(estimator, *problem(401, 23), {})


LARGER = {
    "neighbours, classes": (KNeighborsClassifier(5), data.two_classes),
    "neighbours by distance, classes": (
        KNeighborsClassifier(4, weights="distance"),
        data.two_classes,
    ),
    "neighbours, quantity": (KNeighborsRegressor(3), data.quantity),
    "margin": (find_criterion("margin"), data.two_classes),
}

CONFIGURATIONS: dict[str, Configuration] = {
    **{f"larger/{name}": partial(_larger, *pair) for name, pair in LARGER.items()},
    **{
        f"criterion/{key}": partial(_criterion, key, *SETTINGS.get(key, (data.two_classes, {})))
        for key in sorted(CRITERIA)
    },
    **{
        f"criterion/{key}, {name}": partial(_criterion, key, *settings)
        for (key, name), settings in VARIANTS.items()
    },
    **EVALUATORS,
    "evaluator/scaled ridge classifier, classes, leave one out": _scaled_without_one,
    **{
        f"scoring/{scoring}": partial(scored, scoring, False)
        for of_one_kind in SCORINGS.values()
        for scoring in of_one_kind
    },
    **{
        f"scoring/{scoring}, pooled": partial(scored, scoring, True)
        for scoring in ("accuracy", "roc_auc", "neg_log_loss", "r2", "code_error")
    },
}
