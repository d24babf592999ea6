"""Estimation of distribution: learn where the good subsets lie, sample the next ones from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np

from subsel.registry.parameters import Parameters
from subsel.search.populations.bayesian_network import (
    Network,
    learn_marginals,
    learn_network,
    learn_tree,
)
from subsel.search.populations.breeding import breeds_in_arrays, draw_masks, settle_masks
from subsel.search.registry import Steps, search
from subsel.search.walks.membership import settle
from subsel.search.walks.random_sampling import draw
from subsel.space.candidates import Candidates, Subset
from subsel.space.packed import PackedCandidates
from subsel.space.space import Space

__all__ = ["Distribution"]

_MOST_PAIRED = 5000  # units of which all pairs are looked at: 200 MB


@search("umda", model="marginals")
@search("chow-liu", model="tree")
@search("ebna", model="network")
@dataclass(frozen=True)
class Distribution(Parameters):
    """Estimation of distribution: a model of the better half breeds the next generation.

    Each generation keeps the better half of the population, learns a model of its bits, and samples
    the next population from it, the best members going on unchanged.

    - ``umda``: every unit on its own [2]_;
    - ``chow-liu``: the tree of pairwise dependencies with the most mutual information [3]_;
    - ``ebna``: a Bayesian network with few parents per unit, grown greedily by BIC (FSS-EBNA [1]_).

    Parameters
    ----------
    model : {"marginals", "tree", "network"}
        What is learnt of the better half.
    population : int or None
        Subsets per generation. None: four per unit, between 50 and 200.
    elite : int
        How many of the best go on unchanged.
    max_parents : int
        Of a unit in the network.
    start : {"subsets", "sizes"}
        What the first population is uniform over, see `RandomSampling`.
    patience : int or None
        Generations without a new best after which it ends. None: 10; where a horizon is known, all
        of it.

    Notes
    -----
    With p units, learning takes O(p) per member for ``umda``, O(p^2) for the tree, and for the
    network O(p^2) for each of at most ``max_parents`` p arcs: 30 ms a generation for 100 units,
    about a second for 1,000; 5,000 are the most. Where there are more, ``umda`` remains.
    Probabilities are smoothed by one observation of each value, so that no unit is ever settled for
    good. Options of a choice are drawn as often as they occur in the better half, apart from the
    units. Samples outside the size bounds are repaired. Populations of 256 or more are rows of
    bits, drawn and repaired with array operations.

    References
    ----------
    .. [1] Inza, Larrañaga, Etxeberria and Sierra, *Feature subset selection by Bayesian
       network-based optimization*, Artificial Intelligence 123, 2000.
    .. [2] Mühlenbein, *The equation for response to selection and its use for prediction*,
       Evolutionary Computation 5, 1997.
    .. [3] Chow and Liu, *Approximating discrete probability distributions with dependence trees*,
       IEEE Transactions on Information Theory 14, 1968.

    Examples
    --------
    A whole population is asked for at once; the best member goes on, and the others are drawn anew.

    >>> steps = Distribution("marginals", population=8).steps(Space.of(5), np.random.default_rng(0))
    >>> len(next(steps)), len(steps.send(np.arange(8.0)))
    (8, 7)
    """

    model: str = "network"
    population: int | None = None
    _: KW_ONLY
    elite: int = 1
    max_parents: int = 3
    start: str = "subsets"
    patience: int | None = None

    def steps(self, space: Space, rng: np.random.Generator, horizon: int | None = None) -> Steps:
        """Learn and sample."""
        learn = self._learner(space.n_units)
        size = self.population or min(max(50, 4 * space.n_units), 200)
        if breeds_in_arrays(space, size):
            yield from self._in_arrays(space, rng, horizon, learn, size)
            return
        members = [draw(space, rng, self.start) for _ in range(size)]
        qualities = np.asarray((yield Candidates.of(space, members)))
        best, idle = qualities.max(), 0
        patience = self._generations(horizon)
        while idle < patience:
            order = np.argsort(-qualities, kind="stable")[: max(2, size // 2)]
            parents, elite = [members[i] for i in order], order[: self.elite]
            children = _sample(space, parents, learn, max(1, size - self.elite), rng)
            seen = np.asarray((yield Candidates.of(space, children)))
            members = [members[i] for i in elite] + children
            qualities = np.concatenate([qualities[elite], seen])
            idle += 1
            if seen.max() > best:
                idle = 0
            best = max(best, seen.max())

    def _in_arrays(
        self,
        space: Space,
        rng: np.random.Generator,
        horizon: int | None,
        learn: Callable[[np.ndarray], Network],
        size: int,
    ) -> Steps:
        """The same with members as rows of bits."""
        members = draw_masks(space, rng, self.start, size)
        qualities = np.asarray((yield PackedCandidates.of_masks(space, members)))
        best, idle, patience = qualities.max(), 0, self._generations(horizon)
        while idle < patience:
            order = np.argsort(-qualities, kind="stable")[: max(2, size // 2)]
            elite = order[: self.elite]
            sampled = learn(members[order].view(np.uint8)).sample(max(1, size - self.elite), rng)
            children = settle_masks(space, sampled.astype(bool), rng)
            seen = np.asarray((yield PackedCandidates.of_masks(space, children)))
            members = np.concatenate([members[elite], children])
            qualities = np.concatenate([qualities[elite], seen])
            idle += 1
            if seen.max() > best:
                idle = 0
            best = max(best, seen.max())

    def _generations(self, horizon: int | None) -> int:
        if self.patience is not None:
            return self.patience
        return 10 if horizon is None else horizon

    def _learner(self, n_units: int) -> Callable[[np.ndarray], Network]:
        learners: dict[str, Callable[[np.ndarray], Network]] = {
            "marginals": learn_marginals,
            "tree": learn_tree,
            "network": lambda bits: learn_network(bits, self.max_parents),
        }
        if self.model not in learners:
            raise ValueError(
                f"model must be one of {', '.join(map(repr, learners))}, got {self.model!r}."
            )
        if self.model != "marginals" and n_units > _MOST_PAIRED:
            most = f"looks at pairs of at most {_MOST_PAIRED} units, got {n_units}"
            raise ValueError(f"model={self.model!r} {most}: use 'marginals' (umda).")
        return learners[self.model]


def _sample(
    space: Space,
    parents: list[Subset],
    learn: Callable[[np.ndarray], Network],
    n: int,
    rng: np.random.Generator,
) -> list[Subset]:
    masks = np.array([space.mask(parent) for parent in parents])
    sampled = np.zeros((n, masks.shape[1]), dtype=np.uint8)
    sampled[:, : space.n_units] = learn(masks[:, : space.n_units]).sample(n, rng)
    for options in space.choices:
        weights = masks[:, options.start : options.stop].sum(axis=0) + 1.0
        drawn = rng.choice(len(options), n, p=weights / weights.sum())
        sampled[np.arange(n), options.start + drawn] = 1
    return [settle(space, space.from_mask(mask), rng) for mask in sampled]
