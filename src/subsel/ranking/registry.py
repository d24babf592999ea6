"""The table of scores: what each one can be given, and the names it is known by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

__all__ = ["SCORES", "Score", "canonical", "find_score", "look_up", "score"]

Entry = TypeVar("Entry")

SCORES: dict[str, "Score"] = {}


@dataclass(frozen=True, slots=True)
class Score:
    """One score of the literature: larger is more relevant."""

    key: str
    function: Callable[..., np.ndarray]
    p_value: Callable[..., np.ndarray] | None
    classification: bool
    multiclass: bool
    regression: bool
    sparse: bool
    weights: bool
    missing: bool

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (self.function.__doc__ or "").strip().splitlines()[0]


def score(
    key: str,
    *aliases: str,
    p_value: Callable[..., np.ndarray] | None = None,
    classification: bool = True,
    multiclass: bool = False,
    regression: bool = False,
    sparse: bool = False,
    weights: bool = False,
    missing: bool = False,
) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Enter a function ``f(X, y, ...) -> scores`` in the table under its key and its other published names.

    Statistics of contingency tables (:func:`subsel.tables.counts.of_tables`) take missing values as a value.
    """

    def enter(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        names = [canonical(name) for name in (key, *aliases)]
        nan = missing or hasattr(function, "of_counts")
        entry = Score(names[0], function, p_value, classification, multiclass, regression, sparse, weights, nan)
        SCORES.update(dict.fromkeys(names, entry))
        return function

    return enter


def find_score(name: str) -> Score:
    """Look a score up by any of its names; hyphens and underscores are the same."""
    return look_up(SCORES, name, "score")


def canonical(name: str) -> str:
    """The form in which names stand in the tables: hyphens between words.

    >>> canonical("mutual_information")
    'mutual-information'
    """
    return name.replace("_", "-")


def look_up(table: Mapping[str, Entry], name: str, what: str) -> Entry:
    """Find an entry, or say which names come near."""
    try:
        return table[canonical(name)]
    except KeyError:
        from difflib import get_close_matches

        close = get_close_matches(canonical(name), table, n=3)
        hint = f"Did you mean {', '.join(close)}?" if close else f"Known: {', '.join(sorted(table))}."
        raise ValueError(f"there is no {what} named {name!r}. {hint}") from None
