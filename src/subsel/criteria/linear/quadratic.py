"""Quadratic discriminants: a sweep with one block per class and fold."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import softmax

from subsel.criteria.linear.blocks import CHUNK, Blocks
from subsel.criteria.linear.incremental import Incremental, NotTrusted
from subsel.criteria.linear.linear_evaluator import HeldRows, HitSigns, Terms
from subsel.criteria.linear.sweep import Flip
from subsel.criteria.scoring.scoring import HeldOutFolds
from subsel.data.folds import Folds

__all__ = ["Quadratic"]

TIE = 1e-11  # differences between outputs up to this are rounding


class Quadratic(Incremental):
    r"""Quadratic discriminants, from the Mahalanobis distances to the classes and determinants.

    Outputs are :math:`-\frac12 (d_k^2 + \log|A_k|) + \log \pi_k` with :math:`d_k` the distance to
    class k. Blocks are ordered by class, and by fold within a class. A column that enters adds its
    squared residual over its pivot to the squared distance, and the logarithm of its pivot to the
    log-determinant. scikit-learn refuses a covariance with an eigenvalue up to ``tolerance``: such
    subsets have quality minus infinity. A pivot below the tolerance proves such an eigenvalue; a
    trace of the inverse below one over the tolerance proves that there is none; between the two the
    eigenvalues are computed.

    Parameters
    ----------
    blocks : Blocks
        The moments of each class in each training part, B = K F.
    held_out : HeldOutFolds
        The rows held out, and how outputs are scored.
    folds : Folds
        The folds, for refits.
    model : estimator
        The model whose scores are reproduced, for refits.
    priors : ndarray of shape (K, F)
        The prior probabilities of the classes.
    counts : ndarray of shape (K, F)
        The training rows of each class.
    tolerance : float
        The rank tolerance.
    alike : ndarray of shape (F, p)
        Which columns have one value in a whole training part. Where a subset has no others, all
        classes are equally likely, which only an evaluation from scratch shows without rounding.
    """

    def __init__(
        self,
        blocks: Blocks,
        held_out: HeldOutFolds,
        folds: Folds,
        model: Any,
        *,
        priors: np.ndarray,
        counts: np.ndarray,
        tolerance: float,
        alike: np.ndarray,
    ) -> None:
        self.differ, self.all_differ = ~alike, not alike.any()
        self.held_out, self.folds, self.model, self.tolerance = held_out, folds, model, tolerance
        self.log_priors, self.counts = np.log(priors), counts  # (K, F) each
        self._set_blocks(blocks)
        self.distance = np.zeros(len(blocks.block_of))
        self.log_determinant = np.zeros(blocks.n_blocks)

    @property
    def _shape(self) -> tuple[int, int]:
        """The number of classes and of folds."""
        return self.counts.shape

    def _after_build(self) -> None:
        """Compute the squared distances (M,) and the log-determinants (B,) at the state."""
        state, blocks = self.state, self.blocks
        assert state is not None
        inside = np.array(state.columns, dtype=np.int64)
        self.distance = np.zeros(len(blocks.block_of))
        self.log_determinant = np.zeros(blocks.n_blocks)
        if len(inside):
            self.distance = np.einsum(
                "sm,sm->m", state.residuals(inside), self.blocks.held_out(inside)
            )
            self.log_determinant = np.linalg.slogdet(self.blocks.gram(inside))[1]

    def _after_flip(self, flip: Flip) -> None:
        """Update the squared distances and the log-determinants at the state."""
        # Bordering A by a column with Schur complement `pivot` adds residual^2 / pivot to x' A^-1 x
        # and log pivot to log |A|; a column that leaves has pivot P_ii, one over the Schur
        # complement.
        self.distance += flip.sign * flip.residual**2 / flip.pivot[self.blocks.block_of]
        self.log_determinant += np.log(flip.pivot)

    # Flips --------------------------------------------------------------------------------------

    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        state = self.state
        assert state is not None
        if added is not None and removed is not None:
            return self._swaps(added, removed)
        first, sign = (added, 1.0) if added is not None else (removed, -1.0)
        assert first is not None
        pivot, (trace, square) = state.pivot[:, first].T, state.trace()
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = trace + sign * ((sign > 0) + square[:, first].T) / pivot
            qualities = self._singles(first, sign, pivot)
        hopeless, trusted = self._rank_bounds(grown, len(state.columns) + int(sign))
        if sign > 0:
            refused, enters = self._entry_bounds(first, pivot)
            hopeless, trusted = hopeless | refused, trusted & enters
        qualities[hopeless] = -np.inf
        return qualities, (trusted | hopeless) & self._differ(added, removed)

    def _swaps(self, added: np.ndarray, removed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return qualities and trust (C,) of candidates with one column for another."""
        state = self.state
        assert state is not None
        with np.errstate(divide="ignore", invalid="ignore"):
            leaving, share, pivot = state.swap(added, removed)
            grown = state.swapped_trace(added, removed, leaving, share, pivot)
            log = np.log(pivot) + np.log(leaving)
            qualities = self._qualities(added, removed, 1 / pivot, share, -1 / leaving, log)
        hopeless, trusted = self._rank_bounds(grown, len(state.columns))
        refused, enters = self._entry_bounds(added, pivot)
        hopeless |= refused
        qualities[hopeless] = -np.inf
        return qualities, ((trusted & enters) | hopeless) & self._differ(added, removed)

    def _singles(self, first: np.ndarray, sign: float, pivot: np.ndarray) -> np.ndarray:
        """Return the qualities (C,) of flips by one column each; `pivot` is (C, B).

        For two classes only the lead of the second is computed.
        """
        state, (n_classes, _) = self.state, self._shape
        assert state is not None
        if n_classes > 2 or not self._counted or state.residual is None:
            none = np.zeros_like(pivot)
            return self._qualities(first, first, sign / pivot, none, none, np.log(pivot))
        from subsel._loops.linear.class_hits import lead_hits

        factors = (-0.5 * sign / pivot).reshape(len(first), *self._shape)
        constant = -0.5 * (self.log_determinant + np.log(pivot)).reshape(factors.shape)
        constant += self.log_priors
        lead = -0.5 * (
            self.distance[len(self.distance) // 2 :] - self.distance[: len(self.distance) // 2]
        )
        held = HeldRows(lead, self._signs.of_rows, self.held_out.bounds)
        least_lead = TIE + constant[:, 0] - constant[:, 1]
        return self._signs.quality(lead_hits(state.residual, first, factors, least_lead, held))

    @cached_property
    def _signs(self) -> HitSigns:
        return HitSigns(self.held_out)

    @property
    def _counted(self) -> bool:
        """Whether compiled loops can count the hits."""
        return self.held_out.scoring.name in ("accuracy", "f1_micro")

    def _differ(self, added: np.ndarray | None, removed: np.ndarray | None) -> np.ndarray | bool:
        """Return which flips (C,) leave columns that are not constant, in every fold."""
        assert self.state is not None
        if self.all_differ:
            return True
        count = self.differ[:, self.state.columns].sum(axis=1, keepdims=True)
        if added is not None:
            count = count + self.differ[:, added]
        if removed is not None:
            count = count - self.differ[:, removed]
        return np.all(count > 0, axis=0)

    def _rank_bounds(self, trace: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """Return which flips (C,) certainly fail, and which certainly have full rank.

        `trace` (C, B) is that of the inverse after each flip, and `size` the number of columns.
        """
        # The least eigenvalue is at least one over the trace of the inverse; with more columns than
        # rows it is 0.
        trusted = np.all(trace < 1 / self.tolerance, axis=1)
        return np.full(len(trace), bool(self.counts.min() < size)), trusted

    def _entry_bounds(self, added: np.ndarray, pivot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return which entries (C,) certainly fail and which may be trusted, by pivots (C, B)."""
        # A Schur complement is at least the least eigenvalue; 0.999 allows for rounding.
        trusted = np.all(pivot > self.blocks.least_pivot[:, added].T, axis=1)
        return np.any(pivot < 0.999 * self.tolerance, axis=1), trusted

    def _qualities(
        self,
        first: np.ndarray,
        second: np.ndarray,
        a: np.ndarray,
        u: np.ndarray,
        b: np.ndarray,
        log: np.ndarray,
    ) -> np.ndarray:
        """Return the qualities (C,) of flips that change distances by ``a (r + u q)^2 + b q^2``.

        Parameters
        ----------
        first, second : ndarray of shape (C,)
            The columns of the residuals r and q.
        a, u, b : ndarray of shape (C, B)
            The factors.
        log : ndarray of shape (C, B)
            The change of the log-determinants.
        """
        state, (n_classes, n_folds) = self.state, self._shape
        assert state is not None
        shape = (-1, n_classes, n_folds)
        a, u, b = -0.5 * a.reshape(shape), u.reshape(shape), -0.5 * b.reshape(shape)
        c = -0.5 * (self.log_determinant + log).reshape(shape) + self.log_priors
        if self._counted and state.residual is not None:
            by_fold = np.repeat(second[:, None], n_folds, axis=1)
            return self._hits(state.residual, Terms(first, by_fold, a, u, b, c))
        step, qualities = max(1, CHUNK // len(self.blocks.block_of)), []
        for i in range(0, len(first), step):
            p = slice(i, i + step)
            qualities.append(self._score(self._move(first[p], second[p], a[p], u[p], b[p], c[p])))
        return np.concatenate(qualities)

    def _hits(self, residual: np.ndarray, terms: Terms) -> np.ndarray:
        """Return the accuracies (C,) of flips; `residual` is (p, M)."""
        from subsel._loops.linear.class_hits import class_hits

        y, base = self.held_out.y, -0.5 * self.distance.reshape(self._shape[0], -1)
        held = HeldRows(base, y.astype(float), self.held_out.bounds)
        return self.held_out.hit_quality(class_hits(residual, len(y), terms, held, True, TIE))

    def _move(
        self,
        first: np.ndarray,
        second: np.ndarray,
        a: np.ndarray,
        u: np.ndarray,
        b: np.ndarray,
        c: np.ndarray,
    ) -> np.ndarray:
        """Return the r outputs (C, K, N); arguments as in `Terms`."""
        assert self.state is not None
        q, r = self.state.residuals(second), self.state.residuals(first).copy()
        if u.any():
            r += self._spread(u) * q
        outputs = self._spread(a) * r**2 + self._spread(c) - 0.5 * self.distance
        if b.any():
            outputs += self._spread(b) * q**2
        return outputs.reshape(len(first), self._shape[0], -1)

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Return values (C, K, F) of each class and fold at each of its rows: (C, M)."""
        return values.reshape(len(values), -1)[:, self.blocks.block_of]

    # From scratch -------------------------------------------------------------------------------

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        gram = self.blocks.gram(columns)
        gram[:, np.arange(len(columns)), np.arange(len(columns))] = self.blocks.diagonal[:, columns]
        if self.counts.min() < len(columns) or np.linalg.eigvalsh(gram).min() <= self.tolerance * (
            1 + 1e-6
        ):
            raise NotTrusted
        held = self.blocks.held_out(columns)
        distance = np.empty(held.shape[1])
        for b, (start, stop) in enumerate(zip(self.blocks.spans, self.blocks.spans[1:])):
            part = held[:, start:stop]
            distance[start:stop] = np.einsum("sm,sm->m", part, np.linalg.solve(gram[b], part))
        c = -0.5 * np.linalg.slogdet(gram)[1].reshape(self._shape) + self.log_priors
        return (-0.5 * distance + c.reshape(-1)[self.blocks.block_of]).reshape(self._shape[0], -1)

    # Scores -------------------------------------------------------------------------------------

    def _score(self, outputs: np.ndarray) -> np.ndarray:
        return self.held_out.quality(self._needed(outputs))

    def _scored_and_labels(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._needed(outputs), _labels(outputs)[0]

    def _needed(self, outputs: np.ndarray) -> np.ndarray:
        """Return what the scoring needs of outputs (C, K, N)."""
        needs = self.held_out.scoring.needs
        if needs == "labels":
            return _labels(outputs)
        if needs == "decision":
            return outputs[:, 1] - outputs[:, 0]
        return softmax(outputs, axis=1).transpose(0, 2, 1)


def _labels(outputs: np.ndarray) -> np.ndarray:
    """Return the first class (C, n) whose output (C, K, n) is the largest, to rounding."""
    return (outputs >= outputs.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
