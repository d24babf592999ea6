"""The exact path of a linear model under an L1 penalty, for losses made of quadratic and straight pieces."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh
from sklearn.exceptions import ConvergenceWarning

from subsel.embedded.design import Design
from subsel.embedded.l1.losses import LOSSES, PiecewiseLoss

__all__ = ["Corner", "Homotopy", "L1Path", "best_constant", "quadratic_path"]


@dataclass(frozen=True, eq=False)
class L1Path:
    r"""The minimisers of :math:`\sum_k L_k(w, b) + \lambda \|w\|_1`, as the corners between straight pieces.

    Attributes
    ----------
    penalties : ndarray
        The corners, from the penalty at which all weights are 0 downwards. Where the minimiser is
        not unique, two corners have the same penalty.
    coefs : sparse array of shape (n_corners, n_columns)
        The weights at each.
    intercepts : ndarray
        The intercept at each.
    entered : ndarray of int
        The columns in the order in which they came in for the first time.
    entry_penalties : ndarray
        The penalty at which each came in.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    >>> path = quadratic_path(X, X @ [3.0, 1.0], lowest=0)
    >>> path.entered, path.at(8.0)
    (array([0, 1]), (array([1., 0.]), 0.0))
    """

    penalties: np.ndarray
    coefs: Any
    intercepts: np.ndarray
    entered: np.ndarray
    entry_penalties: np.ndarray

    def at(self, penalty: float) -> tuple[np.ndarray, float]:
        """Give the weights and the intercept for one penalty; beyond either end those of that end."""
        after = int(np.searchsorted(-self.penalties, -penalty))
        low = min(after, len(self.penalties) - 1)
        high = low
        if after == low:
            high = max(low - 1, 0)
        gap = self.penalties[high] - self.penalties[low]
        share = (self.penalties[high] - penalty) / gap if gap > 0 else 1.0
        before, behind = self.coefs[[high, low]].toarray()
        intercept = (1 - share) * self.intercepts[high] + share * self.intercepts[low]
        return (1 - share) * before + share * behind, float(intercept)

    def with_size(self, size: float) -> tuple[np.ndarray, float]:
        r"""Give the best model with :math:`\|w\|_1` at most this size, the other way to write the problem."""
        sizes = np.maximum.accumulate(np.asarray(abs(self.coefs).sum(axis=1)).ravel())
        place = float(np.interp(size, sizes, np.arange(len(sizes))))
        before, share = int(place), place % 1
        both = [before, min(before + 1, len(sizes) - 1)]
        weights, parts = self.coefs[both].toarray(), np.array([1 - share, share])
        return parts @ weights, float(parts @ self.intercepts[both])


def quadratic_path(
    X: Any,
    y: Any,
    loss: str | PiecewiseLoss = "squared",
    *,
    n_features: int | None = None,
    lowest: float = 1e-3,
    fit_intercept: bool = True,
    sample_weight: Any = None,
) -> L1Path:
    r"""Follow the minimiser of :math:`\sum_k L_k(w, b) + \lambda \|w\|_1` while the penalty falls.

    Between corners the weights move along :math:`H_A^{-1} \, \mathrm{sign}(w_A)`, H being the
    second derivative of the loss. A corner is where a column comes in (its gradient reaches the
    penalty), where a weight becomes 0, or where a row passes from one piece of its loss to the
    next. Where H is singular in the direction of the move, as when too few rows lie on a quadratic
    piece, the minimiser is not unique: the penalty waits while the weights grow until the next
    corner. The sums are not divided by the number of rows: for the squared loss, :math:`\lambda`
    is :math:`2 n` times the ``alpha`` of scikit-learn.

    Parameters
    ----------
    X : array or sparse array
        The columns, which are not scaled here.
    y : array
        Numbers; for a loss of the margin -1 and 1.
    loss : {"squared", "huber", "squared_hinge", "huberized_hinge"} or PiecewiseLoss
        The loss of a row, by name or by its pieces.
    n_features : int, optional
        End when so many columns have come in.
    lowest : float
        End at this share of the first penalty; 0 follows the path to its end.
    fit_intercept : bool
        With an intercept, which is not penalised.
    sample_weight : array, optional
        A row of weight w counts as w rows.

    References
    ----------
    .. [1] Rosset and Zhu, *Sparse, flexible and efficient modeling using L1 regularization*, in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 16, algorithm 6 (the printed
       direction has the wrong sign for weights that come in; columns come in by the absolute
       gradient).

    Examples
    --------
    >>> X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    >>> path = quadratic_path(X, X @ [3.0, 1.0], lowest=0)
    >>> path.penalties, path.coefs.toarray()
    (array([12.,  4.,  0.]), array([[0., 0.],
           [2., 0.],
           [3., 1.]]))
    """
    if isinstance(loss, str):
        loss = LOSSES[loss]()
    design = Design(X, fit_intercept, sample_weight)
    walk = Homotopy(design, np.asarray(y, dtype=float), loss)
    corners = list(walk.corners(lowest, n_features))
    coefs = _stack(corners, X.shape[1])
    intercepts = design.intercepts(coefs, np.array([corner.intercept for corner in corners]))
    entered = np.array([*walk.entered], dtype=np.intp)
    penalties = np.array([corner.penalty for corner in corners])
    return L1Path(penalties, coefs, intercepts, entered, np.array([*walk.entered.values()]))


def _stack(corners: list[Corner], n_columns: int) -> sparse.csr_array:
    indptr = np.cumsum([0, *(len(corner.columns) for corner in corners)])
    columns = np.concatenate([corner.columns for corner in corners])
    weights = np.concatenate([corner.weights for corner in corners])
    return sparse.csr_array((weights, columns, indptr), shape=(len(corners), n_columns))


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

    A row's value is ``r = start + sign * (x w + b)``. The first entry of ``hessian`` belongs to
    the intercept (its row is that of a one where there is none, and it never moves).
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
