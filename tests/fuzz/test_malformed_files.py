"""Every malformed file is read as pandas reads it in this dialect, or refused in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PEAK = 10**9  # bytes: the libraries take some 400 MB, a reader at most 100


def check(first, count, seconds):
    """Run a campaign in a process of its own, which must survive, fail nowhere, and stay small."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.campaign", str(first), str(count)],
        capture_output=True, text=True, cwd=ROOT, timeout=seconds, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["failures"] == []
    assert told["peak"] < PEAK
    for way in ("whole", "stored", "command"):
        read, refused = (told["outcomes"].get(f"{way}: {end}", 0) for end in ("read", "refused"))
        assert min(read, refused) > count // 20, told[
            "outcomes"
        ]  # a campaign that reads nothing shows nothing


def test_malformed_files():
    """300 files, read whole, left on disk, and ranked by the command line."""
    check(0, 300, seconds=120)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(300, 10_300, 1_000))
def test_many_malformed_files(first):
    """10,000 more, as above."""
    check(first, 1_000, seconds=600)
