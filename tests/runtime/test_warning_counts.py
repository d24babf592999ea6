"""Warnings of other libraries are counted, ours are told."""

import warnings
from threading import Thread

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from subsel import assess
from subsel.engine import StoppedEarly
from subsel.runtime.warning_counts import counted_warnings, in_one_line


def test_warnings_are_counted_by_their_text(recwarn):
    """Each is counted, none is shown, what nobody can act on is dropped."""
    with counted_warnings() as found:
        for _ in range(5):
            warnings.warn("slow", ConvergenceWarning, stacklevel=1)
        warnings.warn("odd", RuntimeWarning, stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert found == {"ConvergenceWarning: slow": 5, "RuntimeWarning: odd": 1} and len(recwarn) == 0
    assert in_one_line(found).startswith(
        "6 warnings"
    ) and "ConvergenceWarning (5 times): slow" in in_one_line(found)
    assert in_one_line({}) == ""


def test_our_own_are_given_again():
    """A warning of this library reaches whoever listens outside."""
    with pytest.warns(StoppedEarly, match="too soon"), counted_warnings() as found:
        warnings.warn("too soon", StoppedEarly, stacklevel=1)
    assert not found


def test_a_thread_beside_the_main_one_leaves_the_filters_alone():
    """What is done with warnings belongs to the whole process."""
    before, after = warnings.filters[:], []

    def work():
        with counted_warnings():
            after.extend(warnings.filters)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert after == before


def test_an_assessment_gathers_them_into_a_note(recwarn):
    """A model that never converges is one note with the number of warnings, and prints nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8)), np.arange(60) % 2
    found = assess(
        None, LogisticRegression(max_iter=1), X, y, cv=3, references=False, random_state=0
    )
    assert any(
        note.startswith("3 warnings") and "ConvergenceWarning (3 times)" in note
        for note in found.notes
    )
    assert len(recwarn) == 0
