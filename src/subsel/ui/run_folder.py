"""The folder of a run: what was asked, the steps it told, its words, its journal and its results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from subsel.ui.errors import last_complaint

__all__ = ["RESULTS", "RunFolder"]

RESULTS = {
    "report.html": "text/html",
    "selection.json": "application/json",
    "features.csv": "text/csv",
    "model.skops": "application/octet-stream",
    "ranking.csv": "text/csv",
    "ranking.png": "image/png",
}
SHOWN = 20  # rows of a ranking
_TAIL = 65_536  # bytes of the end of a file in which the last event stands
_WORDS = 4_000  # bytes of what a command has said last


class RunFolder:
    """One run, as it lies on the disk.

    Parameters
    ----------
    path : Path
        Its folder.

    Examples
    --------
    >>> RunFolder(Path("runs/20260101-120000-0123abcd")).identifier
    '20260101-120000-0123abcd'
    """

    REQUEST = "request.json"

    def __init__(self, path: Path) -> None:
        self.path, self.identifier = path, path.name
        self.steps, self.words = path / "steps.jsonl", path / "words.txt"
        self.journal, self.results = path / "journal", path / "results"

    @property
    def is_whole(self) -> bool:
        """Whether its request was written."""
        return (self.path / self.REQUEST).is_file()

    def keep_request(self, request: Mapping[str, Any]) -> None:
        """Write what was asked for."""
        (self.path / self.REQUEST).write_text(json.dumps(request, indent=2) + "\n", encoding="utf8")

    @property
    def request(self) -> dict[str, Any]:
        """What was asked for."""
        return json.loads((self.path / self.REQUEST).read_text(encoding="utf8"))

    def last(self, event: str) -> dict[str, Any]:
        """The last event of a kind, or an empty one; the whole file is read."""
        if not self.steps.is_file():
            return {}
        with self.steps.open(encoding="utf8") as file:
            found = [
                line
                for line in file
                if line.startswith(f'{{"event": "{event}"') and line.endswith("}\n")
            ]
        if not found:
            return {}
        return json.loads(found[-1])

    def state(self, running: bool) -> str:
        """``running``, ``done``, ``stopped``, ``failed`` or ``broken off`` (killed: it can be resumed)."""
        if running:
            return "running"
        if not self.steps.is_file() or not self.steps.stat().st_size:
            return "failed"
        told = self._last_events()
        if not told or told[-1]["event"] != "end":
            return "broken off"
        code, error = told[-1].get("code"), told[-1].get("error") or ""
        if code == 0:
            return "done"
        if code in (130, 143) or error.startswith("interrupted"):
            return "stopped"
        return "failed"

    def describe(self, running: bool) -> dict[str, Any]:
        """All that is shown of it in a list."""
        state, found = self.state(running), self.selection()
        return {
            "id": self.identifier,
            **self.request,
            "state": state,
            "resumable": not running and self.journal.is_dir(),
            "error": self._complaint() if state == "failed" else None,
            "results": [name for name in RESULTS if (self.results / name).is_file()],
            "selection": found
            and {
                key: found.get(key) for key in ("data", "selected", "assessment", "race", "notes")
            },
            "ranking": self.ranking(),
        }

    def ranking(self) -> dict[str, Any] | None:
        """The document of a ranking with its first rows, where there is one."""
        found = self._document("ranking.json")
        return found and {
            **found,
            "ranking": found["ranking"][:SHOWN],
            "columns": len(found["ranking"]),
        }

    def selection(self) -> dict[str, Any] | None:
        """The document of what was selected, where there is one."""
        return self._document("selection.json")

    def _document(self, name: str) -> dict[str, Any] | None:
        path = self.results / name
        if not path.is_file():
            return None
        return json.loads(
            path.read_text(encoding="utf8"), parse_constant=lambda _: None
        )  # no page reads NaN

    def _complaint(self) -> str:
        """Why it failed: as it was told, or the last line that the command has said."""
        told = self.last("end").get("error") or ""
        lines = _tail(self.words, _WORDS).strip().splitlines()
        last = last_complaint(lines, "it ended without a word.")
        ours = re.escape(str(self.path.parent.parent))
        return re.sub(rf"{ours}/(tables|runs)/[\w-]+/", "", told or last)

    def _last_events(self) -> list[dict[str, Any]]:
        lines = _tail(self.steps, _TAIL).splitlines()
        whole = [line for line in lines if line.startswith('{"event"') and line.endswith("}")]
        return [json.loads(line) for line in whole]


def _tail(path: Path, n_bytes: int) -> str:
    """The end of a text file; nothing where there is none."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - n_bytes))
        return file.read(n_bytes).decode("utf8", "replace")
