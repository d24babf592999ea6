"""One line on the screen: never silent, never two, and gone when the work is done."""

import sys
from threading import Event

import pytest

from subsel.runtime import status_line
from subsel.runtime.status_line import StatusLine, bar
from tests.oracles.clock import Clock
from tests.oracles.screen import Screen


@pytest.fixture
def clock(monkeypatch):
    """The time of the lines; the screen is looked at every two milliseconds."""
    monkeypatch.setattr(status_line, "BLINK", 0.002)
    return Clock().rule(monkeypatch, "runtime.status_line")


def shown(monkeypatch, terminal):
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def wait_for(happened):
    """Wait until something has happened, a minute at most."""
    pause = Event()
    for _ in range(60_000):
        if happened():
            return
        pause.wait(0.001)
    pytest.fail("nothing happened for a minute")


def look(clock, times=3):
    """Let the screen be looked at some more times."""
    before = clock.n_looks
    wait_for(lambda: clock.n_looks >= before + times)


def test_a_log_is_never_silent(monkeypatch, clock):
    """Where lines cannot be overwritten, a line follows while something runs without reports."""
    screen = shown(monkeypatch, terminal=False)
    with StatusLine(lambda: "a long fit"):
        look(clock)
        assert screen.getvalue() == ""
        for seconds, n_lines in [(0.9, 0), (0.2, 1), (4.4, 1), (0.2, 2), (4.6, 3)]:
            clock.add(seconds)
            look(clock)
            assert screen.getvalue() == n_lines * "subsel: a long fit\n"


def test_a_terminal_has_one_line(monkeypatch, clock):
    """The line is written over, cut to the width of the screen, and left with its last text."""
    screen = shown(monkeypatch, terminal=True)
    steps = iter(range(10**6))
    with StatusLine(lambda: f"step {next(steps)} {'x' * 500}", final=True):
        assert screen.awaits() and screen.awaits()
    written = screen.getvalue()
    assert written.count("\n") == 1 and written.endswith("\n")
    parts = written.split("\r")[1:]
    assert len(parts) >= 3 and {len(part.rstrip("\n")) for part in parts} == {79}


def test_the_innermost_line_is_shown(monkeypatch, clock):
    """A job within a job speaks for both; afterwards the outer one does again."""
    screen = shown(monkeypatch, terminal=False)
    with StatusLine(lambda: "outer", final=True):
        with StatusLine(lambda: "inner"):
            clock.add(1.1)
            look(clock)
        clock.add(4.6)
        look(clock)
    assert screen.getvalue().splitlines() == ["subsel: inner", "subsel: outer", "subsel: outer"]


def test_a_line_that_fails_does_no_harm(monkeypatch, clock):
    """A text that cannot be told, and one that is not wanted, leave the screen empty.

    What ran is not disturbed.
    """
    screen = shown(monkeypatch, terminal=False)
    with StatusLine(lambda: 1 / 0), StatusLine(lambda: "unwanted", shown=False):
        clock.add(10.0)
        look(clock)
    assert screen.getvalue() == ""
    assert bar(0, 0) == "[------------]" and bar(12, 12) == "[############]"


def test_an_error_is_not_talked_over(monkeypatch, clock):
    """A line that ends by an error, or has no last word, leaves nothing on the screen."""
    log, screen = shown(monkeypatch, terminal=False), None
    with pytest.raises(ValueError), StatusLine(lambda: "work", final=True):
        raise ValueError
    assert log.getvalue() == ""
    screen = shown(monkeypatch, terminal=True)
    with StatusLine(lambda: "work"):
        assert screen.awaits()
    assert screen.getvalue().endswith("\r") and "\n" not in screen.getvalue()
