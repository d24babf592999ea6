"""Our own: the default job of the library, by balanced error."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from subsel.auto import AutoSelector
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem

__all__ = ["SubselRace"]


@enter("subsel")
class SubselRace(Entry):
    """A race of whole procedures within the training rows, then a committee of the best three.

    Nothing is chosen by hand: every choice falls by folds of the training rows.

    Examples
    --------
    >>> SubselRace(quick=True).procedure.__name__
    'procedure'
    """

    title, team, chapter = "subsel", "subsel", "none"
    budgets: ClassVar[dict[bool, str]] = {True: "30s", False: "600s"}

    def procedure(self, problem: Problem) -> Any:  # noqa: ARG002
        """The race."""
        return AutoSelector(
            prefer="accuracy", scoring="balanced_accuracy", budget=self.budgets[self.quick]
        )

    def features(self, fitted: Any, problem: Problem) -> np.ndarray:  # noqa: ARG002
        """Those of any member of the committee."""
        return np.flatnonzero(fitted.get_support())
