"""Results, assessments and comparisons to write about: small, and quick to make."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from subsel.assessment.comparison import Comparison, Difference
from subsel.assessment.estimates import Assessment, Estimate
from subsel.assessment.false_selections import FalseSelections
from subsel.assessment.permutation import Permutation
from subsel.assessment.stability_indices import stability
from subsel.result.result import EvaluatorRecord, Result, SelectedSubset

NAMES = (
    "<script>alert(1)</script>",
    "a & b",
    "price $x$ 'per' \"kg\"",
    "länge",
    "line\nbreak \x07 bell",
    "plain",
)
ROWS, FOLDS = 60, 10


@cache
def table(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that the first two of six columns tell apart."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((ROWS, len(NAMES)))
    y = np.where(X[:, 0] + X[:, 1] + 0.5 * rng.standard_normal(ROWS) > 0, "yes", "no")
    return X, y


@cache
def result() -> Result:
    """A search of two restarts."""
    front = (
        SelectedSubset(np.array([0]), 0.8, 1.0),
        SelectedSubset(np.array([0, 1]), 0.9, 2.0),
        SelectedSubset(np.array([0, 1, 4]), 0.92, 3.0, standard_error=0.03),
    )
    improvements = [
        (0, 1, 0.001, 0.8, 1),
        (0, 7, 0.01, 0.9, 2),
        (0, 90, 0.2, 0.92, 3),
        (1, 2, 0.002, 0.7, 1),
        (1, 40, 0.1, 0.9, 2),
    ]
    kind = [
        ("restart", "i4"),
        ("evaluation", "i8"),
        ("seconds", "f8"),
        ("quality", "f8"),
        ("size", "i4"),
    ]
    trace = np.zeros(200, dtype=[("restart", "i4"), ("quality", "f8"), ("size", "i4")])
    trace["restart"] = np.repeat([0, 1], 100)
    return Result(
        chosen=np.array([0, 1]),
        chosen_quality=0.9,
        best=np.array([0, 1, 4]),
        best_quality=0.92,
        answer=front[1],
        front=front,
        finalists=front[::-1],
        trace=trace,
        improvements=np.array(improvements, dtype=kind),
        n_evaluations=200,
        n_computed=180,
        seconds=0.5,
        stopped_by="search",
        evaluator=EvaluatorRecord("exact 5-nearest neighbours", True),
        restart_answers=(front[2], front[1]),
        swaps=(SelectedSubset(np.array([0, 5]), 0.89, 2.0),),
        names=NAMES,
    )


def selection() -> dict[str, Any]:
    """What selection.json holds."""
    found = result()

    def named(columns: Any) -> list[str]:
        return [NAMES[c] for c in columns]

    return {
        "schema": 1,
        "subsel": "0.1.0",
        "data": {
            "source": "data.csv",
            "rows": ROWS,
            "columns": len(NAMES),
            "target": "<b>bought</b>",
            "task": "classification",
        },
        "settings": {
            "search": "sffs",
            "estimator": "knn",
            "scoring": "accuracy",
            "n_features": [1, 4],
            "seed": 0,
            "fixed": [],
        },
        "selected": named(found.chosen),
        "columns": found.chosen.tolist(),
        "guide_quality": found.chosen_quality,
        "front": [
            {
                "size": f.size,
                "guide_quality": f.quality,
                "cost": f.cost,
                "features": named(f.columns),
            }
            for f in found.front
        ],
        "alternatives": [{"drop": [NAMES[1]], "add": [NAMES[5]], "guide_quality": 0.89}],
        "run": {
            "evaluations": 200,
            "computed": 180,
            "seconds": 0.5,
            "stopped_by": "search",
            "guide": "exact 5-nearest neighbours",
            "exact": True,
            "refits": 0,
            "restarts_that_agree": 1,
        },
        "notes": ["column <i>7</i> was encoded."],
    }


@cache
def assessment(seed: int = 0) -> Assessment:
    """Ten folds that mostly select the first two columns."""
    rng = np.random.default_rng(seed)
    supports = rng.random((FOLDS, len(NAMES))) < np.array([1.0, 0.9, 0.1, 0.1, 0.3, 0.1])
    score, frequency = rng.uniform(0.8, 0.9, FOLDS), supports.mean(axis=0)
    guide = score + 0.06
    interval = np.clip(np.column_stack((frequency - 0.2, frequency + 0.2)), 0, 1)
    folds = {
        "repeat": np.repeat([0, 1], FOLDS // 2),
        "fold": np.tile(np.arange(FOLDS // 2), 2),
        "score": score,
        "guide": guide,
        "nested": score,
        "size": supports.sum(axis=1).astype(float),
        "seconds": np.full(FOLDS, 0.1),
        "n_evaluations": np.full(FOLDS, np.nan),
        "n_train": np.full(FOLDS, 48.0),
        "n_test": np.full(FOLDS, 12.0),
    }
    references = {
        "all features": 0.82,
        "best single feature": 0.7,
        "univariate top-k": 0.84,
        "random subset": 0.6,
    }
    return Assessment(
        performance=float(score.mean()),
        interval=(0.78, 0.92),
        guide=float(guide.mean()),
        optimism=0.06,
        folds=folds,
        sizes=supports.sum(axis=1),
        supports=supports,
        frequency=frequency,
        frequency_interval=interval,
        stability=stability(supports),
        false_selections=FalseSelections(
            0.3, (0.1, 0.5), 0.13, 0.4, 0.1, 6, np.zeros(FOLDS), np.zeros(FOLDS)
        ),
        permutation=Permutation(0.85, np.full(19, 0.5), 0.05),
        references={
            n: Estimate(m, (m - 0.1, min(1.0, m + 0.1)), np.full(FOLDS, m))
            for n, m in references.items()
        },
        names=NAMES,
        notes=(),
        scoring="accuracy",
        kind="classification",
        confidence=0.95,
        n_rows=ROWS,
        n_folds=FOLDS,
        seconds=1.0,
        held_out=held_out(rng),
    )


def held_out(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Each row predicted once in each of two repeats, nine times in ten rightly."""
    y = np.tile(table()[1], 2)
    other = np.where(y == "yes", "no", "yes")
    wrong = rng.random(len(y)) < 0.1
    rows, repeat = np.tile(np.arange(ROWS), 2), np.repeat([0, 1], ROWS)
    return {"row": rows, "repeat": repeat, "true": y, "predicted": np.where(wrong, other, y)}


@cache
def comparison() -> Comparison:
    """Three methods."""
    names = ("sffs", "<b>rank</b>", "all")
    parts = {name: replace(assessment(seed), references={}) for seed, name in enumerate(names)}
    score = np.array([a.performance for a in parts.values()])
    n_features, error, front = np.array([2.5, 3.0, 6.0]), 1 - score, np.array([True, True, False])
    table = {
        "name": np.array(names),
        "score": score,
        "low": score - 0.05,
        "high": score + 0.05,
        "guide": score + 0.06,
        "optimism": np.full(3, 0.06),
        "error": error,
        "ber": error,
        "auc": np.full(3, np.nan),
        "n_features": n_features,
        "on_front": front,
    }
    pairs = [(0, 1), (0, 2), (1, 2)]
    differences = [
        Difference(names[i], names[j], 0.01, (-0.05, 0.07), 0.4, 1.0, 3, 5) for i, j in pairs
    ]
    return Comparison(
        names=names,
        table=table,
        scores=np.array([a.folds["score"] for a in parts.values()]),
        differences=tuple(differences),
        pareto={
            "name": np.array(names),
            "n_features": n_features,
            "error": error,
            "on_front": front,
        },
        agreement=np.array([[0.8, 0.4, 0.3], [0.4, 0.7, np.nan], [0.3, np.nan, 1.0]]),
        pairwise_wins=None,
        assessments=parts,
        feature_names=NAMES,
        scoring="accuracy",
        kind="classification",
        confidence=0.95,
        notes=("a note.",),
    )
