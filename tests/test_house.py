"""The plan of the house: imports run one way, and nothing in it is too large to read."""

import ast
from pathlib import Path

import pytest

import subsel

PACKAGE = Path(subsel.__file__).parent
FACES = {"assessment", "auto", "challenge", "cli", "recipes", "report", "selector", "testing", "ui"}
MAY_NOT_IMPORT = {
    "_loops": {"criteria", "datasets", "embedded", "engine", "ranking", "search", "task"} | FACES,
    "assessment": {"challenge", "cli", "report", "ui"},
    "challenge": {"cli", "ui"},
    "construct": {"engine", "search"} | FACES,
    "criteria": {"datasets", "embedded", "engine", "search"} | FACES,
    "datasets": {"criteria", "embedded", "engine", "ranking", "search"} | FACES,
    "discretise": {"construct", "criteria", "datasets", "embedded", "engine", "ranking", "search"}
    | FACES,
    "embedded": {"challenge", "cli", "report", "ui"},
    "engine": FACES,
    "learners": {"engine", "search"} | FACES,
    "ranking": {"datasets", "search"} | FACES,
    "report": {"cli", "ui"},
    "search": {"construct", "criteria", "datasets", "embedded", "engine", "learners", "ranking"}
    | FACES,
}
BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.ExceptHandler,
    ast.IfExp,
    ast.comprehension,
    ast.BoolOp,
    ast.Assert,
)
SOURCES = sorted(PACKAGE.rglob("*.py"))


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf8"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(tree: ast.Module) -> set[str]:
    names = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= (
                {node.module}
                if node.module != "subsel"
                else {f"subsel.{alias.name}" for alias in node.names}
            )
    return {name.split(".")[1] for name in names if name.startswith("subsel.")}


def test_imports_run_one_way():
    """No room imports one that stands to its right in the flow of the data."""
    against = [
        f"{path.relative_to(PACKAGE)} imports {target}"
        for path in SOURCES
        for target in sorted(imported_rooms(parsed(path)) & MAY_NOT_IMPORT.get(room(path), set()))
    ]
    assert not against


def code_lines(node: ast.AST, text: list[str]) -> int:
    """Lines of a function that are neither blank nor comment nor docstring."""
    docstrings: set[int] = set()
    for inner in ast.walk(node):
        if (
            isinstance(inner, ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(inner, clean=False) is not None
        ):
            docstrings |= set(range(inner.body[0].lineno, inner.body[0].end_lineno + 1))
    lines = set(range(node.lineno, node.end_lineno + 1)) - docstrings
    return sum(
        bool(text[i - 1].strip()) and not text[i - 1].lstrip().startswith("#") for i in lines
    )


def only_stores(node: ast.FunctionDef) -> bool:
    """Whether a constructor does nothing but keep its parameters, as scikit-learn asks."""
    return node.name == "__init__" and all(isinstance(line, ast.Assign) for line in node.body)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_too_large_to_read(path):
    """Files end by line 400 (tables of contents aside), functions hold 50 lines of code and fifteen branches
    at most, constructors that only keep parameters aside."""
    text = path.read_text(encoding="utf8").splitlines()
    assert path.name == "__init__.py" or len(text) <= 400
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and not only_stores(node):
            assert code_lines(node, text) <= 50, node.name
            assert 1 + sum(isinstance(inner, BRANCHES) for inner in ast.walk(node)) <= 15, node.name
