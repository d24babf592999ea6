"""Checks of scores: order of columns, storage, weights, number of results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse

from subsel.ranking.registry import SCORES, Score, find_score
from subsel.testing.promise import Promises

__all__ = ["check_score"]

ROWS, COLUMNS = 26, 6


def check_score(score: str | Callable) -> None:
    """Check that a registered score does what rankings and cuts rely on.

    It must return one number per column (infinity is allowed, NaN is not), permute its results with
    the columns, leave the data unchanged, and accept what its entry declares: several classes,
    numeric targets, sparse tables, weights (a row of weight w counts as w rows), missing values. A
    univariate score of a column must not depend on other columns. P-values must be between 0 and 1.

    Parameters
    ----------
    score : str or callable
        The key, or the function that was registered with the decorator ``score``.

    Raises
    ------
    BrokenPromise
        If a promise does not hold; the message says which, what was observed, and how to reproduce
        it.

    Examples
    --------
    >>> check_score("pearson")
    """
    entry = _entry_of(score)
    functions = {"": entry.function, " (p-values)": entry.p_value}
    for what, function in functions.items():
        if function is not None:
            again = (
                f"{function.__name__}(X, y) on X, y = make_table({_kind(entry)!r})"
                "  # from subsel.testing.score"
            )
            trial = _Trial(entry, _seeded(function), Promises(entry.key + what, again))
            for check in CHECKS:
                check(trial)
    if entry.p_value is not None:
        _check_p_values(entry)


def make_table(kind: str = "classification", n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Make a small table with many zeros, ties and two columns of 0 and 1, and a target.

    Examples
    --------
    >>> X, y = make_table()
    >>> X.shape, np.bincount(y).tolist()
    ((26, 6), [15, 11])
    """
    rng = np.random.default_rng(7)
    X = np.round(rng.standard_normal((ROWS, COLUMNS)) * [1, 1, 2, 3, 1, 1] * 4) / 4
    X *= rng.random((ROWS, COLUMNS)) < 0.5
    X[:, 4:] = X[:, 4:] != 0
    if kind == "regression":
        return X, X[:, 0] - X[:, 2] + rng.standard_normal(ROWS)
    if n_classes == 2:
        return X, rng.permutation(np.repeat([0, 1], [15, 11]))
    return X, np.arange(ROWS) % n_classes


def _entry_of(score: str | Callable) -> Score:
    if isinstance(score, str):
        return find_score(score)
    for entry in SCORES.values():
        if entry.function is score:
            return entry
    name = getattr(score, "__name__", repr(score))
    raise ValueError(
        f"{name} is not a registered score; register it with "
        "@score('its-key', univariate=..., ...)."
    )


def _kind(entry: Score) -> str:
    return "classification" if entry.classification else "regression"


def _seeded(function: Callable) -> Callable:
    if "random_state" in signature(function).parameters:
        return partial(function, random_state=0)
    return function


@dataclass(frozen=True)
class _Trial:
    """A score, or its p-values, that is checked on small tables."""

    entry: Score
    function: Callable[..., Any]
    promises: Promises

    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a table of a kind that the score accepts."""
        return make_table(_kind(self.entry))


def _check_shape(trial: _Trial) -> None:
    X, y = trial.table()
    before = X.copy(), y.copy()
    scores = trial.function(X, y)
    one_each = (
        isinstance(scores, np.ndarray) and scores.shape == (COLUMNS,) and scores.dtype.kind == "f"
    )
    trial.promises.keep(one_each, "it gives an array of one float per column", repr(scores))
    trial.promises.keep(not np.isnan(scores).any(), "no score is NaN", scores)
    same = np.array_equal(X, before[0]) and np.array_equal(y, before[1])
    trial.promises.keep(same, "the data stay as they are", "X or y has changed")
    X[:, 2] = 1.5
    constant = trial.function(X, y)
    trial.promises.keep(not np.isnan(constant).any(), "a constant column is no trouble", constant)


def _check_order(trial: _Trial) -> None:
    X, y = trial.table()
    whole = trial.function(X, y)
    for order in ([5, 4, 3, 2, 1, 0], [2, 0, 4, 1, 5, 3]):
        promise = f"scores follow their columns when these change places (columns {order})"
        trial.promises.equal(trial.function(X[:, order], y), whole[order], promise)
    trial.promises.equal(trial.function(X, y), whole, "asked again it scores alike")
    if trial.entry.univariate:
        alone = [float(trial.function(X[:, [j]], y)[0]) for j in range(COLUMNS)]
        trial.promises.equal(
            alone, whole, "a column scores alone as among others: it is univariate"
        )


def _check_storage(trial: _Trial) -> None:
    X, y = trial.table()
    whole = trial.function(X, y)
    forms: dict[str, Callable[..., Any]] = {
        "by columns": np.asfortranarray,
        "float32": lambda X: X.astype(np.float32),
    }
    if trial.entry.sparse:
        forms |= {"csr": sparse.csr_matrix, "csc": sparse.csc_array}
    for name, form in forms.items():
        trial.promises.equal(trial.function(form(X), y), whole, f"storage changes nothing ({name})")
    if trial.entry.classification:
        named = np.array(["no", "yes"])[y]
        trial.promises.equal(trial.function(X, named), whole, "classes may have any names")


def _check_targets(trial: _Trial) -> None:
    entry = trial.entry
    if entry.multiclass:
        scores = trial.function(*make_table("classification", 4))
        trial.promises.keep(
            np.shape(scores) == (COLUMNS,) and not np.isnan(scores).any(),
            "it takes four classes",
            scores,
        )
    elif entry.classification and not entry.regression:
        _refuses(trial, make_table("classification", 3))
    if entry.regression:
        scores = trial.function(*make_table("regression"))
        trial.promises.keep(
            np.shape(scores) == (COLUMNS,) and not np.isnan(scores).any(),
            "it takes numbers",
            scores,
        )


def _refuses(trial: _Trial, table: tuple[np.ndarray, np.ndarray]) -> None:
    """Check that a score of two classes raises a ValueError for three."""
    try:
        scores = trial.function(*table)
    except ValueError:
        return
    trial.promises.broken(
        "three classes are refused with a ValueError: it takes two (or say multiclass=True)", scores
    )


def _check_weights(trial: _Trial) -> None:
    if not trial.entry.weights:
        return
    X, y = trial.table()
    times = np.r_[0, 1, 2, 3, np.random.default_rng(1).integers(0, 4, ROWS - 4)]
    again = np.repeat(np.arange(ROWS), times)
    weighted, repeated = (
        trial.function(X, y, sample_weight=times),
        trial.function(X[again], y[again]),
    )
    trial.promises.equal(weighted, repeated, "a row of weight w counts as w rows")


def _check_missing(trial: _Trial) -> None:
    if trial.entry.missing:
        X, y = trial.table()
        X[::5, 1] = np.nan
        scores = trial.function(X, y)
        trial.promises.keep(
            not np.isnan(scores).any(), "missing values are taken, as its entry says", scores
        )


def _check_p_values(entry: Score) -> None:
    X, y = make_table(_kind(entry))
    p = _seeded(entry.p_value)(X, y)  # type: ignore[arg-type]
    promises = Promises(
        entry.key, f"p_value(*make_table({_kind(entry)!r}))  # from subsel.testing.score"
    )
    promises.keep(((p >= 0) & (p <= 1)).all(), "p-values lie between 0 and 1", p)


CHECKS = (
    _check_shape,
    _check_order,
    _check_storage,
    _check_targets,
    _check_weights,
    _check_missing,
)
