"""Moves of Dirichlet diffusion trees, which leave the prior and the posterior invariant."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from subsel.literature.models.hierarchies import diffusion_loops as loops
from subsel.literature.models.hierarchies.diffusion_tree import (
    SPREAD,
    Outside,
    TreeArrays,
    _Chain,
    diffusion_likelihood,
    diffusion_prior,
    grow_tree,
)
from subsel.models.bayes.posterior import effective_sample_size


def draws_near(rng, m, n_places, n_times):
    """Even draws for one sweep of small moves."""
    return rng.random((m - 1, n_places, 5)), rng.random((m - 1, n_times)), rng.random(m - 1)


def whole_value(chain, rate=1.3):
    """Prior and likelihood of the tree as it stands, from nothing kept."""
    tree = chain.draw().tree
    return diffusion_prior(tree, rate) + diffusion_likelihood(tree, chain.X, *chain.settings[:2])


@pytest.mark.parametrize("m", [2, 3, 9])
def test_moves_give_trees_whose_value_is_that_of_the_whole(m):
    """After any number of moves the tree is valid.

    Its messages give the prior and the likelihood.
    """
    rng = np.random.default_rng(m)
    chain = _Chain(rng.standard_normal((m, 2)), 1.3, rng)
    settings = chain.settings
    loops.refresh_all(chain.tree, chain.messages, settings, chain.X)
    for _ in range(40):
        loops.sweep_places(chain.tree, chain.messages, settings, rng.random((20, 4)))
        loops.sweep_near(chain.tree, chain.messages, settings, *draws_near(rng, m, 3, 5))
        tree = chain.draw().tree
        assert all(
            sorted(below) == sorted(chain.child[node]) for node, below in tree.children().items()
        )
        assert all(tree.above(node) <= tree.time[node] for node in range(2 * m - 1))
        assert tree.parent.count(-1) == 1 and tree.time[:m] == [1.0] * m
        whole = diffusion_prior(tree, 1.3) + diffusion_likelihood(tree, chain.X, *settings[:2])
        assert_allclose(loops.total_value(chain.tree, chain.messages, settings), whole)


def test_the_change_that_decides_is_that_of_the_whole():
    """The changes returned by `cut_off` and `hang` are those of the full prior and likelihood."""
    rng = np.random.default_rng(0)
    chain = _Chain(rng.standard_normal((9, 3)), 1.3, rng)
    settings = chain.settings
    loops.refresh_all(chain.tree, chain.messages, settings, chain.X)
    for row in rng.integers(9, size=100):
        before = whole_value(chain)
        change = loops.cut_off(row, chain.tree, chain.messages, settings)
        top = int(np.flatnonzero((chain.parent == -1) & (np.arange(17) != chain.parent[row]))[0])
        place = loops.draw_place(1, top, chain.tree, settings, rng.exponential(), rng.random())
        change += loops.hang(row, *place, chain.tree, chain.messages, settings)
        assert_allclose(change, whole_value(chain) - before, atol=1e-8)


def test_what_a_small_move_looks_at_changes_as_the_whole_does():
    """The local value changes by as much as the full prior and likelihood.

    A refused move is undone.
    """
    rng = np.random.default_rng(0)
    chain = _Chain(rng.standard_normal((9, 3)), 1.3, rng)
    tree, messages, settings = chain.tree, chain.messages, chain.settings
    seen = set()
    for head in rng.integers(9, 17, size=300):
        loops.refresh_all(tree, messages, settings, chain.X)
        outside = Outside(np.zeros((17, 3)), np.zeros((17, 3)))
        path = [head]
        while chain.parent[path[-1]] >= 0:
            path.append(chain.parent[path[-1]])
        for node in path[-2::-1]:
            loops.send_down(node, outside, tree, messages, settings)
        kind, first, second = int(rng.integers(3)), int(rng.integers(2)), int(rng.integers(2))
        node, other, here, there = loops.neighbouring_place(head, tree, kind, first, second)
        if node < 0 or here <= 0 or there <= 0:
            continue
        lower = chain.parent[node] if chain.parent[node] != head else chain.parent[other]
        before, whole, kept = (
            loops.value_at_pair(head, lower, outside, tree, messages, settings),
            whole_value(chain),
            chain.draw(),
        )
        draws = np.array(
            [(kind + 0.5) / 3, (first + 0.5) / 2, (second + 0.5) / 2, rng.random(), np.inf]
        )
        assert loops.try_place(head, outside, tree, messages, settings, draws) == head
        assert (
            chain.draw().tree.parent == kept.tree.parent
            and chain.draw().tree.time == kept.tree.time
        )
        draws[4] = 1e-300
        new = loops.try_place(head, outside, tree, messages, settings, draws)
        after = loops.value_at_pair(
            new, lower if new == head else head, outside, tree, messages, settings
        )
        assert_allclose(after - before, whole_value(chain) - whole, atol=1e-8)
        seen.add(kind)
    assert seen == {0, 1, 2}


@pytest.mark.parametrize("move", ["near", "process", "times"])
def test_each_kind_of_move_keeps_the_prior(move):
    """Each kind of move alone leaves the prior invariant.

    Mean and spread of the times are compared with direct draws.
    """
    rng = np.random.default_rng(0)
    moved = []
    for _ in range(1000):
        first, chain = grow_tree(4, rng), _Chain(np.empty((4, 0)), 1.0, rng)
        chain.parent[:], chain.time[:] = first.parent, first.time
        below = first.children()
        chain.child[4:] = [below[node] for node in range(4, 7)]
        loops.refresh_all(chain.tree, chain.messages, chain.settings, chain.X)
        if move == "process":
            loops.sweep_places(chain.tree, chain.messages, chain.settings, rng.random((30, 4)))
        for _ in range(0 if move == "process" else 4):
            given = draws_near(rng, 4, 3, 0) if move == "near" else draws_near(rng, 4, 0, 5)
            loops.sweep_near(chain.tree, chain.messages, chain.settings, *given)
        moved.append(chain.draw().tree.divergence_times()[[0, 0, 1], [1, 2, 3]])
    direct = np.array(
        [grow_tree(4, rng).divergence_times()[[0, 0, 1], [1, 2, 3]] for _ in range(1000)]
    )
    for function in (lambda t: t, lambda t: t**2, lambda t: t > 0.8):
        values, other = function(np.array(moved)).astype(float), function(direct).astype(float)
        error = np.sqrt((values.var(axis=0) + other.var(axis=0)) / 1000)
        assert (np.abs(values.mean(axis=0) - other.mean(axis=0)) < 5 * error).all()


def test_a_row_is_hung_from_the_prior():
    """A single row is proposed with the density of the prior.

    Without data every possible proposal would be accepted.
    """
    rng = np.random.default_rng(0)
    chain = _Chain(np.empty((9, 0)), 1.7, rng)
    loops.refresh_all(chain.tree, chain.messages, chain.settings, chain.X)
    for _ in range(20):
        loops.sweep_places(chain.tree, chain.messages, chain.settings, rng.random((20, 4)))
        row = int(rng.integers(9))
        old, when = loops.sibling(row, chain.tree), chain.time[chain.parent[row]]
        change = loops.cut_off(row, chain.tree, chain.messages, chain.settings)
        top = int(np.flatnonzero((chain.parent == -1) & (np.arange(17) != chain.parent[row]))[0])
        other, new = loops.draw_place(
            1, top, chain.tree, chain.settings, rng.exponential(), rng.random()
        )
        ratio = loops.place_density(1, old, when, chain.tree, chain.settings)
        ratio -= loops.place_density(1, other, new, chain.tree, chain.settings)
        change += loops.hang(row, other, new, chain.tree, chain.messages, chain.settings)
        assert_allclose(change, -ratio, atol=1e-9)


@pytest.mark.parametrize("n_paths", [1, 3])
def test_places_by_the_process_have_their_density(n_paths):
    """The frequency of each edge, and the mean time on it, are integrals of the density."""
    rng = np.random.default_rng(0)
    chain = _Chain(np.empty((7, 0)), 1.4, rng)
    first = grow_tree(4, rng)
    parent, time = np.full(13, -1), np.ones(13)
    names = np.r_[0:4, 7:10]
    parent[names] = [names[p] if p >= 0 else -1 for p in first.parent]
    time[names] = first.time
    child = np.full((13, 2), -1)
    size = np.ones(13, dtype=np.int64)
    for node in first.upwards():
        child[names[node]] = names[first.children()[node]]
        size[names[node]] = size[child[names[node]]].sum()
    tree = TreeArrays(parent, child, time, size)
    top = int(names[first.top])
    drawn = [
        loops.draw_place(n_paths, top, tree, chain.settings, rng.exponential(), rng.random())
        for _ in range(4000)
    ]
    total = 0.0
    for other in names:
        low = time[parent[other]] if parent[other] >= 0 else 0.0

        def density(t, other=other):
            return np.exp(loops.place_density(n_paths, other, t, tree, chain.settings))

        mass = quad(density, low, time[other])[0]
        total += mass
        times = np.array([t for place, t in drawn if place == other])
        assert abs(len(times) - 4000 * mass) < 5 * np.sqrt(4000 * mass * (1 - mass)) + 1
        if len(times) > 20:
            mean = quad(lambda t, density=density: t * density(t), low, time[other])[0] / mass
            assert abs(times.mean() - mean) < 5 * times.std() / np.sqrt(len(times))
    assert_allclose(total, 1, atol=1e-6)


def test_data_drawn_anew_after_every_sweep_leave_the_prior():
    """Drawing rows and sweeping in turn leaves the prior invariant (Geweke's test)."""
    rng, m, n = np.random.default_rng(0), 5, 4000
    chain = _Chain(rng.standard_normal((m, 4)), 1.0, rng)
    chain.centre = np.array([[0.0, 0.5, 0.0, 1.0], [-2.0, -1.0, -3.0, -4.0]])
    chain.logs = chain.centre.copy()
    times, logs = [], []
    for _ in range(n):
        T = chain.draw().tree.divergence_times()
        for j, (diffusion, noise) in enumerate(np.exp(chain.logs).T):
            chain.X[:, j] = np.linalg.cholesky(
                diffusion * T + noise * np.eye(m)
            ) @ rng.standard_normal(m)
        chain.sweep()
        times.append(T[np.triu_indices(m, 1)])
        logs.append((chain.logs - chain.centre).ravel())
    direct = np.array(
        [grow_tree(m, rng).divergence_times()[np.triu_indices(m, 1)] for _ in range(n)]
    )

    def summaries(T):
        return np.column_stack(
            [T[:, 0], T[:, 0] ** 2, T.min(axis=1), T.max(axis=1), (T > 0.9).mean(axis=1)]
        )

    found, other = summaries(np.array(times)), summaries(direct)
    error = np.sqrt(found.var(axis=0) / effective_sample_size(found[None]) + other.var(axis=0) / n)
    assert (error < 0.02).all() and (
        np.abs(found.mean(axis=0) - other.mean(axis=0)) < 5 * error
    ).all()
    variances = np.column_stack([logs, np.square(logs)])
    error = variances.std(axis=0) / np.sqrt(effective_sample_size(variances[None]))
    assert (error < 0.3).all() and (
        np.abs(variances.mean(axis=0) - np.repeat([0, SPREAD**2], 8)) < 5 * error
    ).all()


def test_times_that_no_number_tells_from_one_are_not_reached():
    """With a slow rate, paths diverge so late that times round to one, and the chain continues.

    All nodes remain before their leaves.
    """
    for chain in (_Chain(np.empty((12, 0)), 0.03, np.random.default_rng(s)) for s in range(5)):
        for _ in range(200):
            chain.sweep()
            assert (chain.time[12:] < 1).all() and (chain.time[12:] > 0).all()
