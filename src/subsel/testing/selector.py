"""Checks of selectors: scikit-learn's contract, and what assessment relies on."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from subsel.data.task import Kind, Task
from subsel.testing.promise import Promises
from subsel.testing.tasks import make_task

__all__ = ["check_selector"]


def check_selector(selector: Any, expected_failed_checks: dict[str, str] | None = None) -> None:
    """Check that a selector follows scikit-learn's contract and can be assessed and compared.

    All of ``sklearn.utils.estimator_checks.check_estimator`` must pass. Further, ``get_support``
    must be a mask over the columns and agree with ``transform`` and ``get_feature_names_out``; the
    same columns must be selected from a frame and from its array, and a frame with its columns in
    another order must be refused or read by name; a clone with the same ``random_state`` must
    select the same columns; an unpickled copy must transform in the same way; and the data must not
    be changed.

    Parameters
    ----------
    selector : estimator
        A selector that is not fitted, with its ``random_state`` set if it has one.
    expected_failed_checks : dict of str to str, optional
        Checks of scikit-learn that cannot pass, and why.

    Raises
    ------
    BrokenPromise
        If a promise does not hold; the message says which, what was observed, and how to reproduce
        it.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest, f_classif
    >>> check_selector(SelectKBest(f_classif, k=1))
    """
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(selector, expected_failed_checks=expected_failed_checks, on_skip=None)
        kind: Kind = "classification"
        if get_tags(selector).estimator_type == "regressor":
            kind = "regression"
        task = make_task("usual", kind)
        again = (
            f"selector.fit(task.X, task.y) on task = make_task('usual', {kind!r})"
            "  # from subsel.testing.tasks"
        )
        promises = Promises(type(selector).__name__, again)
        for check in CHECKS:
            check(promises, clone(selector), task)


def _check_support(promises: Promises, selector: Any, task: Task) -> None:
    X, y = task.X.copy(), task.y.copy()
    fitted = selector.fit(X, y)
    promises.keep(fitted is selector, "fit returns the selector itself", repr(fitted))
    same = np.array_equal(X, task.X) and np.array_equal(y, task.y)
    promises.keep(same, "the data stay as they are", "X or y has changed")
    mask = selector.get_support()
    fine = isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == (task.n_columns,)
    promises.keep(fine, "get_support gives a mask over the columns", repr(mask))
    numbers = selector.get_support(indices=True)
    promises.equal(
        numbers, np.flatnonzero(mask), "get_support(indices=True) gives the places of the mask"
    )
    promises.equal(
        selector.transform(X), X[:, mask], "transform gives the columns of the mask, as they are"
    )


def _check_repeats(promises: Promises, selector: Any, task: Task) -> None:
    mask = selector.fit(task.X, task.y).get_support()
    again = clone(selector).fit(task.X, task.y).get_support()
    seen = f"{np.flatnonzero(mask).tolist()}, then {np.flatnonzero(again).tolist()}"
    promises.keep(
        np.array_equal(mask, again),
        "a clone selects the same: chance comes from random_state",
        seen,
    )
    copied = pickle.loads(pickle.dumps(selector))
    promises.equal(
        copied.transform(task.X), selector.transform(task.X), "after pickling it transforms alike"
    )


def _check_frames(promises: Promises, selector: Any, task: Task) -> None:
    try:
        import pandas as pd
    except ImportError:
        return
    mask = clone(selector).fit(task.X, task.y).get_support()
    frame = pd.DataFrame(task.X, columns=[f"column {j}" for j in range(task.n_columns)])
    selector.fit(frame, task.y)
    selected = np.flatnonzero(selector.get_support()).tolist()
    seen = f"{selected} where {np.flatnonzero(mask).tolist()} is expected"
    promises.keep(
        np.array_equal(selector.get_support(), mask), "a frame is selected as its array is", seen
    )
    names = list(selector.get_feature_names_out())
    kept = list(frame.columns[mask])
    promises.keep(
        names == kept,
        "get_feature_names_out names the kept columns",
        lambda: f"{names}, not {kept}",
    )
    _check_other_order(promises, selector, frame, kept)


def _check_other_order(promises: Promises, selector: Any, frame: Any, kept: list[str]) -> None:
    """Check that columns in another order are refused or found by name, not read by position."""
    try:
        found = selector.transform(frame[frame.columns[::-1]])
    except ValueError:
        return
    promise = "a frame with its columns in another order is refused, or read by name"
    promises.equal(np.asarray(found), frame[kept].to_numpy(), promise)


CHECKS = (_check_support, _check_repeats, _check_frames)
