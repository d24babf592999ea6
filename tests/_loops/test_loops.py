"""What the compiled loops may rely on."""

import ast
from pathlib import Path

import subsel

SOURCE = Path(subsel.__file__).parents[1]
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def functions(decorator: str) -> set[tuple[str, str]]:
    """The modules and names of loops that are decorated so."""
    found = set()
    for file in (SOURCE / "subsel/_loops").rglob("*.py"):
        module = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                marks = [ast.unparse(mark) for mark in node.decorator_list]
                if any(mark.startswith(decorator) for mark in marks):
                    found.add((module, node.name))
    return found


def test_inner_loops_are_called_by_loops_only():
    """Nothing but compiled code calls an inner loop, which has no entry for Python."""
    inner = functions("inner")
    imported = {
        (node.module, name.name)
        for folder in (SOURCE / "subsel", BENCHMARKS)
        for file in folder.rglob("*.py")
        if "_loops" not in file.parts
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert inner
    assert not inner & imported
