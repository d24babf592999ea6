"""The commands ``subsel resume`` and ``subsel inspect``: go on with a job that was broken off, see how far it came."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from subsel.cli.command import Destination
from subsel.cli.commands.plugins import load_named_plugins
from subsel.cli.progress import add_progress_option, watched
from subsel.data.names import first_names

__all__ = ["add_journal_commands"]

DONE = 0
_BARS = "▁▂▃▄▅▆▇█"


def add_journal_commands(commands: Any) -> None:
    """Add both commands to a parser."""
    resume = commands.add_parser(
        "resume", help="go on with a job that was broken off, or extend it"
    )
    resume.add_argument("journal", type=Path, metavar="DIR", help="what was given as --journal")
    resume.add_argument(
        "--budget", metavar="60s|5m|10000", help="another budget, time already spent counted"
    )
    resume.add_argument("--jobs", type=int, metavar="J", help="workers; never changes the answer")
    resume.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where to write (default: where it would have, if that is beside DIR)",
    )
    resume.add_argument("--quiet", action="store_true", help="print nothing but errors")
    add_progress_option(resume)
    resume.set_defaults(run=watched(_resume))
    inspect = commands.add_parser("inspect", help="show how far the runs of a journal have come")
    inspect.add_argument(
        "journal", type=Path, metavar="JOURNAL", help="a journal directory, or one file of it"
    )
    inspect.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="draw the best so far against evaluations (PNG, SVG)",
    )
    inspect.add_argument("--json", action="store_true", help="as JSON")
    inspect.set_defaults(run=_inspect)


def _resume(given: argparse.Namespace) -> int:
    from subsel.cli.command_record import kept_command, own_folder

    command = kept_command(given.journal)
    folder = given.out or own_folder(command, given.journal)
    load_named_plugins(command.typed)
    options, output = command.options, command.output
    options = replace(
        options, budget=given.budget or options.budget, jobs=given.jobs or options.jobs
    )
    output = Destination(folder, output.json and not given.quiet, given.quiet)
    return replace(command, options=options, output=output).run()


def _inspect(given: argparse.Namespace) -> int:
    from subsel.engine.journal.state import read_runs

    runs = read_runs(given.journal)
    if given.out is not None:  # first: nobody may be listening to what is printed
        _draw(max(runs, key=lambda run: run.best.best), given.out)
        print(f"written: {given.out}", file=sys.stderr)
    if given.json:
        print(json.dumps([_document(run) for run in runs], indent=2))
    else:
        for run in runs:
            _show(run)
        if len(runs) > 1:
            states = [restart.state for run in runs for restart in run.restarts]
            print(
                f"{len(runs)} runs: {', '.join(f'{states.count(s)} {s}' for s in dict.fromkeys(states))}"
            )
    return DONE


def _document(run: Any) -> dict[str, Any]:
    return {
        "created": run.header["created"],
        "search": _named(run.header["configuration"].get("search")),
        "criterion": _named(run.header["configuration"].get("estimator")),
        "data": run.header["data"],
        "seed": run.header["seed"][0],
        "best": {"guide_quality": _finite(run.best.best), "features": run.best_names},
        "restarts": [
            {
                "file": restart.path.name,
                "state": restart.state,
                "evaluations": restart.evaluations,
                "seconds": restart.seconds,
                "guide_quality": _finite(restart.best),
            }
            for restart in run.restarts
        ],
        "improvements": [
            dict(zip(run.improvements.dtype.names, row.tolist())) for row in run.improvements
        ],
    }


def _finite(value: float) -> float | None:
    """A quality as JSON has it: null where nothing has one."""
    return value if np.isfinite(value) else None


def _show(run: Any) -> None:
    data, settings = run.header["data"], run.header["configuration"]
    what = f"{_named(settings.get('search'))} with {_named(settings.get('estimator'))}"
    print(
        f"{what}, {data['rows']} x {data['columns']}, seed {run.header['seed'][0]}, begun {run.header['created']}"
    )
    for number, restart in enumerate(run.restarts):
        best = "nothing yet"
        if not np.isneginf(restart.best):
            best = f"best {restart.best:.6g}"
        curve = _curve(restart)
        print(
            f"  {number}: {restart.state}, {restart.evaluations:,} evaluations, {restart.seconds:.1f} s, {best} {curve}"
        )
    if len(run.best.columns):
        print(f"  best so far, {len(run.best_names)}: {first_names(run.best_names, 12)}")


def _curve(restart: Any, width: int = 40) -> str:
    """The best so far against evaluations, as a line of bars."""
    steps = restart.improvements
    steps = steps[np.isfinite(steps["quality"])]
    if len(steps) < 2:
        return ""
    at = np.linspace(1, restart.evaluations, width)
    place = np.searchsorted(steps["evaluation"], at, side="right") - 1
    low, high = steps["quality"][0], steps["quality"][-1]
    height = (steps["quality"][np.maximum(place, 0)] - low) / (high - low) * (len(_BARS) - 1)
    return "".join(_BARS[int(h)] if p >= 0 else " " for h, p in zip(height, place))


def _named(settings: Any) -> str:
    """The short name of what a description describes; the last step of a pipeline."""
    if not isinstance(settings, dict) or "" not in settings:
        return str(settings)
    if "steps" in settings:
        return _named(settings["steps"][-1][1])
    return str(settings[""]).replace(":", ".").rpartition(".")[2]


def _draw(run: Any, path: Path) -> None:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("drawing needs matplotlib: pip install 'subsel[plots]'") from None
    from subsel.report.figures.anytime import AnytimeDisplay

    figure, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
    counts = np.array([restart.evaluations for restart in run.restarts])
    answers = [[run.header["names"][c] for c in restart.columns] for restart in run.restarts]
    kept = run.improvements[np.isfinite(run.improvements["quality"])]
    AnytimeDisplay(kept, counts, max(r.seconds for r in run.restarts), answers).plot(ax)
    figure.savefig(path, dpi=150)
    plt.close(figure)
