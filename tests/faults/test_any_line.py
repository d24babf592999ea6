"""An interruption at any line of the engine.

The best so far is given or it is raised, and resuming loses nothing.
"""

import warnings

import numpy as np
import pytest

from subsel.engine.journal import journal as journal_module
from tests.engine.journal.journal_run import play, seal
from tests.faults.injection import fault_at, n_lines

BUDGET = 60


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def interrupt_and_resume(folder, key, line):
    """Interrupt one run at a line, then run it again."""
    with fault_at(line):
        try:
            found = play(folder, key, 2, budget=BUDGET)
        except KeyboardInterrupt:
            found = None
    return found, play(folder, key, 2, budget=BUDGET)


def survive(key, folder, lines):
    """Each interruption: a result that says so, or none.

    And the uninterrupted result after resuming.
    """
    plain = play(None, key, 2, budget=BUDGET)
    n_found = 0
    for number, line in enumerate(lines):
        found, again = interrupt_and_resume(folder / str(number), key, line)
        assert seal(again) == seal(plain), line
        if found is not None and "interrupted" in found.stopped_by:
            n_found += 1
            assert found.best_quality <= plain.best_quality
            assert np.array_equal(
                found.trace["quality"][found.trace["restart"] == 0], _head(plain, found)
            ), line
    return n_found


def _head(plain, found):
    n = int(np.sum(found.trace["restart"] == 0))
    return plain.trace["quality"][plain.trace["restart"] == 0][:n]


@pytest.mark.parametrize("key", ["sffs", "rmhc"])
def test_an_interruption_at_any_line_loses_nothing(key, tmp_path):
    """Ten lines of each run, drawn evenly.

    The uninterrupted result comes out of the journal every time.
    """
    total = n_lines(lambda: play(tmp_path / "count", key, 2, budget=BUDGET))
    rng = np.random.default_rng(0)
    assert survive(key, tmp_path, rng.integers(total, size=10)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["sffs", "rmhc", "genetic", "annealing", "rfe"])
def test_two_hundred_interruptions_at_any_line_lose_nothing(key, tmp_path):
    """Forty of two hundred."""
    total = n_lines(lambda: play(tmp_path / "count", key, 2, budget=BUDGET))
    rng = np.random.default_rng(1)
    assert survive(key, tmp_path, rng.integers(total, size=40)) > 0
