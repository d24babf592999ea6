"""Measures: what does not exist, does not fit the target or asks too much of a model is
refused in one line.
"""

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.naive_bayes import GaussianNB

from subsel import AutoSelector, assess
from subsel.criteria.scoring.measures import check_measure, measurable
from subsel.selector.screening import ScreenedSelector, best_model

THREE = np.array(["u", "v", "w"] * 4)
REFUSED = {
    "a quantity": (
        "roc_auc",
        "regression",
        np.arange(12.0),
        "not a measure for regression: use one such as r2",
    ),
    "log loss of a quantity": (
        "neg_log_loss",
        "regression",
        np.arange(12.0),
        "not a measure for regression",
    ),
    "classes": (
        "neg_mean_squared_error",
        "classification",
        np.arange(12) % 2,
        "not a measure for classification",
    ),
    "three classes": (
        "roc_auc",
        "classification",
        THREE,
        "needs two classes, the target has 3: use roc_auc_ovr",
    ),
    "three classes by f1": (
        "f1",
        "classification",
        THREE,
        "needs two classes, the target has 3: use f1_macro",
    ),
    "names of classes": (
        "f1",
        "classification",
        THREE[THREE != "w"],
        "the target has .'u', 'v'.: use f1_macro",
    ),
    "many labels": ("f1_samples", "classification", THREE, "fails for this target"),
    "a typing error": (
        "acuracy",
        "classification",
        THREE,
        r"mean accuracy, balanced_accuracy, top_k_accuracy\?",
    ),
    "another": (
        "r3",
        "regression",
        np.arange(12.0),
        r"scoring 'r3' is not known\. Did you mean .*r2",
    ),
}


@pytest.mark.parametrize(("scoring", "kind", "y", "message"), REFUSED.values(), ids=REFUSED)
def test_measures_that_do_not_fit_are_refused(scoring, kind, y, message):
    """By the check itself, and by everything that takes a measure, before anything is fitted."""
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    fits = [
        lambda: check_measure(scoring, kind, y),
        lambda: AutoSelector(scoring=scoring, kind=kind).fit(X, y),
        lambda: ScreenedSelector(scoring=scoring, kind=kind).fit(X, y),
    ]
    for fit in fits:
        with pytest.raises(ValueError, match=message) as caught:
            fit()
        assert "\n" not in str(caught.value)


def test_every_measure_that_scikit_learn_takes_is_taken():
    """Against scikit-learn itself on a fitted model: what it scores is not refused."""
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 2
    model = GaussianNB().fit(X, y)
    quantities = {
        name
        for name in get_scorer_names()
        if _passes(lambda n=name: check_measure(n, "regression", y))
    }
    for name in set(get_scorer_names()) - quantities:
        scored = _passes(lambda n=name: get_scorer(n)(model, X, y))
        assert _passes(lambda n=name: check_measure(n, "classification", y, model)) == scored, name


def _passes(call):
    try:
        call()
    except ValueError:
        return False
    return True


def test_a_model_without_probabilities():
    """It is refused by its name where it was asked for, and left out where several are tried."""
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    with pytest.raises(
        ValueError, match="'neg_log_loss' needs probabilities, which RidgeClassifier does not give"
    ):
        check_measure("neg_log_loss", "classification", y, RidgeClassifier())
    with pytest.raises(ValueError, match="needs probabilities"):
        ScreenedSelector(RidgeClassifier(), "sfs", scoring="neg_log_loss").fit(X, y)
    found = ScreenedSelector(search="sfs", scoring="neg_log_loss", budget=6).fit(X, y)
    assert "ridge" not in found.model_qualities_ and len(found.model_qualities_) > 1
    models = best_model("classification", 40, "neg_log_loss").param_grid["model"]
    assert models and all(measurable(model, "neg_log_loss") for model in models)


def test_a_race_by_probabilities():
    """Procedures whose model gives none do not take part."""
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    found = AutoSelector(scoring="neg_log_loss", budget="0.3s", cv=2, random_state=0).fit(X, y)
    assert found.nested_score_.estimate < 0 and not any(
        standing.error for standing in found.race_.standings
    )
    assert all("ridge" not in standing.name.split(", ")[-1] for standing in found.race_.standings)


def test_assess_names_a_mistyped_measure():
    """The nearest three, sorted, rather than all sixty."""
    with pytest.raises(ValueError, match="scoring 'rocauc' is not known\\. Did you mean"):
        assess(None, GaussianNB(), np.eye(12), np.arange(12) % 2, scoring="rocauc")
