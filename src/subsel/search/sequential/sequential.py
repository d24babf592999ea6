"""Sequential selection: the best step that adds or drops a few features is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.moves import ask_start, bare, growing, shrinking
from subsel.search.registry import Steps, search
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = [
    "ExhaustiveForward",
    "GeneralisedBackward",
    "GeneralisedForward",
    "SequentialBackward",
    "SequentialForward",
    "greedy",
    "largest",
]

Move = Callable[[Subset], Candidates]
Moves = Callable[[Subset, int], Candidates]


@search("sfs")
@dataclass(frozen=True)
class SequentialForward(Parameters):
    r"""SFS: start empty and add the best feature at every step.

    Every subset on the way is nested in the next, so what it took it never gives back. It ends at
    the greatest eligible size d, for which it asks for :math:`d(2n-d+1)/2` subsets of n features.

    Parameters
    ----------
    patience : int or None
        Stop after so many steps in a row, among eligible sizes, without a new best; None runs all
        the way. 1 is ordered forward selection that ends at the first step without gain.

    References
    ----------
    .. [1] Whitney, *A direct method of nonparametric measurement selection*, IEEE Transactions on
       Computers 20, 1971.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(3)
    >>> steps = SequentialForward().steps(space, np.random.default_rng(0))
    >>> requests = next(steps), steps.send([0.1, 0.7, 0.7])
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests]
    [[[0], [1], [2]], [[0, 1], [1, 2]]]
    """

    patience: int | None = None

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Ask for all additions, make the best, go on."""
        return _onward(space, bare(space), partial(growing, space), 1, self.patience)


@search("sbs")
@dataclass(frozen=True)
class SequentialBackward(Parameters):
    r"""SBS: start full and drop, at every step, the feature without which least is lost.

    It ends at the least eligible size. A whole run asks for :math:`n(n+1)/2 - 1` subsets beside the
    full set, which it asks for where that may be the answer.

    Parameters
    ----------
    patience : int or None
        As in `SequentialForward`.

    References
    ----------
    .. [1] Marill and Green, *On the effectiveness of receptors in recognition systems*, IEEE
       Transactions on Information Theory 9, 1963.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(3)
    >>> steps = SequentialBackward().steps(space, np.random.default_rng(0))
    >>> requests = next(steps), steps.send([0.9]), steps.send([0.2, 0.8, 0.3])
    >>> [[space.columns(subset).tolist() for subset in request] for request in requests]
    [[[0, 1, 2]], [[1, 2], [0, 2], [0, 1]], [[2], [0]]]
    """

    patience: int | None = None

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Ask for all removals, make the best, go on."""
        return _onward(space, space.full(), partial(shrinking, space), 1, self.patience)


@search("gsfs")
@dataclass(frozen=True)
class GeneralisedForward(Parameters):
    r"""GSFS(g): add the best g-tuple of features at every step.

    It finds groups of up to g features that are of no use singly. A step from k features asks for
    :math:`\binom{n-k}{g}` subsets and holds 8g bytes for each. Where fewer than g units fit, the
    last step takes as many as do.

    Parameters
    ----------
    g : int
        Units added at once.
    patience : int or None
        As in `SequentialForward`.

    References
    ----------
    .. [1] Kittler, *Feature set search algorithms*, in Chen (ed.), *Pattern Recognition and Signal
       Processing*, 1978.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(3)
    >>> steps = GeneralisedForward(g=2).steps(space, np.random.default_rng(0))
    >>> [space.columns(subset).tolist() for subset in next(steps)]
    [[0, 1], [0, 2], [1, 2]]
    """

    g: int = 2
    patience: int | None = None

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Ask for all tuples that may be added, take the best, go on."""
        return _onward(space, bare(space), partial(growing, space), self.g, self.patience)


@search("gsbs")
@dataclass(frozen=True)
class GeneralisedBackward(Parameters):
    """GSBS(g): drop, at every step, the g-tuple of features without which least is lost.

    Parameters
    ----------
    g : int
        Units dropped at once.
    patience : int or None
        As in `SequentialForward`.

    References
    ----------
    .. [1] Kittler, *Feature set search algorithms*, in Chen (ed.), *Pattern Recognition and Signal
       Processing*, 1978.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4
       (Reunanen).

    Examples
    --------
    >>> space = Space.of(3)
    >>> steps = GeneralisedBackward(g=2).steps(space, np.random.default_rng(0))
    >>> full = next(steps)
    >>> [space.columns(subset).tolist() for subset in steps.send([0.9])]
    [[2], [1], [0]]
    """

    g: int = 2
    patience: int | None = None

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Ask for all tuples that may be dropped, drop the best, go on."""
        return _onward(space, space.full(), partial(shrinking, space), self.g, self.patience)


@search("sfs-k")
@dataclass(frozen=True)
class ExhaustiveForward(Parameters):
    """SFS-k: all subsets of k features first, then greedy forward selection from the best of them.

    k features that matter only together are found whatever they are worth singly.

    Parameters
    ----------
    k : int
        Units of the exhaustive first step.
    patience : int or None
        As in `SequentialForward`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*,
       International Journal of Foundations of Computer Science 26, 2015: the simple greedy
       technique that precedes algorithm 1.

    Examples
    --------
    >>> space = Space.of(4)
    >>> steps = ExhaustiveForward(k=2).steps(space, np.random.default_rng(0))
    >>> pairs, triples = next(steps), steps.send([0.1, 0.1, 0.9, 0.1, 0.1, 0.1])
    >>> len(pairs), [space.columns(subset).tolist() for subset in triples]
    (6, [[0, 1, 3], [0, 2, 3]])
    """

    k: int = 2
    patience: int | None = None

    def steps(
        self,
        space: Space,
        rng: np.random.Generator,  # noqa: ARG002
        horizon: int | None = None,  # noqa: ARG002
    ) -> Steps:
        """Ask for all k-subsets, then for single additions."""
        if self.k < 1:
            raise ValueError(f"k must be at least 1, got {self.k}.")
        yield from ask_start(space, bare(space))
        candidates = largest(partial(growing, space), self.k, bare(space))
        if candidates:
            qualities = yield candidates
            first = int(np.argmax(qualities))
            known = -np.inf
            if space.eligible(candidates[first]):
                known = float(qualities[first])
            yield from greedy(
                space, candidates[first], partial(growing, space), known, self.patience
            )


def greedy(
    space: Space, current: Subset, move: Move, best: float = -np.inf, patience: int | None = None
) -> Steps:
    """Take the best move until none is left; returns the best eligible subset and its quality.

    ``best`` is the quality of the start where that is known. The first of equals is taken.
    """
    answer, idle = current, 0
    while candidates := move(current):
        qualities = yield candidates
        first = int(np.argmax(qualities))
        current = candidates[first]
        if space.eligible(current):
            idle += 1
            if qualities[first] > best:
                answer, best, idle = current, float(qualities[first]), 0
        if idle and idle == patience:
            break
    return answer, best


def largest(moves: Moves, g: int, subset: Subset) -> Candidates:
    """The moves of ``g`` units, or of as many fewer as there are moves for."""
    for n in range(g, 1, -1):
        if candidates := moves(subset, n):
            return candidates
    return moves(subset, 1)


def _onward(space: Space, start: Subset, moves: Moves, g: int, patience: int | None) -> Steps:
    """Go in one direction, g units at a time."""
    if g < 1:
        raise ValueError(f"g must be at least 1, got {g}.")
    _, best = yield from ask_start(space, start)
    yield from greedy(space, start, partial(largest, moves, g), best, patience)
