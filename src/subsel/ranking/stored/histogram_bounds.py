"""Columns seen through histograms: rank scores of two classes, with the most that the bins can hide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.row_samples import sampled_features

__all__ = ["EDGES", "SKETCHED", "Coarse"]

Array = np.ndarray

SKETCHED = frozenset(
    [
        "auc",
        "kolmogorov-smirnov",
        "threshold-accuracy",
        "threshold-balanced-accuracy",
        "threshold-f1",
        "threshold-cost",
    ]
)
"""Scores of two classes that depend on the order of the values alone and have a bound from histograms."""

EDGES = 2048  # at most so many edges a column
SAMPLE = 1 << 15  # rows from whose values the edges are taken, at most
SEED = 20_030_101  # of that sample: which rows it holds changes the bounds, never their truth


@dataclass(eq=False)
class Coarse:
    """Class masses in bins: every edge is a bin of its own, and so is each open interval between edges.

    A column all of whose values are edges is not coarse at all. Within an open interval the order
    of the classes is unknown, and the two extreme orders, one class all before the other, bound
    every score that grows with the rows of one class, and falls with those of the other, below a
    threshold; the area under the ROC curve among them, for which the bound is half the sum of
    ``n_b^- n_b^+ / (n^- n^+)`` over the open intervals.
    """

    edges: list[Array]
    n_classes: int
    masses: list[Array] = field(init=False)

    def __post_init__(self) -> None:
        self.masses = [np.zeros((2 * len(edges) + 1, self.n_classes)) for edges in self.edges]

    @classmethod
    def of(
        cls, problem: StoredProblem, features: Sequence[int], rows: int, n_classes: int
    ) -> Coarse:
        """Take the edges from a sample of rows, as large as a chunk: its quantiles, or all its values if they are few."""
        sample = sampled_features(problem, features, min(SAMPLE, rows, problem.n_rows), rows, SEED)
        return cls([_edges(column) for column in sample.T], n_classes)

    def accumulate(self, X: Array, codes: Array, sample_weight: Array | None = None) -> None:
        """Add a chunk of rows."""
        for edges, masses, column in zip(self.edges, self.masses, X.T):
            place = np.searchsorted(edges, column)
            on_edge = edges[np.minimum(place, len(edges) - 1)] == column
            cells = (2 * place + on_edge) * self.n_classes + codes
            masses += np.bincount(cells, sample_weight, masses.size).reshape(masses.shape)

    def finish(self, function: Callable[..., Array]) -> Array:
        """What a function of values makes of the bins."""
        return np.array([_on_bins(function, masses, 0) for masses in self.masses])

    def bounds(self, function: Callable[..., Array], scores: Array) -> Array:
        """How far the score of each column may be from the given one, by the two extreme orders in each interval."""
        extremes = [
            [_on_bins(function, masses, first) for masses in self.masses] for first in (1, -1)
        ]
        return np.maximum(np.max(extremes, axis=0) - scores, 0.0)


def _edges(values: Array) -> Array:
    found = np.unique(values)
    if len(found) <= EDGES:
        return found
    ordered = np.sort(values)
    return np.unique(ordered[np.linspace(0, len(ordered) - 1, EDGES).astype(int)])


def _on_bins(function: Callable[..., Array], masses: Array, apart: int) -> float:
    """The function on a table of bins: within an open interval the classes tied (0), or the first below (1) or above (-1)."""
    there = np.flatnonzero(masses.any(axis=1))
    classes = np.arange(masses.shape[1])
    opened = (there % 2 == 0)[:, None]
    values = 2.0 * masses.shape[1] * there[:, None] + apart * np.where(opened, classes, 0)
    codes = np.broadcast_to(classes, values.shape)
    return float(
        function(values.reshape(-1, 1), codes.ravel(), sample_weight=masses[there].ravel())[0]
    )
