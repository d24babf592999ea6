"""The Relief family on a device: the same neighbours, the same scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from subsel.data.statistics import differences as module
from subsel.ranking.scores.neighbours.relief import differences, ratio_relief, relief
from subsel.ranking.scores.neighbours.relieff import relieff
from subsel.ranking.scores.neighbours.rrelieff import rrelieff
from subsel.ranking.scores.neighbours.surf import multisurf, multisurf_star, surf, surf_star

FAMILY = [relief, ratio_relief, relieff, surf, surf_star, multisurf, multisurf_star, rrelieff]


def table(seed=0):
    """Numbers with ties, copies and a constant, names and missing values; three classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((70, 12)).round(1)
    X[:, 3], X[:, 4], X[:, 5] = X[:, 2], 7.0, rng.integers(0, 4, 70)
    X[rng.random((70, 12)) < 0.05] = np.nan
    return X, np.arange(70) % 3


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("score", FAMILY, ids=lambda score: score.__name__)
def test_scores_are_those_of_the_processor(score, metric, monkeypatch):
    """With ties, names and missing values, all distances kept or not, few pairs at a time."""
    pytest.importorskip("torch")
    X, y = table()
    given = {"nominal": [5], "metric": metric}
    plain = score(X, y.astype(float) + 0.01 * np.arange(70) if score is rrelieff else y, **given)
    monkeypatch.setattr("subsel.data.statistics.differences.COPIES", 1e5)
    for kept in (8192, 10):
        monkeypatch.setattr(module, "KEPT", kept)
        there = score(
            X,
            y.astype(float) + 0.01 * np.arange(70) if score is rrelieff else y,
            **given,
            device="cpu",
        )
        assert_allclose(there, plain, rtol=1e-10, atol=1e-13)


def test_distances_are_those_of_the_processor_to_the_bit():
    """Sums of differences lie on a grid, so that no order of summing can change them."""
    pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    X = np.column_stack(
        [rng.standard_normal((90, 40)) * 10.0 ** rng.integers(-3, 4, 40), rng.integers(0, 5, 90)]
    )
    codes = np.zeros(90, dtype=np.intp)
    here, there = (
        differences(X, codes, [40], "manhattan", device=device) for device in (None, "cpu")
    )
    for (_, one), (_, other) in zip(here.blocks(), there.blocks()):
        assert_array_equal(one, other)


def test_without_pytorch_the_extra_is_named(monkeypatch):
    """As for the criteria."""
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ImportError, match=r"subsel\[accelerator\]"):
        relieff(*table(), device="cpu")
