"""The tables that were dropped: each in a folder of its own, no larger than allowed, and nothing else is ever read."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from subsel.runtime.memory import in_words
from subsel.ui.errors import Refused, last_complaint
from subsel.ui.identifiers import new_identifier, place_of

__all__ = ["Tables"]

ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".xlsx", ".npz", ".libsvm", ".svm")
PATIENCE = 120.0  # seconds in which a table must be recognised
LONGEST = 120  # signs of a name
FOUND = "columns.json"


class Tables:
    """The folder of what was dropped.

    Parameters
    ----------
    folder : Path
        Where they are kept.
    most_bytes : int
        How large one may be.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder, self.most_bytes = folder, most_bytes

    async def add(self, name: str, announced: int, chunks: AsyncIterator[bytes]) -> dict[str, Any]:
        """Keep what is dropped and tell its columns; what is too large or no table is not kept."""
        self._check_size(announced)
        name = safe_name(name)
        identifier = new_identifier()
        home = self.folder / identifier
        home.mkdir(parents=True)
        try:
            await self._write(home / name, chunks)
            found = await _recognised(home / name)
            (home / FOUND).write_text(json.dumps(found), encoding="utf8")
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        return {"id": identifier, "name": name, **found}

    def path(self, identifier: Any) -> Path:
        """The file that was dropped under an identifier."""
        home = place_of(self.folder, identifier, FOUND)
        return next(path for path in home.iterdir() if path.name != FOUND)

    async def _write(self, path: Path, chunks: AsyncIterator[bytes]) -> None:
        size = 0
        with path.open("xb") as file:
            async for chunk in chunks:
                size += len(chunk)
                self._check_size(size)
                file.write(chunk)

    def _check_size(self, size: int) -> None:
        if size > self.most_bytes:
            most = in_words(self.most_bytes)
            raise Refused(
                f"the file is larger than {most}: start `subsel ui --most ...`, or use the command line.",
                413,
            )


def safe_name(name: str) -> str:
    """The name of a file without its folders and without signs that mean something; its ending must be one we read.

    >>> safe_name("../my table (2).csv")
    'my table _2_.csv'
    """
    plain = re.sub(r"[^\w .,+-]", "_", re.split(r"[/\\]", name)[-1]).lstrip(". -")
    ending = next(
        (e for e in sorted(ENDINGS, key=len, reverse=True) if plain.lower().endswith(e)), None
    )
    if ending is None or len(plain) == len(ending):
        raise Refused(f"{plain or 'this'}: the ending must be one of {', '.join(ENDINGS)}.", 415)
    return plain[: -len(ending)][:LONGEST] + ending


async def _recognised(path: Path) -> dict[str, Any]:
    """Ask `subsel columns` in a process of its own, so that no table can hurt the server."""
    command = [sys.executable, "-P", "-m", "subsel", "columns", str(path), "--json"]
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        *command, stdout=pipe, stderr=pipe, cwd=path.parent
    )
    try:
        out, words = await asyncio.wait_for(child.communicate(), PATIENCE)
    except TimeoutError:
        raise Refused(f"{path.name} was not recognised in {PATIENCE:.0f} s.", 422) from None
    finally:
        if child.returncode is None:
            child.kill()
    if child.returncode != 0:
        told = [line for line in words.decode("utf8", "replace").splitlines() if line.strip()]
        last = last_complaint(told, "it could not be read.")
        raise Refused(last.replace(f"{path.parent}/", ""), 422)
    return json.loads(out)
