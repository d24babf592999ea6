"""A ranking as a cut sees it, and what a cut keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import signature
from typing import Any

import numpy as np

from subsel.ranking.cuts.probe_scores import Probing, probe
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS

__all__ = ["CutResult", "OrderedScores", "mask_of", "resolving"]

FEWEST_OF_A_CUT, MOST_OF_A_CUT = 20_000, 2_000_000  # permutations
MOST_PROBES = 10_000
FEWEST_PROBES = 100


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """A ranking and what it is made of, so that a cut can score probes or shuffled labels in the same way.

    ``univariate`` says that the score looks at one column at a time.

    Examples
    --------
    >>> OrderedScores(np.eye(3), np.arange(3), lambda X, y: y @ X).order
    array([2, 1, 0])
    """

    X: Any
    y: np.ndarray
    score: Callable[..., np.ndarray]
    p_value: Callable[..., np.ndarray] | None = None
    sample_weight: np.ndarray | None = None
    random_state: Any = None
    probes: str = "permuted"
    n_probes: int | None = None
    n_permutations: int = 199
    univariate: bool = False

    @cached_property
    def scores(self) -> np.ndarray:
        """The score of each column."""
        scores = np.asarray(self.weighted(self.score)(self.X, self.y), dtype=float)
        if scores.shape != (self.X.shape[1],):
            raise ValueError(
                f"a score must give one number per column ({self.X.shape[1]}), got shape {scores.shape}."
            )
        return scores

    @cached_property
    def order(self) -> np.ndarray:
        """Columns from the best score to the worst: the first of equals first, NaN last."""
        return np.argsort(-self.scores, kind="stable")

    def probing(self, finest: float) -> Probing:
        """P-values from probes: by default as many as it takes for the finest p-value that matters, within bounds."""
        n, score = self._n_of_probes(finest), self.weighted(self.score)
        return probe(
            score, self.X, self.y, n, self.probes, self.random_state, together=not self.univariate
        )

    def _n_of_probes(self, finest: float) -> int:
        return self.n_probes or int(np.clip(np.ceil(1 / finest), FEWEST_PROBES, MOST_PROBES))

    def p_values(self, finest: float) -> np.ndarray | None:
        """The p-values of the score, if it has any, as fine as it takes for the finest that matters."""
        if self.p_value is None:
            return None
        law = self.weighted(resolving(self.p_value, finest))
        return law(self.X, self.y)

    def weighted(self, function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        """The function with the weights filled in, if there are any."""
        if self.sample_weight is None:
            return function
        return partial(function, sample_weight=self.sample_weight)

    @property
    def shuffling(self) -> dict[str, Any]:
        """How labels are to be shuffled."""
        weight = self.sample_weight
        return {
            "n_permutations": self.n_permutations,
            "random_state": self.random_state,
            "sample_weight": weight,
        }

    def first(self, k: int) -> np.ndarray:
        """Mask of the first k of the order."""
        return mask_of(self.order[:k], len(self.scores))


def resolving(law: Callable[..., np.ndarray], finest: float) -> Callable[..., np.ndarray]:
    """A law with as many permutations, where it draws any, as the finest p-value that matters takes, within bounds.

    Ten times as many where that is no more than usual.
    """
    if "n_permutations" not in signature(law).parameters:
        return law
    n = max(np.ceil(1 / finest), min(10 / finest, MOST_PERMUTATIONS))
    return partial(law, n_permutations=int(np.clip(n, FEWEST_OF_A_CUT, MOST_OF_A_CUT)))


@dataclass(frozen=True, eq=False)
class CutResult:
    """What a cut keeps: a mask, which evidence it used, and where there are any the p-, q-values and the probing.

    Examples
    --------
    >>> CutResult(np.array([True, False]), "number asked for").evidence
    'number asked for'
    """

    mask: np.ndarray
    evidence: str
    p_values: np.ndarray | None = None
    q_values: np.ndarray | None = None
    probing: Probing | None = None


def mask_of(columns: np.ndarray, n: int) -> np.ndarray:
    """Mask of some of n columns.

    >>> mask_of(np.array([2, 0]), 3)
    array([ True, False,  True])
    """
    mask = np.zeros(n, dtype=bool)
    mask[columns] = True
    return mask
