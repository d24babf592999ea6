"""Runs: commands in processes of their own, each in a folder that tells all there is to know of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from subsel.runtime.record_file import is_locked
from subsel.ui.errors import Refused
from subsel.ui.identifiers import is_identifier, new_identifier, place_of
from subsel.ui.run_folder import RunFolder

__all__ = ["CHOICES", "Runs"]

OF_A_TABLE = ("target", "groups", "task", "budget", "n_features")
JOBS = {
    "race": ("select", (*OF_A_TABLE, "prefer")),
    "search": ("select", (*OF_A_TABLE, "search", "estimator")),
    "rank": ("rank", ("target", "score", "cut")),
}
"""What the page offers: the command of each job, and those of its options that can be chosen."""
CHOICES = tuple(dict.fromkeys(name for _, names in JOBS.values() for name in names))
USUAL_SEARCH = "sffs"
MOST_RUNS = 4  # at once
MOST_LISTED = 200
LONGEST = 1_000  # signs of what is chosen


class Runs:
    """The folder of runs, and the processes that this server has begun.

    A run belongs to nobody: it goes on when the page is closed and when the server ends, and another server finds it.

    Parameters
    ----------
    folder : Path
        Where they are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def begin(self, table: Path, choices: Mapping[str, Any]) -> str:
        """Run `subsel select` or `subsel rank` on a table; gives the identifier of the run."""
        chosen = checked(choices)
        command, names = JOBS[chosen["job"]]
        options = [f"--{name.replace('_', '-')}={chosen[name]}" for name in names if name in chosen]
        self._check_room()
        run = RunFolder(self.folder / new_identifier())
        run.path.mkdir(parents=True)
        run.keep_request({"file": table.name, "choices": chosen})
        if command == "select":
            options += ["--journal", str(run.journal)]
        self._launch(run, [command, str(table), *options, "--out", str(run.results)])
        return run.identifier

    def resume(self, identifier: str, budget: str | None = None) -> None:
        """Go on with a run that has ended or was broken off."""
        run = self.run(identifier)
        if self.is_running(run):
            raise Refused("it is still running.", 409)
        if not run.journal.is_dir():
            raise Refused("nothing of it was kept: begin it again.", 409)
        self._check_room()
        command = ["resume", str(run.journal)]
        if budget is not None:
            command.append(f"--budget={checked({'budget': budget})['budget']}")
        self._launch(run, command)

    def stop(self, identifier: str) -> None:
        """Ask a run to end with what it has, as Ctrl-C would."""
        run = self.run(identifier)
        if not self.is_running(run):
            raise Refused("it is not running.", 409)
        if not (run.steps.exists() and is_locked(run.steps)):
            raise Refused("it is only beginning: stop it in a moment.", 409)
        pid = self._pid(run)
        try:
            if pid is None:
                raise ProcessLookupError
            os.kill(int(pid), signal.SIGINT)
        except ProcessLookupError:
            raise Refused("it has ended.", 409) from None

    def _pid(self, run: RunFolder) -> Any:
        """The number of the process of a run: of ours, or of the one that told its steps."""
        child = self._children.get(run.identifier)
        if child is not None and child.poll() is None:
            return child.pid
        return run.last("begin").get("pid")

    def run(self, identifier: Any) -> RunFolder:
        """A run by its identifier."""
        return RunFolder(place_of(self.folder, identifier, RunFolder.REQUEST))

    def is_running(self, run: RunFolder) -> bool:
        """Whether its process lives: one of ours, or one that holds the file it tells its steps to."""
        child = self._children.get(run.identifier)
        if child is not None and child.poll() is None:
            return True
        return run.steps.exists() and is_locked(run.steps)

    def describe(self, run: RunFolder) -> dict[str, Any]:
        """All that the page shows of a run in a list."""
        return run.describe(self.is_running(run))

    def listed(self) -> list[dict[str, Any]]:
        """The runs, newest first."""
        names = sorted(
            (p.name for p in self.folder.glob("*") if is_identifier(p.name)), reverse=True
        )
        runs = [RunFolder(self.folder / name) for name in names[:MOST_LISTED]]
        return [self.describe(run) for run in runs if run.is_whole]

    def _check_room(self) -> None:
        going = sum(child.poll() is None for child in self._children.values())
        if going >= MOST_RUNS:
            raise Refused(f"{going} runs are going: wait for one to end, or stop one.", 429)

    def _launch(self, run: RunFolder, command: list[str]) -> None:
        whole = [sys.executable, "-P", "-m", "subsel", *command, "--progress", str(run.steps)]
        with run.words.open("ab") as words:
            quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": words, "stderr": words}
            self._children[run.identifier] = subprocess.Popen(
                whole, cwd=run.path, start_new_session=True, **quiet
            )


def checked(choices: Mapping[str, Any]) -> dict[str, str]:
    """What was chosen, as text; what was left open or is of another job is left out, what is unknown is refused.

    >>> checked({"target": "y", "task": "", "budget": "30s"})
    {'job': 'race', 'target': 'y', 'budget': '30s'}
    >>> checked({"job": "rank", "target": "y", "budget": "30s", "cut": "5"})
    {'job': 'rank', 'target': 'y', 'cut': '5'}
    """
    for name, value in choices.items():
        if name not in ("job", *CHOICES) or not isinstance(value, str) or len(value) > LONGEST:
            raise Refused(f"{str(name)[:40]!r} cannot be chosen so.", 422)
    job = choices.get("job") or "race"
    if job not in JOBS:
        raise Refused(f"there is no job {job[:40]!r}.", 422)
    chosen = {"job": job} | {name: choices[name] for name in JOBS[job][1] if choices.get(name)}
    if job == "search" and not {"search", "estimator"} & set(chosen):
        chosen["search"] = USUAL_SEARCH  # neither of them would be a race
    return chosen
