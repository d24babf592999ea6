"""One line on the screen: never silent, never two, and gone when the work is done."""

import io
import sys
import time

import pytest

from subsel import status_line
from subsel.status_line import StatusLine, bar


class Screen(io.StringIO):
    """A stream that is a terminal, or is not."""

    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


@pytest.fixture
def quick(monkeypatch):
    """Time runs a hundred times as fast."""
    monkeypatch.setattr(status_line, "FIRST", 0.01)
    monkeypatch.setattr(status_line, "SILENCE", 0.05)
    monkeypatch.setattr(status_line, "BLINK", 0.002)


def shown(monkeypatch, terminal):
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def test_a_log_is_never_silent(monkeypatch, quick):
    """Where nothing can be written over, a line follows while something runs, though nobody reports anything."""
    screen = shown(monkeypatch, terminal=False)
    with StatusLine(lambda: "a long fit"):
        time.sleep(0.3)
    lines = screen.getvalue().splitlines()
    assert 4 <= len(lines) <= 12 and set(lines) == {"subsel: a long fit"}


def test_a_terminal_has_one_line(monkeypatch, quick):
    """The line is written over, cut to the width of the screen, and left with its last text."""
    screen = shown(monkeypatch, terminal=True)
    steps = iter(range(10**6))
    with StatusLine(lambda: f"step {next(steps)} {'x' * 500}", final=True):
        time.sleep(0.1)
    written = screen.getvalue()
    assert written.count("\n") == 1 and written.endswith("\n")
    parts = written.split("\r")[1:]
    assert len(parts) >= 3 and {len(part.rstrip("\n")) for part in parts} == {79}


def test_the_innermost_line_is_shown(monkeypatch, quick):
    """A job within a job speaks for both; afterwards the outer one does again."""
    screen = shown(monkeypatch, terminal=False)
    with StatusLine(lambda: "outer", final=True):
        with StatusLine(lambda: "inner"):
            time.sleep(0.1)
        time.sleep(0.15)
    lines = screen.getvalue().splitlines()
    assert lines[0] == "subsel: inner" and lines[-1] == "subsel: outer"
    assert lines.count("subsel: outer") >= 2


def test_a_line_that_fails_does_no_harm(monkeypatch, quick):
    """A text that cannot be told, and one that is not wanted, leave the screen empty; what ran is not disturbed."""
    screen = shown(monkeypatch, terminal=False)
    with StatusLine(lambda: 1 / 0), StatusLine(lambda: "unwanted", shown=False):
        time.sleep(0.05)
    assert screen.getvalue() == ""
    assert bar(0, 0) == "[------------]" and bar(12, 12) == "[############]"


def test_an_error_is_not_talked_over(monkeypatch, quick):
    """A line that ends by an error, or has no last word, leaves nothing on the screen."""
    log, screen = shown(monkeypatch, terminal=False), None
    with pytest.raises(ValueError), StatusLine(lambda: "work", final=True):
        raise ValueError
    assert log.getvalue() == ""
    screen = shown(monkeypatch, terminal=True)
    with StatusLine(lambda: "work"):
        time.sleep(0.05)
    assert screen.getvalue().endswith("\r") and "\n" not in screen.getvalue()
