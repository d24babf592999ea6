"""The seconds of a job are those of the whole: its beginning and its end are counted."""

import numpy as np
import pytest

from subsel.cli import entry_point as entry
from subsel.cli.jobs import clock as job_clock
from subsel.cli.jobs import selection as jobs
from subsel.cli.jobs.clock import JobClock
from subsel.cli.options import SelectOptions
from subsel.data.files.table import Table
from subsel.engine import Budget


def test_searches_and_folds_share_what_is_left_for_work(monkeypatch):
    """Of 20 seconds 2.5 are for the report; reading took 1.5; folds begin up to nine tenths of the rest."""
    monkeypatch.setattr(job_clock, "perf_counter", lambda: 101.5)
    clock = JobClock(Budget(seconds=20), begin=100.0)
    assert clock.writing == 2.5
    assert clock.share(3).seconds == pytest.approx((20 - 2.5) / 3)
    assert clock.left().seconds == pytest.approx(0.9 * 17.5 - 1.5)


def test_a_late_beginning_leaves_a_moment(monkeypatch):
    """A budget is never zero or less, so that a job that begins late ends at once, and not in an error."""
    monkeypatch.setattr(job_clock, "perf_counter", lambda: 1000.0)
    clock = JobClock(Budget(seconds=5), begin=0.0)
    assert clock.left().seconds == job_clock.MOMENT


def test_evaluations_know_no_clock():
    """A budget of evaluations is handed on as it is."""
    clock = JobClock(Budget(evaluations=50), begin=0.0)
    assert clock.writing == 0 and clock.left() is None and clock.share(7) == Budget(evaluations=50)


def test_a_race_ends_in_time_for_the_report(monkeypatch):
    """Its deadline counts from the beginning of the job, without the seconds that are kept for the report."""
    asked = {}

    def race(*given, deadline, **settings):
        asked["deadline"] = deadline
        raise KeyboardInterrupt

    monkeypatch.setattr("subsel.auto.race", race)
    i = np.arange(20)
    table = Table(np.column_stack([i, i % 3]).astype(float), i % 2, ["a", "b"], "y")
    with pytest.raises(KeyboardInterrupt):
        jobs.select_job(table, SelectOptions(budget="20s"), begin=1000.0)
    assert asked["deadline"] == pytest.approx(1000.0 + 0.85 * 17.5)


def test_a_process_of_its_own_counts_its_imports(monkeypatch):
    """What ran before the command line was read is part of the job; called from Python it begins with the call."""
    began = []
    monkeypatch.setattr(entry, "perf_counter", lambda: 50.0)
    monkeypatch.setattr(entry, "process_time", lambda: 2.0)
    monkeypatch.setattr(entry, "_run", lambda typed, signals, begin: began.append(begin) or 0)
    monkeypatch.setattr("sys.argv", ["subsel", "methods"])
    assert entry.main() == entry.main(["methods"]) == 0
    assert began == [48.0, 50.0]
