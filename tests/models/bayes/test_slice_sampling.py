"""Slices against laws that are known."""

import numpy as np
import pytest
from scipy.stats import gumbel_r, kstest, norm

from subsel.models.bayes.slice_sampling import slice_draw


@pytest.mark.parametrize("width", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("law", [norm(3, 0.5), gumbel_r(-1, 2)])
def test_each_draw_keeps_the_law(law, width):
    """Numbers drawn from a distribution still follow it after five moves.

    The first interval is too short or too long.
    """
    rng = np.random.default_rng(0)
    values = law.rvs(400, random_state=rng)
    centre, spread = law.args
    if law.dist.name == "norm":

        def density(x):
            return -(((x - centre) / spread) ** 2) / 2
    else:

        def density(x):
            return -(x - centre) / spread - np.exp(-(x - centre) / spread)

    moved = values
    for _ in range(5):
        moved = [slice_draw(density, x, width, rng) for x in moved]
    assert (values != moved).all()
    assert kstest(moved, law.cdf).pvalue > 1e-3


def test_one_draw_reaches_a_far_mass():
    """From ten standard deviations off few draws lead home, though the interval is short."""
    rng, x = np.random.default_rng(0), 10.0
    for _ in range(20):
        x = slice_draw(lambda z: -z * z / 2, x, 0.5, rng)
    assert abs(x) < 4
