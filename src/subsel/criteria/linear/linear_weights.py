"""The weights of a linear model of all rows, while columns leave it."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from math import sqrt

import numpy as np
from scipy.linalg.blas import dsymm, dsyrk, dtrmm
from scipy.linalg.lapack import dlauum, dpotrf, dpotrs, dtrtri

from subsel.criteria.linear.blocks import PIVOT, Blocks
from subsel.criteria.linear.incremental import NotTrusted

__all__ = ["LinearWeights"]

_LEAVERS = 128  # columns that may leave before the inverse is downdated
_FRAGILE = 1e-3  # a column that leaves with a pivot this small costs the others three digits
_SMALL = 64  # rows up to which LAPACK inverts a triangle at full speed
_DRIFT = 1e-12  # relative error of weights beyond which the inverse is computed again


class LinearWeights:
    r"""The weights :math:`A_{SS}^{-1} c_S` of a linear model of all rows, for backward elimination.

    The inverse P is kept for a base. A column k that leaves changes P by :math:`-vv'` with :math:`v
    = P_{\cdot k} / \sqrt{P_{kk}}`, and the weights by :math:`-v\,w_k / \sqrt{P_{kk}}`; the vectors
    v are stored and P is not touched. After 128 columns P is downdated by all of them, and the
    weights are corrected by the remainder of :math:`c_S - A_{SS} w`. Where that is not tiny, or
    three digits have been lost, the inverse is computed again, so that errors do not accumulate.

    Parameters
    ----------
    moments : callable
        Returns the moments of all rows, as `Blocks` with one block, and the factors (p,) that turn
        weights into those of the model.
    trace_limit : float
        See `subsel.criteria.linear.linear_evaluator.Linear`. The rank of a part of columns beyond
        doubt is not in doubt.
    relative : bool
        See `subsel.criteria.linear.linear_evaluator.Linear`.
    """

    def __init__(
        self,
        moments: Callable[[], tuple[Blocks, np.ndarray]],
        trace_limit: float = np.inf,
        relative: bool = False,
    ) -> None:
        self.moments, self.trace_limit, self.relative = moments, trace_limit, relative
        self._known: tuple[Blocks, np.ndarray, bool] | None = None
        self._model: _Model | None = None

    def fork(self) -> LinearWeights:
        """Share the moments, not the current model."""
        twin = copy(self)
        twin._model = None
        return twin

    def of(self, columns: np.ndarray) -> np.ndarray:
        """Return the weights (T, s) of the model of these columns, or raise NotTrusted."""
        if self._known is None:
            blocks, scale = self.moments()
            self._known = blocks, scale, bool((scale == 1).all())
        blocks, scale, unscaled = self._known
        weights = None
        if self._model is not None:
            weights = self._model.shrink_to(columns)
        if weights is None:
            self._model = None
            self._model = self._build(blocks, columns)
            weights = self._model.weights.copy()
        return weights if unscaled else weights * scale[columns]

    def _build(self, blocks: Blocks, columns: np.ndarray) -> _Model:
        """Build the model of these columns from a Cholesky factor, or raise NotTrusted."""
        gram = blocks.gram(columns)[0]
        factor, info = dpotrf(gram.T)
        if info or (np.diagonal(factor) ** 2 <= PIVOT * blocks.moment[0, columns]).any():
            raise NotTrusted
        weights = dpotrs(factor, blocks.targets[0, columns])[0]
        inverse = dlauum(_triangle_inverse(factor), overwrite_c=1)[0]
        trace = np.trace(inverse)
        if self.relative:
            trace = trace * np.trace(gram)
        if trace >= self.trace_limit:
            raise NotTrusted
        return _Model(blocks, columns, inverse, np.ascontiguousarray(weights.T))


def _triangle_inverse(upper: np.ndarray) -> np.ndarray:
    """Return the inverse of an upper triangle, by halves: twice as fast as LAPACK."""
    # inverse of [[U, B], [0, V]] = [[U^-1, -U^-1 B V^-1], [0, V^-1]].
    n = len(upper)
    if n <= _SMALL:
        return dtrtri(upper)[0]
    half, inverse = n // 2, np.zeros((n, n), order="F")
    first, last = slice(None, half), slice(half, None)
    inverse[first, first] = _triangle_inverse(upper[first, first])
    inverse[last, last] = _triangle_inverse(upper[last, last])
    between = dtrmm(-1.0, inverse[first, first], upper[first, last])
    inverse[first, last] = dtrmm(1.0, inverse[last, last], between, side=1, overwrite_b=1)
    return inverse


class _Model:
    """The weights of a model, with the inverse at a base and the downdates by columns that left.

    Parameters
    ----------
    blocks : Blocks
        The moments of all rows.
    columns : ndarray of shape (s,)
        The base.
    inverse : ndarray of shape (s, s)
        Its inverse, of which the upper triangle is read.
    weights : ndarray of shape (T, s)
        The weights at the base.

    Attributes
    ----------
    columns : ndarray of int
        The columns that are left.
    places : ndarray of int
        Their places in the base.
    weights : ndarray of shape (T, s)
        Their weights, in the places of the base.
    """

    def __init__(
        self, blocks: Blocks, columns: np.ndarray, inverse: np.ndarray, weights: np.ndarray
    ) -> None:
        self.blocks, self._first = blocks, np.diagonal(inverse).copy()
        self._rebase(columns, inverse, weights)

    def _rebase(self, columns: np.ndarray, inverse: np.ndarray, weights: np.ndarray) -> None:
        """Make these columns the base; arguments as in the class."""
        self.columns, self.inverse, self.weights = columns, inverse, weights
        self._scale = _FRAGILE * self.blocks.moment[0, columns]
        self.places = np.arange(len(columns))
        self.place = np.full(self.blocks.n_columns, -1)
        self.place[columns] = self.places
        self._left, self._n_left = np.empty((_LEAVERS, len(columns))), 0

    def shrink_to(self, columns: np.ndarray) -> np.ndarray | None:
        """Return the weights (T, s) after all columns but these have left.

        None where they cannot be relied on, or where a new model costs less.
        """
        leavers = self._leavers(columns)
        if leavers is None or len(leavers) > min(_LEAVERS, len(columns)):
            return None
        if len(leavers) > _LEAVERS - self._n_left and not self._settle():
            return None
        for place in leavers:
            if not self._leave(int(self.places[place])):
                return None
        self.columns, self.places = columns, self.place[columns]
        return self.weights.take(self.places, axis=1)

    def _leavers(self, columns: np.ndarray) -> list[int] | None:
        """Return which of the columns left are to leave, by place; None if others are asked for."""
        here, n = self.columns, len(columns)
        if n == len(here) - 1:  # the usual case
            differ = here[:n] != columns
            at = int(differ.argmax()) if n else 0
            if n and not differ[at]:
                at = n
            if here[at + 1 :].tobytes() == columns[at:].tobytes():
                return [at]
            return None
        stays = np.isin(here, columns, assume_unique=True)
        if np.count_nonzero(stays) < n:
            return None
        return np.flatnonzero(~stays).tolist()

    def _leave(self, k: int) -> bool:
        """Let the column at place k of the base leave; return False where that costs digits."""
        # A downdate of rank one: P - P_.k P_k. / P_kk is the inverse without k. The current P_.k is
        # that of the base less what the columns before have taken off.
        before = self._left[: self._n_left]
        row = self._left[self._n_left]
        row[:k], row[k:] = self.inverse[:k, k], self.inverse[k, k:]
        row -= before[:, k] @ before
        pivot = row[k]
        if not 0 < pivot * self._scale[k] < 1:
            return False
        row /= sqrt(pivot)
        self.weights -= row * (self.weights[:, k, None] / row[k])
        self._n_left += 1
        return True

    def _settle(self) -> bool:
        """Downdate the inverse by the columns that have left; return False if unreliable."""
        # One step of iterative refinement, w + P (c - A w), corrects the weights and measures their
        # error (N. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition, 2002,
        # chapter 12).
        columns, places = self.columns, self.places
        left = self._left[: self._n_left].take(places, axis=1)
        part = self.inverse.T.take(places, axis=0).take(places, axis=1).T
        inverse = dsyrk(-1.0, left.T, beta=1.0, c=part, overwrite_c=1)
        self._first = self._first[places]
        if not (_FRAGILE * self._first < np.diagonal(inverse)).all():
            return False
        weights = self.weights.take(places, axis=1)
        missing = self.blocks.targets[0, columns].T - self.blocks.times(weights, columns)
        correction = dsymm(1.0, inverse, missing.T).T
        scale = np.sqrt(self.blocks.moment[0, columns])
        if not (scale * np.abs(correction)).max() <= _DRIFT * (scale * np.abs(weights)).max():
            return False
        self._rebase(columns, inverse, weights + correction)
        return True
