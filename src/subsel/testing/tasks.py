"""Small problems on which criteria, scores and selectors are checked."""

from __future__ import annotations

import numpy as np

from subsel.data.task import Kind, Task

__all__ = ["SITUATIONS", "make_task"]

SITUATIONS = ("usual", "wide", "ties", "single precision")
"""The situations of :func:`make_task`: more rows than columns; fewer; whole numbers, a constant
and a repeated column; float32."""


def make_task(situation: str = "usual", kind: Kind = "classification", seed: int = 0) -> Task:
    """Make a problem whose target depends on the first two columns.

    Parameters
    ----------
    situation : str
        One of `SITUATIONS`.
    kind : {"classification", "regression"}
        What the target holds; there are two classes.
    seed : int
        The seed.

    Returns
    -------
    Task
        A problem of at least nine columns.

    Examples
    --------
    >>> task = make_task("ties")
    >>> task.n_rows, task.n_columns, task.classes.tolist()
    (48, 9, [0, 1])
    """
    rng = np.random.default_rng([seed, SITUATIONS.index(situation)])
    n, p = (24, 30) if situation == "wide" else (48, 9)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3, p) + 2
    signal = X[:, 0] / X[:, 0].std() - X[:, 1] / X[:, 1].std() + 0.5 * rng.normal(size=n)
    if situation == "ties":
        X = np.round(X)
        X[:, 5], X[:, 6] = X[:, 0], 1.0
    if situation == "single precision":
        X = X.astype(np.float32)
    y = signal
    if kind == "classification":
        y = (signal > np.median(signal)).astype(int)
    return Task.of(X, y, kind)
