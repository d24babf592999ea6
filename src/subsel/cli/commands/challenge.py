"""``subsel challenge``: run entries to the 2003 challenge on its data, and see them beside the printed results."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["add_challenge_command"]

QUICK_SECONDS = 900.0


def add_challenge_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "challenge", help="run entries to the NIPS 2003 feature selection challenge"
    )
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="where arcene.npz or arcene.param and its parts lie, and so on",
    )
    parser.add_argument("--entries", nargs="*", metavar="KEY", help="which entries; all by default")
    parser.add_argument(
        "--sets",
        nargs="*",
        metavar="NAME",
        help="which problems; by default all in the folder that are whole",
    )
    parser.add_argument(
        "--out",
        default="challenge",
        metavar="FOLDER",
        help="submissions and page (default: challenge)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small versions of the entries, at most 15 minutes"
    )
    parser.add_argument(
        "--budget", metavar="SECONDS", help="such as 600s: end after the entries in progress"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="entries at a time")
    parser.add_argument(
        "--page", metavar="FILE", help="where to write the page (default: challenge.md in --out)"
    )
    parser.add_argument(
        "--date",
        type=int,
        choices=[1, 2],
        default=1,
        help="1: trained on training labels (default); 2: on validation labels, too, scored on ten folds",
    )
    parser.add_argument(
        "--write", metavar="FOLDER", help="write what was handed in as the files of 2003"
    )
    parser.add_argument("--list", action="store_true", help="list the entries and end")
    parser.set_defaults(run=_challenge)


def _challenge(given: argparse.Namespace) -> int:
    from subsel.literature.challenge.entry import ENTRIES
    from subsel.literature.challenge.page import entry_list
    from subsel.literature.challenge.season import Season
    from subsel.literature.challenge.second_date import SecondDate

    if given.list:
        for key, name, chapter in entry_list():
            line = f"{key:<16} {name}"
            if chapter != "none":
                line += f", chapter {chapter}"
            print(line)
        return 0
    keys = given.entries
    if keys is None:
        keys = list(ENTRIES)
    for key in keys:
        ENTRIES.find(key)
    problems = _problems(given)
    kept = Path(given.out)
    first = Season(problems, keys, kept / "submissions", quick=given.quick)
    second = SecondDate(problems, keys, kept / "second_date", quick=given.quick)
    run = first if given.date == 1 else second
    failed = run.run(_seconds(given), given.jobs, verbose=1)
    for what, why in failed.items():
        print(f"subsel: {what} failed: {why}", file=sys.stderr)
    if given.write:
        _write_files(run, Path(given.write))
    print(_write_page(first, second, kept, Path(given.page or kept / "challenge.md")))
    if waiting := run.pending():
        print(f"subsel: {len(waiting)} not run yet: the same command goes on", file=sys.stderr)
    return 1 if failed else 0


def _seconds(given: argparse.Namespace) -> float | None:
    """After how many seconds no further entry begins; None without a limit."""
    from subsel.engine.budget import Budget

    if given.budget:
        return Budget.of(given.budget).seconds
    if given.quick:
        return QUICK_SECONDS
    return None


def _write_files(run: Any, folder: Path) -> None:
    """A folder for each entry, in it the files of every problem that it has handed something in for."""
    from subsel.literature.challenge.submission_files import write_files

    for problem in run.problems:
        for key, submission in run.submissions(problem).items():
            write_files(submission, folder / key, problem.n_features)


def _write_page(first: Any, second: Any, out: Path, path: Path) -> str:
    """Open what was handed in, write it up, and draw it where that is possible."""
    from subsel.literature.challenge.page import challenge_page
    from subsel.literature.challenge.picture import draw_fronts
    from subsel.literature.challenge.results import opened_results
    from subsel.literature.challenge.scoring import Openings

    openings = Openings(out / "openings.jsonl")
    results = {problem.name: opened_results(first, problem, openings) for problem in first.problems}
    results = {name: found for name, found in results.items() if found}
    later = {problem.name: second.results(problem) for problem in second.problems}
    picture = path.with_suffix(".png")
    path.parent.mkdir(parents=True, exist_ok=True)
    ours = {name: list(found.values()) for name, found in _kept(out / "front.json").items()}
    shown = note = ""
    if results and find_spec("matplotlib") is not None:
        draw_fronts(results, picture, ours)
        shown = picture.name
    if (out / "note.txt").exists():
        note = (out / "note.txt").read_text(encoding="utf8").strip()
    page = challenge_page(
        results,
        _kept(out / "reasons.json"),
        picture=shown,
        ours=ours,
        second=later,
        note=note,
        openings=openings.records,
    )
    path.write_text(page, encoding="utf8")
    return page


def _kept(path: Path) -> dict[str, Any]:
    """What a file beside the results tells, if there is one."""
    if not path.exists():
        return {}
    return json.loads(path.read_text(encoding="utf8"))


def _problems(given: argparse.Namespace) -> list[Any]:
    from subsel.literature.challenge.problem import PROBLEMS, load_problem

    if given.data is None:
        raise ValueError("--data FOLDER must name where the data of the challenge lie.")
    if not Path(given.data).is_dir():
        raise ValueError(f"{given.data} is no folder.")
    if given.sets is not None:
        return [load_problem(given.data, name) for name in given.sets]
    here = [
        n
        for n in PROBLEMS
        if any(Path(given.data, f"{n}{end}").exists() for end in (".npz", ".param"))
    ]
    if not here:
        raise ValueError(
            f"{given.data} holds none of {', '.join(PROBLEMS)} (as NAME.npz or NAME.param)."
        )
    return [load_problem(given.data, name) for name in here]
