"""Systems of random subsets, solved one by one or side by side, have numpy's solutions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from subsel._loops.subsets import SMALL, _coefficients

P = 140
LIMIT = 1e-6


def blocks(n_blocks, n_targets, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_blocks, P + 20, P))
    return np.einsum("bip,biq->bpq", Z, Z), rng.normal(size=(n_blocks, P, n_targets))


@pytest.mark.parametrize("n_targets", [1, 2, 3])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5, 8, 9])
def test_coefficients_of_subsets_of_all_sizes(n_blocks, n_targets):
    """Whatever the size, and in whatever order sizes come, so that what the one before left is not read."""
    whole, targets = blocks(n_blocks, n_targets)
    rng = np.random.default_rng(n_blocks)
    sizes = rng.permutation([*range(45), 63, 64, 65, 100, 127, 128])
    subsets = [rng.permutation(P)[:s] for s in sizes]
    starts = np.cumsum([0, *sizes])
    moment = np.einsum("bpp->bp", whole)
    x, sound = _coefficients(whole, targets, moment, LIMIT, np.concatenate(subsets), starts)
    assert sound.all()
    for columns, first, last in zip(subsets, starts, starts[1:]):
        gram, sides = whole[:, columns[:, None], columns], targets[:, columns]
        assert_allclose(x[:, :, first:last], np.linalg.solve(gram, sides).transpose(0, 2, 1), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("size", [2, 3, 4, 5, SMALL, SMALL + 1, SMALL + 2, 70])
@pytest.mark.parametrize("where", [0, 4, 8])
def test_a_column_that_others_make_up_is_no_column(size, where):
    """A subset with a vanishing pivot in one block alone is not sound; those before and after it are."""
    whole, targets = blocks(9, 1)
    whole[where, 0], whole[where, :, 0] = whole[where, 1], whole[where, :, 1]
    whole[where, 0, 0] = whole[where, 0, 1] = whole[where, 1, 0] = whole[where, 1, 1]
    one, both = np.r_[1, 3 : size + 2], np.r_[3 : size + 1, 0, 1]
    for last in (both, np.r_[0, 1, 3 : size + 1]):
        flat, starts = np.concatenate([one, last, one]), np.arange(4) * size
        moment = np.einsum("bpp->bp", whole)
        x, sound = _coefficients(whole, targets, moment, LIMIT, flat, starts)
        assert sound.tolist() == [True, False, True]
        assert_allclose(x[:, :, :size], x[:, :, 2 * size :], rtol=1e-10)
