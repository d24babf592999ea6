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
from subsel.criteria.scoring.scoring import HeldOutFolds, tied
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds

__all__ = ["GaussianBayes", "Moments"]

_SLOPE = 1e-6  # a change of the floor beyond this share of a variance is not extrapolated
_CHUNK = 1 << 21


@dataclass(eq=False)
class Moments:
    """Means and variances (F, K, p) of each training part, the largest-variance measure (F, p), log priors (F, K).

    ``held`` (p, N) are the held-out columns, ``fold`` (N,) the fold of each position. ``pair`` says that
    outputs are the difference of two classes, which is enough for labels.
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
        """Outputs without any column (K', N)."""
        return self._paired(self.log_priors.T[:, self.fold])

    def _paired(self, values: np.ndarray) -> np.ndarray:
        if self.pair:
            return values[..., 1:, :] - values[..., :1, :]
        return values

    def terms(self, columns: np.ndarray | slice, floor: np.ndarray) -> np.ndarray:
        """Log-likelihoods (s, K', N) of columns, with this added to variances: floor (F,) or (F, s)."""
        variance, gap = self._gaps(columns, floor)
        with np.errstate(divide="ignore", invalid="ignore"):
            out = gap**2
            out /= variance[:, :, self.fold]
            out += np.log(2 * np.pi * variance)[:, :, self.fold]
        out *= -0.5
        return self._paired(out)

    def slopes(self, columns: np.ndarray | slice, floor: np.ndarray) -> np.ndarray:
        """How fast the terms change with the floor."""
        variance, gap = self._gaps(columns, floor)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = (1 / variance)[:, :, self.fold]
            gap *= inverse
            return self._paired(0.5 * (gap**2 - inverse))

    def _gaps(
        self, columns: np.ndarray | slice, floor: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        floor = floor.reshape(len(floor), 1, -1)
        variance = (self.variances[:, :, columns] + floor).transpose(2, 1, 0)
        gap = (
            self.held[columns][:, None, :]
            - self.means[:, :, columns].transpose(2, 1, 0)[:, :, self.fold]
        )
        return variance, gap

    @property
    def table(self) -> np.ndarray:
        """Terms of each column where its own spread sets the floor, their slopes, and a spare row: (2p + 1, K', N)."""
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
        """The largest magnitude of slopes (s, K', N) in each fold: (s, F)."""
        return np.maximum.reduceat(np.abs(slopes).max(axis=1), self._starts, axis=1)

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.flatnonzero(np.diff(self.fold, prepend=-1))

    @cached_property
    def steepest(self) -> np.ndarray:
        """The steepness of each row of the table that holds slopes, the spare one last: (p + 1, F)."""
        p = len(self.held)
        return np.concatenate([self.steepness(self.table[p + j, None]) for j in range(p + 1)])

    def along(self, columns: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Whether the terms of columns may be moved along their slope by this change (C, F) of the floor."""
        return np.abs(change) <= self.reach[columns]

    @cached_property
    def reach(self) -> np.ndarray:
        """How far the floor may change for each column (p, F); -1 where its variance is 0."""
        least = self.least + self._own
        return np.where(least > 0, _SLOPE * least, -1.0)

    @cached_property
    def least(self) -> np.ndarray:
        """The least variance of each column among the classes (p, F)."""
        return np.ascontiguousarray(self.variances.min(axis=1).T)

    def own(self, columns: np.ndarray | int) -> np.ndarray:
        """The floor each column would set by itself (C, F)."""
        return self._own[columns]

    @cached_property
    def _own(self) -> np.ndarray:
        return np.ascontiguousarray(self.smoothing * self.spread.T)

    def sums_near(self, columns: np.ndarray, floor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Terms and slopes at this floor summed over columns (K', N), from the table where it is near enough."""
        change = floor - self.own(columns)
        if not self.along(columns, change).all():
            return self.terms(columns, floor).sum(axis=0), self.slopes(columns, floor).sum(axis=0)
        slopes = self.table[len(self.held) + columns]
        moved = np.einsum("sn,skn->kn", change[:, self.fold], slopes)
        return self.table[columns].sum(axis=0) + moved, slopes.sum(axis=0)

    def floor(self, columns: Iterable[int]) -> np.ndarray:
        """What is added to all variances of this subset, in each fold."""
        columns = list(columns)
        if not columns:
            return np.full(len(self.spread), -1.0)
        return self._own[columns].max(axis=0)


class _Place:
    """Where a search stands: its columns, the floor they set, their outputs and how these change with the floor."""

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
        """The least variance in each fold, with the floor."""
        if not self.columns:
            return np.full(len(self.floor), np.inf)
        return self.moments.least[self.columns].min(axis=0) + self.floor

    def flip(self, column: int) -> _Place:
        """The place with this column more or less: along slopes where they reach, else, and now and then, anew."""
        m, sign = self.moments, -1.0 if column in self.columns else 1.0
        columns = sorted({*self.columns} ^ {column})
        floor = m.floor(columns)
        both = np.array([*self.columns, column] if sign > 0 else self.columns)
        reached = (
            self.columns
            and columns
            and m.along(both, np.maximum(floor, self.floor) - m.own(both)).all()
        )
        if not reached or self.moves == REFRESH:
            return _Place(m, columns)
        place = copy(self)
        place.__dict__.pop("least", None)
        place.columns, place.floor, place.moves = columns, floor, self.moves + 1
        slope = m.table[len(m.held) + column]
        kept, other = self.slope, floor
        if sign < 0:
            kept, other = self.slope - slope, self.floor
        moved = m.table[column] + (other - m.own(column))[m.fold] * slope
        place.output = self.output + sign * moved + (floor - self.floor)[m.fold] * kept
        place.slope = self.slope + sign * slope
        return place


class GaussianBayes(Incremental):
    r"""Outputs :math:`\log \pi_k + \sum_j \log N(x_j; \mu_{kj}, \sigma^2_{kj} + \epsilon)`.

    The floor :math:`\epsilon` is ``var_smoothing`` times the largest variance *within the subset*. Terms are tabulated
    at the floor each column would set by itself, with their slopes in :math:`\epsilon`: where the floor changes by less
    than 1e-6 of all variances concerned, as it does with the usual smoothing, moving along the slope is exact to 1e-12
    of a term; elsewhere the terms are computed anew.

    Memory: terms and slopes, ``2 * p * N`` numbers for two classes and labels, times the classes otherwise.
    """

    # forks write to a spare row of the table
    traits = Traits(standard_error=True, shares_state=True)
    state: _Place | None  # type: ignore[assignment]

    def __init__(
        self, moments: Moments, held_out: HeldOutFolds, folds: Folds, model: Any, memory: float
    ) -> None:
        self.moments, self.held_out, self.folds, self.model = moments, held_out, folds, model
        self.state, self.last = None, frozenset()
        self.fits = 16.0 * moments.start.size * len(moments.held) <= memory

    def _go(self, base: frozenset[int], n_requests: int) -> bool:  # noqa: ARG002
        wanted = sorted(base)
        if not self.fits:
            return False
        if self.state is None:
            self.state = _Place(self.moments, wanted)
        changed = base.symmetric_difference(self.state.columns)
        if len(changed) == 1:
            self.state = self.state.flip(*changed)
        elif changed:
            self.state = _Place(self.moments, wanted)
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
        """A column that alone sets the floor of some fold is left to summing anew."""
        own, fall = self.moments.own(removed), place.floor - self.moments.own(removed)
        shared = (self.moments.own(np.array(place.columns)) == place.floor).sum(axis=0) > 1
        trusted = self.moments.along(removed, fall) & ((own < place.floor) | shared)
        slopes = np.repeat(removed[:, None], fall.shape[1], axis=1)
        return self._scored(place, removed, -1.0, slopes, -fall), np.all(trusted, axis=1)

    def _additions(self, place: _Place, added: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """In each fold, a column under the floor moves along its slope; one that raises it moves the others."""
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
        anew = ~trusted & ~up.any(axis=1) & bool(place.columns)
        qualities = np.full(len(added), np.nan)
        if anew.any():
            qualities[anew] = self._with_terms(place, added[anew])
        if trusted.any():
            qualities[trusted] = self._scored(
                place, added[trusted], 1.0, slopes[trusted], change[trusted]
            )
        return qualities, trusted | anew

    def _with_terms(self, place: _Place, added: np.ndarray) -> np.ndarray:
        """Qualities with columns that leave the floor as it is and are too narrow in a class to move along their slopes."""
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
        """Qualities after adding (or taking off) the terms of columns, and ``change`` times slopes, (C, F) each."""
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

    def _shown(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._needed(outputs), self._labels(outputs)[0]

    def _labels(self, outputs: np.ndarray) -> np.ndarray:
        if self.moments.pair:
            return (outputs[:, 0] > 0).astype(np.int64)
        return outputs.argmax(axis=1)

    def _needed(self, outputs: np.ndarray) -> np.ndarray:
        needs = self.held_out.scoring.needs
        if needs == "labels":
            return self._labels(outputs)
        chance = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        chance /= chance.sum(axis=1, keepdims=True)
        if needs == "decision":
            return np.take_along_axis(chance[:, 1], tied(outputs[:, 1] - outputs[:, 0]), axis=1)
        return chance.transpose(0, 2, 1)
