"""The exact path of a linear model under an L1 penalty, for piecewise quadratic losses."""

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
    r"""The minimisers of :math:`\sum_k L_k(w, b) + \lambda \|w\|_1` for all penalties.

    They are piecewise linear in :math:`\lambda`, and stored at the corners.

    Attributes
    ----------
    penalties : ndarray
        The corners, from the penalty at which all weights are 0 downwards. Where the minimiser is
        not unique, two corners have the same penalty.
    coefs : sparse array of shape (n_corners, n_columns)
        The weights at each corner.
    intercepts : ndarray of shape (n_corners,)
        The intercept at each corner.
    entered : ndarray of int
        The columns in the order in which they entered for the first time.
    entry_penalties : ndarray
        The penalty at which each of them entered.

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
        """Interpolate weights and intercept at a penalty; outside the path, those of its end."""
        after = int(np.searchsorted(-self.penalties, -penalty))
        low = min(after, len(self.penalties) - 1)
        high = low
        if after == low:
            high = max(low - 1, 0)
        gap = self.penalties[high] - self.penalties[low]
        share = (self.penalties[high] - penalty) / gap if gap > 0 else 1.0
        coefs_high, coefs_low = self.coefs[[high, low]].toarray()
        intercept = (1 - share) * self.intercepts[high] + share * self.intercepts[low]
        return (1 - share) * coefs_high + share * coefs_low, float(intercept)

    def with_size(self, size: float) -> tuple[np.ndarray, float]:
        r"""Give the model of least loss with :math:`\|w\|_1` at most `size`.

        It is the minimiser for some penalty: the constrained form of the same problem.
        """
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
    r"""Compute the exact path of :math:`\sum_k L_k(w, b) + \lambda \|w\|_1` [1]_.

    The loss consists of quadratic and linear pieces. Between corners the weights move along
    :math:`H_A^{-1} \, \mathrm{sign}(w_A)`, where H is the second derivative of the loss and A the
    set of columns with a weight. There is a corner where a column enters (its gradient reaches the
    penalty), where a weight becomes 0, and where a row changes from one piece of its loss to the
    next. Where H is singular in the direction of the move, for example because too few rows are on
    a quadratic piece, the minimiser is not unique; the penalty then stays the same while the
    weights move to the next corner. The losses are summed, not averaged: for the squared loss,
    :math:`\lambda` is :math:`2 n` times the ``alpha`` of scikit-learn.

    Parameters
    ----------
    X : array or sparse array
        The columns, which are not scaled here.
    y : array
        Numbers; -1 and 1 for a loss of the margin.
    loss : {"squared", "huber", "squared_hinge", "huberized_hinge"} or PiecewiseLoss
        The loss of a row, by name or by its pieces.
    n_features : int, optional
        The path ends when this number of columns has entered.
    lowest : float
        The path ends at this share of its first penalty; 0 stands for the whole path.
    fit_intercept : bool
        Whether there is an intercept, which is not penalised.
    sample_weight : array, optional
        A row of weight w counts as w rows.

    References
    ----------
    .. [1] Rosset and Zhu, *Sparse, flexible and efficient modeling using L1 regularization*, in
       Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 16, algorithm 6. Two misprints are
       corrected: the sign of the direction of entering weights, and columns enter by the absolute
       gradient.

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
    homotopy = Homotopy(design, np.asarray(y, dtype=float), loss)
    corners = list(homotopy.corners(lowest, n_features))
    coefs = _stack(corners, X.shape[1])
    intercepts = design.intercepts(coefs, np.array([corner.intercept for corner in corners]))
    entered = np.array([*homotopy.entered], dtype=np.intp)
    penalties = np.array([corner.penalty for corner in corners])
    return L1Path(penalties, coefs, intercepts, entered, np.array([*homotopy.entered.values()]))


def _stack(corners: list[Corner], n_columns: int) -> sparse.csr_array:
    """Stack the weights at all corners to a matrix of shape (corners, columns)."""
    indptr = np.cumsum([0, *(len(corner.columns) for corner in corners)])
    columns = np.concatenate([corner.columns for corner in corners])
    weights = np.concatenate([corner.weights for corner in corners])
    return sparse.csr_array((weights, columns, indptr), shape=(len(corners), n_columns))


SINGULAR = 1e-11  # H is singular if a pivot is below this share of its diagonal entry
REFRESH = 25  # steps after which r, gradient and H are computed again, to remove rounding errors
NO_RATE = 1e-9  # rates below this share of the largest are rounding errors


class Corner(NamedTuple):
    """The model at one corner of the path."""

    penalty: float
    columns: np.ndarray  # the active columns
    weights: np.ndarray  # their weights
    intercept: float  # for the centred table


class Event(NamedTuple):
    """The next corner of one kind."""

    length: float  # of the move to it; infinite if there is none
    which: int  # the row, the column, or the place in the list of active columns
    kind: str  # "zero", "knot", "column" or "end"


class Move(NamedTuple):
    """The rates of change between two corners, per unit of length."""

    weights: np.ndarray  # of the active weights
    intercept: float
    rows: np.ndarray  # of the values r of the rows
    gradient: np.ndarray  # of the gradient by all columns
    falling: bool  # whether the penalty falls, by 1 per unit; otherwise it stays the same


class Homotopy:
    """The state of a path that follows the minimiser as the penalty falls.

    A row has the value ``r = start + sign * (x w + b)``, the residual or the margin. Without an
    intercept the first column is zero, and the first weight never moves.

    See :func:`subsel.embedded.quadratic_path`.
    """

    r: np.ndarray  # shape (rows,)
    gradient: np.ndarray  # shape (columns,): derivative of the summed loss by each weight
    hessian: np.ndarray  # shape (1 + active, 1 + active): second derivative, intercept first

    # At the minimum, gradient_j = -penalty * directions_j for active j, where directions_j is the
    # sign of the weight, and |gradient_j| <= penalty for the others. Differentiated by the penalty,
    # this is H dw = directions per unit by which it falls: the rates of a move. With squared loss
    # it is the lasso variant of least angle regression (Efron et al. 2004; Rosset and Zhu,
    # Piecewise linear regularized solution paths, Annals of Statistics 35, 2007).

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
        self.barred = -1  # a column that has just left must not return at the same corner
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
                    "The path ended early: it could not leave a knot of the loss.",
                    ConvergenceWarning,
                    stacklevel=3,
                )
                break
            if steps % REFRESH == 0:
                self._refresh()
            yield self._corner()

    def _step(self, floor: float) -> float | None:
        """Move to the next corner and return the length; None if no corner ends the move."""
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
        """Update the active columns, or the piece of a row, at a corner."""
        self.barred = -1
        if event.kind == "zero":
            self._leave(event.which)
        elif event.kind == "knot":
            self._cross(event.which, move.rows[event.which])
        elif event.kind == "column":
            self._enter(event.which)

    def _move(self) -> Move:
        """Compute the rates of change up to the next corner."""
        rates, falling = _direction(
            self.hessian, np.concatenate(([0.0], self.directions)), self.design.intercept
        )
        rows = self.sign * (self.columns @ rates)
        slope_rates = self.design.row_weight * 2 * self.loss.quadratic[self.piece] * rows
        gradient = np.zeros(self.design.n_columns)
        if falling:
            gradient = self.design.products(self.sign * slope_rates)
        return Move(rates[1:], float(rates[0]), rows, gradient, falling)

    def _advance(self, length: float, move: Move) -> None:
        """Change the model, the rows, the penalty and the gradient by a move of this length."""
        self.weights = self.weights + length * move.weights
        self.intercept += length * move.intercept
        self.r = self.r + length * move.rows
        if move.falling:
            self.penalty -= length
            self.gradient = self.gradient + length * move.gradient

    def _next_zero(self, move: Move) -> Event:
        """Find where the first active weight becomes 0."""
        shrinking = move.weights * self.directions < 0
        lengths = np.divide(
            np.abs(self.weights),
            np.abs(move.weights),
            out=np.full(len(self.weights), np.inf),
            where=shrinking,
        )
        return _nearest(lengths, "zero")

    def _next_knot(self, move: Move) -> Event:
        """Find where the first row reaches a knot of its loss."""
        knots = np.concatenate(([-np.inf], self.loss.knots, [np.inf]))
        bound = np.where(move.rows > 0, knots[self.piece + 1], knots[self.piece])
        moving = np.abs(move.rows) > NO_RATE * np.abs(move.rows).max(initial=0.0)
        lengths = np.divide(
            bound - self.r, move.rows, out=np.full(len(bound), np.inf), where=moving
        )
        return _nearest(np.maximum(lengths, 0.0), "knot")

    def _next_column(self, move: Move) -> Event:
        """Find where the gradient of the first column reaches the penalty in absolute value."""
        # side * (gradient + t * rate) = penalty - t, for both signs of the gradient
        nearest = np.full(self.design.n_columns, np.inf)
        if not move.falling:
            return _nearest(nearest, "column")
        for side in (1.0, -1.0):
            gap, rate = self.penalty - side * self.gradient, 1 + side * move.gradient
            closing = rate > NO_RATE * max(1.0, np.abs(move.gradient).max())
            closing[self.active] = False
            if self.barred >= 0 and side * self.gradient[self.barred] > 0:
                closing[self.barred] = False
            lengths = np.divide(
                np.maximum(gap, 0.0), rate, out=np.full(len(gap), np.inf), where=closing
            )
            np.minimum(nearest, lengths, out=nearest)
        return _nearest(nearest, "column")

    def _enter(self, j: int) -> None:
        """Make column j active, with a border of the second derivative."""
        column = self.design.column(j)
        border = 2 * (self.columns.T @ (self._curvature() * column))
        own = 2 * float(column @ (self._curvature() * column))
        self.hessian = np.block(
            [[self.hessian, border[:, None]], [border[None, :], np.array([[own]])]]
        )
        self.columns = np.column_stack((self.columns, column))
        self.active = np.append(self.active, j)
        self.directions = np.append(self.directions, -np.sign(self.gradient[j]))
        self.weights = np.append(self.weights, 0.0)
        self.entered.setdefault(j, self.penalty)

    def _leave(self, place: int) -> None:
        """Remove the active column at a place of the list."""
        self.barred = int(self.active[place])
        self.active, self.weights = np.delete(self.active, place), np.delete(self.weights, place)
        self.directions = np.delete(self.directions, place)
        self.columns = np.delete(self.columns, place + 1, axis=1)
        self.hessian = np.delete(np.delete(self.hessian, place + 1, 0), place + 1, 1)

    def _cross(self, row: int, rate: float) -> None:
        """Move a row over a knot to the next piece of its loss."""
        # the row adds 2 a_i x x' to H, so that a change of a_i is a rank-one change of H
        upwards = rate > 0
        before = self.loss.quadratic[self.piece[row]]
        self.r[row] = self.loss.knots[self.piece[row] - (not upwards)]
        self.piece[row] += 1 if upwards else -1
        change = 2 * self.design.row_weight[row] * (self.loss.quadratic[self.piece[row]] - before)
        self.hessian = self.hessian + change * np.outer(self.columns[row], self.columns[row])

    def _curvature(self) -> np.ndarray:
        """Compute half the second derivative of each row's loss by its value, times its weight."""
        return self.design.row_weight * self.loss.quadratic[self.piece]

    def _refresh(self) -> None:
        """Compute `r`, `gradient` and `hessian` from the weights."""
        self.r = self.start + self.sign * (self.columns[:, 1:] @ self.weights + self.intercept)
        slope = self.design.row_weight * self.loss.derivative(self.r, self.piece)
        self.gradient = self.design.products(self.sign * slope)
        self.hessian = 2 * self.columns.T @ (self._curvature()[:, None] * self.columns)

    def _corner(self) -> Corner:
        return Corner(self.penalty, self.active, self.weights, self.intercept)


def _direction(hessian: np.ndarray, target: np.ndarray, intercept: bool) -> tuple[np.ndarray, bool]:
    """Solve H x = target, or find a direction in which H is flat and the target is not.

    Returns
    -------
    rates : ndarray of shape (1 + active,)
        The solution or the direction.
    falling : bool
        True for a solution, with which the penalty falls.
    """
    # The squared pivots of Cholesky's factor are what is left of each diagonal entry after
    # regression on the columns before it; a tiny share means that H is singular.
    free = slice(0 if intercept else 1, None)
    H, right = hessian[free, free], target[free]
    rates = np.zeros(len(target))
    try:
        factor = cho_factor(H)
        if (np.diag(factor[0]) ** 2 > SINGULAR * np.diag(H)).all():
            rates[free] = cho_solve(factor, right)
            return rates, True
    except LinAlgError:
        pass
    rates[free], falling = _flat_direction(H, right)
    return rates, falling


def _flat_direction(H: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, bool]:
    """Split the target by the eigenvectors of H, scaled to a unit diagonal.

    If the target has a part in the null space, the direction is that part; otherwise the answer
    is the solution of least norm. Returns what `_direction` does.
    """
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
    """Choose the event of least length, infinite if there is none."""
    if not len(lengths):
        return Event(np.inf, -1, kind)
    which = int(np.argmin(lengths))
    return Event(float(lengths[which]), which, kind)


def best_constant(
    start: np.ndarray, sign: np.ndarray, weight: np.ndarray, loss: PiecewiseLoss
) -> float:
    """Find the constant b that minimises the weighted sum of the losses of ``start + sign * b``.

    All arrays have shape (rows,).

    >>> from subsel.embedded.l1.losses import squared
    >>> best_constant(np.array([1.0, 2.0, 6.0]), -np.ones(3), np.ones(3), squared())
    3.0
    """

    # The derivative by b is nondecreasing and piecewise linear, with turns where a row reaches a
    # knot: bisection finds the piece on which it crosses zero, one Newton step the crossing.
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
