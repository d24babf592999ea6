"""Chains of building blocks and the motifs in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

__all__ = [
    "XY2",
    "Chains",
    "bracelets",
    "motif_attributes",
    "necklaces",
    "sample_chains",
    "xy2_chains",
]

XY2 = ("CH2", "SiF2", "SiCl2", "GeF2", "GeCl2", "SnF2", "SnCl2")


@dataclass(frozen=True, eq=False)
class Chains:
    """Repeat units (one row of block numbers each), their attributes, and the names of the attributes.

    Examples
    --------
    >>> xy2_chains(length=2).units.shape[1]
    2
    """

    units: np.ndarray
    X: np.ndarray
    names: list[str]


def necklaces(n_letters: int, length: int) -> np.ndarray:
    """All words of a length that differ by more than a rotation, each by its smallest rotation, in order.

    >>> necklaces(2, 3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    """
    words = _words(n_letters, length)
    return words[_code(words, n_letters) == _least_rotation(words, n_letters)]


def bracelets(n_letters: int, length: int) -> np.ndarray:
    """All words of a length that differ by more than a rotation or a reversal.

    >>> len(necklaces(7, 4)), len(bracelets(7, 4))
    (616, 406)
    """
    words = necklaces(n_letters, length)
    return words[_code(words, n_letters) <= _least_rotation(words[:, ::-1], n_letters)]


def _words(n_letters: int, length: int) -> np.ndarray:
    if n_letters < 1 or length < 1:
        raise ValueError(f"n_letters and length must be at least 1, got {n_letters} and {length}.")
    return np.array(list(product(range(n_letters), repeat=length)), dtype=np.int64)


def _code(words: np.ndarray, n_letters: int) -> np.ndarray:
    """The words as numbers, in the order of the alphabet."""
    return words @ n_letters ** np.arange(words.shape[1])[::-1]


def _least_rotation(words: np.ndarray, n_letters: int) -> np.ndarray:
    return np.min(
        [_code(np.roll(words, k, axis=1), n_letters) for k in range(words.shape[1])], axis=0
    )


def motif_attributes(
    units: np.ndarray, blocks: Sequence[str] = XY2, motifs: Literal["same", "all"] = "same"
) -> tuple[np.ndarray, list[str]]:
    """Describe endless chains by the shares of their single blocks, pairs and triplets [1]_.

    A chain repeats its unit without end, so a unit of n blocks has n pairs and n triplets. The share of the last block
    type is left out: it follows from the others.

    Parameters
    ----------
    units : array of int
        Block numbers, one repeat unit a row; units of different lengths are described in separate calls.
    motifs : {"same", "all"}
        ``"same"``: pairs and triplets of one type (6 + 7 + 7 attributes for seven types); ``"all"``: of any types,
        read in either direction (6 + 28 + 196). The paper counts 162, 6 + 23 + 133, and does not
        say which it leaves out.

    References
    ----------
    .. [1] S. Saha, S. Rajasekaran and R. Ramprasad, "Novel randomized feature selection algorithms", *International
       Journal of Foundations of Computer Science* 26, 2015, appendix A.

    Examples
    --------
    >>> X, names = motif_attributes(np.array([[0, 0, 0, 1]]), ("A", "B"))
    >>> dict(zip(names, X[0].tolist()))
    {'A': 0.75, 'AA': 0.5, 'BB': 0.0, 'AAA': 0.25, 'BBB': 0.0}
    """
    units = np.asarray(units)
    parts, names = [], []
    for size in (1, 2, 3):
        windows = np.stack([np.roll(units, -k, axis=1) for k in range(size)], axis=2)
        code = np.minimum(_codes(windows, len(blocks)), _codes(windows[:, :, ::-1], len(blocks)))
        wanted = _motifs(len(blocks), size, motifs)
        parts += [(code == _codes(np.array(motif), len(blocks))).mean(axis=1) for motif in wanted]
        names += ["".join(blocks[b] for b in motif) for motif in wanted]
    return np.array(parts).T, names


def _codes(windows: np.ndarray, n_blocks: int) -> np.ndarray:
    return windows @ n_blocks ** np.arange(windows.shape[-1])[::-1]


def _motifs(n_blocks: int, size: int, motifs: str) -> list[tuple[int, ...]]:
    """The motifs of a size, each in the direction that comes first."""
    if motifs not in ("same", "all"):
        raise ValueError(f"motifs must be 'same' or 'all', got {motifs!r}.")
    if size == 1:
        return [(b,) for b in range(n_blocks - 1)]
    if motifs == "same":
        return [(b,) * size for b in range(n_blocks)]
    return [motif for motif in product(range(n_blocks), repeat=size) if motif <= motif[::-1]]


def xy2_chains(
    length: int = 4,
    symmetry: Literal["necklace", "bracelet"] = "necklace",
    motifs: Literal["same", "all"] = "same",
    blocks: Sequence[str] = XY2,
    containing: str | None = None,
) -> Chains:
    """All distinct chains of XY2 blocks with a repeat unit of a length, with their motif attributes.

    A chain has no beginning, so units that are rotations of each other are one chain; with ``"bracelet"`` it has no
    direction either. Seven types and four blocks give 616 or 406 chains. The paper reports 175 distinct ones and does not
    state the restriction; bracelets ``containing="CH2"`` are exactly as many, which is our inference. Its property values
    are not public.

    >>> xy2_chains(symmetry="bracelet").X.shape, xy2_chains(symmetry="bracelet", containing="CH2").X.shape
    ((406, 20), (175, 20))
    """
    if symmetry not in ("necklace", "bracelet"):
        raise ValueError(f"symmetry must be 'necklace' or 'bracelet', got {symmetry!r}.")
    if symmetry == "necklace":
        units = necklaces(len(blocks), length)
    else:
        units = bracelets(len(blocks), length)
    if containing is not None:
        if containing not in blocks:
            raise ValueError(f"containing must be one of {', '.join(blocks)}, got {containing!r}.")
        units = units[(units == list(blocks).index(containing)).any(axis=1)]
    return Chains(units, *motif_attributes(units, blocks, motifs))


def sample_chains(
    n_chains: int,
    length: int = 8,
    motifs: Literal["same", "all"] = "same",
    blocks: Sequence[str] = XY2,
    random_state: int | None = None,
) -> Chains:
    """Draw distinct chains (up to rotation and reversal) with a long repeat unit, which are too many to list.

    Words are drawn uniformly, and written by their least rotation or reversal; one that was drawn before is drawn anew. So
    a chain is met in proportion to how many words spell it, which for long units is nearly the same for all.

    >>> sample_chains(5, random_state=0).units.shape, 7**8
    ((5, 8), 5764801)
    """
    rng, n_letters = np.random.default_rng(random_state), len(blocks)
    if n_chains > 0.5 * n_letters**length / (2 * length):
        raise ValueError(
            f"n_chains must be far below the number of chains of length {length}, got {n_chains}."
        )
    found: dict[int, None] = {}
    while len(found) < n_chains:
        words = rng.integers(0, n_letters, size=(n_chains - len(found), length))
        both = [_least_rotation(words, n_letters), _least_rotation(words[:, ::-1], n_letters)]
        found.update(dict.fromkeys(np.minimum(*both).tolist()))
    codes = np.array(list(found)[:n_chains])
    units = codes[:, None] // n_letters ** np.arange(length)[::-1] % n_letters
    return Chains(units, *motif_attributes(units, blocks, motifs))
