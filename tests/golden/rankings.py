"""Every score and order on all kinds of targets and tables they take, and every cut."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

from subsel import RankingSelector, ranking
from subsel.data import statistics
from subsel.data.statistics.entropy import renyi_entropy
from subsel.embedded import Importance
from subsel.literature import studies
from subsel.literature.studies.local_score import within_range
from subsel.literature.studies.score_reliability import second_opinion
from subsel.ranking.aggregation.bagging import bagged_scores, selection_frequency
from subsel.ranking.aggregation.committee import Committee, borda, mean_rank, voted_rank
from subsel.ranking.aggregation.one_vs_rest import one_vs_rest
from subsel.ranking.aggregation.votes import intersection, union, votes
from subsel.ranking.cuts.by_rank import gap_sizes, largest_gap
from subsel.ranking.cuts.multiple_testing import q_values
from subsel.ranking.cuts.registry import CUTS
from subsel.ranking.registry import ORDERS, SCORES
from subsel.ranking.scores.information.j_measure import j_measure_terms
from subsel.ranking.scores.moments.nested_f import nested_f_elimination
from subsel.ranking.scores.neighbours.hypothesis_margin import (
    margin_evaluation,
    margins,
    mean_distance,
)
from subsel.ranking.scores.neighbours.relief import relief_threshold
from subsel.ranking.scores.neighbours.value_difference_metric import (
    feature_value_difference,
    value_difference_metric,
)
from tests.golden import data
from tests.golden.record import Configuration, ends


def cut(selector: RankingSelector, X: Any, y: Any, **rows: Any) -> dict[str, Any]:
    """What a ranking found: scores, ranks, what was kept, and on what evidence."""
    selector.fit(X, y, **rows)
    found = {
        "scores": selector.scores_,
        "ranking": selector.ranking_,
        "kept": selector.get_support(indices=True),
        "printed": [selector.evidence_],
    }
    for name in ("p_values", "q_values"):
        values = getattr(selector, f"{name}_")
        if values is not None:
            found[name] = values
    if selector.probe_scores_ is not None:
        found["probe_scores"] = ends(np.ravel(selector.probe_scores_))
    return found


# says that it takes sparse tables, but its default score does not
DENSE = {"sequential-filter"}


def ranked(method: Any, rule: Any) -> dict[str, Any]:
    """A score or an order on each kind of problem that it says it takes."""
    X, y, quantity = data.mixed()

    def fit(X, y, **rows):
        return cut(RankingSelector(method.key, rule, random_state=0), X, y, **rows)

    target = (y > 0).astype(int) if method.classification else quantity
    found = {}
    if method.classification:
        found["two classes"] = fit(X, target)
    if method.multiclass:
        found["three classes"] = fit(X, y)
    if method.regression:
        found["quantity"] = fit(X, quantity)
    if method.sparse and method.key not in DENSE:
        found["sparse"] = fit(data.with_zeros(X), target)
    if method.weights:
        found["weights"] = fit(X, target, sample_weight=data.weights(len(y)))
    if method.missing:
        found["missing values"] = fit(data.with_gaps(X), target)
    if getattr(method, "p_value", None):
        selector = RankingSelector(method.key, "p:0.05", random_state=0)
        found["p-values"] = cut(selector, X, target)
    found["single precision"] = fit(X.astype(np.float32), target)
    return found


OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "chi-square of given codes": ("chi-square", {"discretise": None}),
    "fcbf with a threshold": ("fcbf", {"threshold": 0.05}),
    "cfs of correlations": ("cfs", {"association": "pearson"}),
    "gaussian-information unsmoothed": ("gaussian-information", {"smoothing": 0.0}),
    "kolmogorov-dependence scaled": ("kolmogorov-dependence", {"scaled": True}),
    "lambda-ranking centred": ("lambda-ranking", {"centre": True, "absolute": True}),
    "mifs of 0.3": ("mifs", {"beta": 0.3}),
    "modl": ("modl", {}),
    "multisurf ramp": ("multisurf", {"ramp": True}),
    "one-feature-tree information": ("one-feature-tree", {"max_leaves": 6}),
    "relief drawn": ("relief", {"n_draws": 20, "squared": True}),
    "relieff euclidean": ("relieff", {"metric": "euclidean", "n_neighbors": 3}),
    "relieff nominal": ("relieff", {"nominal": [6, 7, 8], "misses": "observed"}),
    "rfe in halves": ("rfe", {"drop": "half"}),
    "separability-tree strict": ("separability-tree", {"strict": True}),
    "simba sigmoid": ("simba", {"utility": "sigmoid", "beta": 1.0, "n_restarts": 3}),
}


def _optional(key: str, options: dict[str, Any]) -> dict[str, Any]:
    X, y, _ = data.mixed()
    y = y if (key in SCORES and SCORES[key].multiclass) or key in ORDERS else (y > 0).astype(int)
    return cut(RankingSelector(key, 4, options=options, random_state=0), X, y)


# a value for each rule that needs one
VALUES = {
    "bonferroni": 0.05,
    "fdr": 0.1,
    "fdr-any": 0.1,
    "fraction": 0.4,
    "k": 4,
    "p": 0.05,
    "permutation": 0.1,
    "probe-p": 0.05,
    "probes": 0.1,
    "relabelled": 2,
    "threshold": 0.05,
}
VALIDATED = ("cv", "cv-gap")


def _cuts(rule: str) -> dict[str, Any]:
    X, y = data.two_classes(n_columns=13)
    given = f"{rule}:{VALUES[rule]}" if rule in VALUES else rule

    def make(key, model=GaussianNB(), **more):
        return RankingSelector(
            key, given, estimator=model, n_permutations=49, random_state=0, **more
        )

    found = {
        "anova-f": cut(make("anova-f"), X, y),
        "auc": cut(make("auc"), X, y),
        "pearson": cut(make("pearson", Ridge()), *data.quantity(n_columns=13)),
        "symmetrical-uncertainty": cut(make("symmetrical-uncertainty"), X, y),
        "relieff": cut(make("relieff"), X, y),
    }
    if rule.startswith("probe"):
        found["gaussian probes"] = cut(make("relieff", probes="gaussian"), X, y)
    if rule in VALIDATED:
        selector = make("mrmr") if rule == "cv" else make("auc")
        found["validated"] = cut(selector, X, y) | {
            "validated scores": selector.validation_.scores,
            "sizes": selector.validation_.sizes,
            "standard errors": selector.validation_.standard_errors,
        }
    return found


def _ends(rule: str) -> dict[str, Any]:
    """Cuts that only orders have."""
    X, y, quantity = data.mixed()

    def fit(key, y):
        return cut(RankingSelector(key, rule, random_state=0), X, y)

    if rule == "end":
        return {key: fit(key, y) for key in ("cfs", "fcbf", "iamb")}
    return {"gram-schmidt": fit("gram-schmidt", quantity)}


def _importance() -> dict[str, Any]:
    X, y = data.two_classes()

    def make(model, *how):
        return RankingSelector(Importance(model, *how), "probes:0.2", random_state=0)

    return {
        "forest": cut(make(RandomForestClassifier(10, random_state=0)), X, y),
        "logistic": cut(make(LogisticRegression()), X, y),
        "permutation": cut(make(GaussianNB(), "permutation"), X, y),
    }


def _names(table: Any) -> dict[str, Any]:
    """Which names stand for the same method."""
    return {name: table[name].key for name in sorted(table)}


def _committees() -> dict[str, Any]:
    X, y = data.two_classes()
    scores = [ranking.pearson(X, y), ranking.relieff(X, y), ranking.auc(X, y)]
    p = ranking.anova_f_p_value(X, y)
    masks = [score > np.median(score) for score in scores]
    return {
        "borda": borda(scores),
        "mean rank": mean_rank(scores),
        "voted rank": voted_rank(scores, 2),
        "committee": Committee(["pearson", "relieff", "auc"])(X, y),
        "bagged": bagged_scores(ranking.pearson, X, y, n_bags=7, random_state=0),
        "frequency": selection_frequency(ranking.pearson, X, y, 3, n_bags=7, random_state=0),
        "one vs rest": one_vs_rest(ranking.auc, *data.three_classes()),
        "q-values": q_values(p),
        "q-values, any": q_values(p, any_dependence=True),
        "uniformity": ranking.uniformity_p_value(p),
        "gap": largest_gap(scores[0]),
        "gap sizes": gap_sizes(scores[0]),
        "votes": votes(masks, 2),
        "union": union(masks),
        "intersection": intersection(masks),
        "second opinion": second_opinion(scores[0], scores[1]),
        "max permutation": ranking.max_permutation_p_value(
            ranking.pearson, X, y, n_permutations=49, random_state=0
        ),
        "permutation": ranking.permutation_p_value(
            ranking.pearson, X, y, n_permutations=49, random_state=0
        ),
        "margins": margins(X, y),
        "margin evaluation": margin_evaluation(X, y),
        "mean distance": mean_distance(X),
        "nested F": nested_f_elimination(*data.quantity()),
        "relief threshold": relief_threshold(0.05, 50),
        "value bias": studies.value_bias(
            "information-gain", n_samples=80, n_features=5, random_state=0
        ),
        "value differences": feature_value_difference(X, y),
        "value difference metric": value_difference_metric(X[:9], y[:9]),
        "within range": within_range(ranking.pearson, X, X[:, 0], -1.0, 4.0),
        "local": studies.local_score(ranking.pearson, X, y, X[0], 31),
        "j-measure": j_measure_terms(*data.codes()),
        "entropy": [
            statistics.entropy(np.array([3, 4, 5])),
            renyi_entropy(np.array([3, 4])),
        ],
    }


CONFIGURATIONS: dict[str, Configuration] = {
    **{
        f"score/{key}": partial(ranked, SCORES[key], 4)
        for key in sorted({score.key for score in SCORES.values()})
    },
    **{
        f"order/{key}": partial(ranked, ORDERS[key], 5)
        for key in sorted({order.key for order in ORDERS.values()})
    },
    **{f"score/{name}": partial(_optional, *options) for name, options in OPTIONS.items()},
    **{f"cut/{rule}": partial(_cuts, rule) for rule in (*sorted(CUTS), *VALIDATED)},
    **{f"cut/{rule}": partial(_ends, rule) for rule in ("end", "probe-risk:0.1")},
    "score/importances of models": _importance,
    "score/committees and p-values": _committees,
    "score/names": partial(_names, SCORES),
    "order/names": partial(_names, ORDERS),
}
