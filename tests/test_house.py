"""The plan of the house: imports run one way, and nothing ambient decides what is computed."""

import ast
import tomllib
from pathlib import Path

import pytest

import subsel

PACKAGE = Path(subsel.__file__).parent
# From left to right as data flows: a room imports only what is to its left.
ORDER = (  # noqa: SIM905
    "_lazy _loops registry runtime data space models ranking criteria search result engine construct "
    "embedded selector assessment auto literature report ui cli testing"
).split()

SOURCES = sorted(PACKAGE.rglob("*.py"))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf8"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(tree: ast.Module) -> set[str]:
    """The modules of ours that a file imports, inside functions too, without the name of the package."""
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "subsel":
            names |= {f"subsel.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.removeprefix("subsel.") for name in names if name.startswith("subsel.")}


def test_imports_run_one_way():
    """No room imports one to its right, at the top of a module or inside a function."""
    against = set()
    for path in SOURCES:
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for target in imported_modules(parsed(path)) if room(path) in ORDER else ():
            there = target.partition(".")[0]
            if there in ORDER and ORDER.index(there) > ORDER.index(room(path)):
                against.add(f"{module} -> {target}")
    assert not against


NAMES_THE_LITERATURE = {"cli/commands/challenge.py", "criteria/registry.py", "registry/recipes.py"}
"""The command that runs the challenge, and tables that declare by a string what they hold."""


def names_the_literature(path: Path) -> bool:
    """Whether a file imports from the literature or names a place in it; text that is read is no place."""
    tree = parsed(path)
    named = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value
    }
    return any(name.startswith("literature") for name in imported_modules(tree)) or any(
        name.startswith("subsel.literature") for name in named
    )


def test_nothing_needs_the_literature():
    """No selection, page or check imports it: only its command does, and tables whose entries wait to be asked for."""
    found = {path.relative_to(PACKAGE).as_posix() for path in SOURCES if names_the_literature(path)}
    elsewhere = {name for name in found if not name.startswith("literature/")}
    assert elsewhere == NAMES_THE_LITERATURE


TESTS = Path(__file__).parent
ROOMS = sorted(path.name for path in TESTS.iterdir() if path.name in ORDER and path.is_dir())


@pytest.mark.parametrize("name", ROOMS)
def test_tests_stand_where_the_code_stands(name):
    """Folders mirror packages; a file named after a module of the room is in the folder of that module."""
    folders = {path.parent for path in (TESTS / name).rglob("*.py")}
    assert not [f for f in folders if not (PACKAGE / f.relative_to(TESTS) / "__init__.py").exists()]
    homes: dict[str, set[Path]] = {}
    for path in (PACKAGE / name).rglob("*.py"):
        homes.setdefault(path.stem, set()).add(path.parent.relative_to(PACKAGE))
    for path in (TESTS / name).rglob("test_*.py"):
        home = homes.get(path.stem.removeprefix("test_"))
        assert home is None or path.parent.relative_to(TESTS) in home, path


def test_every_room_has_its_place():
    """Besides the rooms there are few modules at the top."""
    rooms = {room(path) for path in SOURCES} - {"__init__", "__main__"}
    assert rooms == set(ORDER)
    assert len([path for path in SOURCES if path.parent == PACKAGE]) <= 4 + 2


CONTEXT_VARIABLES = {
    "runtime/events.py": "who hears of a step",
    "runtime/interruption.py": "who answers an interruption",
}
"""What may be ambient; the reason is a comment above each."""

ARITHMETIC = ("_loops", "runtime", "data", "criteria", "engine", "ranking")
READS = {
    "criteria/registry.py": "whether the library of an estimator was imported",
    "engine/journal/description.py": "where a function was defined",
    "runtime/shared_arrays.py": "where joblib has temporary files written",
    "runtime/pools.py": "whether a task runs on a worker of dask",
    "runtime/status_line.py": "whether a terminal is there to write to",
}
"""Where these rooms may look at the process or its environment, and for what."""


def names_used(path: Path) -> set[str]:
    """Names and attributes that a file reads."""
    nodes = list(ast.walk(parsed(path)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {
        f"{node.value.id}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


def test_two_context_variables_and_the_reason_above_each():
    """All else is passed as an argument."""
    found = {
        str(path.relative_to(PACKAGE)): path for path in SOURCES if "ContextVar" in names_used(path)
    }
    assert found.keys() == CONTEXT_VARIABLES.keys()
    for name in CONTEXT_VARIABLES:
        lines = found[name].read_text(encoding="utf8").splitlines()
        [place] = (i for i, line in enumerate(lines) if "= ContextVar(" in line)
        assert lines[place - 1].startswith("#"), name


def test_nothing_around_a_process_decides_which_arithmetic_runs():
    """No environment variable, no module that happens to be loaded."""
    around = {"sys.modules", "os.environ", "os.getenv"}
    found = {
        str(path.relative_to(PACKAGE))
        for path in SOURCES
        if room(path) in ARITHMETIC and names_used(path) & around
    }
    assert found == READS.keys()
    assert not [path for path in SOURCES if "SUBSEL_COMPILE" in path.read_text(encoding="utf8")]


def test_files_with_long_lines_are_a_list_that_only_shrinks():
    """Each file of `long-lines.toml` has one; in any other file the linter complains of it."""
    root = Path(__file__).parent.parent
    listed = tomllib.loads((root / "long-lines.toml").read_text(encoding="utf8"))
    for name in listed["lint"]["per-file-ignores"]:
        lines = (root / name).read_text(encoding="utf8").splitlines()
        assert any(len(line) > 100 for line in lines), name
