"""What a configuration answers, as plain values and texts, and how two answers differ."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

Configuration = Callable[[], Mapping[str, Any]]

ANSWERS = Path(__file__).with_name("answers.json")
TEXTS = Path(__file__).with_name("texts.json")
TEXT_KEYS = {"cautions", "notes", "printed", "warnings"}
SHOWN = 12  # qualities kept of either end of a long trace

# below this a difference is rounding: qualities are rounded by the engine and may be differences near zero, scores may
# be differences of sums; a small p-value has all its digits
ROUNDING = {
    "quality": 1e-9,
    "qualities": 1e-9,
    "best_quality": 1e-9,
    "front": 1e-9,
    "p_values": 0.0,
}
USUAL_ROUNDING = 1e-12


def record(configuration: Configuration) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run a configuration: its answers, and its texts with the warnings and what it printed."""
    printed = StringIO()
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(printed):
        warnings.simplefilter("always")
        found = configuration()
    answers, texts = split(plain(found))
    # other kinds tell developers about versions of libraries
    said = [masked(str(w.message)) for w in caught if issubclass(w.category, UserWarning)]
    if said:
        texts["warnings"] = list(dict.fromkeys(said))
    if printed.getvalue():
        texts["printed"] = masked(printed.getvalue())
    return answers, texts


def plain(value: Any) -> Any:
    """Numbers, texts, lists and mappings, as JSON has them; refuses any other object."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if sparse.issparse(value):
        return plain(value.toarray())
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{value!r} is not a plain value.")


def split(found: Any) -> tuple[Any, Any]:
    """Separate answers from texts, which lie under `TEXT_KEYS` at any depth; empty texts are left out."""
    answers: dict[str, Any] = {}
    texts: dict[str, Any] = {}
    for key, value in found.items():
        if key in TEXT_KEYS:
            if value:
                texts[key] = masked(value)
        elif isinstance(value, dict):
            answers[key], inner = split(value)
            if inner:
                texts[key] = inner
        else:
            answers[key] = value
    return answers, texts


def masked(text: Any) -> Any:
    """The text, or each text of a list or mapping, without seconds, dates, paths and versions."""
    if isinstance(text, dict):
        return {key: masked(one) for key, one in text.items()}
    if isinstance(text, list):
        return [masked(line) for line in text]
    if not isinstance(text, str):
        return text
    for pattern, mark in (
        (r'"seconds": [\d.e-]+', '"seconds": SECONDS'),
        (r"\d{4}-\d\d-\d\dT[\d:+]+", "DATE"),
        (r"\d+(\.\d+)?(e-?\d+)? ?(s|ms|µs|seconds?|min|minutes?)\b", "SECONDS"),
        (r"(/[\w.+-]+){2,}/?", "PATH"),
        (r"\b\d+\.\d+\.\d+\w*", "VERSION"),
        (r" at 0x[0-9a-f]+", ""),
    ):
        text = re.sub(pattern, mark, text)
    return "\n".join(_untimed(text.split("\n")))


def _untimed(lines: list[str]) -> Iterator[str]:
    """Lines of a screen, with tables that have a column of seconds set again without them."""
    column = None
    for line in lines:
        cells = re.split(r"\s{2,}", line.strip())
        if "seconds" in cells:
            column = cells.index("seconds")
        if column is None or len(cells) <= column:
            column = None  # the table has ended
            yield line
        else:
            yield "  ".join(cells[:column] + cells[column + 1 :])


def ends(values: Any) -> list[Any]:
    """All values, or the first and last of many."""
    values = list(values)
    return values if len(values) <= 2 * SHOWN else values[:SHOWN] + values[-SHOWN:]


def differences(
    stored: Any, found: Any, digits: int, place: str = "", rounding: float = USUAL_ROUNDING
) -> Iterator[str]:
    """Say where two records differ: numbers with a fraction beyond so many digits, all else at all."""
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in sorted(stored.keys() | found.keys()):
            where = f"{place}.{key}".lstrip(".")
            if key not in found or key not in stored:
                yield f"{where}: {'lost' if key in stored else 'new'}"
            else:
                below = ROUNDING.get(key, rounding)
                yield from differences(stored[key], found[key], digits, where, below)
    elif isinstance(stored, list) and isinstance(found, list) and len(stored) == len(found):
        for i, (one, other) in enumerate(zip(stored, found)):
            yield from differences(one, other, digits, f"{place}[{i}]", rounding)
    elif not _equal(stored, found, digits, rounding):
        yield f"{place}: stored {stored!r}, found {found!r}"


def _equal(stored: Any, found: Any, digits: int, rounding: float) -> bool:
    if isinstance(stored, float) and isinstance(found, float):
        if math.isnan(stored) or math.isnan(found):
            return math.isnan(stored) and math.isnan(found)
        return math.isclose(stored, found, rel_tol=10.0**-digits, abs_tol=rounding)
    return type(stored) is type(found) and stored == found


def load(path: Path) -> dict[str, Any]:
    """The stored records by the id of their configuration."""
    return json.loads(path.read_text()) if path.exists() else {}


def store(path: Path, records: Mapping[str, Any]) -> None:
    """Write records, one configuration to a line, so that a change shows as one line."""
    dumps = partial(json.dumps, ensure_ascii=False)
    lines = [f"{dumps(key)}: {dumps(records[key])}" for key in sorted(records)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
