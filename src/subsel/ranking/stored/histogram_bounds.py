"""Rank scores of two classes from histograms, with bounds of their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from subsel.data.stored.problem import StoredProblem
from subsel.data.stored.row_samples import sampled_features

__all__ = ["BOUNDED", "EDGES", "Histograms"]

Array = np.ndarray

BOUNDED = frozenset(
    [
        "auc",
        "kolmogorov-smirnov",
        "threshold-accuracy",
        "threshold-balanced-accuracy",
        "threshold-f1",
        "threshold-cost",
    ]
)
"""Scores of two classes by the order of the values, for which histograms give bounds."""

EDGES = 2048  # the most edges of a column: the bound of an AUC is then about 1 / 4096
SAMPLE = 1 << 15  # the most rows whose values determine the edges
SEED = 20_030_101  # of that sample, fixed so that answers repeat; bounds hold for any sample


@dataclass(eq=False)
class Histograms:
    """Histograms of columns by class, in which each edge and each open interval is a bin.

    If all values of a column are edges, its histogram is exact. Within an open interval the order
    of the classes is unknown. The two extreme orders, with one class all before the other, bound
    every score that increases with the rows of one class below a threshold and decreases with those
    of the other. Among these is the area under the ROC curve, for which the bound is half the sum
    of ``n_b^- n_b^+ / (n^- n^+)`` over the open intervals.
    """

    edges: list[Array]  # for each column, its edges, ascending
    n_classes: int
    # for each column (2 len(edges) + 1, n_classes), intervals and edges in turn; updated in place
    masses: list[Array] = field(init=False)

    def __post_init__(self) -> None:
        self.masses = [np.zeros((2 * len(edges) + 1, self.n_classes)) for edges in self.edges]

    @classmethod
    def of(
        cls, problem: StoredProblem, features: Sequence[int], rows: int, n_classes: int
    ) -> Histograms:
        """Make empty histograms with edges from a sample of rows, at most as large as a chunk.

        Edges are all distinct values of the sample if they are few, otherwise its quantiles.
        """
        sample = sampled_features(problem, features, min(SAMPLE, rows, problem.n_rows), rows, SEED)
        return cls([_edges(column) for column in sample.T], n_classes)

    def accumulate(self, X: Array, codes: Array, sample_weight: Array | None = None) -> None:
        """Add a chunk of rows, X of shape (n_rows, n_columns), to `masses` in place."""
        for edges, masses, column in zip(self.edges, self.masses, X.T):
            place = np.searchsorted(edges, column)
            on_edge = edges[np.minimum(place, len(edges) - 1)] == column
            cells = (2 * place + on_edge) * self.n_classes + codes
            masses += np.bincount(cells, sample_weight, masses.size).reshape(masses.shape)

    def finish(self, function: Callable[..., Array]) -> Array:
        """Give a score of each column from its bins, the classes tied in open intervals."""
        return np.array([_on_bins(function, masses, 0) for masses in self.masses])

    def bounds(self, function: Callable[..., Array], scores: Array) -> Array:
        """Bound the error of the scores of `finish`, by the extreme orders in each interval."""
        extremes = [
            [_on_bins(function, masses, first) for masses in self.masses] for first in (1, -1)
        ]
        return np.maximum(np.max(extremes, axis=0) - scores, 0.0)


def _edges(values: Array) -> Array:
    """Give the distinct values, or quantiles if there are more than `EDGES`."""
    distinct = np.unique(values)
    if len(distinct) <= EDGES:
        return distinct
    ordered = np.sort(values)
    return np.unique(ordered[np.linspace(0, len(ordered) - 1, EDGES).astype(int)])


def _on_bins(function: Callable[..., Array], masses: Array, direction: int) -> float:
    """Give the score of a column whose bins have these masses, of shape (n_bins, n_classes).

    Within an open interval the classes are tied (direction 0), or the first one is below the others
    (1) or above (-1).
    """
    # One weighted row for each bin and class. Bins are further apart than classes within a bin, so
    # that the direction changes the order inside open intervals only.
    bins = np.flatnonzero(masses.any(axis=1))
    classes = np.arange(masses.shape[1])
    opened = (bins % 2 == 0)[:, None]
    values = 2.0 * masses.shape[1] * bins[:, None] + direction * np.where(opened, classes, 0)
    codes = np.broadcast_to(classes, values.shape)
    return float(
        function(values.reshape(-1, 1), codes.ravel(), sample_weight=masses[bins].ravel())[0]
    )
