"""Checks of declared features: the published table comes out, cheating is seen, honesty is not punished."""

import numpy as np
import pytest

from subsel.literature.studies.integrity import fresh_data_check, reference_check

# book-02 CH8: five entries on MADELON, per cent on the challenge's test set and on two fresh ones; corrected values.
ERRORS = [
    [7.72, 9.78, 9.72],
    [6.67, 8.28, 8.72],
    [8.56, 10.39, 9.55],
    [6.61, 7.72, 8.56],
    [9.44, 10.78, 11.38],
]
CORRECTED = [
    [8.83, 9.30, 9.05],
    [7.63, 7.87, 8.12],
    [9.79, 9.88, 8.89],
    [7.56, 7.34, 7.97],
    [10.80, 10.25, 10.60],
]


def test_the_published_table():
    """All corrected values and the bar, to the printed digits; nobody is suspect."""
    found = fresh_data_check(np.array(ERRORS) / 100, 1800)
    assert 100 * found.corrected == pytest.approx(np.array(CORRECTED), abs=0.0101)
    assert 100 * found.error_bar == pytest.approx(0.67, abs=0.005)
    assert not found.suspect.any()


def test_an_entry_tuned_on_the_test_set_is_seen():
    """It alone does worse on fresh data."""
    errors = np.array(ERRORS) / 100
    errors[3, 0] = 0.03
    assert fresh_data_check(errors, 1800).suspect.tolist() == [False, False, False, True, False]


def test_poor_features_cannot_explain_a_good_score():
    """The reference does much worse on the features of one entry; under nested noise p is uniform."""
    rng = np.random.default_rng(0)
    entries = rng.uniform(0.05, 0.15, 10)
    reference = entries + 0.02 + 0.005 * rng.normal(size=10)
    reference[4] += 0.1
    assert reference_check(reference, entries).p_value.argmin() == 4
    assert reference_check(reference, entries).p_value[4] < 0.02
    p = np.array([reference_check(g, np.zeros(10)).p_value[0] for g in rng.normal(size=(4000, 10))])
    assert abs(np.mean(p < 0.1) - 0.1) < 0.03


@pytest.mark.parametrize("bad", [[0.1, 0.2], [[0.1], [0.2]], [[7.7, 9.8]]])
def test_what_cannot_be_checked_is_refused(bad):
    """One set only, or per cent for rates."""
    with pytest.raises(ValueError, match="errors must be"):
        fresh_data_check(np.array(bad), 100)
