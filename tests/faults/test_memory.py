"""What a run keeps does not grow without end."""

import numpy as np
import pytest

from subsel.engine import history as history_module
from subsel.engine import run
from subsel.search import find_search
from subsel.space.space import Space
from tests.engine.journal.journal_run import COLUMNS, Slow, play


@pytest.mark.parametrize("key", ["rmhc", "sffs", "genetic"])
def test_the_trace_of_a_long_run_is_thinned(key, monkeypatch, tmp_path):
    """Every so manieth evaluation is kept, from the first.

    All else, the journal included, is as it was.
    """
    plain = play(None, key, 2, budget=300)
    monkeypatch.setattr(history_module, "ROOM", 50)
    thin = play(tmp_path, key, 2, budget=300)
    assert (
        play(tmp_path, key, 2, budget=300).n_replayed == plain.n_evaluations == thin.n_evaluations
    )
    assert any("evaluation only" in note for note in thin.notes)
    assert np.array_equal(
        thin.improvements[["evaluation", "quality"]], plain.improvements[["evaluation", "quality"]]
    )
    for restart in (0, 1):
        whole, kept = (r.trace[r.trace["restart"] == restart] for r in (plain, thin))
        assert len(kept) <= 50
        step = next(2**k for k in range(9) if len(whole[:: 2**k]) <= 50)
        assert np.array_equal(kept, whole[::step])


def test_a_history_takes_no_more_than_its_room(monkeypatch):
    """However long the run."""
    monkeypatch.setattr(history_module, "ROOM", 1000)
    result = run(
        find_search("rmhc"), Slow(), Space.of(COLUMNS, low=2, high=8), budget=20_000, seed=0
    )
    assert result.n_evaluations == 20_000
    assert 500 <= len(result.trace) <= 1000
