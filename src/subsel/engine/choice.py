"""The choice of the selector's subset from the result of a run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from subsel.criteria.base import Evaluator
from subsel.ranking.one_standard_error import smallest_within
from subsel.result.pareto import undominated
from subsel.result.result import Result, SelectedSubset
from subsel.result.rounding import round_qualities
from subsel.space.candidates import Candidates
from subsel.space.space import Space

__all__ = ["alternative_swaps", "choose", "of_size", "to_rescore"]

RULES = ("search", "best", "one-se", "cv", "cv-one-se")
N_RESCORED = 20  # finalists evaluated again on all rows
N_SWAPS = 20_000  # swaps looked at after the search
NO_ERROR = "the criterion has no standard error, so that choose='one-se' selected the best subset."


def choose(
    result: Result, evaluator: Evaluator, space: Space, rule: str, names: tuple[str, ...] = ()
) -> tuple[Result, Evaluator]:
    """Choose the selector's subset; finalists of a search on samples are evaluated again.

    The latter are evaluated on all rows.

    Of several subsets of the best quality the smallest is the best.

    Parameters
    ----------
    result : Result
        The result of the run.
    evaluator : Evaluator
        The evaluator of the run.
    space : Space
        The space that was searched.
    rule : {"search", "best", "one-se"}
        The search's own answer, the best subset, or the smallest within one standard error of it.
    names : tuple of str
        The names of all columns.

    Returns
    -------
    tuple of Result and Evaluator
        The result with its choice, and the evaluator of the final qualities.
    """
    if evaluator.final is not None:
        evaluator = evaluator.final
        result = _rescored(result, evaluator, space)
    best = _best(result)
    result = replace(result, best=best.columns, names=names)
    if rule == "one-se":
        return _within_one_error(result, best, evaluator), evaluator
    return _choosing(result, best if rule == "best" else result.answer), evaluator


def of_size(result: Result, size: int) -> Result:
    """Choose the best subset of a size, or the best smaller one; of size 0 no column.

    Parameters
    ----------
    result : Result
        What the search found on all rows.
    size : int
        A number of columns.
    """
    if size == 0:
        none = SelectedSubset(np.empty(0, dtype=np.int64), -np.inf, 0.0)
        note = "no column is selected: on held-out rows none beats the model without columns."
        return _choosing(replace(result, notes=(*result.notes, note)), none)
    found = [known for known in result.by_size if known.size <= size]
    return _choosing(result, found[-1] if found else result.by_size[0])


def alternative_swaps(
    result: Result, evaluator: Evaluator, space: Space
) -> tuple[SelectedSubset, ...]:
    """Find the swaps of the chosen subset that are nearly as good, for fast evaluators."""
    if evaluator.traits.heavy or space.choices or not evaluator.traits.deterministic:
        return ()
    candidates = space.swaps(space.from_columns(result.chosen))
    if not 0 < len(candidates) <= N_SWAPS:
        return ()
    qualities = round_qualities(evaluator.evaluate(candidates))
    near = np.flatnonzero(qualities >= result.chosen_quality - result.tolerance)
    best = near[np.argsort(-qualities[near], kind="stable")][:100]
    found = ((candidates[int(i)], float(qualities[i])) for i in best)
    return tuple(
        SelectedSubset(space.columns(s), q, space.cost(s)) for s, q in found if space.eligible(s)
    )


def to_rescore(result: Result) -> list[SelectedSubset]:
    """List the subsets that are evaluated on all rows for the final choice, each once."""
    found = (*result.finalists[:N_RESCORED], *result.front, *result.restart_answers)
    return list({(*f.columns.tolist(), f.options): f for f in found}.values())


def _rescored(result: Result, final: Evaluator, space: Space) -> Result:
    """Evaluate the finalists on all rows and order them by the new qualities."""
    found = to_rescore(result)
    qualities = final.evaluate(
        Candidates.of(space, [space.at(space.from_columns(f.columns), f.options) for f in found])
    )
    again = sorted(
        (replace(f, quality=float(q)) for f, q in zip(found, qualities)), key=lambda f: -f.quality
    )
    best = again[0]
    return replace(
        result,
        best=best.columns,
        best_quality=best.quality,
        answer=best,
        front=tuple(undominated(again, lambda f: (f.size, -f.quality, f.cost))),
        finalists=tuple(again),
    )


def _best(result: Result) -> SelectedSubset:
    """Find the smallest subset of the best quality, which is on the front if any is eligible."""
    return next((f for f in result.front if f.quality == result.best_quality), result.answer)


def _within_one_error(result: Result, best: SelectedSubset, evaluator: Evaluator) -> Result:
    """Choose the smallest subset of the front within one standard error of the best."""
    error = None
    if evaluator.traits.standard_error:
        error = evaluator.at(best.options).explain(best.columns).standard_error
    if error is None:
        return _choosing(replace(result, notes=(*result.notes, NO_ERROR)), best)
    front = tuple(replace(f, standard_error=error) if f is best else f for f in result.front)
    sizes = front or (best,)
    return _choosing(
        replace(result, front=front),
        sizes[smallest_within([f.quality for f in sizes], best.quality, error)],
    )


def _choosing(result: Result, chosen: SelectedSubset) -> Result:
    return replace(
        result, chosen=chosen.columns, chosen_quality=chosen.quality, chosen_options=chosen.options
    )
