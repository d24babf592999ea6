"""Docstrings as numpydoc reads them: names, types, sentences, sources a stranger can look up, examples that run."""

import inspect
import re
from importlib import import_module

import pytest

import subsel

ROOMS = sorted(
    name
    for name in subsel.__all__
    if name != "literature" and inspect.ismodule(getattr(subsel, name))
)
ENTRY = re.compile(r"^(?P<names>[*\w]+(?:, [*\w]+)*) : (?P<type>\S.*)$")
SECTIONS = (
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Notes",
    "References",
    "Examples",
    "See Also",
    "Methods",
)


def public() -> dict[str, object]:
    """Every class and function that a room exports, by its full name."""
    found = {}
    families = [f"subsel.literature.{family}" for family in subsel.literature.__all__]
    for place in ("subsel", *(f"subsel.{room}" for room in ROOMS), *families):
        module = import_module(place)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return found


PUBLIC = public()


def section(text: str, title: str) -> list[str]:
    """The lines of a section of a docstring."""
    lines = text.splitlines()
    starts = [
        i for i, line in enumerate(lines[:-1]) if line == title and set(lines[i + 1]) == {"-"}
    ]
    if not starts:
        return []
    body = lines[starts[0] + 2 :]
    ends = [i for i, line in enumerate(body[:-1]) if line in SECTIONS and set(body[i + 1]) == {"-"}]
    return body[: ends[0]] if ends else body


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_parameters_are_names_types_and_sentences(name):
    """Each entry is ``name : type`` with its sentence, indented, on the next line; names are those of the signature."""
    thing = PUBLIC[name]
    text = inspect.getdoc(thing) or ""
    assert text, "no docstring"
    for title in ("Parameters", "Attributes"):
        lines = section(text, title)
        heads = [(i, line) for i, line in enumerate(lines) if line and not line.startswith(" ")]
        for i, line in heads:
            assert ENTRY.match(line), f"{title}: {line!r} is not 'name : type'"
            assert lines[i + 1].startswith("    "), f"{title}: {line!r} has no sentence below"
        if title == "Parameters" and heads:
            given = [
                n.lstrip("*") for _, line in heads for n in ENTRY.match(line)["names"].split(", ")
            ]
            assert set(given) <= set(inspect.signature(thing).parameters), (
                f"{given} are not all parameters"
            )


@pytest.mark.parametrize(
    "name", sorted(name for name, thing in PUBLIC.items() if inspect.isclass(thing))
)
def test_every_public_class_has_an_example(name):
    """Exporting a class promises an example that runs (exceptions, warnings and protocols aside)."""
    thing = PUBLIC[name]
    if issubclass(thing, Exception) or getattr(thing, "_is_protocol", False):
        pytest.skip("an exception or a protocol")
    assert ">>> " in (inspect.getdoc(thing) or "")


def test_no_private_identifiers():
    """Sources are ones that a stranger can look up; our own identifiers stand in docs/methods.md alone."""
    from pathlib import Path

    found = [
        f"{path.name}:{number}"
        for path in Path(subsel.__file__).parent.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf8").splitlines(), 1)
        if re.search(r"\bbook-0\d\b|\bpapers [A-Z]", line)
    ]
    assert not found
