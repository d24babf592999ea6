"""The ledger of methods: what it says is there is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def rows() -> list[list[str]]:
    """The cells of every row of docs/methods.md that names an identifier."""
    lines = (ROOT / "docs/methods.md").read_text(encoding="utf8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    return [row for row in cells if re.match(r"book-0\d |papers ", row[0])]


ROWS = rows()
CLAIMED = [row for row in ROWS if row[2] != "absent"]


def found(name: str) -> object:
    """Import a dotted name: the longest module of it, then its attributes."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            thing = getattr(thing, part)
        return thing
    raise ImportError(name)


def test_every_identifier_stands_once_with_a_state():
    """A method is complete, partial or absent, and said so once."""
    identifiers = [row[0] for row in ROWS]
    assert len(identifiers) == len(set(identifiers)) > 100
    assert {row[2] for row in ROWS} <= {"complete", "partial", "absent"}
    assert all(row[5] for row in ROWS if row[2] != "complete"), "partial and absent say why"


@pytest.mark.parametrize("row", CLAIMED, ids=lambda row: row[0])
def test_what_is_claimed_imports_and_is_tested(row):
    """Every named object imports, and every named test exists."""
    where = re.findall(r"subsel[\w.]*\w", row[3])
    assert where, "names no object"
    for name in where:
        found(name)
    tests = re.findall(r"([\w/.-]+\.py)(?:::(\w+))?", row[4])
    assert tests or row[2] == "partial", "complete, but no test named"
    for path, name in tests:
        text = (ROOT / path).read_text(encoding="utf8")
        assert not name or re.search(rf"(?:def|class) {name}\b", text), f"{path} has no {name}"
