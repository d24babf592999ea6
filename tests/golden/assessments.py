"""Assessments and comparisons of selections, and the arithmetic of their errors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from subsel import RankingSelector, SubsetSelector, assess, compare
from subsel import assessment as room
from subsel.assessment.sizing import rows_for_validation
from subsel.assessment.stability_indices import kuncheva, nogueira
from subsel.literature import studies
from subsel.literature.studies.integrity import reference_check
from tests.golden import data
from tests.golden.record import Configuration


def _estimate(estimate: Any) -> dict[str, Any]:
    return {"mean": estimate.mean, "interval": estimate.interval, "scores": estimate.scores}


def _stability(found: room.Stability | None) -> dict[str, Any] | None:
    if found is None:
        return None
    told = ("value", "interval", "kuncheva", "jaccard", "n_pairs", "n_rows")
    return {name: getattr(found, name) for name in told}


def told(found: room.Assessment) -> dict[str, Any]:
    """All that an assessment says but the time it took."""
    names = ("performance", "interval", "guide", "optimism", "sizes", "supports", "frequency")
    names += ("frequency_interval", "scoring", "kind", "n_rows", "n_folds")
    answer = {name: getattr(found, name) for name in names}
    answer["folds"] = {name: values for name, values in found.folds.items() if "second" not in name}
    answer["stability"] = _stability(found.stability)
    answer["references"] = {name: _estimate(e) for name, e in found.references.items()}
    if found.false_selections is not None:
        names = ("expected", "interval", "share", "bound", "probe_frequency", "n_probes")
        answer["false selections"] = {n: getattr(found.false_selections, n) for n in names}
    if found.permutation is not None:
        answer["permutation"] = {n: getattr(found.permutation, n) for n in ("score", "scores")}
        answer["permutation"]["p_values"] = [found.permutation.p_value]
    return answer | {"notes": found.notes, "printed": repr(found)}


def _search(estimator: Any, search: str = "sffs", **settings: Any) -> SubsetSelector:
    return SubsetSelector(estimator, search, n_features=(1, 4), random_state=0, **settings)


def _assessed(selector: Any, estimator: Any, problem: Any, **settings: Any) -> dict[str, Any]:
    settings = {"cv": 3, "random_state": 0} | settings
    return told(assess(selector, estimator, *problem(), **settings))


_nb = _search(GaussianNB())
_groups = data.groups(71)
ASSESSED: dict[str, Configuration] = {
    "classes": partial(_assessed, _nb, GaussianNB(), data.two_classes),
    "three classes": partial(
        _assessed,
        _search(KNeighborsClassifier(3)),
        KNeighborsClassifier(3),
        data.three_classes,
        scoring="balanced_accuracy",
    ),
    "quantity": partial(_assessed, _search(Ridge()), Ridge(), data.quantity),
    "ranking": partial(
        _assessed, RankingSelector("pearson", 3), Ridge(), data.quantity, stability_pairs=5
    ),
    "scikit-learn": partial(_assessed, SelectKBest(f_regression, k=3), Ridge(), data.quantity),
    "probes": partial(_assessed, _nb, GaussianNB(), data.two_classes, probes=5),
    "permutations": partial(
        _assessed, _nb, GaussianNB(), data.two_classes, permutations=4, references=False
    ),
    "repeated folds": partial(
        _assessed,
        _nb,
        GaussianNB(),
        data.two_classes,
        cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    ),
    "groups": partial(
        _assessed, _search(Ridge()), Ridge(), data.quantity, cv=GroupKFold(4), groups=_groups
    ),
    "time": partial(_assessed, _search(Ridge()), Ridge(), data.quantity, cv="time"),
    "usual folds": partial(_assessed, _search(Ridge()), Ridge(), data.quantity, cv=None),
    "weights": partial(
        _assessed, _search(Ridge()), Ridge(), data.quantity, sample_weight=data.weights(71)
    ),
    "area": partial(
        _assessed,
        _search(LogisticRegression(), "sfs", scoring="roc_auc"),
        LogisticRegression(),
        lambda: data.two_classes(61, 6),
        scoring="roc_auc",
        confidence=0.9,
        stability_pairs=0,
    ),
}


def _compared(selectors: Any, estimator: Any, problem: Any, **settings: Any) -> dict[str, Any]:
    settings = {"cv": 3, "random_state": 0} | settings
    found = compare(selectors, estimator, *problem(), **settings)

    def kept(table):
        return {key: v for key, v in table.items() if "second" not in key}

    return {
        "names": found.names,
        "table": kept(found.table),
        "scores": found.scores,
        "differences": [
            [d.first, d.second, d.mean, d.interval, d.p_value, d.p_adjusted, d.only_first_wrong]
            for d in found.differences
        ],
        "agreement": found.agreement,
        "challenge_pairs": found.pairwise_wins,
        "assessments": {name: told(one) for name, one in found.assessments.items()},
        "notes": found.notes,
    }


COMPARED: dict[str, Configuration] = {
    "classes": partial(
        _compared,
        [_search(GaussianNB()), _search(GaussianNB(), "sbs"), RankingSelector("auc", 3)],
        GaussianNB(),
        data.two_classes,
    ),
    "quantity": partial(
        _compared,
        [_search(Ridge()), RankingSelector("pearson", 3)],
        Ridge(),
        data.quantity,
        cv=KFold(4),
        references=True,
    ),
    "probes": partial(
        _compared,
        [RankingSelector("auc", 2), RankingSelector("relieff", 3)],
        KNeighborsClassifier(3),
        data.two_classes,
        probes=[7, 8],
    ),
}


def _arithmetic() -> dict[str, Any]:
    """Numbers of one line each."""
    rng = np.random.default_rng(2)
    supports = rng.random((7, 12)) < 0.4
    wrong, other = rng.random(60) < 0.3, rng.random(60) < 0.4
    y, decision = rng.integers(0, 2, 60), rng.normal(size=60)
    values = rng.normal(size=11)
    return {
        "stability": _stability(room.stability(supports)),
        "half stability": _stability(room.half_stability(supports[:3], supports[3:6], 40)),
        "nogueira": nogueira(supports),
        "kuncheva": kuncheva(np.array([[1, 1, 0, 0], [0, 1, 1, 0]], dtype=bool)),
        "jaccard": room.jaccard(supports),
        "top overlap": room.top_overlap(rng.permutation(9), rng.permutation(9), corrected=True),
        "amplification": list(vars(studies.amplification(wrong)).values()),
        "auc50": studies.auc50(y, decision),
        "balanced error": room.balanced_error(y, wrong.astype(int)),
        "balanced success": studies.balanced_success(y, wrong.astype(int)),
        "clopper-pearson": room.clopper_pearson(7, 30),
        "wilson": room.wilson(7, 30),
        "corrected interval": room.corrected_interval(values, 0.2),
        "corrected t-test": room.corrected_t_test(values, 0.2),
        "correlation interval": room.correlation_interval(0.4, 30),
        "error bar": room.error_bar(0.2, 50),
        "examples needed": room.examples_needed(100, 5, 0.1, 0.05),
        "hoeffding": room.hoeffding_margin(100),
        "holm": room.holm([0.01, 0.04, 0.03]),
        "lift area": studies.lift_area(y, decision),
        "margin bound": studies.margin_bound(0.1, 1000, 3, 20, margin=0.5),
        "mcnemar": room.mcnemar(wrong, other),
        "mcnemar, one side": list(room.mcnemar_one_sided(wrong, other)),
        "mean interval": room.mean_interval(values),
        "variance interval": room.variance_interval(values),
        "q2": studies.q2(decision, decision + 0.1 * values.repeat(6)[:60]),
        "squared correlation": studies.squared_correlation_loss(y, decision),
        "rows for a mean": room.rows_for_mean(1.0, 0.1),
        "rows for a test": room.rows_for_test(0.1, relative=0.1),
        "rows for validation": rows_for_validation(100, 0.05),
        "search margin": room.search_margin(100, 200),
        "saliency": room.saliency([1, 2, 3], [[2, 3], [4]]),
        "compactness": room.compactness([3, 1, 0, 2], [1, 2]),
        "probe share": room.probe_share(supports[0], supports[1]),
        "selector costs": {
            name: studies.selector_cost(name, 100, 50, 5) for name in sorted(studies.SELECTOR_COSTS)
        },
        "order of trial": studies.order_of_trial(100, 50),
        "study cost": studies.study_cost(100, 5.0, 10),
        "challenge": room.pairwise_scores(
            room.pairwise_wins(np.array([wrong, other]), [0.1, 0.2], [0.0, 0.3])
        ),
        "fresh data": list(studies.fresh_data_check(rng.random((5, 2)) * 0.1 + 0.1, 50)),
        "reference check": list(reference_check(values[:6], rng.normal(size=6))),
    }


def _relevance() -> dict[str, Any]:
    X, y = data.codes(n_columns=5)
    found = studies.discrete_relevance(X, y)
    return {
        "kinds": [one.kind for one in found],
        "alone": [one.alone for one in found],
        "beside all": [one.beside_all for one in found],
        "most": [one.most for one in found],
        "minimal subsets": studies.minimal_subsets(X, y),
        "information lost": studies.information_lost(X, y, [0, 2]),
    }


def _spread() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    X, y = data.quantity(40, 6)

    def draw() -> data.Rows:
        rows = rng.integers(0, 40, 40)
        return X[rows], y[rows]

    return dict(studies.bias_variance(Ridge(), draw, X, y, n_draws=7)._asdict())


CONFIGURATIONS: dict[str, Configuration] = {
    **{f"assess/{name}": run for name, run in ASSESSED.items()},
    **{f"compare/{name}": run for name, run in COMPARED.items()},
    "assess/arithmetic": _arithmetic,
    "assess/discrete relevance": _relevance,
    "assess/bias and variance": _spread,
}
