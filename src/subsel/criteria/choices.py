"""Choices that are searched with the features, such as a kernel, a learner or a hyper-parameter."""

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
    """Return one block per choice, with one bit per option."""
    for name, options in choices.items():
        if isinstance(options, str) or len(options) == 0:
            raise ValueError(f"the choice {name!r} must list its options, got {options!r}.")
    return tuple(Block(len(options), name=name, choice=True) for name, options in choices.items())


@dataclass(frozen=True)
class Choices:
    """A criterion for each setting of some parameters, which are searched with the features.

    Parameters
    ----------
    choices : mapping of str to sequence
        Parameter names and the options of each. Of a criterion these are its fields, of an
        estimator its (nested) parameters.
    make : callable
        Takes a setting, a dict from names to options, and returns its criterion.

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
        """Return choices among the parameters of an estimator or the fields of a criterion.

        ``criterion_of`` takes the estimator, or criterion, with a setting and returns its
        criterion.
        """
        if hasattr(subject, "set_params"):
            return cls(choices, lambda setting: criterion_of(clone(subject).set_params(**setting)))
        if not is_dataclass(subject) or isinstance(subject, type):
            raise TypeError(
                f"choices need an estimator or a criterion with fields, got {subject!r}."
            )
        return cls(choices, lambda setting: criterion_of(replace(subject, **setting)))

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Bind a criterion to every option; those of combinations are bound when first needed."""

        def bound(setting: tuple[int, ...]) -> Evaluator:
            named = zip(self.choices.items(), setting)
            chosen = {name: options[i] for (name, options), i in named}
            return self.make(chosen).bind(task, seed)

        return _Routed(self.choices, bound)


class _Routed(Evaluator):
    """An evaluator that sends each candidate to the evaluator of its setting, flips as flips.

    Its traits are joined from the first setting and those that differ from it in one option.

    Parameters
    ----------
    choices : mapping of str to sequence
        Parameter names and the options of each.
    bind : callable
        Takes the places of the options of a setting, and returns its evaluator.
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
        """How many subsets the evaluators of all settings have fitted a model for."""
        return sum(evaluator.n_refits for evaluator in self.evaluators.values())

    @cached_property
    def final(self) -> Evaluator | None:  # type: ignore[override]
        """The evaluators that score the finalists again, each those of its own setting."""
        if all(evaluator.final is None for evaluator in self.bound.values()):
            return None
        return _Routed(self.choices, lambda setting: _final_of(self.at(setting)))

    def at(self, options: tuple[int, ...]) -> Evaluator:
        """Return the evaluator of a setting, which is bound when first needed."""
        if options not in self.evaluators:
            with self._lock:  # bound once for all forks
                if options not in self.bound:
                    self.bound[options] = self._checked(self.bind(options))
                self.evaluators[options] = copy(self.bound[options].fork())
        return self.evaluators[options]

    def _checked(self, evaluator: Evaluator) -> Evaluator:
        """Return the evaluator, or raise TypeError where the run could not continue as planned."""
        planned, now = self.traits, Traits.joined([self.traits, evaluator.traits])
        if (planned.deterministic, planned.shares_state) != (now.deterministic, now.shares_state):
            raise TypeError(
                f"choices: {evaluator.traits.name} is random or shares state, unlike its options."
            )
        return evaluator

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate; each setting's evaluator is asked once."""
        settings = [candidates.space.options(subset) for subset in candidates]
        qualities = np.empty(len(candidates))
        for setting, rows in self._batches(settings):
            qualities[rows] = self.at(setting).evaluate(_of_one_setting(candidates, rows, setting))
        return qualities

    def _batches(self, settings: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """Return the settings with their candidates.

        Candidates are sent one by one where each draws random numbers keyed by its request.
        """
        if not self.traits.deterministic:
            return [(setting, np.array([i])) for i, setting in enumerate(settings)]
        return [
            (setting, np.array([i for i, other in enumerate(settings) if other == setting]))
            for setting in dict.fromkeys(settings)
        ]

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the evaluation by the first setting; :meth:`at` gives the evaluator of another."""
        return self.at((0,) * len(self.choices)).explain(columns)

    def fork(self) -> Evaluator:
        """Share the bound evaluators, and fork each of them."""
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
    """Return the first setting and those that differ from it in one choice."""
    first = [0] * len(lengths)
    other = [
        (*first[:k], i, *first[k + 1 :])
        for k, length in enumerate(lengths)
        for i in range(1, length)
    ]
    return [tuple(first), *other]


def _final_of(evaluator: Evaluator) -> Evaluator:
    """Return the evaluator that scores finalists again, the evaluator itself by default."""
    return evaluator if evaluator.final is None else evaluator.final


def _of_one_setting(
    candidates: Candidates, rows: np.ndarray, setting: tuple[int, ...]
) -> Candidates:
    """Return candidates of one setting, as flips of features of the base in that setting."""
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
