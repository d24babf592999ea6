"""Gaussian naive Bayes: log-likelihoods that add up over columns."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from subsel.criteria.linear.incremental import REFRESH, Incremental
from subsel.criteria.linear.linear_evaluator import HeldRows, HitSigns, Nudges, Terms
from subsel.criteria.scoring.scoring import HeldOutFolds, representatives_of_ties
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds

__all__ = ["GaussianBayes", "Moments"]

_SLOPE = 1e-6  # share of a variance up to which a change of the floor is extrapolated linearly
_CHUNK = 1 << 21  # numbers in a temporary array


@dataclass(eq=False)
class Moments:
    """The moments of the classes in each training part, and the held-out columns.

    F is the number of folds, K of classes, p of columns and N of held-out rows; K' is 1 where
    outputs are the difference of two classes (`pair`), otherwise K. The floor is what is added to
    all variances: `smoothing` times the largest variance among the columns of the subset.

    Parameters
    ----------
    held : ndarray of shape (p, N)
        The held-out columns.
    fold : ndarray of shape (N,)
        The fold of each held-out row, ascending.
    means, variances : ndarray of shape (F, K, p)
        Of the classes in each training part.
    spread : ndarray of shape (F, p)
        The variance of each column in each training part.
    log_priors : ndarray of shape (F, K)
        The logarithms of the prior probabilities.
    smoothing : float
        The share of the largest variance that is added to all variances.
    pair : bool
        Whether outputs are the difference of two classes, which is enough for labels.
    """

    held: np.ndarray
    fold: np.ndarray
    means: np.ndarray
    variances: np.ndarray
    spread: np.ndarray
    log_priors: np.ndarray
    smoothing: float
    pair: bool
    _table: np.ndarray | None = None

    @cached_property
    def start(self) -> np.ndarray:
        """The outputs without any column: (K', N)."""
        return self._paired(self.log_priors.T[:, self.fold])

    def _paired(self, values: np.ndarray) -> np.ndarray:
        """Return values (..., K, N) as (..., K', N), the difference of two classes for a pair."""
        if self.pair:
            return values[..., 1:, :] - values[..., :1, :]
        return values

    def terms(self, columns: np.ndarray | slice, floor: np.ndarray) -> np.ndarray:
        """Return the log-likelihoods (s, K', N) of columns (s,) for a floor (F,) or (F, s)."""
        variance, gap = self._gaps(columns, floor)
        with np.errstate(divide="ignore", invalid="ignore"):
            out = gap**2
            out /= variance[:, :, self.fold]
            out += np.log(2 * np.pi * variance)[:, :, self.fold]
        out *= -0.5
        return self._paired(out)

    def slopes(self, columns: np.ndarray | slice, floor: np.ndarray) -> np.ndarray:
        """Return the derivatives (s, K', N) of the terms by the floor, which is (F,) or (F, s)."""
        # With v the variance and g the distance to the mean, the derivative of -(g^2 / v + log v) /
        # 2 by v is (g^2 / v^2 - 1 / v) / 2.
        variance, gap = self._gaps(columns, floor)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = (1 / variance)[:, :, self.fold]
            gap *= inverse
            return self._paired(0.5 * (gap**2 - inverse))

    def _gaps(
        self, columns: np.ndarray | slice, floor: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the variances (s, K, F) with the floor added, and distances to means (s, K, N)."""
        floor = floor.reshape(len(floor), 1, -1)
        variance = (self.variances[:, :, columns] + floor).transpose(2, 1, 0)
        gap = (
            self.held[columns][:, None, :]
            - self.means[:, :, columns].transpose(2, 1, 0)[:, :, self.fold]
        )
        return variance, gap

    @property
    def table(self) -> np.ndarray:
        """The terms and slopes of each column at the floor it sets by itself: (2p + 1, K', N).

        Rows 0 to p - 1 are terms, rows p to 2p - 1 slopes; the last row is free for the slope of a
        subset.
        """
        if self._table is None:
            p, n = self.held.shape
            self._table = np.empty((2 * p + 1, len(self.start), n))
            step = max(1, _CHUNK // (n * self.means.shape[1]))
            for here in (slice(a, min(p, a + step)) for a in range(0, p, step)):
                floor = self.smoothing * self.spread[:, here]
                self._table[here] = self.terms(here, floor)
                self._table[p + here.start : p + here.stop] = self.slopes(here, floor)
        return self._table

    def steepness(self, slopes: np.ndarray) -> np.ndarray:
        """Return the largest magnitude of slopes (s, K', N) in each fold: (s, F)."""
        return np.maximum.reduceat(np.abs(slopes).max(axis=1), self._starts, axis=1)

    @cached_property
    def _starts(self) -> np.ndarray:
        """The first held-out row of each fold (F,)."""
        return np.flatnonzero(np.diff(self.fold, prepend=-1))

    @cached_property
    def steepest(self) -> np.ndarray:
        """The steepness of the slopes in the table, and of its last row: (p + 1, F).

        Whoever writes the last row of the table updates the last row here.
        """
        p = len(self.held)
        return np.concatenate([self.steepness(self.table[p + j, None]) for j in range(p + 1)])

    def along(self, columns: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return whether changes (C, F) of the floor are small enough for the slopes of columns."""
        return np.abs(change) <= self.reach[columns]

    @cached_property
    def reach(self) -> np.ndarray:
        """How far the floor may change for each column: (p, F); -1 where a variance is 0."""
        least = self.least + self._own
        return np.where(least > 0, _SLOPE * least, -1.0)

    @cached_property
    def least(self) -> np.ndarray:
        """The least variance of each column among the classes: (p, F)."""
        return np.ascontiguousarray(self.variances.min(axis=1).T)

    def own(self, columns: np.ndarray | int) -> np.ndarray:
        """Return the floor that each column sets by itself: (C, F)."""
        return self._own[columns]

    @cached_property
    def _own(self) -> np.ndarray:
        """The floor that each column sets by itself: (p, F)."""
        return np.ascontiguousarray(self.smoothing * self.spread.T)

    def sums_near(self, columns: np.ndarray, floor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the terms and slopes at a floor (F,), summed over columns: (K', N) each.

        They are read from the table where the floor is near enough.
        """
        change = floor - self.own(columns)
        if not self.along(columns, change).all():
            return self.terms(columns, floor).sum(axis=0), self.slopes(columns, floor).sum(axis=0)
        slopes = self.table[len(self.held) + columns]
        moved = np.einsum("sn,skn->kn", change[:, self.fold], slopes)
        return self.table[columns].sum(axis=0) + moved, slopes.sum(axis=0)

    def floor(self, columns: Iterable[int]) -> np.ndarray:
        """Return what is added to all variances in each fold (F,); -1 for no columns."""
        columns = list(columns)
        if not columns:
            return np.full(len(self.spread), -1.0)
        return self._own[columns].max(axis=0)


class _Place:
    """The state of a search: a subset, its floor, its outputs, and their derivatives by the floor.

    Parameters
    ----------
    moments : Moments
        The moments.
    columns : iterable of int
        The subset.
    """

    def __init__(self, moments: Moments, columns: Iterable[int]) -> None:
        self.moments, self.moves = moments, 0
        self.columns = sorted(columns)
        self.floor = moments.floor(self.columns)
        self.output, self.slope = moments.start, np.zeros_like(moments.start)
        if self.columns:
            terms, self.slope = moments.sums_near(np.array(self.columns), self.floor)
            self.output = self.output + terms

    @cached_property
    def least(self) -> np.ndarray:
        """The least variance in each fold, with the floor: (F,)."""
        if not self.columns:
            return np.full(len(self.floor), np.inf)
        return self.moments.least[self.columns].min(axis=0) + self.floor

    def flip(self, column: int) -> _Place:
        """Return the place with one column more or less.

        It is computed along slopes where they may be extrapolated, otherwise, and after REFRESH
        moves, from all terms.
        """
        m, sign = self.moments, -1.0 if column in self.columns else 1.0
        columns = sorted({*self.columns} ^ {column})
        floor = m.floor(columns)
        involved = np.array([*self.columns, column] if sign > 0 else self.columns)
        is_near = (
            self.columns
            and columns
            and m.along(involved, np.maximum(floor, self.floor) - m.own(involved)).all()
        )
        if not is_near or self.moves == REFRESH:
            return _Place(m, columns)
        place = copy(self)
        place.__dict__.pop("least", None)
        place.columns, place.floor, place.moves = columns, floor, self.moves + 1
        slope = m.table[len(m.held) + column]
        slope_of_others, term_floor = self.slope, floor
        if sign < 0:
            slope_of_others, term_floor = self.slope - slope, self.floor
        moved = m.table[column] + (term_floor - m.own(column))[m.fold] * slope
        place.output = self.output + sign * moved + (floor - self.floor)[m.fold] * slope_of_others
        place.slope = self.slope + sign * slope
        return place


class GaussianBayes(Incremental):
    r"""Outputs :math:`\log \pi_k + \sum_j \log N(x_j; \mu_{kj}, \sigma^2_{kj} + \epsilon)`.

    The floor :math:`\epsilon` is ``var_smoothing`` times the largest variance *within the subset*.
    Terms are tabulated at the floor each column sets by itself, with their slopes in
    :math:`\epsilon`: where the floor changes by less than 1e-6 of all variances concerned, as it
    does with the usual smoothing, moving along the slope is exact to 1e-12 of a term; elsewhere the
    terms are computed again.

    Parameters
    ----------
    moments : Moments
        The moments of each training part.
    held_out : HeldOutFolds
        The rows held out, and how outputs are scored.
    folds : Folds
        The folds, for refits.
    model : estimator
        The model whose scores are reproduced, for refits.
    memory : float
        Bytes that the table may take; if it does not fit, each subset is computed from all its
        terms.

    Notes
    -----
    Memory: terms and slopes take ``2 * p * N`` numbers for two classes and labels, times the
    classes otherwise.
    """

    # The error of a first-order Taylor expansion in a relative change d of a variance is about d^2
    # of a term, hence 1e-12 for d = 1e-6.

    # forks write to the last row of the shared table
    traits = Traits(standard_error=True, shares_state=True)
    state: _Place | None  # type: ignore[assignment]

    def __init__(
        self, moments: Moments, held_out: HeldOutFolds, folds: Folds, model: Any, memory: float
    ) -> None:
        self.moments, self.held_out, self.folds, self.model = moments, held_out, folds, model
        self.state, self.last = None, frozenset()
        self.fits = 16.0 * moments.start.size * len(moments.held) <= memory

    def _move_to(self, base: frozenset[int], n_requests: int) -> bool:  # noqa: ARG002
        columns = sorted(base)
        if not self.fits:
            return False
        if self.state is None:
            self.state = _Place(self.moments, columns)
        changed = base.symmetric_difference(self.state.columns)
        if len(changed) == 1:
            self.state = self.state.flip(*changed)
        elif changed:
            self.state = _Place(self.moments, columns)
        return True

    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        place = self.state
        assert place is not None
        if removed is None:
            assert added is not None
            return self._additions(place, added)
        if added is None:
            return self._removals(place, removed)
        qualities, trusted = np.empty(len(added)), np.empty(len(added), dtype=bool)
        for column in np.unique(removed):
            here = np.flatnonzero(removed == column)
            less = place.flip(int(column))
            qualities[here], trusted[here] = self._additions(less, added[here])
        return qualities, trusted

    def _removals(self, place: _Place, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return qualities and trust (C,) of removals.

        A column that alone sets the floor of a fold is not trusted, and left to an evaluation from
        scratch.
        """
        own, fall = self.moments.own(removed), place.floor - self.moments.own(removed)
        shared = (self.moments.own(np.array(place.columns)) == place.floor).sum(axis=0) > 1
        trusted = self.moments.along(removed, fall) & ((own < place.floor) | shared)
        slopes = np.repeat(removed[:, None], fall.shape[1], axis=1)
        return self._scored(place, removed, -1.0, slopes, -fall), np.all(trusted, axis=1)

    def _additions(self, place: _Place, added: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return qualities and trust (C,) of additions.

        In each fold, a column with a floor below the state's is moved along its slope, and one that
        raises the floor moves the terms of the others along theirs. Overwrites the last row of the
        table.
        """
        rise, p = self.moments.own(added) - place.floor, len(self.moments.held)
        self.moments.table[2 * p] = place.slope
        up, fall = rise > 0, np.maximum(-rise, 0.0)
        slopes, change = np.where(up, p, added[:, None]), fall
        if place.columns:
            change = np.abs(rise)
        near = (change - fall <= _SLOPE * place.least) & (fall <= self.moments.reach[added])
        trusted = near.all(axis=1)
        if trusted.all():
            return self._scored(place, added, 1.0, slopes, change), trusted
        recomputed = ~trusted & ~up.any(axis=1) & bool(place.columns)
        qualities = np.full(len(added), np.nan)
        if recomputed.any():
            qualities[recomputed] = self._with_terms(place, added[recomputed])
        if trusted.any():
            qualities[trusted] = self._scored(
                place, added[trusted], 1.0, slopes[trusted], change[trusted]
            )
        return qualities, trusted | recomputed

    def _with_terms(self, place: _Place, added: np.ndarray) -> np.ndarray:
        """Return the qualities (C,) of columns from their terms at the floor of the place."""
        step = max(1, _CHUNK // place.output.size)
        parts = [added[a : a + step] for a in range(0, len(added), step)]
        scored = [
            self._score(place.output + self.moments.terms(part, place.floor)) for part in parts
        ]
        return np.concatenate(scored)

    def _scored(
        self,
        place: _Place,
        columns: np.ndarray,
        sign: float,
        slopes: np.ndarray,
        change: np.ndarray,
    ) -> np.ndarray:
        """Return the qualities (C,) after adding or subtracting terms and moving along slopes.

        Parameters
        ----------
        place : _Place
            The state.
        columns : ndarray of shape (C,)
            The columns that are added (`sign` 1) or removed (`sign` -1).
        sign : float
            1 or -1.
        slopes : ndarray of shape (C, F)
            Whose slopes are followed in each fold; p for those of the state.
        change : ndarray of shape (C, F)
            By how much the floor changes.
        """
        m, p = self.moments, len(self.moments.held)
        if self.held_out.scoring.name in ("accuracy", "f1_micro"):
            return self._hits(place, columns, sign, p + slopes, change)
        step, qualities = max(1, _CHUNK // place.output.size), []
        for a in range(0, len(columns), step):
            here = slice(a, a + step)
            moved = place.output + sign * m.table[columns[here]]
            for f, (start, stop) in enumerate(zip(self.held_out.bounds, self.held_out.bounds[1:])):
                slope = m.table[p + slopes[here, f], :, start:stop]
                moved[:, :, start:stop] += change[here, f, None, None] * slope
            qualities.append(self._score(moved))
        return np.concatenate(qualities)

    def _hits(
        self, place: _Place, first: np.ndarray, sign: float, second: np.ndarray, weight2: np.ndarray
    ) -> np.ndarray:
        """Return the accuracies (C,) of flips.

        `first` (C,) and `second` (C, F) are rows of the table, whose last row is that of the place,
        and `weight2` (C, F) are the factors of the second.
        """
        y, spans, m = self.held_out.y, self.held_out.bounds, self.moments
        table = m.table.reshape(len(m.table), -1)
        if m.pair:
            from subsel._loops.linear.flips import nudged_hits

            m.steepest[-1] = m.steepness(m.table[-1:])[0]
            held = HeldRows(place.output[0], self._signs.of_rows, spans)
            nudges = Nudges(first, second, weight2, m.steepest)
            return self._signs.quality(nudged_hits(table, sign, nudges, held))
        from subsel._loops.linear.class_hits import class_hits

        a = np.full((len(first), len(place.output), weight2.shape[1]), sign)
        b = np.repeat(weight2[:, None], len(place.output), axis=1)
        held = HeldRows(np.ascontiguousarray(place.output), y.astype(float), spans)
        terms = Terms(first, second, a, b, b, 0 * a)
        return self.held_out.hit_quality(class_hits(table, len(y), terms, held, False, 0.0))

    @cached_property
    def _signs(self) -> HitSigns:
        return HitSigns(self.held_out)

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        m, floor = self.moments, self.moments.floor(columns)
        near = m._table is not None and m.along(columns, floor - m.own(columns)).all()
        if near:
            return m.start + m.sums_near(columns, floor)[0]
        return m.start + m.terms(columns, floor).sum(axis=0)

    def _score(self, outputs: np.ndarray) -> np.ndarray:
        return self.held_out.quality(self._needed(outputs))

    def _scored_and_labels(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._needed(outputs), self._labels(outputs)[0]

    def _labels(self, outputs: np.ndarray) -> np.ndarray:
        """Return the labels (C, N) of outputs (C, K', N)."""
        if self.moments.pair:
            return (outputs[:, 0] > 0).astype(np.int64)
        return outputs.argmax(axis=1)

    def _needed(self, outputs: np.ndarray) -> np.ndarray:
        """Return what the scoring needs of outputs (C, K', N)."""
        needs = self.held_out.scoring.needs
        if needs == "labels":
            return self._labels(outputs)
        chance = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        if needs == "decision":
            return np.take_along_axis(
                chance[:, 1], representatives_of_ties(outputs[:, 1] - outputs[:, 0]), axis=1
            )
        return chance.transpose(0, 2, 1)
