"""Which judge answers for an estimator without refitting it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from subsel.criteria.base import Criterion
from subsel.criteria.cross_validated import CrossValidated

__all__ = ["Exact", "judge_of"]

Exact = Literal["auto", "require", "never"]

JUDGES: dict[str, Callable[..., Criterion | None]] = {}


def judge_of(estimator: Any, scoring: Any = None, cv: Any = 5, exact: Exact = "auto") -> Criterion:
    """Give the exact judge of an estimator where there is one, else the one that refits."""
    if exact not in ("auto", "require", "never"):
        raise ValueError(f"exact must be 'auto', 'require' or 'never', got {exact!r}.")
    if exact == "require":
        raise ValueError(f"there is no exact judge for {estimator!r} with scoring={scoring!r}.")
    return CrossValidated(estimator, scoring, cv)
