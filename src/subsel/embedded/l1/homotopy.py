"""From corner to corner of an L1 path: the state between two corners, and what ends it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.exceptions import ConvergenceWarning

from subsel.embedded.design import Design
from subsel.embedded.l1.losses import PiecewiseLoss

__all__ = ["Corner", "Homotopy", "best_constant"]

SINGULAR = 1e-11  # of a pivot, against its diagonal entry
REFRESH = 25  # steps after which gradient and second derivative are computed afresh
NONE = 1e-9  # rates below this, relative to the largest, are none


class Corner(NamedTuple):
    """A penalty and the model there; the intercept is that of the centred table."""

    penalty: float
    columns: np.ndarray
    weights: np.ndarray
    intercept: float


class Event(NamedTuple):
    """How far away something happens, and to which row or place in the list of active columns."""

    length: float
    which: int
    kind: str


class Move(NamedTuple):
    """Rates of the active weights and the intercept, of the rows and the gradient; whether the penalty falls."""

    weights: np.ndarray
    intercept: float
    rows: np.ndarray
    gradient: np.ndarray
    falling: bool


class Homotopy:
    """Follows the minimiser downwards in the penalty; see :func:`subsel.embedded.quadratic_path`.

    A row's value is ``r = start + sign * (x w + b)``. The first entry of ``hessian`` belongs to the intercept (its row is
    that of a one where there is none, and it never moves).
    """

    r: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray

    def __init__(self, design: Design, y: np.ndarray, loss: PiecewiseLoss) -> None:
        self.design, self.loss = design, loss
        self.sign, self.start = np.full(len(y), -1.0), y
        if loss.margin:
            self.sign, self.start = y, np.zeros(len(y))
        self.active = np.empty(0, dtype=np.intp)
        self.directions, self.weights = np.empty(0), np.empty(0)
        self.columns = np.ones((len(y), 1), order="F") * design.intercept
        self.intercept = 0.0
        if design.intercept:
            self.intercept = best_constant(self.start, self.sign, design.row_weight, loss)
        self.piece = loss.piece(self.start + self.sign * self.intercept)
        self.entered: dict[int, float] = {}
        self.barred = -1  # a column that has just left may not come back at once
        self._refresh()
        self.penalty = float(np.abs(self.gradient).max(initial=0.0))

    def corners(self, lowest: float, n_features: int | None) -> Iterator[Corner]:
        """Yield the corners, the first with all weights 0."""
        first, n_columns = self.penalty, self.design.n_columns
        idle, patience = 0, 10 * min(len(self.start), n_columns) + 100
        yield self._corner()
        if first > 0:
            self._enter(int(np.argmax(np.abs(self.gradient) >= first * (1 - 1e-10))))
        steps = 0
        while self.penalty > max(lowest, 1e-12) * first and (
            n_features is None or len(self.entered) < n_features
        ):
            length = self._step(lowest * first)
            if length is None:
                break
            steps += 1
            idle = 0 if length > 0 else idle + 1
            if idle > patience:
                warnings.warn(
                    "the path has stopped at a knot it cannot leave.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
                break
            if steps % REFRESH == 0:
                self._refresh()
            yield self._corner()

    def _step(self, floor: float) -> float | None:
        """Move to the next corner; None where nothing ends the move, since nothing is left to fit."""
        move = self._move()
        events = [self._next_zero(move), self._next_knot(move), self._next_column(move)]
        if move.falling:
            events.append(Event(self.penalty - floor, 0, "end"))
        event = min(events, key=lambda event: event.length)
        if not np.isfinite(event.length):
            return None
        self._advance(event.length, move)
        self._arrive(event, move)
        return event.length

    def _arrive(self, event: Event, move: Move) -> None:
        """Change sides at a corner."""
        self.barred = -1
        if event.kind == "zero":
            self._leave(event.which)
        elif event.kind == "knot":
            self._cross(event.which, move.rows[event.which])
        elif event.kind == "column":
            self._enter(event.which)

    def _move(self) -> Move:
        rates, falling = _direction(
            self.hessian, np.concatenate(([0.0], self.directions)), self.design.intercept
        )
        rows = self.sign * (self.columns @ rates)
        pull = self.design.row_weight * 2 * self.loss.quadratic[self.piece] * rows
        gradient = np.zeros(self.design.n_columns)
        if falling:
            gradient = self.design.products(self.sign * pull)
        return Move(rates[1:], float(rates[0]), rows, gradient, falling)

    def _advance(self, length: float, move: Move) -> None:
        self.weights = self.weights + length * move.weights
        self.intercept += length * move.intercept
        self.r = self.r + length * move.rows
        if move.falling:
            self.penalty -= length
            self.gradient = self.gradient + length * move.gradient

    def _next_zero(self, move: Move) -> Event:
        shrinking = move.weights * self.directions < 0
        lengths = np.divide(
            np.abs(self.weights),
            np.abs(move.weights),
            out=np.full(len(self.weights), np.inf),
            where=shrinking,
        )
        return _nearest(lengths, "zero")

    def _next_knot(self, move: Move) -> Event:
        knots = np.concatenate(([-np.inf], self.loss.knots, [np.inf]))
        bound = np.where(move.rows > 0, knots[self.piece + 1], knots[self.piece])
        moving = np.abs(move.rows) > NONE * np.abs(move.rows).max(initial=0.0)
        lengths = np.divide(
            bound - self.r, move.rows, out=np.full(len(bound), np.inf), where=moving
        )
        return _nearest(np.maximum(lengths, 0.0), "knot")

    def _next_column(self, move: Move) -> Event:
        """Where the gradient of a column meets the penalty, from below or from above."""
        nearest = np.full(self.design.n_columns, np.inf)
        if not move.falling:
            return _nearest(nearest, "column")
        for side in (1.0, -1.0):
            gap, rate = self.penalty - side * self.gradient, 1 + side * move.gradient
            closing = rate > NONE * max(1.0, np.abs(move.gradient).max())
            closing[self.active] = False
            if self.barred >= 0 and side * self.gradient[self.barred] > 0:
                closing[self.barred] = False
            lengths = np.divide(
                np.maximum(gap, 0.0), rate, out=np.full(len(gap), np.inf), where=closing
            )
            np.minimum(nearest, lengths, out=nearest)
        return _nearest(nearest, "column")

    def _enter(self, j: int) -> None:
        column = self.design.column(j)
        grown = 2 * (self.columns.T @ (self._curvature() * column))
        own = 2 * float(column @ (self._curvature() * column))
        self.hessian = np.block(
            [[self.hessian, grown[:, None]], [grown[None, :], np.array([[own]])]]
        )
        self.columns = np.column_stack((self.columns, column))
        self.active = np.append(self.active, j)
        self.directions = np.append(self.directions, -np.sign(self.gradient[j]))
        self.weights = np.append(self.weights, 0.0)
        self.entered.setdefault(j, self.penalty)

    def _leave(self, place: int) -> None:
        self.barred = int(self.active[place])
        self.active, self.weights = np.delete(self.active, place), np.delete(self.weights, place)
        self.directions = np.delete(self.directions, place)
        self.columns = np.delete(self.columns, place + 1, axis=1)
        self.hessian = np.delete(np.delete(self.hessian, place + 1, 0), place + 1, 1)

    def _cross(self, row: int, rate: float) -> None:
        upwards = rate > 0
        before = self.loss.quadratic[self.piece[row]]
        self.r[row] = self.loss.knots[self.piece[row] - (not upwards)]
        self.piece[row] += 1 if upwards else -1
        change = 2 * self.design.row_weight[row] * (self.loss.quadratic[self.piece[row]] - before)
        self.hessian = self.hessian + change * np.outer(self.columns[row], self.columns[row])

    def _curvature(self) -> np.ndarray:
        return self.design.row_weight * self.loss.quadratic[self.piece]

    def _refresh(self) -> None:
        self.r = self.start + self.sign * (self.columns[:, 1:] @ self.weights + self.intercept)
        slope = self.design.row_weight * self.loss.derivative(self.r, self.piece)
        self.gradient = self.design.products(self.sign * slope)
        self.hessian = 2 * self.columns.T @ (self._curvature()[:, None] * self.columns)

    def _corner(self) -> Corner:
        return Corner(self.penalty, self.active, self.weights, self.intercept)


def _direction(hessian: np.ndarray, target: np.ndarray, intercept: bool) -> tuple[np.ndarray, bool]:
    """Solve H x = target, and say so; or give a direction in which H is flat and the target is not."""
    free = slice(0 if intercept else 1, None)
    H, wanted = hessian[free, free], target[free]
    rates = np.zeros(len(target))
    try:
        factor = cho_factor(H)
        if (np.diag(factor[0]) ** 2 > SINGULAR * np.diag(H)).all():
            rates[free] = cho_solve(factor, wanted)
            return rates, True
    except LinAlgError:
        pass
    rates[free], falling = _flat_direction(H, wanted)
    return rates, falling


def _flat_direction(H: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, bool]:
    diagonal = np.diag(H)
    scale = np.where(
        diagonal > 0,
        1 / np.sqrt(np.where(diagonal > 0, diagonal, 1)),
        1 / np.sqrt(H.max(initial=1.0)),
    )
    values, vectors = eigh(H * np.outer(scale, scale))
    flat = values < 10 * SINGULAR * max(values[-1], 1e-300)
    shares = vectors.T @ (scale * target)
    if np.linalg.norm(shares[flat]) > 1e-7 * np.linalg.norm(shares):
        return scale * (vectors[:, flat] @ shares[flat]), False
    return scale * (vectors[:, ~flat] @ (shares[~flat] / values[~flat])), True


def _nearest(lengths: np.ndarray, kind: str) -> Event:
    if not len(lengths):
        return Event(np.inf, -1, kind)
    which = int(np.argmin(lengths))
    return Event(float(lengths[which]), which, kind)


def best_constant(
    start: np.ndarray, sign: np.ndarray, weight: np.ndarray, loss: PiecewiseLoss
) -> float:
    """The constant that fits best: where the derivative of the loss, which rises in straight pieces, passes 0.

    >>> from subsel.embedded.l1.losses import squared
    >>> best_constant(np.array([1.0, 2.0, 6.0]), -np.ones(3), np.ones(3), squared())
    3.0
    """

    def slope(b: float) -> float:
        return float(weight @ (sign * loss.derivative(start + sign * b)))

    turns = np.unique(np.subtract.outer(loss.knots, start) * sign)
    low, high = 0, len(turns)
    while low < high:  # the first turn at which the slope is not negative
        middle = (low + high) // 2
        if slope(turns[middle]) >= 0:
            high = middle
        else:
            low = middle + 1
    around = np.zeros(2)
    if len(turns):
        around = np.concatenate(([turns[0] - 1], turns, [turns[-1] + 1]))
    inside = float(around[low : low + 2].mean())
    curvature = 2 * float(weight @ loss.quadratic[loss.piece(start + sign * inside)])
    if curvature > 0:
        return inside - slope(inside) / curvature
    return inside
