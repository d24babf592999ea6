"""The move that stretches weights and widths together, against integrals."""

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from subsel.models.bayes.posterior import effective_sample_size
from subsel.models.bayes.scale_priors import CommonScale, HeavyTailedScales, stretched

SEEN = np.array([0.3, 2.5])  # each is a weight and a normal error of variance one


def explained(weights):
    return -0.5 * float(((SEEN - weights) ** 2).sum())


def drawn_weights(precisions, rng):
    """Weights given their widths and what was seen."""
    variance = 1 / (1 + precisions)
    return variance * SEEN + np.sqrt(variance) * rng.standard_normal(2)


def common_widths(n_draws, rng):
    """A chain in which nothing but the stretch moves the width of two weights."""
    scale = CommonScale(1.0)
    for _ in range(n_draws):
        weights = drawn_weights(scale.precision, rng)
        stretched(scale, weights, lambda factor, w=weights.copy(): explained(factor * w), rng)
        yield scale.precision**-0.5


def widths_above_widths(n_draws, rng):
    """A chain in which nothing but the stretch moves the scale above the widths of two weights."""
    scales = HeavyTailedScales(2, shape=1.0, width=1.0)
    for _ in range(n_draws):
        weights = drawn_weights(scales.precisions, rng)
        scales.precisions = rng.gamma(1.5, size=2) / (scales.common + weights**2 / 2)
        stretched(scales, weights, lambda factor, w=weights.copy(): explained(factor * w), rng)
        yield np.sqrt(scales.common)


def law_of_common_width(log_sigma):
    """1/sigma^2 follows a Gamma distribution, and what was seen has the variance sigma^2 + 1."""
    sigma = np.exp(log_sigma)
    prior = np.exp(-log_sigma - 0.5 / sigma**2)
    return prior * norm.pdf(SEEN, scale=np.sqrt(sigma[:, None] ** 2 + 1)).prod(axis=1)


def law_of_width_above_widths(log_sigma):
    """Sigma is half normal; a weight is sigma times Student's t."""
    sigma, weight = np.exp(log_sigma), np.linspace(-60, 60, 8001)
    density = student.pdf(weight / sigma[:, None], df=2) / sigma[:, None]
    seen = (density[:, None] * norm.pdf(SEEN[:, None] - weight)).sum(axis=2) * (
        weight[1] - weight[0]
    )
    return np.exp(log_sigma - 0.5 * sigma**2) * seen.prod(axis=1)


@pytest.mark.parametrize(
    ("chain", "law", "log_sigma"),
    [
        (common_widths, law_of_common_width, np.linspace(-3, 12, 1501)),
        (widths_above_widths, law_of_width_above_widths, np.linspace(-3.5, 2.5, 241)),
    ],
)
def test_stretching_leaves_the_posterior_as_it_is(chain, law, log_sigma):
    """The width has the distribution given by the integral over the weights.

    The tolerance is five standard errors.
    """
    kept = np.log(list(chain(8000, np.random.default_rng(0))))
    density = law(log_sigma)
    density /= density.sum()
    for function in (np.tanh, lambda z: z < -0.5, lambda z: z < 0.0, lambda z: z < 0.7):
        values = function(kept).astype(float)
        error = values.std() / np.sqrt(effective_sample_size(values[None, :, None])[0])
        assert error < 0.02
        assert abs(values.mean() - density @ function(log_sigma)) < 5 * error


@pytest.mark.parametrize("scale", [CommonScale(2.0), HeavyTailedScales(3, shape=1.0, width=2.0)])
def test_ratios_are_kept(scale):
    """Weights and all widths are longer by the one factor that is given."""
    rng = np.random.default_rng(1)
    weights = rng.standard_normal(3)
    before, widths = weights.copy(), lambda: np.append(*_precisions(scale)) ** -0.5
    first = widths()
    factor = stretched(scale, weights, lambda f: 0.0, rng)
    assert factor != 1
    np.testing.assert_allclose(weights, factor * before)
    np.testing.assert_allclose(widths(), factor * first)


def _precisions(scale):
    if isinstance(scale, CommonScale):
        return [], [scale.precision]
    return scale.precisions, [1 / scale.common]
