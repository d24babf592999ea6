"""Commands hit at random moments, by Ctrl-C, termination or kill: exit codes, and results.

The slow set prints its counts: ``pytest -m slow -s tests/faults/test_commands.py``.
"""

import json
import signal
import sys
import time
from collections import Counter

import numpy as np
import pytest

from tests.faults.table import Desk

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks at processes through /proc"
)

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
FILES = {"select": "selection.json", "assess": "assessment.json", "compare": "comparison.csv"}


def answer(desk, job, folder):
    """What a job found, without times and places."""
    text = (desk.folder / folder / FILES[job]).read_text()
    if job == "compare":
        rows = [line.split(",") for line in text.splitlines()]
        return [[cell for name, cell in zip(rows[0], row) if name != "seconds"] for row in rows]
    found = json.loads(text)
    if job == "assess":
        return [found[name] for name in ("performance", "interval", "sizes")]
    told = found["assessment"]
    return [
        found["selected"],
        found["guide_quality"],
        found["run"]["evaluations"],
        told and told["performance"],
    ]


def typed(desk, job, *more):
    """What to type; few evaluations, so that each part of the job has its share of the time."""
    methods = ["--methods", "sfs:slow,sbs:slow"] if job == "compare" else []
    return desk.select("--budget", "6", *methods, *more, job=job)


def hit(desk, job, number, signal_number, delay, jobs):
    """Hit one job, see what is left, resume it; gives whether the signal came in time."""
    folder, journal = f"out-{number}", f"runs-{number}"
    process = desk.start(
        *typed(desk, job, "--out", folder, "--journal", journal, "--jobs", str(jobs)), pause=0.01
    )
    desk.await_fits(process)
    time.sleep(delay)
    process.send_signal(signal_number)
    code, said = desk.end(process)
    assert code in (0, CODES[signal_number]), said
    assert "Traceback" not in said, said
    assert desk.left_behind(process) == []
    code_again, said = desk.end(desk.start("resume", journal, "--quiet"))
    assert code_again == 0, said
    return code != 0


def survive(desk, job, count, rng, counts):
    """Hit a job so many times.

    Each time the resumed job gives what the one that nothing happened to gave.
    """
    code, said = desk.end(desk.start(*typed(desk, job, "--out", "plain")))
    assert code == 0, said
    plain = answer(desk, job, "plain")
    for number in range(count):
        kind = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL][int(rng.integers(3))]
        in_time = hit(desk, job, number, kind, float(rng.uniform(0, 1.5)), int(rng.integers(1, 3)))
        assert answer(desk, job, f"out-{number}") == plain
        counts[f"{job}, {kind.name}, {'in time' if in_time else 'too late'}"] += 1


@pytest.mark.parametrize("job", ["select"])
def test_a_job_hit_at_a_random_moment_is_resumed(job, tmp_path):
    """One of twenty faults of the suite that go through the command line."""
    survive(Desk(tmp_path), job, 1, np.random.default_rng(4), Counter())


@pytest.mark.slow
@pytest.mark.parametrize("job", FILES)
def test_jobs_hit_at_random_moments_are_resumed(job, tmp_path):
    """Eight of each job."""
    counts = Counter()
    survive(Desk(tmp_path), job, 8, np.random.default_rng(5), counts)
    print(*(f"{count} x {what}" for what, count in sorted(counts.items())), sep="\n")
