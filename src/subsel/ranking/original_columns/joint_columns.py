"""Text as one column of names, for scores of nominal columns."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from subsel.ranking.original_columns.parts import Parts

__all__ = ["joint_columns", "most_names"]

FEW = 10  # distinct values that scores of counts never merge into intervals


def joint_columns(
    function: Callable[..., Any], X: np.ndarray, parts: Parts, text: np.ndarray
) -> tuple[np.ndarray, Parts, dict[str, Any]]:
    """Join the indicator columns of text into one column of names, if the score takes names.

    The score of such a column is then no maximum over many. Statistics of contingency tables use
    the values of a column as they are while these are few; the Relief family and some others have
    the parameter ``nominal``. For other scores nothing changes.

    Parameters
    ----------
    function : callable
        The score.
    X : ndarray
        The table of numbers, a column of zeros and ones for each value of text.
    parts : Parts
        Which columns of numbers make a column.
    text : ndarray of bool
        Which columns hold text.

    Returns
    -------
    X, parts : ndarray and Parts
        The table with names as numbers 1, 2, ..., 0 where a row has none, and the parts that its
        columns are.
    options : dict
        The options of the score that say which columns are nominal.

    Examples
    --------
    >>> from subsel.ranking import mutual_information
    >>> X = np.array([[1.0, 0, 5], [0, 1, 6], [0, 0, 7]])
    >>> joint_columns(mutual_information, X, Parts(np.array([0, 0, 1])), np.array([True, False]))[0]
    array([[1., 5.],
           [2., 6.],
           [0., 7.]])
    """
    nominal = "nominal" in signature(function).parameters
    joint = text & (parts.widths <= (np.inf if nominal else most_names(function, len(X))))
    if not joint.any():
        return X, parts, {}
    blocks, widths = [], []
    for j, is_joint in enumerate(joint):
        block = X[:, parts.columns([j])]
        if is_joint:
            block = _names(block)
        blocks.append(block)
        widths.append(block.shape[1])
    options = {}
    if nominal:
        options["nominal"] = np.flatnonzero(np.repeat(joint, widths)).tolist()
    return np.hstack(blocks), Parts(np.repeat(np.arange(len(widths)), widths)), options


def most_names(function: Callable[..., Any], n_rows: int) -> float:
    """Give the largest number of names that a score of counts does not merge; 0 for other scores.

    Examples
    --------
    >>> from subsel.ranking import anova_f, mutual_information
    >>> most_names(mutual_information, 400), most_names(anova_f, 400)
    (19.0, 0.0)
    """
    counts = hasattr(function, "of_counts") and "discretise" in signature(function).parameters
    if not counts:
        return 0.0
    return float(max(FEW, np.sqrt(n_rows)) - 1)


def _names(block: np.ndarray) -> np.ndarray:
    """Give the number of the indicator that is set in each row, from 1, as a column; 0 for none."""
    return np.where(block.any(axis=1), 1.0 + block.argmax(axis=1), 0.0)[:, None]
