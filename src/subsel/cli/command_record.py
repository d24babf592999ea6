"""The command of a journal: what was asked of which data, so that ``subsel resume`` can go on with it."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from subsel.cli.command import Command, Destination
from subsel.cli.options import CompareOptions, SelectOptions
from subsel.cli.reading import Reading

__all__ = ["keep_command", "kept_command", "own_folder"]

_FILE = "command.json"
JOBS = ("select", "assess", "compare")
_FREE = ("budget", "restarts", "jobs", "memory", "journal")  # options that a resumed job may change


def keep_command(command: Command, table: Any) -> None:
    """Write into the journal what was asked of which data; refuse the journal of another job."""
    from subsel.data.fingerprint import digest
    from subsel.engine.journal.description import differences
    from subsel.engine.journal.journal import open_folder
    from subsel.runtime.atomic_files import atomic_write

    assert command.options.journal is not None
    folder = open_folder(command.options.journal)
    data = {
        "digest": digest(table.X, table.y, *table.names),
        "rows": len(table.y),
        "columns": len(table.names),
    }
    output = replace(command.output, folder=command.output.folder.absolute())
    absolute = replace(command, data=str(Path(command.data).absolute()), output=output)
    record = json.loads(json.dumps({"command": asdict(absolute), "data": data}, default=str))
    found = _read(folder)
    if found is not None and (unlike := differences(_binding(record), _binding(found))):
        raise ValueError(
            f"{folder} is the journal of another job ({'; '.join(unlike)}): give another directory, or go on with "
            f"`subsel resume {folder}` when things are as they were."
        )
    with atomic_write(folder, _FILE) as (path,):
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf8")


def kept_command(folder: Path) -> Command:
    """Give the command of a journal."""
    found = _read(folder)
    if found is None:
        raise ValueError(
            f"{folder} holds no command to resume: it was written from Python (fit again with the same "
            "parameters and journal), or it is another directory."
        )
    try:
        command = found["command"]
        output = Destination(**{**command["output"], "folder": Path(command["output"]["folder"])})
        options = _options(command["job"], {**command["options"], "journal": folder})
        reading = Reading(**command.get("reading", {}))
        parts = {
            "options": options,
            "output": output,
            "typed": tuple(command["typed"]),
            "reading": reading,
        }
        kept = Command(**{**command, **parts})
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{folder / _FILE} does not say what to resume ({error!r}): give another directory."
        ) from None
    if kept.job not in JOBS or not isinstance(kept.data, str):
        raise ValueError(
            f"{folder / _FILE} asks for {kept.job!r} of {kept.data!r}, which is no job of ours."
        )
    return kept


def own_folder(command: Command, journal: Path) -> Path:
    """Where a resumed command writes when nobody says where: only beside its journal, for its file may be anybody's."""
    folder, home = command.output.folder, journal.resolve().parent
    if not folder.resolve().is_relative_to(home):
        raise ValueError(
            f"the job was to write to {folder}, outside of {home}: say so by --out {folder}"
        )
    return folder


def _options(job: str, kept: dict[str, Any]) -> SelectOptions:
    """Options from JSON, where pairs and tuples have become lists."""
    kind = CompareOptions if job == "compare" else SelectOptions
    known = {field.name for field in fields(kind)}
    given = {name: value for name, value in kept.items() if name in known}
    for name, value in given.items():
        if isinstance(value, list):
            given[name] = tuple(value)
    return kind(**given)


def _binding(record: dict[str, Any]) -> dict[str, Any]:
    """What must stay as it was."""
    command = record["command"]
    options = {name: value for name, value in command["options"].items() if name not in _FREE}
    given = {"job": command["job"], "file": command["data"], "target": command["target"]}
    given |= {
        name: value for name, value in command.get("reading", {}).items() if value is not None
    }
    return {**given, "options": options, "data": record["data"]}


def _read(folder: Path) -> dict[str, Any] | None:
    path = folder / _FILE
    if path.is_symlink():
        raise ValueError(
            f"{path} is a symbolic link, which is not followed: put the file itself there."
        )
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON ({error}): give another directory.") from None
    if (
        not isinstance(found, dict)
        or not isinstance(found.get("command"), dict)
        or "data" not in found
    ):
        raise ValueError(f"{path} was written by an earlier version: give another directory.")
    return found
