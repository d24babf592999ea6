"""What should make a reader doubt: leakage, too few rows, unsteady choices, flattering guides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from subsel.report.cautions.assessment import assessment_cautions
from subsel.report.cautions.caution import Caution
from subsel.report.cautions.table import table_cautions

__all__ = ["find_cautions"]


def find_cautions(
    X: Any,
    y: Any,
    names: Sequence[str],
    *,
    kind: str = "classification",
    scoring: str = "",
    chosen: Sequence[int] = (),
    assessment: Any = None,
) -> list[Caution]:
    """Look for what should make a reader doubt, the gravest first.

    Parameters
    ----------
    names : sequence of str
        Of the columns of X.
    scoring : str
        Name of the measure that guided the search.
    chosen : sequence of int
        Columns of the final selection.

    Examples
    --------
    >>> X = np.column_stack((np.arange(120), np.arange(120) % 7))
    >>> [c.title for c in find_cautions(X, np.repeat([0, 1], 60), ["row_id", "day"], chosen=[0])]
    ['A feature alone predicts the target', 'A chosen column looks like an identifier']
    """
    y = np.asarray(y)
    found = list(table_cautions(X, y, names, kind, scoring, chosen))
    if assessment is not None:
        found += assessment_cautions(assessment, y)
    return sorted(found, key=lambda caution: caution.level != "serious")
