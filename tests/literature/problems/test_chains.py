"""Chains of XY2 blocks."""

from itertools import product
from math import gcd

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from subsel.literature.problems.chains import (
    XY2,
    bracelets,
    motif_attributes,
    necklaces,
    sample_chains,
    xy2_chains,
)


def burnside(n_letters, length, reflections):
    """The number of words up to rotation (and reversal) by counting what each symmetry leaves alone."""
    rotations = sum(n_letters ** gcd(k, length) for k in range(length))
    if not reflections:
        return rotations // length
    if length % 2:
        mirrors = length * n_letters ** ((length + 1) // 2)
    else:
        mirrors = length // 2 * (n_letters ** (length // 2) + n_letters ** (length // 2 + 1))
    return (rotations + mirrors) // (2 * length)


@pytest.mark.parametrize(("n_letters", "length"), [(1, 4), (2, 1), (2, 2), (2, 6), (3, 5), (7, 4)])
def test_numbers_of_chains_are_burnsides(n_letters, length):
    """There are as many necklaces and bracelets as Burnside's lemma counts."""
    assert len(necklaces(n_letters, length)) == burnside(n_letters, length, False)
    assert len(bracelets(n_letters, length)) == burnside(n_letters, length, True)


def orbit(word, reverse):
    turns = [tuple(np.roll(word, k).tolist()) for k in range(len(word))]
    return set(turns) | ({turn[::-1] for turn in turns} if reverse else set())


@pytest.mark.parametrize(("make", "reverse"), [(necklaces, False), (bracelets, True)])
def test_every_word_is_one_chain_exactly(make, reverse):
    """The orbits of the chains are disjoint and together hold every word."""
    orbits = [orbit(word, reverse) for word in make(3, 5)]
    assert sum(map(len, orbits)) == 3**5
    assert set().union(*orbits) == set(product(range(3), repeat=5))


@pytest.mark.parametrize("motifs", ["same", "all"])
def test_attributes_do_not_depend_on_where_a_chain_is_cut(motifs):
    """Rotating or reversing a repeat unit, or writing it twice, leaves every attribute as it is."""
    units = np.random.default_rng(0).integers(7, size=(20, 4))
    X, _ = motif_attributes(units, motifs=motifs)
    for same in (np.roll(units, 1, axis=1), units[:, ::-1], np.hstack([units, units])):
        assert_allclose(motif_attributes(same, motifs=motifs)[0], X)


@pytest.mark.parametrize("motifs", ["same", "all"])
def test_attributes_are_counts_of_windows(motifs):
    """Each attribute is the share of windows that spell its motif, forwards or backwards, counted one by one."""
    chains = xy2_chains(4, "bracelet", motifs)
    at = {name: j for j, name in enumerate(chains.names)}
    for unit, row in zip(chains.units[::40], chains.X[::40]):
        expected = np.zeros(len(at))
        for size, start in product((1, 2, 3), range(4)):
            window = tuple(int(unit[(start + k) % 4]) for k in range(size))
            name = "".join(XY2[b] for b in min(window, window[::-1]))
            if name in at:
                expected[at[name]] += 0.25
        assert_allclose(row, expected)


def test_sizes_of_the_paper():
    """Seven types give 6 + 7 + 7 = 20 attributes of one type, and 6 + 28 + 196 of any; shares of all pairs sum to 1."""
    same, every = xy2_chains(), xy2_chains(motifs="all")
    assert same.X.shape == (616, 20)
    assert every.X.shape == (616, 230)
    assert len(set(every.names)) == 230
    assert_allclose(every.X[:, 6:34].sum(axis=1), 1)
    assert_allclose(every.X[:, 34:].sum(axis=1), 1)
    assert_array_equal(same.X[:, :6], every.X[:, :6])


def test_eight_blocks_and_wrong_arguments():
    """Other lengths and blocks work; unknown words are refused by name."""
    assert xy2_chains(8, blocks=("A", "B")).X.shape == (36, 5)
    with pytest.raises(ValueError, match="symmetry"):
        xy2_chains(symmetry="ring")
    with pytest.raises(ValueError, match="motifs"):
        xy2_chains(motifs="some")
    with pytest.raises(ValueError, match="length"):
        necklaces(2, 0)


def test_the_chains_of_the_paper():
    """Bracelets of four blocks with a CH2 among them are 175, and hold every pair and triplet of types."""
    chains = xy2_chains(symmetry="bracelet", containing="CH2", motifs="all")
    assert len(chains.units) == 175 and (chains.units == 0).any(axis=1).all()
    assert (chains.X[:, 6:] > 0).any(axis=0).all() and chains.X.shape[1] == 6 + 28 + 196
    with pytest.raises(ValueError, match="containing"):
        xy2_chains(containing="NO2")


def test_sampled_chains_are_distinct_and_written_one_way():
    """No two draws are rotations or reversals of each other, every block is met evenly, seeds repeat."""
    chains = sample_chains(300, random_state=0)
    ways = [{tuple(np.roll(w, k)) for w in (u, u[::-1]) for k in range(8)} for u in chains.units]
    keys = {min(way) for way in ways}
    assert len(keys) == 300 and keys == {tuple(u) for u in chains.units}
    assert np.abs(np.bincount(chains.units.ravel()) / chains.units.size - 1 / 7).max() < 0.02
    assert_array_equal(sample_chains(300, random_state=0).units, chains.units)
    assert_allclose(chains.X, motif_attributes(chains.units)[0])
