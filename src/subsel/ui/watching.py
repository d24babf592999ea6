"""The steps of a run as server-sent events: from where the page was, until the run ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic

from subsel.ui.run_folder import RunFolder
from subsel.ui.runs import Runs

__all__ = ["events"]

PACE = 0.25  # seconds between two looks
ALIVE = 10.0  # seconds of silence after which a page is told that we are still here
CHUNK = 65_536  # bytes that are held at once


async def events(runs: Runs, run: RunFolder, begin: int = 0) -> AsyncIterator[str]:
    """Give every line that the run has told after a place in its file, and at last what became of the run."""
    place, spoken = begin, monotonic()
    while True:
        running = runs.is_running(run)
        while lines := _lines(run.steps, place):
            for line in lines:
                place += len(line)
                yield f"id: {place}\ndata: {line.decode('utf8').strip()}\n\n"
            spoken = monotonic()
        if not running:
            yield f"event: over\ndata: {json.dumps(runs.describe(run))}\n\n"
            return
        if monotonic() - spoken > ALIVE:
            yield ": still here\n\n"
            spoken = monotonic()
        await asyncio.sleep(PACE)


def _lines(path: Path, place: int) -> list[bytes]:
    """The whole lines that begin at a place; a line that is not yet whole is left for the next look."""
    if not path.exists():
        return []
    with path.open("rb") as file:
        file.seek(place)
        held = file.read(CHUNK)
        while b"\n" not in held and (more := file.read(CHUNK)):
            held += more
    return held[: held.rfind(b"\n") + 1].splitlines(keepends=True)
