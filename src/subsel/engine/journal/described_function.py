"""A function as what it depends on: its code, defaults, closure and the globals it uses."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from subsel.data.fingerprint import digest

__all__ = ["describe_function", "installed_version"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def describe_function(function: FunctionType) -> dict[str, Any]:
    """Give what a function depends on, by name; one of an installed library by its name and the library's version.

    Examples
    --------
    >>> def scorer(price=0.1):
    ...     return -price
    >>> describe_function(scorer)["defaults"]
    (0.1,)
    """
    known = {
        "": f"{function.__module__}.{function.__qualname__}",
        "digest": _code_digest(function.__code__),
    }
    held = {
        "defaults": function.__defaults__,
        "keywords": function.__kwdefaults__,
        "closure": [_content(cell) for cell in function.__closure__ or ()],
    }
    held = {name: part for name, part in held.items() if part}
    if (found := installed_version(function.__module__)) is not None:
        return {**known, **held, "version": found}
    used = dict.fromkeys(name for code in _nested(function.__code__) for name in code.co_names)
    uses = {name: function.__globals__[name] for name in used if name in function.__globals__}
    if uses:
        held["globals"] = uses
    return {**known, **held}


def installed_version(module: str | None) -> str | None:
    """The version of the library that a module is of; None for modules of the user.

    >>> installed_version("json.decoder") == f"{sys.version_info[0]}.{sys.version_info[1]}"
    True
    >>> installed_version("__main__") is None
    True
    """
    top = (module or "").partition(".")[0]
    if top == "__main__":
        return None
    if top in sys.stdlib_module_names:
        return f"{sys.version_info[0]}.{sys.version_info[1]}"
    home = sys.modules.get(top)
    place = getattr(home, "__file__", None) or ""
    if top == "subsel" or "site-packages" in place or "dist-packages" in place:
        return str(getattr(home, "__version__", "installed"))
    return None


def _code_digest(code: CodeType) -> str:
    """Of what the code does: not of its lines, nor of where its inner functions lie in memory."""
    constants = [part for part in code.co_consts if not isinstance(part, CodeType)]
    inner = [_code_digest(part) for part in code.co_consts if isinstance(part, CodeType)]
    text = _ADDRESS.sub("", repr([constants, inner, code.co_names]))
    return digest(code.co_code + text.encode())


def _nested(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions within it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _nested(part)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled
        return None
