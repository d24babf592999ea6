"""What a watching program is told: every line whole, nothing of parts, and never another answer."""

import json

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from subsel import SubsetSelector
from subsel.runtime.events import emit, events_to, is_watched
from subsel.runtime.interruption import part_of_a_job
from subsel.runtime.record_file import JournalError, is_locked
from subsel.search import RandomWalk


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_search_tells_its_course_and_answers_the_same(tmp_path):
    """The best so far only rises, the front has one entry per size, and watching has no effect."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 12)), rng.integers(0, 2, 60)
    selector = SubsetSelector(GaussianNB(), RandomWalk(), budget=40_000, random_state=0)
    alone = selector.fit(X, y).result_
    with events_to(tmp_path / "steps"):
        watched = selector.fit(X, y).result_
    assert (
        watched.chosen.tolist() == alone.chosen.tolist()
        and watched.n_evaluations == alone.n_evaluations
    )
    told = [line for line in lines(tmp_path / "steps") if line["event"] == "search"]
    qualities = [line["quality"] for line in told if line["quality"] is not None]
    assert qualities == sorted(qualities) and told
    for line in told:
        sizes = [size for size, _ in line["front"]]
        assert sizes == sorted(set(sizes))
        assert not line["front"] or max(quality for _, quality in line["front"]) == line["quality"]


def test_parts_of_a_job_are_not_told(tmp_path):
    """A search inside a fold is the fold's own matter.

    Without a listener nothing is told at all.
    """
    emit("nobody", listens=True)
    with events_to(tmp_path / "steps"):
        with part_of_a_job():
            assert not is_watched()
            emit("part")
        emit("whole", numbers=[np.inf, 1.5], nested={"x": float("nan")})
    assert lines(tmp_path / "steps") == [
        {"event": "whole", "numbers": [None, 1.5], "nested": {"x": None}}
    ]


def test_the_file_is_held_while_the_job_lives(tmp_path):
    """Another job cannot tell its steps to the same file.

    Afterwards the file goes on where it was.
    """
    path = tmp_path / "steps"
    with events_to(path):
        emit("first")
        assert is_locked(path)
        with pytest.raises(JournalError, match="another job"), events_to(path):
            pass
    assert not is_locked(path)
    with events_to(path):
        emit("second")
    assert [line["event"] for line in lines(path)] == ["first", "second"]
