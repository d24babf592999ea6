"""The table of scores: what each one can be given, and the names it is known by."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["SCORES", "Score", "find_score", "score"]

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
) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Enter a function ``f(X, y, ...) -> scores`` in the table under its key and its other published names."""

    def enter(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        entry = Score(key, function, p_value, classification, multiclass, regression, sparse, weights)
        SCORES.update(dict.fromkeys((key, *aliases), entry))
        return function

    return enter


def find_score(name: str) -> Score:
    """Look a score up by any of its names."""
    try:
        return SCORES[name]
    except KeyError:
        from difflib import get_close_matches

        close = get_close_matches(name, SCORES, n=3)
        hint = f" Did you mean {', '.join(close)}?" if close else f" Known: {', '.join(sorted(SCORES))}."
        raise ValueError(f"there is no score named {name!r}.{hint}") from None
