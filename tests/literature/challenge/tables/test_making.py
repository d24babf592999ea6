"""Spectra of several laboratories on one axis, and the probes of ARCENE among them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from subsel.literature.challenge.tables import make_arcene
from subsel.literature.challenge.tables.making import SpectraSource, merge_spectra, worst_region


def laboratory(mz, seed, shift=0.0, n=12):
    """Spectra with three peaks, the middle one higher in the second class, on the laboratory's own axis."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2

    def peaks(at, height):
        return height * np.exp(-((mz - at - shift) ** 2) / 30)

    X = np.stack([peaks(330, 1) + peaks(400, 1 + 2 * label) + peaks(470, 1.5) for label in y])
    return SpectraSource(mz, X + 0.01 * rng.random(X.shape), y)


def test_replicates_are_averaged_by_patient():
    """One row for each patient, in order of appearance, the mean of the spectra; a patient has one class."""
    X = np.arange(12.0).reshape(4, 3)
    source = SpectraSource(np.arange(3), X, np.array(["b", "a", "b", "a"]), np.array([7, 3, 7, 5]))
    means, y = source.averaged()
    assert_array_equal(means, [(X[0] + X[2]) / 2, X[1], X[3]])
    assert_array_equal(y, ["b", "a", "a"])
    with pytest.raises(ValueError, match="one class"):
        SpectraSource(np.arange(3), X, np.arange(4), np.array([1, 1, 2, 3])).averaged()


def test_peaks_of_laboratories_with_other_axes_fall_together():
    """Finer bins, and masses that are off by four, are brought to the bins of the reference."""
    near, fine = (
        laboratory(np.arange(150.0, 600.0), 0),
        laboratory(np.arange(150.0, 600.0, 0.5), 1, shift=4.0),
    )
    X, y, mz, source = merge_spectra([near, fine], (300.0, 500.0), window=101)
    assert X.shape == (24, len(mz)) and mz[0] == 300 + 4 and mz[-1] == 500 - 4
    assert_array_equal(source, np.repeat([0, 1], 12))
    assert_array_equal(y, np.tile(np.arange(12) % 2, 2))
    highest = mz[X[y == 1].argmax(axis=1)]
    assert_allclose(highest, 400, atol=1)
    unmoved = merge_spectra([near, fine], (300.0, 500.0), window=101, max_shift=0)
    assert_allclose(unmoved[2][unmoved[0][13].argmax()], 404, atol=1)


def test_the_worst_region_is_where_nothing_can_be_told():
    """The run of columns that are noise is found among runs that follow the class."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = y[:, None] + 0.1 * rng.normal(size=(40, 30))
    X[:, 10:20] = rng.normal(size=(40, 10))
    assert worst_region(X, y, 10, step=10) == (10, 20)
    with pytest.raises(ValueError, match="width"):
        worst_region(X, y, 31)


def test_probes_of_two_kinds():
    """Bins outside the region stand as they were; the region and the copies keep their values, in another order."""
    lab = laboratory(np.arange(250.0, 550.0), 0, n=20)
    made, *_ = make_arcene([lab], permuted=(40, 80), copied=(200, 210), window=101, random_state=0)
    plain, *_ = merge_spectra([lab], window=101)
    real = made.origin >= 0
    assert made.X.shape == (20, 310) and len(made.probes) == 50
    assert set(made.origin[real]) == set(range(300)) - set(range(40, 80))
    assert (
        made.X.min() == 0
        and made.X.max() == 999
        and np.mean(made.X == 0) == pytest.approx(0.5, abs=0.05)
    )
    for column, origin in zip(made.X.T[real], made.origin[real], strict=True):
        rise = np.diff(column[np.argsort(plain[:, origin])])
        assert (rise >= 0).all()  # levels follow the merged values
    values = sorted(tuple(np.sort(column)) for column in made.X[:, made.probes].T)
    whole = make_arcene([lab], permuted=(0, 1), copied=(0, 1), window=101, random_state=1)[0]
    by_origin = {
        origin: np.sort(column) for column, origin in zip(whole.X.T, whole.origin, strict=True)
    }
    assert values == sorted(tuple(by_origin[bin]) for bin in (*range(40, 80), *range(200, 210)))
    assert make_arcene([lab], window=101, random_state=0)[0].X.shape[1] == 300 + 16
    with pytest.raises(ValueError, match="permuted must be a region"):
        make_arcene([lab], permuted=(5, 5), window=101)
    with pytest.raises(ValueError, match="mz_range"):
        merge_spectra([lab], (1.0, 2.0))
