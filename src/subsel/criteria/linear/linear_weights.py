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

_LEAVERS = 128  # columns that may leave before they are taken out of the inverse
_FRAGILE = 1e-3  # a column that leaves with such a pivot takes digits of the others along
_SMALL = 64  # rows of a triangle that LAPACK inverts as quickly as can be
_DRIFT = 1e-12  # share of the weights by which they may be off before the inverse is formed anew


class LinearWeights:
    r"""The weights :math:`A_{SS}^{-1} c_S` of a linear model of all rows, as recursive elimination asks for them.

    The inverse P is held at a base. A column k that leaves changes P by :math:`-vv'` with
    :math:`v = P_{\cdot k} / \sqrt{P_{kk}}`, and the weights by :math:`-v\,w_k / \sqrt{P_{kk}}`; the vectors v are kept
    and P is not touched. After 128 columns they are taken off P together, and the weights are corrected by what is left
    of :math:`c_S - A_{SS} w`. Where that is not tiny, or three digits have been lost, the inverse is formed anew, so that
    errors do not build up.

    Parameters
    ----------
    moments : callable
        Gives the moments of all rows, one block, and what weights are multiplied by (p,).
    trace_limit, relative : float, bool
        Where the rank is in doubt, see `subsel.criteria.linear.linear_evaluator.Linear`. It never is in a part of columns beyond doubt.
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
        """Share the moments, not the model that stands."""
        twin = copy(self)
        twin._model = None
        return twin

    def of(self, columns: np.ndarray) -> np.ndarray:
        """The weights (T, s) of the model of these columns; raises NotTrusted where the closed form is not reliable."""
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
    """The inverse of an upper triangle, by halves: twice as quick as LAPACK does it."""
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
    """The upper triangle of the inverse (s, s) at a base, the vectors of the columns that have left it, and the weights (T, s) now.

    ``columns`` are those left now, and ``places`` where they stand in the base.
    """

    def __init__(
        self, blocks: Blocks, columns: np.ndarray, inverse: np.ndarray, weights: np.ndarray
    ) -> None:
        self.blocks, self._first = blocks, np.diagonal(inverse).copy()
        self._stand(columns, inverse, weights)

    def _stand(self, columns: np.ndarray, inverse: np.ndarray, weights: np.ndarray) -> None:
        """Make these columns the base."""
        self.columns, self.inverse, self.weights = columns, inverse, weights
        self._scale = _FRAGILE * self.blocks.moment[0, columns]
        self.places = np.arange(len(columns))
        self.place = np.full(self.blocks.n_columns, -1)
        self.place[columns] = self.places
        self._left, self._n_left = np.empty((_LEAVERS, len(columns))), 0

    def shrink_to(self, columns: np.ndarray) -> np.ndarray | None:
        """The weights (T, s) after all columns but these have left; None where that cannot be relied on, or does not pay."""
        leavers = self._leavers(columns)
        if leavers is None or len(leavers) > min(_LEAVERS, len(columns)):
            return None
        if len(leavers) > _LEAVERS - self._n_left and not self._settle():
            return None
        for at in leavers:
            if not self._leave(int(self.places[at])):
                return None
        self.columns, self.places = columns, self.place[columns]
        return self.weights.take(self.places, axis=1)

    def _leavers(self, columns: np.ndarray) -> list[int] | None:
        """Where those stand, of the columns left, that are not among these; None if one of these is not left."""
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
        """Take the columns that have left out of the base; False where the inverse is then not to be relied on."""
        columns, kept = self.columns, self.places
        left = self._left[: self._n_left].take(kept, axis=1)
        part = self.inverse.T.take(kept, axis=0).take(kept, axis=1).T
        inverse = dsyrk(-1.0, left.T, beta=1.0, c=part, overwrite_c=1)
        self._first = self._first[kept]
        if not (_FRAGILE * self._first < np.diagonal(inverse)).all():
            return False
        weights = self.weights.take(kept, axis=1)
        missing = self.blocks.targets[0, columns].T - self.blocks.times(weights, columns)
        correction = dsymm(1.0, inverse, missing.T).T
        scale = np.sqrt(self.blocks.moment[0, columns])
        if not (scale * np.abs(correction)).max() <= _DRIFT * (scale * np.abs(weights)).max():
            return False
        self._stand(columns, inverse, weights + correction)
        return True
