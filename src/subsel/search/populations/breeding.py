"""Breeding of large populations as rows of bits, by array operations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from subsel.search.walks.walkers import moves_in_arrays, random_masks
from subsel.space.packed import bit_counts
from subsel.space.space import Space

__all__ = ["breeds_in_arrays", "cross_masks", "draw_masks", "mutate_masks", "settle_masks"]

_LARGE = 256  # members from which array operations pay


def breeds_in_arrays(space: Space, population: int) -> bool:
    """Whether a population is bred as rows of bits.

    It must be large, every unit one column, and only sizes bounded.
    """
    return population >= _LARGE and moves_in_arrays(space)


def draw_masks(space: Space, rng: np.random.Generator, over: str, n: int) -> np.ndarray:
    """Draw n random subsets within the bounds, as masks (n, units).

    They are uniform over ``"subsets"``, or over ``"sizes"`` first.

    Examples
    --------
    >>> space, rng = Space.of(6, low=2, high=3), np.random.default_rng(0)
    >>> draw_masks(space, rng, "sizes", 4).sum(axis=1).tolist()
    [3, 3, 3, 2]
    """
    if over == "subsets":
        return random_masks(space, rng, n)
    if over != "sizes":
        raise ValueError(f"over must be 'subsets' or 'sizes', got {over!r}.")
    masks = np.zeros((n, space.n_units), dtype=bool)
    n_on = np.array([space.sample_size(rng) for _ in range(n)]) - space.n_fixed
    return settle_masks(space, _with_more(masks, np.maximum(n_on, 0), rng), rng)


def cross_masks(
    first: np.ndarray, second: np.ndarray, crossover: str, rng: np.random.Generator
) -> np.ndarray:
    """One child of each pair of rows, by the crossover of this name.

    Examples
    --------
    >>> first, second = np.ones((2, 5), dtype=bool), np.zeros((2, 5), dtype=bool)
    >>> cross_masks(first, second, "one-point", np.random.default_rng(0)).astype(int)
    array([[1, 1, 1, 0, 0],
           [1, 1, 0, 0, 0]])
    """
    return np.where(_CROSSOVERS[crossover](first, second, rng), first, second)


def _one_point(
    first: np.ndarray,
    second: np.ndarray,  # noqa: ARG001
    rng: np.random.Generator,
) -> np.ndarray:
    n, p = first.shape
    cut = 1 + (rng.random(n) * (p - 1)).astype(np.int64)
    from_first: np.ndarray = np.arange(p) < cut[:, None]
    return from_first


def _uniform(
    first: np.ndarray,
    second: np.ndarray,  # noqa: ARG001
    rng: np.random.Generator,
) -> np.ndarray:
    n, p = first.shape
    coins = np.frombuffer(rng.bytes(n * -(-p // 8)), dtype=np.uint8).reshape(n, -1)
    return np.unpackbits(coins, axis=1, count=p).view(bool)


def _size_keeping(first: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Where the parents differ, as many random units are on as the first has there."""
    differ = first != second
    on = _random_ranks(differ, rng) < (first & differ).sum(axis=1)[:, None]
    from_first: np.ndarray = ~differ | (on == first)
    return from_first


_CROSSOVERS: dict[str, Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]] = {
    "one-point": _one_point,
    "uniform": _uniform,
    "size-keeping": _size_keeping,
}


def mutate_masks(masks: np.ndarray, rate: float, rng: np.random.Generator) -> None:
    """Flip every bit with this chance, in place.

    Only the flipped bits are drawn, by the gaps between them, which are geometric.

    Examples
    --------
    >>> masks = np.zeros((50, 40), dtype=bool)
    >>> mutate_masks(masks, 0.1, np.random.default_rng(0))
    >>> int(masks.sum())
    177
    """
    # The gaps between successes of independent trials are geometric (Devroye, Non-Uniform Random
    # Variate Generation, 1986, chapter X): drawing them takes time in proportion to the flips. Four
    # standard deviations more than the expected number make a second round rare.
    bits, last = masks.reshape(-1), -1
    while rate > 0 and last < len(bits):
        expected = (len(bits) - last) * rate
        places = last + np.cumsum(
            rng.geometric(min(rate, 1.0), int(expected + 4 * expected**0.5) + 8)
        )
        bits[places[places < len(bits)]] ^= True
        last = int(places[-1])


def settle_masks(space: Space, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turn random units on or off where a subset is outside the size bounds, or empty.

    Examples
    --------
    >>> settle_masks(Space.of(4, low=1, high=2), np.array([[1, 1, 1, 1], [0, 1, 0, 0]], dtype=bool),
    ...              np.random.default_rng(0)).sum(axis=1).tolist()
    [2, 1]
    """
    n_on = bit_counts(np.packbits(masks, axis=1))
    low, high = max(space.low - space.n_fixed, int(not space.n_fixed)), space.high - space.n_fixed
    few, many = np.flatnonzero(n_on < low), np.flatnonzero(n_on > high)
    if len(few) or len(many):
        masks = masks.copy()
        masks[few] = _with_more(masks[few], low - n_on[few], rng)
        masks[many] = ~_with_more(~masks[many], n_on[many] - high, rng)
    return masks


def _with_more(masks: np.ndarray, n: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """With so many random bits of each row turned on."""
    return masks | (_random_ranks(~masks, rng) < n[:, None])


def _random_ranks(which: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rank the bits that are on in each row at random from 0; bits that are off follow."""
    order = np.argsort(np.where(which, rng.random(which.shape), 2.0), axis=1)
    ranks = np.empty(which.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.arange(which.shape[1])[None], axis=1)
    return np.where(which, ranks, which.shape[1])
