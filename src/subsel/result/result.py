"""What a run found: plain data, small enough to pickle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from subsel.runtime.screenful import frame, html_screenful, screenful

__all__ = ["EvaluatorRecord", "Result", "SelectedSubset"]

LISTED = 20  # names that a line lists


@dataclass(frozen=True, eq=False)
class SelectedSubset:
    """A subset and what is known of it.

    Parameters
    ----------
    columns : ndarray
        Its columns.
    quality : float
        Its quality.
    cost : float
        Its price, or its size where columns have none.
    options : tuple of int
        The option of each choice.
    standard_error : float or None
        Of the quality, where known.

    Examples
    --------
    >>> SelectedSubset(np.array([1, 4]), quality=0.9, cost=2.0).size
    2
    """

    columns: np.ndarray
    quality: float
    cost: float
    options: tuple[int, ...] = ()
    standard_error: float | None = None

    @property
    def size(self) -> int:
        """Number of columns."""
        return len(self.columns)


@dataclass(frozen=True)
class EvaluatorRecord:
    """The evaluator of a run: its name, whether it is exact, and its number of refits.

    Parameters
    ----------
    name : str
        What it is called.
    exact : bool
        Whether its qualities come from a closed form or from the data alone.
    n_refits : int
        How many subsets were fitted from scratch.

    Examples
    --------
    >>> EvaluatorRecord("exact ridge", exact=True).n_refits
    0
    """

    name: str
    exact: bool
    n_refits: int = 0


@dataclass(frozen=True, eq=False)
class Result:
    """The outcome of a run.

    Attributes
    ----------
    chosen, chosen_quality : ndarray and float
        Columns that the selector uses, and their search score (never an estimate of performance).
    best, best_quality : ndarray and float
        Columns of the best eligible subset seen.
    answer : SelectedSubset
        The search's own answer (``chosen`` unless another rule was asked for).
    front : tuple of SelectedSubset
        The undominated eligible subsets over quality, size and cost, smallest first.
    by_size : tuple of SelectedSubset
        The best eligible subset of each size that was visited, up to 500 columns, smallest first.
    finalists : tuple of SelectedSubset
        The best subsets seen, at most a hundred, best first.
    trace : record array
        One row per evaluation: restart, quality, size; of a restart beyond four million, one in
        two, four, ... of them.
    improvements : record array
        Every new best: restart, evaluation, seconds, quality, size.
    n_evaluations, n_computed : int
        Qualities delivered, and how many of them had to be computed (now or before a resume).
    n_replayed : int
        Qualities replayed from a journal.
    seconds, stopped_by : float and str
        How long the run took, and what ended each restart, by how often.
    evaluator : EvaluatorRecord
        Which evaluator gave the qualities.
    chosen_options : tuple of int
        The option of each choice that was searched with the features.
    restart_answers : tuple of SelectedSubset
        The answer of each restart.
    swaps : tuple of SelectedSubset
        Subsets one swap away from the chosen one and no worse by more than about a standard error,
        where the evaluator is quick enough to look at all of them.
    seed : int or None
        The seed of the run.
    names : tuple of str
        The names of all columns, where known.
    notes : tuple of str
        Sentences the user should read.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import SubsetSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = SubsetSelector(GaussianNB(), search="exhaustive", choose="best").fit(X, y).result_
    >>> result.chosen_names, [found.size for found in result.front], result.n_evaluations
    (('petal width (cm)',), [1], 15)
    """

    chosen: np.ndarray
    chosen_quality: float
    best: np.ndarray
    best_quality: float
    answer: SelectedSubset
    front: tuple[SelectedSubset, ...]
    finalists: tuple[SelectedSubset, ...]
    trace: np.ndarray = field(repr=False)
    improvements: np.ndarray = field(repr=False)
    n_evaluations: int
    n_computed: int
    seconds: float
    stopped_by: str
    evaluator: EvaluatorRecord
    chosen_options: tuple[int, ...] = ()
    restart_answers: tuple[SelectedSubset, ...] = ()
    by_size: tuple[SelectedSubset, ...] = ()
    swaps: tuple[SelectedSubset, ...] = ()
    seed: int | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    n_replayed: int = 0

    @property
    def chosen_names(self) -> tuple[str, ...]:
        """The names of the chosen columns."""
        return tuple(self.names[c] for c in self.chosen)

    @property
    def agreement(self) -> int:
        """Number of restarts that found a subset as good as the best.

        Independent runs that agree support each other.
        """
        return sum(found.quality == self.best_quality for found in self.restart_answers)

    def in_columns(self, columns: np.ndarray, names: tuple[str, ...]) -> Result:
        """Return the result in the columns of another table.

        The columns of this result were selected from that table, or made from it.

        Parameters
        ----------
        columns : ndarray of int
            For each column that was searched, the column of the other table; several may come from
            one.
        names : tuple of str
            The names of the columns of the other table.
        """

        def widen(found: SelectedSubset) -> SelectedSubset:
            return replace(found, columns=np.unique(columns[found.columns]))

        return replace(
            self,
            chosen=np.unique(columns[self.chosen]),
            best=np.unique(columns[self.best]),
            answer=widen(self.answer),
            front=tuple(map(widen, self.front)),
            finalists=tuple(map(widen, self.finalists)),
            restart_answers=tuple(map(widen, self.restart_answers)),
            swaps=tuple(map(widen, self.swaps)),
            names=names,
        )

    def front_table(self) -> Any:  # noqa: ANN401 (a frame of pandas, or our own)
        """The front as a frame of pandas where that is installed, else as a table that prints."""
        return frame(self._front())

    def alternatives(self, tolerance: float | None = None) -> Any:  # noqa: ANN401
        """Subsets one swap from the chosen one that are nearly as good, best first.

        Every swap is looked at where the evaluator is quick; otherwise those that the search
        happened to see. ``tolerance`` is the loss of quality that counts as nearly equal; by
        default one standard error of the chosen subset where it is known, otherwise 1% of its
        quality. The answer is a frame of pandas where that is installed, else a table that prints,
        with the columns ``drop``, ``add`` and ``quality``.
        """
        found = self.nearly_as_good(tolerance)
        return frame({key: [swap[key] for swap in found] for key in ("drop", "add", "quality")})

    def nearly_as_good(self, tolerance: float | None = None) -> list[dict[str, Any]]:
        """The rows of :meth:`alternatives`."""
        if tolerance is None:
            tolerance = self.tolerance
        chosen, swaps = set(self.chosen.tolist()), {}
        for found in (*self.swaps, *self.finalists):
            other = set(found.columns.tolist())
            dropped, added = sorted(chosen - other), sorted(other - chosen)
            if (
                dropped
                and added
                and len(other) == len(chosen)
                and found.quality >= self.chosen_quality - tolerance
            ):
                swaps[tuple(dropped), tuple(added)] = found.quality
        ordered = sorted(swaps.items(), key=lambda item: -item[1])
        return [
            {"drop": self._named(dropped), "add": self._named(added), "quality": quality}
            for (dropped, added), quality in ordered
            if self._one_swap(dropped, added)
        ]

    @property
    def tolerance(self) -> float:
        """The loss of quality that counts as nearly equal."""
        for found in self.front:
            if found.standard_error and np.array_equal(found.columns, self.chosen):
                return found.standard_error
        return 0.01 * abs(self.chosen_quality)

    def __repr__(self) -> str:
        """Say what was found, in a screenful."""
        return screenful(self._said(), self._tables())

    def _repr_html_(self) -> str:
        return html_screenful(self._said(), self._tables())

    def _tables(self) -> dict[str, dict[str, list[Any]]]:
        """What is shown as tables: the front, where there is more than one size."""
        if len(self.front) <= 1:
            return {}
        return {"best subsets by size:": self._front()}

    def _said(self) -> list[str]:
        names = list(map(str, self._named(self.chosen)))
        listed = ", ".join(names[:LISTED])
        if len(names) > LISTED:
            listed += f" and {len(names) - LISTED:,} more"
        lines = [
            f"{len(names):,} features chosen: {listed}",
            f"guide quality {self.chosen_quality:.4g} ({self.evaluator.name}): "
            "what was maximised, not an estimate of performance",
            f"{self.n_evaluations:,} evaluations in {self.seconds:.1f} s, "
            f"ended by {self.stopped_by}",
        ]
        for swap in self.nearly_as_good()[:3]:
            added, dropped = (" + ".join(map(str, swap[side])) for side in ("add", "drop"))
            lines.append(f"nearly as good: {added} instead of {dropped} ({swap['quality']:.4g})")
        return lines + [f"note: {note}" for note in self.notes]

    def _front(self) -> dict[str, list[Any]]:
        return {
            "size": [f.size for f in self.front],
            "quality": [f.quality for f in self.front],
            "standard_error": [f.standard_error for f in self.front],
            "cost": [f.cost for f in self.front],
            "features": [self._named(f.columns) for f in self.front],
        }

    def _one_swap(self, dropped: tuple[int, ...], added: tuple[int, ...]) -> bool:
        """One column against one; or one group against one, which the swaps looked at are."""
        return len(dropped) == len(added) == 1 or any(
            set(added) <= set(f.columns.tolist()) for f in self.swaps
        )

    def _named(self, columns: Sequence[int] | np.ndarray) -> list[Any]:
        if not self.names:
            return [int(c) for c in columns]
        return [self.names[c] for c in columns]
