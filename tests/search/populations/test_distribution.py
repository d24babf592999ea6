"""Estimation of distribution and its networks."""

from itertools import pairwise, product

import numpy as np
import pytest

from subsel.search.populations import bayesian_network
from subsel.search.populations.bayesian_network import (
    Network,
    _gains,
    _mutual_information,
    learn_marginals,
    learn_network,
    learn_tree,
)
from subsel.search.populations.distribution import Distribution
from subsel.space.space import Space
from tests.oracles.driving import drive, random_qualities


def chain(n_bits, n, seed, keep=0.9):
    """Rows of bits in which each one copies the one before it, most of the time."""
    rng = np.random.default_rng(seed)
    bits = np.empty((n, n_bits), dtype=np.uint8)
    bits[:, 0] = rng.random(n) < 0.4
    for j in range(1, n_bits):
        bits[:, j] = np.where(rng.random(n) < keep, bits[:, j - 1], 1 - bits[:, j - 1])
    return bits


def joint(bits):
    """The frequency of each pattern."""
    codes = bits.astype(int) @ (1 << np.arange(bits.shape[1]))
    return np.bincount(codes, minlength=1 << bits.shape[1]) / len(bits)


def distance(one, other):
    """Total variation."""
    return 0.5 * np.abs(joint(one) - joint(other)).sum()


def skeleton(network):
    """Pairs of bits joined by an arc."""
    return {
        frozenset((child, parent))
        for child, above in enumerate(network.parents)
        for parent in above
    }


def test_marginals():
    """Marginals are the smoothed frequencies, and samples follow them."""
    bits = np.random.default_rng(0).random((500, 6)) < np.linspace(0.1, 0.9, 6)
    network = learn_marginals(bits.astype(np.uint8))
    expected = (bits.sum(axis=0) + 1) / 502
    np.testing.assert_allclose(np.concatenate(network.tables), expected)
    sampled = network.sample(20_000, np.random.default_rng(1))
    np.testing.assert_allclose(sampled.mean(axis=0), expected, atol=0.015)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 0, 4, 1, 2]])
def test_tree_recovers_a_chain(order):
    """The tree of a chain is the chain, wherever its links lie, and its samples have the
    chain's joint distribution.
    """
    bits = chain(5, 2000, seed=0)[:, np.argsort(order)]
    network = learn_tree(bits)
    assert skeleton(network) == {frozenset(pair) for pair in pairwise(order)}
    assert distance(network.sample(20_000, np.random.default_rng(1)), bits) < 0.05
    assert distance(learn_marginals(bits).sample(20_000, np.random.default_rng(1)), bits) > 0.3


def test_tree_has_the_most_information():
    """No other tree over four bits has more mutual information between its neighbours."""
    bits = (np.random.default_rng(3).random((60, 4)) < 0.5).astype(np.uint8)
    information = _mutual_information(bits)
    total = sum(information[tuple(pair)] for pair in skeleton(learn_tree(bits)))
    pairs = [(i, j) for i in range(4) for j in range(i)]
    trees = [t for t in product(pairs, repeat=3) if len(set(t)) == 3 and _spans(t)]
    assert total == pytest.approx(max(sum(information[pair] for pair in tree) for tree in trees))


def _spans(edges):
    reached = {0}
    for _ in range(3):
        reached |= {b for edge in edges for b in edge if reached & set(edge)}
    return len(reached) == 4


def test_network_learns_exclusive_or():
    """A bit that is the exclusive or of two others, and a noisy copy, are reproduced by the
    network; a tree cannot.
    """
    rng = np.random.default_rng(0)
    bits = (rng.random((3000, 5)) < [0.5, 0.35, 0.5, 0.3, 0.5]).astype(np.uint8)
    bits[:, 2] = bits[:, 0] ^ bits[:, 1] ^ (rng.random(3000) < 0.05)
    bits[:, 4] = bits[:, 3] ^ (rng.random(3000) < 0.1)
    network = learn_network(bits, max_parents=2)
    assert distance(network.sample(20_000, rng), bits) < 0.06
    assert distance(learn_tree(bits).sample(20_000, rng), bits) > 0.15


def test_network_of_noise_has_no_arcs():
    """Independent bits get next to no parents under BIC."""
    arcs = [
        len(
            skeleton(
                learn_network((np.random.default_rng(s).random((400, 6)) < 0.5).astype(np.uint8))
            )
        )
        for s in range(20)
    ]
    assert np.mean(arcs) < 1


@pytest.mark.parametrize("seed", range(5))
def test_network_is_acyclic_and_small(seed):
    """Parents come before children, and no bit has more of them than allowed."""
    rng = np.random.default_rng(seed)
    bits = (rng.random((80, 12)) < 0.5).astype(np.uint8)
    bits[:, 6:] = (
        bits[:, :6]
        ^ (rng.random((80, 6)) < 0.2)
        ^ bits[:, [1, 2, 3, 4, 5, 0]] * bits[:, [2, 3, 4, 5, 0, 1]]
    )
    network = learn_network(bits, max_parents=2)
    seen = {bit for bit in range(12) if not network.parents[bit]}
    for child in network.order:
        assert seen.issuperset(network.parents[child]) and 1 <= len(network.parents[child]) <= 2
        seen.add(child)
    assert len(seen) == 12 and skeleton(network)


def log_likelihood(bits, child, parents):
    """Of one bit given others, counted row by row."""
    total = 0.0
    for setting in product((0, 1), repeat=len(parents)):
        rows = bits[(bits[:, parents] == setting).all(axis=1), child]
        total += sum(
            np.sum(rows == v) * np.log(np.mean(rows == v)) for v in (0, 1) if (rows == v).any()
        )
    return total


def test_gains_against_counting():
    """The gain of a further parent is the difference of two log likelihoods."""
    bits = chain(6, 70, seed=1, keep=0.7)
    for parents in ([], [1], [4, 1]):
        gains = (
            len(bits) * _mutual_information(bits)[0] if not parents else _gains(bits, 0, parents)
        )
        before = log_likelihood(bits, 0, parents)
        for other in (2, 3, 5):
            assert gains[other] == pytest.approx(
                log_likelihood(bits, 0, [*parents, other]) - before, abs=1e-9
            )


def above(network, bit):
    """The bit and everything it depends on."""
    return {bit}.union(*(above(network, parent) for parent in network.parents[bit]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_arcs_are_those_that_raise_bic(seed, max_parents):
    """Every arc learnt raised BIC, and no further one that closes no circle would, counted
    row by row.
    """
    bits = chain(7, 60, seed, keep=0.75)[:, np.random.default_rng(seed).permutation(7)]
    network = learn_network(bits, max_parents)
    for child, parents in enumerate(network.parents):
        open_to = [p for p in range(7) if p not in parents and child not in above(network, p)]
        for parent in open_to if len(parents) < max_parents else []:
            gain = log_likelihood(bits, child, [*parents, parent]) - log_likelihood(
                bits, child, parents
            )
            assert gain <= 0.5 * np.log(60) * 2 ** len(parents) + 1e-9
        for number, parent in enumerate(parents):
            gain = log_likelihood(bits, child, parents[: number + 1]) - log_likelihood(
                bits, child, parents[:number]
            )
            assert gain > 0.5 * np.log(60) * 2**number, f"{parent} -> {child} does not pay"


def test_sampling_a_given_network():
    """Logic sampling of a network written by hand has the product of its tables as joint
    distribution.
    """
    tables = [np.array([0.3]), np.array([0.9, 0.2]), np.array([0.5, 0.1, 0.8, 0.4])]
    network = Network([[], [0], [0, 1]], tables, [1, 2])
    expected = [
        np.prod(
            [
                p if bit else 1 - p
                for p, bit in zip((0.3, tables[1][a], tables[2][a + 2 * b]), (a, b, c))
            ]
        )
        for c, b, a in product((0, 1), repeat=3)
    ]
    assert np.abs(joint(network.sample(50_000, np.random.default_rng(0))) - expected).max() < 0.01


@pytest.mark.parametrize("model", ["marginals", "tree", "network"])
def test_finds_the_optimum(model):
    """In most runs the best of the 63 subsets of six columns is found, and the elite keeps
    the best quality.
    """
    found = 0
    for seed in range(12):
        quality = random_qualities(seed)
        best = max(quality(Space.of(6).from_bits(bits)) for bits in range(1, 64))
        found += (
            drive(Distribution(model), quality, Space.of(6), seed=seed, horizon=500, limit=500).best
            == best
        )
    assert found >= 8


def traps(subset):
    """Triples of units that are worth most when whole, and otherwise the less the more of
    them are there.
    """
    ones = [(subset.bits >> 3 * block & 7).bit_count() for block in range(8)]
    return float(sum(3 if n == 3 else 2 - n for n in ones))


def test_dependencies_help():
    """Where triples of units count as a whole only, the tree and the network get further
    than the marginals.
    """
    mean = {
        model: np.mean(
            [
                drive(Distribution(model, population=200), traps, Space.of(24), s, limit=5000).best
                for s in range(3)
            ]
        )
        for model in ("marginals", "tree", "network")
    }
    assert min(mean["tree"], mean["network"]) > mean["marginals"] + 1


def test_too_many_units_for_pairs():
    """A tree among 6,000 units is refused with the remedy, marginals are not."""
    with pytest.raises(ValueError, match="umda"):
        next(Distribution("tree").steps(Space.of(6000), np.random.default_rng(0)))
    assert (
        len(next(Distribution("marginals").steps(Space.of(6000), np.random.default_rng(0)))) == 200
    )


def test_network_of_a_hundred_bits_is_learnt_quickly(monkeypatch):
    """Learning a network among 100 bits looks at all further parents of a bit only after it
    was given one.
    """
    looked = []
    monkeypatch.setattr(
        bayesian_network, "_gains", lambda *given: looked.append(given[1]) or _gains(*given)
    )
    network = learn_network(chain(100, 100, seed=0))
    arcs = [len(parents) for parents in network.parents]
    assert (
        np.bincount(looked, minlength=100).tolist() == [min(n, 2) for n in arcs] and sum(arcs) > 90
    )
