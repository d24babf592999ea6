"""What reproduces books, papers and the NIPS 2003 challenge, and that no selection needs."""

from importlib import import_module
from types import ModuleType

__all__ = [
    "challenge",
    "embedding",
    "information",
    "linkage",
    "models",
    "problems",
    "recipes",
    "sequences",
    "spectra",
    "studies",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return __all__
