"""Spectra: each step against its plain definition, and the whole chain on real spectra."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from subsel.literature.spectra import (
    BaselineRemoval,
    BlockMeans,
    ExponentialSmoothing,
    HaarWavelets,
    HeightNormalisation,
    LowPass,
    PeakAlignment,
    PeakHeights,
    Quantisation,
    SoftThreshold,
    mass_spectra,
)
from subsel.literature.spectra.alignment import best_shift, shifted
from tests.real_tables import real_table

BINS = np.arange(300)
RNG = np.random.default_rng(0)


def bump(centre, height=1.0, width=4.0):
    return height * np.exp(-(((BINS - centre) / width) ** 2))


SPECTRA = np.stack([bump(60) + bump(150, h) + bump(240, 0.5) for h in RNG.uniform(0.5, 2, size=12)])


def test_baseline_is_the_median_of_the_lowest_values():
    """Away from the ends the baseline is the 10% quantile of the window."""
    row, window = RNG.normal(size=80), 21
    floor = row - BaselineRemoval(window, share=0.2).fit_transform([row])[0]
    for i in range(10, 70):
        assert_allclose(
            floor[i], np.sort(row[i - 10 : i + 11])[2]
        )  # the third of 21: median of the lowest fifth


def test_baseline_takes_a_slope_away_and_leaves_peaks():
    """A peak on a slope keeps its height, but for what the slope changes within a window."""
    flat = BaselineRemoval(61).fit_transform([bump(150) + 0.01 * BINS])[0]
    assert abs(flat[150] - 1) < 0.4 and abs(flat[[60, 240]]).max() < 0.4
    assert_array_equal(BaselineRemoval(1).fit_transform(SPECTRA), np.zeros_like(SPECTRA))


def test_smoothing_is_the_weighted_mean():
    """Each inner bin is the mean of its window with weights e^(-|k|/tau); constants stay."""
    row = RNG.normal(size=30)
    found = ExponentialSmoothing(5, decay=1.5).fit_transform([row, np.ones(30)])
    weights = np.exp(-np.abs(np.arange(-2, 3)) / 1.5)
    for i in range(2, 28):
        assert_allclose(found[0, i], weights @ row[i - 2 : i + 3] / weights.sum())
    assert_allclose(found[1], 1)


def test_height_is_brought_to_one_and_forgets_scale():
    """The median of the highest values becomes 1 whatever the scale; a spectrum of zeros stays."""
    found = HeightNormalisation(0.1).fit_transform(
        np.vstack([SPECTRA, 7 * SPECTRA[:1], np.zeros((1, 300))])
    )
    assert_allclose(np.median(np.sort(found[:-1], axis=1)[:, -30:], axis=1), 1)
    assert_allclose(found[-2], found[0])
    assert_array_equal(found[-1], 0)


@pytest.mark.parametrize("shift", [-7, -1, 0, 3, 8])
def test_alignment_undoes_a_shift(shift):
    """A shifted spectrum is shifted back, unless the shift exceeds the limit."""
    aligned = PeakAlignment(8).fit(SPECTRA)
    assert best_shift(shifted(SPECTRA[3], shift), aligned.reference_, 8) == -shift
    assert_allclose(aligned.transform(shifted(SPECTRA[3], shift)[None])[0], SPECTRA[3], atol=1e-9)
    assert (
        PeakAlignment(0).fit(SPECTRA).transform(shifted(SPECTRA[:1], 0)).tolist()
        == SPECTRA[:1].tolist()
    )


def test_best_shift_is_that_of_brute_force():
    """The shift has the largest inner product of centred spectra among all allowed."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        one, other = rng.normal(size=(2, 25))
        a, b = one - one.mean(), other - other.mean()
        overlaps = {
            s: sum(a[i - s] * b[i] for i in range(25) if 0 <= i - s < 25) for s in range(-6, 7)
        }
        assert best_shift(one, other, 6) == max(overlaps, key=overlaps.get)


def test_peaks_are_found_and_measured_where_each_spectrum_has_them():
    """The three peaks of the mean are found.

    Heights follow the peak of a spectrum within reach, and names follow the peaks.
    """
    frame = pd.DataFrame(SPECTRA, columns=[f"mz{b}" for b in BINS])
    found = PeakHeights(reach=4).fit(frame)
    assert found.peaks_.tolist() == [60, 150, 240]
    assert found.get_feature_names_out().tolist() == ["mz60", "mz150", "mz240"]
    moved = pd.DataFrame([shifted(SPECTRA[0], 3)], columns=frame.columns)
    assert_allclose(found.transform(moved)[0], SPECTRA[0][[60, 150, 240]])
    assert PeakHeights().fit(np.ones((3, 5))).peaks_.tolist() == [0]


def test_block_means_are_a_filter_and_a_decimation():
    """Means of blocks are those of a box filter; width 1 changes nothing.

    Inverses are constant in each block.
    """
    found = BlockMeans(4).fit_transform(SPECTRA)
    box = np.stack([np.convolve(row, np.ones(4) / 4, "valid")[::4] for row in SPECTRA])
    assert_allclose(found, box)
    assert_array_equal(BlockMeans(1).fit_transform(SPECTRA), SPECTRA)
    uneven = BlockMeans(7).fit(SPECTRA)
    assert_allclose(
        uneven.transform(uneven.inverse_transform(uneven.transform(SPECTRA))),
        uneven.transform(SPECTRA),
    )
    assert uneven.transform(SPECTRA).shape[1] == 43 == len(uneven.get_feature_names_out())


def test_low_pass_keeps_slow_waves_only():
    """A slow wave passes and a fast one does not; the full band is the identity.

    Filtering twice is filtering once.
    """
    slow, fast = np.cos(2 * np.pi * 3 * BINS / 300), np.cos(2 * np.pi * 120 * BINS / 300)
    filtered = LowPass(0.2).fit_transform([slow + fast])
    assert_allclose(filtered, [slow], atol=1e-12)
    assert_allclose(LowPass(1).fit_transform(SPECTRA), SPECTRA, atol=1e-12)
    assert_allclose(LowPass(0.2).fit_transform(filtered), filtered, atol=1e-12)


@pytest.mark.parametrize("n_bins", [1, 8, 11, 300])
def test_wavelets_are_orthonormal_and_undone(n_bins):
    """Coefficients are those of a matrix with orthonormal columns (or rows, if padded).

    Inverses reverse them.
    """
    rows = SPECTRA[:, :n_bins]
    haar = HaarWavelets(3).fit(rows)
    assert_allclose(haar.inverse_transform(haar.transform(rows)), rows, atol=1e-12)
    if n_bins == 8:
        assert_allclose((haar.transform(rows) ** 2).sum(axis=1), (rows**2).sum(axis=1))
        basis = haar.transform(np.eye(8))
        assert_allclose(basis @ basis.T, np.eye(8), atol=1e-12)
    assert len(haar.get_feature_names_out()) == haar.transform(rows).shape[1] == -(-n_bins // 8) * 8


def test_threshold_and_levels_keep_what_they_say():
    """About the given share of the values stays positive.

    Levels are integers, span the range, and do not change if rounded again.
    """
    values = RNG.gamma(2, size=(20, 50))
    thin = SoftThreshold(0.3).fit(values)
    assert_allclose((thin.transform(values) > 0).mean(), 0.3, atol=0.001)
    levels = Quantisation(1000).fit_transform(values)
    assert levels.min() == 0 and levels.max() == 999 and (levels == np.rint(levels)).all()
    assert_array_equal(Quantisation(1000).fit_transform(levels), levels)
    assert Quantisation(10).fit(values).transform(100 + values).max() == 9


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (BaselineRemoval(0), "window"),
        (BaselineRemoval(share=0), "share"),
        (ExponentialSmoothing(4), "window must be odd"),
        (ExponentialSmoothing(decay=0), "decay"),
        (HaarWavelets(0), "levels"),
        (HeightNormalisation(2), "share"),
        (PeakAlignment(-1), "max_shift"),
        (PeakHeights(reach=-1), "reach"),
        (PeakHeights(prominence=-1), "prominence"),
        (BlockMeans(0), "width"),
        (LowPass(0), "share"),
        (SoftThreshold(0), "share"),
        (Quantisation(1), "levels"),
    ],
)
def test_parameters_out_of_range_are_named(step, words):
    """A wrong parameter is refused by name when fitting."""
    with pytest.raises(ValueError, match=words):
        step.fit(SPECTRA)


def test_chain_on_real_spectra():
    """On the SELDI spectra the pipeline gives levels 0 to 999, half of them zero.

    A classifier still separates the classes.
    """
    stored = np.load(real_table("seldi_imac_camassclass.npz"))
    patients, first = np.unique(stored["patient"], return_index=True)
    X = np.stack([stored["X"][stored["patient"] == p].mean(axis=0) for p in patients]).astype(
        float
    )[:, :4000]
    y = stored["y"][first]
    levels = mass_spectra().fit_transform(X)
    assert levels.min() == 0 and levels.max() == 999
    assert_allclose((levels > 0).mean(), 0.5, atol=0.01)
    model = make_pipeline(mass_spectra(), PeakHeights(), SVC(kernel="linear"))
    assert cross_val_score(model, X, y, cv=GroupKFold(5), groups=patients).mean() > 0.6
