"""Checks of criteria: the quality of a subset does not depend on how it is requested."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.criteria.base import Criterion, Evaluator
from subsel.criteria.evaluators.footprint import Shape, footprint
from subsel.criteria.traits import Traits
from subsel.data.fingerprint import digest
from subsel.data.task import Kind, Task
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space
from subsel.testing.promise import Promises
from subsel.testing.tasks import SITUATIONS, make_task

__all__ = ["check_criterion", "moves", "walk"]

Reference = Callable[[Task, np.ndarray], float]
WALK = 60  # moves of a walk, more than any evaluator updates its state before it is rebuilt


def check_criterion(
    criterion: Criterion,
    tasks: Mapping[str, Task] | None = None,
    reference: Reference | None = None,
) -> None:
    """Check that a criterion does what the engine relies on.

    Its evaluator must return one number per candidate, and the same quality for a subset however it
    is requested: alone, as an addition, a removal, a swap or one of a population, along a walk,
    with columns fixed or grouped, on a fork while other forks evaluate other subsets. It must not
    change the data, its traits must hold (``monotone``, ``standard_error``, ``relevance``), and an
    evaluator that is not deterministic must repeat its results for the same seed and stream.

    Parameters
    ----------
    criterion : Criterion
        The criterion, with its parameters.
    tasks : mapping of str to Task, optional
        Problems of more than five columns, by name. By default those of ``subsel.testing.tasks``,
        of the kinds that the criterion ``serves``.
    reference : callable, optional
        ``reference(task, columns)`` returns the quality of some columns of a task by a slow but
        obviously correct computation. By default the evaluator is compared with new ones that
        evaluate one subset each.

    Raises
    ------
    BrokenPromise
        If a promise does not hold; the message says which, what was observed, and how to reproduce
        it.

    Examples
    --------
    >>> from subsel.criteria import Evaluator
    >>> class BaseAlone(Evaluator):
    ...     def evaluate(self, candidates):
    ...         size = 0.0 if candidates.base is None else float(candidates.base.size)
    ...         return np.full(len(candidates), size)
    >>> class Forgetful:
    ...     def bind(self, task, seed=None):
    ...         return BaseAlone()
    >>> check_criterion(Forgetful())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    subsel.testing.promise.BrokenPromise: Forgetful: the quality of candidates (addition) is ...
      Seen: 4.0 where 0.0 is expected, at place 0 (4 of 4 differ)
      To see it: evaluator = criterion.bind(make_task('usual', 'classification'), 0)  # from ...
    """
    again = "evaluator = criterion.bind(tasks[{!r}], 0)"
    if tasks is None:
        again = "evaluator = criterion.bind(make_task({}), 0)  # from subsel.testing.tasks"
        tasks = _tasks(criterion)
    for name, task in tasks.items():
        trial = _Trial(
            criterion, task, Promises(type(criterion).__name__, again.format(name)), reference
        )
        for check in CHECKS:
            check(trial)


def _tasks(criterion: Any) -> dict[str, Task]:
    kinds: Iterable[Kind] = getattr(criterion, "serves", ("classification", "regression"))
    return {f"{s!r}, {kind!r}": make_task(s, kind) for kind in kinds for s in SITUATIONS}


@dataclass(frozen=True)
class _Trial:
    """A criterion that is checked on one task."""

    criterion: Criterion
    task: Task
    promises: Promises
    reference: Reference | None

    @property
    def space(self) -> Space:
        """The space of all subsets of the columns."""
        return Space.of(self.task.n_columns)

    def new_evaluator(self) -> Evaluator:
        """Return a new evaluator."""
        return self.criterion.bind(self.task, 0)

    def moves(self, seed: int = 0) -> dict[str, Candidates]:
        """Return candidates of every structure, by the kind of move."""
        return moves(self.space, np.random.default_rng(seed), min(4, self.task.n_columns - 2))

    def expected(self, candidates: Candidates) -> np.ndarray:
        """Return the quality of each candidate, by the reference or by a new evaluator for each."""
        if self.reference is not None:
            return np.array(
                [self.reference(self.task, columns) for columns in candidates.columns()]
            )
        alone = (Candidates.of(candidates.space, [subset]) for subset in candidates)
        return np.array([float(self.new_evaluator().fork().evaluate(one)[0]) for one in alone])


def _check_protocol(trial: _Trial) -> None:
    """Check that it binds, that its traits are declared, and that it returns one number each."""
    promises, data = trial.promises, (trial.task.X, trial.task.y)
    before, evaluator = digest(*data), trial.new_evaluator()
    promises.keep(isinstance(evaluator, Evaluator), "bind gives an Evaluator", repr(evaluator))
    promises.keep(
        isinstance(evaluator.traits, Traits), "traits is a Traits", lambda: repr(evaluator.traits)
    )
    for kind, batch in trial.moves().items():
        qualities = evaluator.evaluate(batch)
        one_each = (
            isinstance(qualities, np.ndarray)
            and qualities.shape == (len(batch),)
            and qualities.dtype.kind == "f"
        )
        promises.keep(
            one_each,
            f"evaluate gives an array of one float per candidate ({kind})",
            lambda f=qualities: repr(f),
        )
        bad = np.isnan(qualities) | (qualities == np.inf)
        promises.keep(
            not bad.any(),
            f"a quality is a number, or minus infinity where there is none ({kind})",
            qualities,
        )
    promises.keep(digest(*data) == before, "the data stay as they are", "X or y has changed")


def _check_repeats(trial: _Trial) -> None:
    """Check that two evaluators with the same seed return the same qualities."""
    one, two = trial.new_evaluator(), trial.new_evaluator()
    for kind, batch in trial.moves().items():
        promise = f"bound to the same task and seed it answers alike ({kind})"
        trial.promises.equal(one.evaluate(batch), two.evaluate(batch), promise)


def _check_streams(trial: _Trial) -> None:
    """Check that random draws depend only on the seed and on the number of the evaluation."""
    one, two, batches = trial.new_evaluator(), trial.new_evaluator(), list(trial.moves().values())
    if one.traits.deterministic:
        return
    for number, batch in enumerate(batches):
        batch.stream = (0, 10 * number)
    qualities = [one.evaluate(batch) for batch in batches]
    promise = (
        "chance is keyed by the seed and candidates.stream: "
        "evaluation i draws alike, whatever was asked before"
    )
    for batch, expected in reversed(list(zip(batches, qualities))):
        trial.promises.equal(two.evaluate(batch), expected, promise)
        rest = batch[1:]
        rest.stream = (0, batch.stream[1] + 1)
        trial.promises.equal(
            two.evaluate(rest) if len(rest) else [],
            expected[1:],
            f"{promise}, in a batch or after its cut",
        )


def _check_structure(trial: _Trial) -> None:
    """Check that candidates of every structure have the qualities they have alone."""
    evaluator = trial.new_evaluator()
    if not evaluator.traits.deterministic:
        return
    for seed in range(2):
        for kind, batch in trial.moves(seed).items():
            promise = f"the quality of candidates ({kind}) is that of each of them alone"
            trial.promises.equal(evaluator.evaluate(batch), trial.expected(batch), promise)


def _check_walk(trial: _Trial) -> None:
    """Check that rounding errors along a walk of single requests stay below the tenth digit."""
    evaluator, space = trial.new_evaluator(), trial.space
    if not evaluator.traits.deterministic:
        return
    for step, subset in enumerate(walk(space, np.random.default_rng(1), WALK, 3), 1):
        one = Candidates.of(space, [subset])
        qualities = evaluator.evaluate(one)
        if step % 20 == 0:
            trial.promises.equal(
                qualities,
                trial.expected(one),
                f"after {step} single requests along a walk nothing has drifted",
            )


def _check_forks(trial: _Trial) -> None:
    """Check that forks which evaluate different subsets in turn do not affect each other."""
    first, space = trial.new_evaluator(), trial.space
    if not first.traits.deterministic:
        return
    trial.promises.equal(
        [first.fork().traits == first.traits], [True], "a fork has the traits of its evaluator"
    )
    forks = [first, first.fork(), first.fork()]
    places = [space.sample(np.random.default_rng(seed), 2 + seed) for seed in range(3)]
    for ask in (space.additions, space.removals, space.swaps):
        for fork, place in zip(forks, places):
            batch = ask(place)[:3]
            promise = f"forks that are asked in turn answer as if alone ({ask.__name__})"
            trial.promises.equal(fork.evaluate(batch), trial.expected(batch), promise)
        places = [space.flip(place, int(space.others(place)[0])) for place in places]


def _check_spaces(trial: _Trial) -> None:
    """Check that groups and fixed columns do not change the qualities of subsets."""
    evaluator, n = trial.new_evaluator(), trial.task.n_columns
    if not evaluator.traits.deterministic:
        return
    for name, space in {
        "groups": Space.of(n, groups=[(0, 1), (3, 4)]),
        "fixed": Space.of(n, fixed=[1]),
    }.items():
        batch = space.additions(space.subset([1]))[:4]
        alone = [trial.space.from_columns(columns) for columns in batch.columns()]
        promise = (
            f"columns have one quality in every space ({name}): "
            "units are not columns, see candidates.columns()"
        )
        trial.promises.equal(
            evaluator.evaluate(batch), trial.expected(Candidates.of(trial.space, alone)), promise
        )


def _check_explanation(trial: _Trial) -> None:
    """Check that `explain` returns the same quality, and the standard error the traits declare."""
    evaluator, traits = trial.new_evaluator(), trial.new_evaluator().traits
    one = Candidates.of(trial.space, [trial.space.subset([0, 1, 2])])
    shown = evaluator.explain(np.arange(3))
    if traits.deterministic:
        trial.promises.equal(
            [shown.quality],
            evaluator.evaluate(one),
            "explain gives the quality that evaluate gives",
        )
    if traits.standard_error:
        error = shown.standard_error
        seen = f"standard_error={error!r}"
        trial.promises.keep(
            error is not None and error >= 0,
            "explain gives a standard error as its traits say",
            seen,
        )


def _check_monotone(trial: _Trial) -> None:
    """Check that a further column never lowers the quality, if the traits declare that."""
    evaluator, space = trial.new_evaluator(), trial.space
    if not evaluator.traits.monotone:
        return
    for subset in walk(space, np.random.default_rng(2), 10, 3):
        here = evaluator.evaluate(Candidates.of(space, [subset]))[0]
        worst = evaluator.evaluate(space.additions(subset)).min()
        low = here
        if np.isfinite(here):
            low -= 1e-9 * max(1.0, abs(here))
        seen = (
            f"{worst!r} after an addition to {space.columns(subset).tolist()}, which has {here!r}"
        )
        trial.promises.keep(worst >= low, "it is monotone as its traits say", seen)


def _check_relevances(trial: _Trial) -> None:
    """Check that relevances are one finite number per column, or refused, as the traits declare."""
    evaluator, columns = trial.new_evaluator(), np.array([0, 2, 5])
    if evaluator.traits.relevance:
        relevances = np.asarray(evaluator.relevances(columns))
        fine = relevances.shape == (3,) and bool(np.isfinite(relevances).all())
        trial.promises.keep(fine, "relevances gives one finite number per column", repr(relevances))
        return
    try:
        relevances = evaluator.relevances(columns)
    except TypeError:
        return
    trial.promises.broken(
        "relevances are refused with a TypeError where the traits have none", repr(relevances)
    )


def _check_footprint(trial: _Trial) -> None:
    """Check that a declared footprint is a pair of numbers of bytes."""
    stated = footprint(trial.criterion, Shape.of(trial.task, getattr(trial.criterion, "cv", 5)))
    if stated is not None:
        fine = 0 <= stated.least <= stated.usual < np.inf
        trial.promises.keep(fine, "its footprint has 0 <= least <= usual, in bytes", repr(stated))


CHECKS = (
    _check_protocol,
    _check_repeats,
    _check_streams,
    _check_structure,
    _check_walk,
    _check_forks,
    _check_spaces,
    _check_explanation,
    _check_monotone,
    _check_relevances,
    _check_footprint,
)


def moves(
    space: Space, rng: np.random.Generator, size: int = 4, n: int = 4
) -> dict[str, Candidates]:
    """Return candidates of every structure around a random base.

    Parameters
    ----------
    space : Space
        A space of more columns than ``size``.
    rng : Generator
        The random generator that chooses the base and the moves.
    size : int
        The number of columns of the base.
    n : int
        The largest number of candidates of each kind.

    Returns
    -------
    dict of str to Candidates
        The candidates by the kind of move.

    Examples
    --------
    >>> {kind: len(batch) for kind, batch in moves(Space.of(9), np.random.default_rng(0)).items()}
    {'first': 4, 'addition': 4, 'removal': 4, 'swap': 4, 'pair': 4, 'single': 1, 'random': 4}
    """
    base = space.sample(rng, size)

    def some(batch: Candidates) -> Candidates:
        return batch.take(np.sort(rng.permutation(len(batch))[:n]))

    return {
        "first": some(space.additions(space.empty())),
        "addition": some(space.additions(base)),
        "removal": some(space.removals(base)),
        "swap": some(space.swaps(base)),
        "pair": some(space.removals(base, 2)),
        "single": Candidates.of(space, [base]),
        "random": Candidates.of(space, [space.sample(rng, s) for s in range(1, n + 1)]),
    }


def walk(space: Space, rng: np.random.Generator, n_moves: int, size: int = 4) -> Iterator[Subset]:
    """Yield the subsets of a random walk by additions, removals and swaps.

    They have at least two columns, and at most all but one.

    Examples
    --------
    >>> sorted({subset.size for subset in walk(Space.of(5), np.random.default_rng(0), 100)})
    [2, 3, 4]
    """
    current = space.sample(rng, size)
    for _ in range(n_moves):
        inside, outside = space.units(current), space.others(current)
        out, into = rng.choice(inside), rng.choice(outside)
        steps = [(out, into)] + [(out,)] * (len(inside) > 2) + [(into,)] * (len(outside) > 1)
        current = space.flip(current, *map(int, steps[rng.integers(len(steps))]))
        yield current
