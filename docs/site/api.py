"""Write ``docs/api.txt``, every public name with its parameters: ``python docs/site/api.py``."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

import subsel

__all__ = ["api_lines", "write_api"]

PAGE = Path(__file__).resolve().parents[1] / "api.txt"


def public_places() -> list[str]:
    """The package, its rooms, and the families of the literature."""
    rooms = [name for name in subsel.__all__ if inspect.ismodule(getattr(subsel, name))]
    families = [f"literature.{name}" for name in subsel.literature.__all__]
    return ["subsel", *(f"subsel.{name}" for name in (*rooms, *families) if name != "literature")]


def api_lines() -> list[str]:
    """One line per public name, sorted: where it is imported from, and its parameters."""
    lines = set()
    for place in public_places():
        module = import_module(place)
        for name in module.__all__:
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                lines.add(f"{place}.{name}{_parameters(thing)}")
    return sorted(lines)


def _parameters(thing: object) -> str:
    """The names of the parameters; ``=`` where there is a default, whatever it is."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return ""
    try:
        signature = inspect.signature(thing)
    except ValueError:  # an exception without a constructor of its own
        return ""
    parameters = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else _Default())
        for p in signature.parameters.values()
    ]
    return str(inspect.Signature(parameters)).replace("=...", "=")


class _Default:
    """Stands for any default value."""

    def __repr__(self) -> str:
        return "..."


def write_api(path: Path = PAGE) -> None:
    """Write the list."""
    path.write_text("\n".join(api_lines()) + "\n", encoding="utf8")


if __name__ == "__main__":
    write_api()
