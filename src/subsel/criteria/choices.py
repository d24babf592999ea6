"""Features together with choices: a kernel, a learner, a hyper-parameter, each setting judged by a criterion of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from subsel.candidates import Candidates
from subsel.criteria.base import Criterion, Evaluation, Evaluator
from subsel.space import Block
from subsel.task import Task

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
    choices : parameter names and the options of each. Of a criterion these are its fields, of an estimator its
        (nested) parameters.
    make : gives the criterion of a setting (a dict from names to options).
    """

    choices: Mapping[str, Sequence[Any]]
    make: Callable[[dict[str, Any]], Criterion]

    @classmethod
    def of(cls, subject: Any, choices: Mapping[str, Sequence[Any]], judge: Callable[[Any], Criterion]) -> Choices:
        """Choices among parameters of an estimator or among fields of a criterion; ``judge`` gives each its criterion."""
        if hasattr(subject, "set_params"):
            return cls(choices, lambda setting: judge(clone(subject).set_params(**setting)))
        if not is_dataclass(subject) or isinstance(subject, type):
            raise TypeError(f"choices need an estimator or a criterion with fields, got {subject!r}.")
        return cls(choices, lambda setting: judge(replace(subject, **setting)))

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Bind a criterion to each setting when it is first asked for."""
        return _Routed(self, task, seed)


class _Routed(Evaluator):
    """Sends each candidate to the evaluator of its setting, flips of the features still as flips."""

    def __init__(self, criterion: Choices, task: Task, seed: Any) -> None:
        self.criterion, self.task, self.seed = criterion, task, seed
        self.evaluators: dict[tuple[int, ...], Evaluator] = {}
        first = self.evaluator((0,) * len(criterion.choices))
        self.deterministic, self.heavy, self.has_standard_error = (
            first.deterministic,
            first.heavy,
            first.has_standard_error,
        )

    @property
    def judge(self) -> str:  # type: ignore[override]
        """The judges that were used, and what was chosen among."""
        names = dict.fromkeys(evaluator.judge for evaluator in self.evaluators.values())
        return f"{' or '.join(names)}, with {' x '.join(self.criterion.choices)}"

    @property
    def exact(self) -> bool:  # type: ignore[override]
        """Whether none of them refits always."""
        return all(evaluator.exact for evaluator in self.evaluators.values())

    @property
    def n_refits(self) -> int:  # type: ignore[override]
        """Over all settings."""
        return sum(evaluator.n_refits for evaluator in self.evaluators.values())

    def evaluator(self, setting: tuple[int, ...]) -> Evaluator:
        """The evaluator of a setting."""
        if setting not in self.evaluators:
            options = {name: values[i] for (name, values), i in zip(self.criterion.choices.items(), setting)}
            self.evaluators[setting] = self.criterion.make(options).bind(self.task, self.seed)
        return self.evaluators[setting]

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Group by setting, ask each evaluator once."""
        space = candidates.space
        settings = [tuple(space.option(s, c) for c in range(len(space.choices))) for s in candidates]
        qualities = np.empty(len(candidates))
        for setting, rows in self._batches(settings):
            qualities[rows] = self.evaluator(setting).evaluate(_of_one_setting(candidates, rows, setting))
        return qualities

    def _batches(self, settings: list[tuple[int, ...]]) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """Candidates of one setting together; one by one where each draws random numbers keyed by its request."""
        if not self.deterministic:
            return [(setting, np.array([i])) for i, setting in enumerate(settings)]
        return [
            (setting, np.array([i for i, other in enumerate(settings) if other == setting]))
            for setting in dict.fromkeys(settings)
        ]

    def explain(self, columns: np.ndarray) -> Evaluation:
        """The first setting's view of a subset."""
        return self.evaluator((0,) * len(self.criterion.choices)).explain(columns)

    def fork(self) -> Evaluator:
        """Fork each evaluator."""
        other = _Routed(self.criterion, self.task, self.seed)
        other.evaluators = {setting: evaluator.fork() for setting, evaluator in self.evaluators.items()}
        return other


def _of_one_setting(candidates: Candidates, rows: np.ndarray, setting: tuple[int, ...]) -> Candidates:
    """Some candidates that share a setting, as flips of features from the base put into that setting."""
    space, part = candidates.space, candidates.take(rows)
    if part.structured:
        base = part.base
        for number, option in enumerate(setting):
            if space.option(base, number) != option:
                base = space.flip(base, space.choices[number].start + option)
        features = part.flips.copy()
        features[features >= space.n_units] = -1
        width = (features >= 0).sum(axis=1)
        if (width == width[0]).all() and width[0]:
            part = Candidates(space, base, np.sort(features, axis=1)[:, ::-1][:, : width[0]])
    part.stream = candidates.stream[0], candidates.stream[1] + int(rows[0])
    return part
