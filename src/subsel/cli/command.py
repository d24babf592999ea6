"""A command as it was typed: it reads the table, runs its job, writes and prints what came out."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from subsel.cli import files, printing
from subsel.cli.options import CompareOptions, SelectOptions
from subsel.cli.reading import Reading, recognition_notes
from subsel.cli.signals import defer_signals
from subsel.result.document import json_values
from subsel.runtime.atomic_files import check_writable
from subsel.runtime.status_line import StatusLine
from subsel.runtime.text import escaped

__all__ = ["DONE", "INTERRUPTED", "Command", "Destination"]

DONE, INTERRUPTED = 0, 130


@dataclass(frozen=True)
class Destination:
    """Where to write, and what to print.

    Parameters
    ----------
    folder : Path
        Where the files go.
    json : bool
        Whether a document is printed instead of a summary.
    quiet : bool
        Whether nothing is printed.

    Examples
    --------
    >>> Destination(Path("out"), json=True).verbose
    0
    """

    folder: Path
    json: bool = False
    quiet: bool = False

    @property
    def verbose(self) -> int:
        """Whether progress is shown."""
        return int(not (self.quiet or self.json))

    def announce(self, source: str, table: Any) -> None:
        """Tell in one line what was recognised in a table."""
        if self.verbose:
            print(escaped(f"read {source}: {recognition_notes(table)}"))

    def say(self, document: Any, summary: Any, *names: str, cautions: Sequence[str] = ()) -> None:
        """Print the document, or the summary, the serious cautions and which files were written."""
        if self.json:
            print(json.dumps(json_values(document), indent=2, default=float))
        elif not self.quiet:
            summary(document)
            for caution in cautions:
                print(escaped(f"caution: {caution}"))
            print(f"written: {', '.join(str(self.folder / name) for name in names)}")


@dataclass(frozen=True)
class Command:
    """A job on the table of a file.

    Parameters
    ----------
    job : {"select", "assess", "compare"}
        Which job.
    data : str
        The file.
    target : str, optional
        The column to predict.
    options : SelectOptions or CompareOptions
        What is asked of the job.
    output : Destination
        Where to write, and what to print.
    typed : tuple of str
        What was typed after ``subsel``.
    reading : Reading
        How the file is read.

    Examples
    --------
    >>> typed = ("select", "my table.csv", "--target", "y")
    >>> Command("select", "my table.csv", "y", SelectOptions(), Destination(Path("out")), typed).text
    "subsel select 'my table.csv' --target y"
    """

    job: Literal["select", "assess", "compare"]
    data: str
    target: str | None
    options: SelectOptions
    output: Destination
    typed: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)

    @property
    def text(self) -> str:
        """What to type to do this again."""
        return shlex.join(["subsel", *self.typed])

    def run(self, begin: float | None = None) -> int:
        """Read the table and run the job on it; gives the exit code.

        The seconds of the budget count from ``begin``, a ``perf_counter``; from now where it is None.
        """
        from subsel.cli.command_record import keep_command
        from subsel.cli.option_checks import check_select_options

        begin = begin or perf_counter()
        with StatusLine(lambda: f"reading {self.data}", self.output.verbose > 0):
            check_select_options(self.options)
            table = self.reading.table(self.data, self.target)
            if self.options.journal is not None:
                keep_command(self, table)
        return self.run_on(table, self.data, begin)

    def run_on(self, table: Any, source: str, begin: float | None = None) -> int:
        """Run the job on a table; gives the exit code."""
        check_writable(self.output.folder)
        job = {"select": self._select, "assess": self._assess, "compare": self._compare}[self.job]
        with StatusLine(lambda: self.job, self.output.verbose > 0):
            return job(table, source, begin)

    def _select(self, table: Any, source: str, begin: float | None) -> int:
        from subsel.cli.jobs.selection import select_job

        output = self.output
        settings: dict[str, Any] = {
            "source": source,
            "command": self.text,
            "verbose": output.verbose,
            "begin": begin,
        }
        found = select_job(table, self.options, reading=self.reading, **settings)
        with defer_signals():
            with StatusLine(lambda: "writing the report", output.verbose > 0):
                written = files.write_selection(output.folder, found, table, self.text)
                saved = self._save_model(found, table)
            output.announce(source, table)
            output.say(
                found.document, printing.show_selection, *written, *saved, cautions=found.serious
            )
        return _exit_code(found)

    def _save_model(self, found: Any, table: Any) -> list[str]:
        """Write the fitted model where that can be done; say in one line where it cannot."""
        try:
            return files.write_model(self.output.folder, found, table)
        except ImportError as why:
            if self.output.verbose:
                print(f"subsel: {why}", file=sys.stderr)
            return []

    def _assess(self, table: Any, source: str, begin: float | None) -> int:
        from subsel.cli.jobs.selection import assess_job
        from subsel.result.document import SCHEMA, assessment_document

        assessment = assess_job(table, self.options, verbose=self.output.verbose, begin=begin)
        facts = {"schema": SCHEMA, "source": source, "command": self.text}
        document = facts | assessment_document(assessment)
        with defer_signals():
            with StatusLine(lambda: "writing the report", self.output.verbose > 0):
                written = files.write_assessment(
                    self.output.folder, document, assessment, table, self.text
                )
            serious = files.serious_cautions(table, assessment=assessment)
            self.output.announce(source, table)
            self.output.say(document, printing.show_assessment, *written, cautions=serious)
        return _exit_code(assessment)

    def _compare(self, table: Any, source: str, begin: float | None) -> int:
        from subsel.cli.jobs.selection import compare_job

        assert isinstance(self.options, CompareOptions)
        comparison = compare_job(table, self.options, verbose=self.output.verbose, begin=begin)
        rows = [dict(zip(comparison.table, values)) for values in zip(*comparison.table.values())]
        with defer_signals():
            with StatusLine(lambda: "writing the report", self.output.verbose > 0):
                written = files.write_comparison(
                    self.output.folder, rows, comparison, table, self.text
                )
            serious = files.serious_cautions(table, comparison=comparison)
            self.output.announce(source, table)
            self.output.say(rows, printing.show_comparison, *written, cautions=serious)
        return _exit_code(comparison)


def _exit_code(found: Any) -> int:
    return INTERRUPTED if found.interrupted else DONE
