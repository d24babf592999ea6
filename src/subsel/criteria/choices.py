"""Features together with choices: a kernel, a learner, a hyper-parameter, each setting with a criterion of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from sklearn.base import clone

from subsel.criteria.base import Criterion, Evaluation, Evaluator
from subsel.criteria.traits import Traits
from subsel.data.task import Task
from subsel.space.candidates import Candidates
from subsel.space.space import Block

__all__ = ["Choices", "choice_blocks"]


def choice_blocks(choices: Mapping[str, Sequence[Any]]) -> tuple[Block, ...]:
    """One block per choice, with one bit per option."""
    for name, options in choices.items():
        if isinstance(options, str) or len(options) == 0:
            raise ValueError(f"the choice {name!r} must list its options, got {options!r}.")
    return tuple(Block(len(options), name=name, choice=True) for name, options in choices.items())


@dataclass(frozen=True)
class Choices:
    """A criterion for each setting of some parameters, searched together with the features.

    Parameters
    ----------
    choices : mapping of str to sequence
        Parameter names and the options of each. Of a criterion these are its fields, of an estimator its (nested)
        parameters.
    make : callable
        Gives the criterion of a setting (a dict from names to options).

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from subsel.criteria.exact import criterion_of
    >>> criterion = Choices.of(Ridge(), {"alpha": [0.1, 10.0]}, criterion_of)
    >>> task = Task.of(np.arange(20.0).reshape(10, 2), np.linspace(0.1, 0.9, 10), "regression")
    >>> criterion.bind(task).traits.name
    'exact ridge, with alpha'
    """

    choices: Mapping[str, Sequence[Any]]
    make: Callable[[dict[str, Any]], Criterion]

    @classmethod
    def of(
        cls,
        subject: Any,
        choices: Mapping[str, Sequence[Any]],
        criterion_of: Callable[[Any], Criterion],
    ) -> Choices:
        """Choices among parameters of an estimator or fields of a criterion; ``criterion_of`` gives each its criterion."""
        if hasattr(subject, "set_params"):
            return cls(choices, lambda setting: criterion_of(clone(subject).set_params(**setting)))
        if not is_dataclass(subject) or isinstance(subject, type):
            raise TypeError(
                f"choices need an estimator or a criterion with fields, got {subject!r}."
            )
        return cls(choices, lambda setting: criterion_of(replace(subject, **setting)))

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Bind a criterion to every option; those of other combinations when they are first asked for."""

        def bound(setting: tuple[int, ...]) -> Evaluator:
            named = zip(self.choices.items(), setting)
            chosen = {name: options[i] for (name, options), i in named}
            return self.make(chosen).bind(task, seed)

        return _Routed(self.choices, bound)


class _Routed(Evaluator):
    """Sends each candidate to the evaluator of its setting, flips of the features still as flips.

    Its traits are those that all evaluators have in common which differ from the first setting in one option.
    """

    def __init__(
        self, choices: Mapping[str, Sequence[Any]], bind: Callable[[tuple[int, ...]], Evaluator]
    ) -> None:
        self.choices, self.bind = choices, bind
        self.bound = {setting: bind(setting) for setting in _axes(list(map(len, choices.values())))}
        self.evaluators = dict(self.bound)
        joined = Traits.joined(evaluator.traits for evaluator in self.bound.values())
        self.traits = replace(joined, name=f"{joined.name}, with {' x '.join(choices)}")
        self._lock = Lock()

    @property
    def n_refits(self) -> int:  # type: ignore[override]
        """Over all settings."""
        return sum(evaluator.n_refits for evaluator in self.evaluators.values())

    @cached_property
    def final(self) -> Evaluator | None:  # type: ignore[override]
        """The evaluators that re-score the finalists, each those of its own setting."""
        if all(evaluator.final is None for evaluator in self.bound.values()):
            return None
        return _Routed(self.choices, lambda setting: _last_word(self.at(setting)))

    def at(self, options: tuple[int, ...]) -> Evaluator:
        """The evaluator of a setting."""
        if options not in self.evaluators:
            with self._lock:  # bound once for all forks
                if options not in self.bound:
                    self.bound[options] = self._checked(self.bind(options))
                self.evaluators[options] = copy(self.bound[options].fork())
        return self.evaluators[options]

    def _checked(self, evaluator: Evaluator) -> Evaluator:
        """Refuse an evaluator with which the run cannot go on as it was planned."""
        planned, now = self.traits, Traits.joined([self.traits, evaluator.traits])
        if (planned.deterministic, planned.shares_state) != (now.deterministic, now.shares_state):
            raise TypeError(
                f"choices: {evaluator.traits.name} is random or shares state, as no option alone does."
            )
        return evaluator

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Group by setting, ask each evaluator once."""
        settings = [candidates.space.options(subset) for subset in candidates]
        qualities = np.empty(len(candidates))
        for setting, rows in self._batches(settings):
            qualities[rows] = self.at(setting).evaluate(_of_one_setting(candidates, rows, setting))
        return qualities

    def _batches(self, settings: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """Candidates of one setting together; one by one where each draws random numbers keyed by its request."""
        if not self.traits.deterministic:
            return [(setting, np.array([i])) for i, setting in enumerate(settings)]
        return [
            (setting, np.array([i for i, other in enumerate(settings) if other == setting]))
            for setting in dict.fromkeys(settings)
        ]

    def explain(self, columns: np.ndarray) -> Evaluation:
        """The first setting's view of a subset: ask :meth:`at` for that of another."""
        return self.at((0,) * len(self.choices)).explain(columns)

    def fork(self) -> Evaluator:
        """What is bound is common to all forks; each has evaluators of its own."""
        twin = copy(self)
        twin.evaluators = {
            setting: copy(evaluator.fork()) for setting, evaluator in self.bound.items()
        }
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


def _axes(lengths: Sequence[int]) -> list[tuple[int, ...]]:
    """The first setting and those that differ from it in one choice."""
    first = [0] * len(lengths)
    other = [
        (*first[:k], i, *first[k + 1 :])
        for k, length in enumerate(lengths)
        for i in range(1, length)
    ]
    return [tuple(first), *other]


def _last_word(evaluator: Evaluator) -> Evaluator:
    """The evaluator that re-scores finalists: itself where there is no other."""
    return evaluator if evaluator.final is None else evaluator.final


def _of_one_setting(
    candidates: Candidates, rows: np.ndarray, setting: tuple[int, ...]
) -> Candidates:
    """Some candidates that share a setting, as flips of features from the base put into that setting."""
    space, part = candidates.space, candidates.take(rows)
    if part.structured:
        base = space.at(part.base, setting)
        features = part.flips.copy()
        features[features >= space.n_units] = -1
        width = (features >= 0).sum(axis=1)
        if (width == width[0]).all() and width[0]:
            part = Candidates(space, base, np.sort(features, axis=1)[:, ::-1][:, : width[0]])
    part.stream = candidates.stream[0], candidates.stream[1] + int(rows[0])
    return part
