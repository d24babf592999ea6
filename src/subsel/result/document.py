"""The selection as a document for JSON, for the command line, reports and Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from subsel.data.names import NumberedNames
from subsel.data.task import column_names, guess_kind
from subsel.result.result import Result

__all__ = [
    "TableFacts",
    "assessment_document",
    "json_values",
    "race_document",
    "selection_document",
]

SCHEMA = 1


@dataclass(frozen=True)
class TableFacts:
    """What a document says of the table that was searched.

    Parameters
    ----------
    source : str
        Where it came from.
    rows, columns : int
        Its size; a text column is one.
    target : str, optional
        The column that is predicted.
    task : str
        ``"classification"`` or ``"regression"``.

    Examples
    --------
    >>> TableFacts.of(np.zeros((3, 2)), ["a", "b", "a"])
    TableFacts(source='the table', rows=3, columns=2, target=None, task='classification')
    """

    source: str
    rows: int
    columns: int
    target: str | None
    task: str

    @classmethod
    def of(cls, X: Any, y: Any, *, task: str | None = None) -> TableFacts:
        """Read them from the table.

        The target is the name of y where it has one; its kind is inferred from y.
        """
        rows, columns = X.shape
        target = getattr(y, "name", None)
        if target is not None:
            target = str(target)
        return cls("the table", rows, columns, target, task or guess_kind(np.asarray(y)))


def names_of(X: Any, result: Result | None, names: Sequence[str] = ()) -> Sequence[str]:
    """The names of the columns: as given, of the frame, of the result, or numbered.

    >>> names_of(np.zeros((3, 2)), None)
    <2 names x0 to x1>
    """
    n_columns = None
    if X is not None:
        n_columns = X.shape[1]
    if len(names):
        if n_columns not in (None, len(names)):
            raise ValueError(
                f"names must hold one name per column of X ({n_columns}), got {len(names)}."
            )
        return names
    known: Sequence[str] = ()
    if X is not None:
        known = column_names(X) or ()
    if not known and result is not None:
        known = result.names
    if len(known):
        return known
    if n_columns is None and result is not None:
        found = (result.chosen, *(f.columns for f in (*result.front, *result.finalists)))
        n_columns = 1 + max((int(c.max()) for c in found if len(c)), default=-1)
    return NumberedNames(n_columns or 0)


def selection_document(
    result: Result,
    *,
    names: Sequence[str] = (),
    table: TableFacts | None = None,
    settings: Mapping[str, Any] | None = None,
    models: tuple[str, Mapping[str, float]] | None = None,
    assessment: Any = None,
    race: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Give the content of selection.json, as docs/selection-json.md describes it.

    Parameters
    ----------
    result : Result
        What the search found.
    names : sequence of str, optional
        The names of the columns; default: those of the result.
    table : TableFacts, optional
        What is known of the table.
    settings : mapping, optional
        What was asked for.
    models : pair of str and mapping, optional
        The model whose selection was taken, and the quality that each model tried came to.
    assessment : Assessment, optional
        What :func:`subsel.assess` gave.
    race : mapping, optional
        How procedures did in a race, as :func:`race_document` tells it.
    notes : sequence of str, optional
        Sentences that the user should read, beside those of result and assessment.

    Returns
    -------
    dict
        Only what JSON knows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import SubsetSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SubsetSelector(GaussianNB(), "sfs", n_features=2).fit(X, y)
    >>> selection_document(selector.result_, table=TableFacts.of(X, y))["selected"]
    ['sepal length (cm)', 'petal width (cm)']
    """
    from subsel import __version__

    names = names or result.names
    facts, assessed = {}, None
    all_notes = [*notes, *result.notes]
    if table is not None:
        facts = asdict(table)
    if assessment is not None:
        assessed = assessment_document(assessment)
        all_notes += assessment.notes
    if race is not None:
        race = dict(race)
    guide, qualities = models or (
        result.evaluator.name,
        {result.evaluator.name: result.chosen_quality},
    )
    return {
        "schema": SCHEMA,
        "subsel": __version__,
        "data": facts,
        "settings": dict(settings or {}),
        "selected": _named(result.chosen, names),
        "columns": result.chosen.tolist(),
        "guide_quality": float(result.chosen_quality),
        "guide": guide,
        "guides": {name: float(quality) for name, quality in qualities.items()},
        "assessment": assessed,
        "race": race,
        "front": [
            {
                "size": f.size,
                "guide_quality": f.quality,
                "cost": f.cost,
                "features": _named(f.columns, names),
            }
            for f in result.front
        ],
        "alternatives": _alternatives(result, names),
        "run": _run(result),
        "notes": all_notes,
    }


def _named(columns: np.ndarray, names: Sequence[str]) -> list[Any]:
    """Columns by name, or by number where there are no names."""
    if not len(names):
        return [int(column) for column in columns]
    return [names[column] for column in columns]


def race_document(selector: Any) -> dict[str, Any]:
    """Describe the procedures of an :class:`subsel.AutoSelector`, as in selection.json."""
    price = selector.nested_score_.price
    if price is not None:
        interval = list(price.interval)
        price = {"difference": price.difference, "interval": interval, "against": price.against}
    return {
        "prefer": selector.prefer,
        "taken": list(selector.taken_),
        "price": price,
        "procedures": [
            {
                "name": standing.name,
                "score": standing.score,
                "size": standing.size,
                "folds": len(standing.folds),
                "seconds": round(standing.seconds, 3),
            }
            for standing in selector.race_.standings
            if standing.folds
        ],
        "left_out": [*selector.plan_.left_out, *selector.race_.left_out],
        "folds_asked": len(selector.race_.splits),
    }


def assessment_document(assessment: Any) -> dict[str, Any]:
    """Give the numbers of an assessment, as they stand in selection.json and assessment.json.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import assess
    >>> X, y = load_iris(return_X_y=True)
    >>> found = assess(None, GaussianNB(), X, y, cv=3, references=False, random_state=0)
    >>> assessment_document(found)["sizes"]
    [4, 4, 4]
    """
    stability, interval = assessment.stability, None
    if stability is not None:
        interval = list(stability.interval)
    return {
        "scoring": assessment.scoring,
        "performance": assessment.performance,
        "interval": list(assessment.interval),
        "confidence": assessment.confidence,
        "folds": len(assessment.folds["score"]),
        "guide": assessment.guide,
        "guide_scoring": assessment.guide_scoring,
        "optimism": assessment.optimism,
        "sizes": [int(size) for size in assessment.sizes],
        "stability": getattr(stability, "value", None),
        "stability_interval": interval,
        "stability_basis": getattr(stability, "basis", None),
        "references": {name: estimate.mean for name, estimate in assessment.references.items()},
        "p_value": getattr(assessment.permutation, "p_value", None),
    }


def _alternatives(result: Result, names: Sequence[str]) -> list[dict[str, Any]]:
    """List the swaps of the result by these names."""
    where = {name: column for column, name in enumerate(result.names)}

    def renamed(features: Sequence[Any]) -> list[Any]:
        if not len(names):
            return list(features)
        if where:
            features = [where[feature] for feature in features]
        return [names[column] for column in features]

    return [
        {
            "drop": renamed(swap["drop"]),
            "add": renamed(swap["add"]),
            "guide_quality": swap["quality"],
        }
        for swap in result.nearly_as_good()
    ]


def _run(result: Result) -> dict[str, Any]:
    evaluator = result.evaluator
    return {
        "evaluations": result.n_evaluations,
        "computed": result.n_computed,
        "seconds": round(result.seconds, 3),
        "stopped_by": result.stopped_by,
        "evaluator": evaluator.name,
        "exact": evaluator.exact,
        "refits": evaluator.n_refits,
        "restarts_that_agree": result.agreement,
    }


def json_values(value: Any) -> Any:
    """The same with only what JSON knows: lists for arrays, null for what is no number.

    >>> json_values({"mean": np.float64("nan"), "sizes": np.arange(2)})
    {'mean': None, 'sizes': [0, 1]}
    """
    if isinstance(value, dict):
        return {str(k): json_values(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [json_values(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
