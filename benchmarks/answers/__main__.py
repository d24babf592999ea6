"""Run what is missing, then write the table: ``python -m benchmarks.answers [--sets ...] [--procedures ...]``."""

import argparse
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.real_tables import add_data_option

from benchmarks.answers.alternatives import ALTERNATIVES
from benchmarks.answers.cells import OURS, Cells, run_cell, splits_of
from benchmarks.answers.page import write_page
from benchmarks.answers.sets import DESIGN, FINAL, load


def _journal(folder: Path | None, name: str, fold: int) -> AbstractContextManager[Path | str]:
    """Where the three preferences find the folds of one race."""
    return TemporaryDirectory() if folder is None else nullcontext(folder / f"{name} {fold}")


def main(arguments: list[str] | None = None) -> None:
    """All cells that are not there yet, small sets first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    everything = [*DESIGN, *FINAL]
    parser.add_argument("--sets", nargs="*", default=everything, choices=everything, metavar="SET")
    known = [*OURS, *ALTERNATIVES]
    parser.add_argument(
        "--procedures", nargs="*", default=known, choices=known, metavar="PROCEDURE"
    )
    parser.add_argument(
        "--page-only", action="store_true", help="only write the page from what is finished"
    )
    parser.add_argument("--folds", type=int, help="at most so many outer folds of a set")
    parser.add_argument(
        "--journals",
        type=Path,
        help="keep the races' folds here, so that another choice reruns none",
    )
    add_data_option(parser)
    asked = parser.parse_args(arguments)
    for name in [] if asked.page_only else asked.sets:
        problem = load(name)
        if problem is None:
            continue  # a line has said so
        cells = Cells(name)
        for fold in range(len(splits_of(problem)))[: asked.folds]:
            with _journal(asked.journals, name, fold) as journal:
                for procedure in asked.procedures:
                    if cells.of(procedure, fold) is None:
                        cell = run_cell(problem, procedure, fold, Path(journal))
                        cells.keep(procedure, fold, cell)
                        print(f"{name} | {fold} | {procedure}: {cell}", flush=True)
    write_page()


if __name__ == "__main__":
    main()
