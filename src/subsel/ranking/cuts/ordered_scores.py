"""A ranking as a cut receives it, and the result of a cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import signature
from typing import Any

import numpy as np

from subsel.ranking.cuts.probe_scores import Probing, probe
from subsel.ranking.laws.sequential import MOST_PERMUTATIONS

__all__ = ["CutResult", "OrderedScores", "column_mask", "fine_enough_law"]

# Permutations of a p-value for a cut: at least so many, so that its error is small next to usual
# levels, and at most so many, whatever the number of columns.
FEWEST_OF_A_CUT, MOST_OF_A_CUT = 20_000, 2_000_000
FEWEST_PROBES, MOST_PROBES = 100, 10_000  # unless a number is given


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """A ranking with the table and the score behind it.

    A cut can score probes or shuffled labels in the same way.

    Examples
    --------
    >>> OrderedScores(np.eye(3), np.arange(3), lambda X, y: y @ X).order
    array([2, 1, 0])
    """

    X: Any  # the table, an array or sparse array
    y: np.ndarray  # the target
    score: Callable[..., np.ndarray]  # (X, y[, sample_weight]) -> one number per column
    p_value: Callable[..., np.ndarray] | None = None  # the same for the p-values of the score
    sample_weight: np.ndarray | None = None  # the weights of the rows
    random_state: Any = None  # the seed of probes and shuffles
    probes: str = "permuted"  # the kind of probes, a key of `PROBES`
    n_probes: int | None = None  # their number; None: as many as the cut needs
    n_permutations: int = 199  # shuffles of the labels
    univariate: bool = False  # whether the score looks at one column at a time

    @cached_property
    def scores(self) -> np.ndarray:
        """The score of each column."""
        scores = np.asarray(self.weighted(self.score)(self.X, self.y), dtype=float)
        if scores.shape != (self.X.shape[1],):
            raise ValueError(
                f"a score must give one number per column ({self.X.shape[1]}), got shape "
                f"{scores.shape}."
            )
        return scores

    @cached_property
    def order(self) -> np.ndarray:
        """The columns from the best score to the worst, equal ones in their order, NaN last."""
        return np.argsort(-self.scores, kind="stable")

    def probing(self, finest: float) -> Probing:
        """Give p-values from probes, by default enough of them to resolve a p-value of `finest`."""
        n, score = self._n_of_probes(finest), self.weighted(self.score)
        return probe(
            score, self.X, self.y, n, self.probes, self.random_state, together=not self.univariate
        )

    def _n_of_probes(self, finest: float) -> int:
        return self.n_probes or int(np.clip(np.ceil(1 / finest), FEWEST_PROBES, MOST_PROBES))

    def p_values(self, finest: float) -> np.ndarray | None:
        """Give the p-values of the score, if it has any, fine enough to resolve one of `finest`."""
        if self.p_value is None:
            return None
        law = self.weighted(fine_enough_law(self.p_value, finest))
        return law(self.X, self.y)

    def weighted(self, function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        """Bind the weights, if there are any, to a function."""
        if self.sample_weight is None:
            return function
        return partial(function, sample_weight=self.sample_weight)

    @property
    def shuffling(self) -> dict[str, Any]:
        """The keyword arguments of functions that shuffle labels."""
        weight = self.sample_weight
        return {
            "n_permutations": self.n_permutations,
            "random_state": self.random_state,
            "sample_weight": weight,
        }

    def first(self, k: int) -> np.ndarray:
        """Give the mask of the first k columns of the order."""
        return column_mask(self.order[:k], len(self.scores))


def fine_enough_law(law: Callable[..., np.ndarray], finest: float) -> Callable[..., np.ndarray]:
    """Bind to a law, if it draws permutations, a number that resolves a p-value of `finest`.

    It is ``1 / finest``, or ten times that if it does not exceed the default number, within bounds.
    """
    if "n_permutations" not in signature(law).parameters:
        return law
    n = max(np.ceil(1 / finest), min(10 / finest, MOST_PERMUTATIONS))
    return partial(law, n_permutations=int(np.clip(n, FEWEST_OF_A_CUT, MOST_OF_A_CUT)))


@dataclass(frozen=True, eq=False)
class CutResult:
    """The columns that a cut keeps, and its evidence.

    Examples
    --------
    >>> CutResult(np.array([True, False]), "number asked for").evidence
    'number asked for'
    """

    mask: np.ndarray  # (n_columns,) of bool
    evidence: str  # the evidence in words
    p_values: np.ndarray | None = None  # (n_columns,) where the cut uses any
    q_values: np.ndarray | None = None  # the same, corrected for the number of columns
    probing: Probing | None = None  # where the cut uses probes


def column_mask(columns: np.ndarray, n: int) -> np.ndarray:
    """Give the mask of some of n columns.

    Examples
    --------
    >>> column_mask(np.array([2, 0]), 3)
    array([ True, False,  True])
    """
    mask = np.zeros(n, dtype=bool)
    mask[columns] = True
    return mask
