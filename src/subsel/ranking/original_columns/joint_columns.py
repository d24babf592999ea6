"""Text as one column of names, for scores that know what to do with names."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from subsel.ranking.original_columns.parts import Parts

__all__ = ["joint_columns", "most_names"]

FEW = 10  # values that scores of counts leave to themselves in any table


def joint_columns(
    function: Callable[..., Any], X: np.ndarray, parts: Parts, text: np.ndarray
) -> tuple[np.ndarray, Parts, dict[str, Any]]:
    """Put the values of a column of text into one column, where a score reads names: no best of many is taken then.

    Statistics of contingency tables take the values of a column as they are, while these are few;
    the Relief family and some others can be told which columns hold names (``nominal``). For other
    scores nothing is changed.

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
        The table with names as numbers 1, 2, ..., 0 where a row has none; what its columns are
        parts of.
    options : dict
        What the score must be told of them.

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
    for j, together in enumerate(joint):
        block = X[:, parts.columns([j])]
        if together:
            block = _names(block)
        blocks.append(block)
        widths.append(block.shape[1])
    options = {}
    if nominal:
        options["nominal"] = np.flatnonzero(np.repeat(joint, widths)).tolist()
    return np.hstack(blocks), Parts(np.repeat(np.arange(len(widths)), widths)), options


def most_names(function: Callable[..., Any], n_rows: int) -> float:
    """How many values a column of names may have so that a score of counts leaves them to themselves; 0 for others.

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
    return np.where(block.any(axis=1), 1.0 + block.argmax(axis=1), 0.0)[:, None]
