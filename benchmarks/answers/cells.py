"""One cell: a procedure fitted on one outer fold of one set and scored on the rows held out; kept once it is finished.

Everything runs on one thread, and all seconds, those that a race may take among them, are those of the processor, so that
a busy machine changes nothing.
"""

import json
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)

import subsel.assessment.folds.fold
import subsel.assessment.race.rounds
import subsel.auto
from benchmarks.answers.alternatives import ALTERNATIVES, selects
from benchmarks.answers.sets import Problem
from benchmarks.table import RESULTS
from subsel import AutoSelector

__all__ = ["LONGEST", "OURS", "SECONDS", "Cells", "run_cell", "splits_of"]

OURS = {f"subsel, {prefer}": prefer for prefer in ("accuracy", "balance", "few")}
SECONDS = 60  # of one fit of ours
LONGEST = 120  # seconds after which a fit of an alternative is given up: twice those of ours
FEW, MANY = (
    120,
    1000,
)  # rows below which outer folds are repeated, and beyond which three are enough


class Cells:
    """The finished cells of one set: a JSON file with one entry per procedure and fold."""

    def __init__(self, name: str) -> None:
        self.path = (
            RESULTS
            / "answers"
            / (name.replace(" ", "_").replace("(", "").replace(")", "") + ".json")
        )
        self.found = self._kept()

    def _kept(self) -> dict[str, dict[str, Any]]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def keep(self, procedure: str, fold: int, cell: dict[str, Any]) -> None:
        """Write a finished cell at once, beside those that another process has written since."""
        self.found = {**self._kept(), f"{procedure} | {fold}": cell}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".tmp")
        beside.write_text(
            "{\n"
            + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in self.found.items())
            + "\n}\n"
        )
        beside.replace(self.path)

    def of(self, procedure: str, fold: int) -> dict[str, Any] | None:
        """A finished cell, or None."""
        return self.found.get(f"{procedure} | {fold}")


def splits_of(problem: Problem) -> list[tuple[np.ndarray, np.ndarray]]:
    """The outer folds, the same for all procedures."""
    n = len(problem.y)
    if problem.groups is not None:
        splitter: Any = GroupKFold(5)
    elif n < FEW:
        splitter = (RepeatedKFold if problem.regression else RepeatedStratifiedKFold)(
            n_splits=5, n_repeats=2, random_state=0
        )
    else:
        folds = 3 if n > MANY else 5
        splitter = (KFold if problem.regression else StratifiedKFold)(
            folds, shuffle=True, random_state=0
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(splitter.split(problem.X, problem.y, problem.groups))


def run_cell(problem: Problem, procedure: str, fold: int, journal: Path) -> dict[str, Any]:
    """Fit on the training rows of an outer fold and score the others."""
    train, test = splits_of(problem)[fold]
    X, y = problem.X[train], problem.y[train]
    groups = None if problem.groups is None else problem.groups[train]
    scoring = problem.scoring
    begun = process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if procedure in OURS:
                settings = {"scoring": scoring, "fold": fold, "journal": journal}
                fitted, told = _ours(OURS[procedure], X, y, groups, **settings)
            else:
                fitted, told = _alternative(procedure, problem, X, y), {}
    except Exception as error:
        return {
            "failed": f"{type(error).__name__}: {str(error)[:100]}",
            "seconds": round(process_time() - begun, 1),
        }
    seconds = process_time() - begun
    size = (
        int(fitted.get_support().sum())
        if procedure in OURS
        else selects(fitted, problem.X.shape[1])
    )
    score = get_scorer(scoring)(fitted, problem.X[test], problem.y[test])
    return {
        "score": round(float(score), 5),
        "size": size,
        "seconds": round(seconds, 1),
        "scoring": scoring,
        **told,
    }


def _ours(
    prefer: str,
    X: Any,
    y: np.ndarray,
    groups: np.ndarray | None,
    *,
    scoring: str,
    fold: int,
    journal: Path,
) -> tuple[Any, dict[str, Any]]:
    """The default job; `accuracy` and `balance` share the folds of one race through its journal, `few` has more contenders."""
    journal = journal / "few" if prefer == "few" else journal
    for module in (subsel.auto, subsel.assessment.race.rounds, subsel.assessment.folds.fold):
        module.perf_counter = process_time  # type: ignore[attr-defined]
    job = AutoSelector(
        prefer=prefer, budget=f"{SECONDS}s", scoring=scoring, random_state=fold, journal=journal
    )  # type: ignore[arg-type]
    fitted = job.fit(X, y, groups=groups)
    expected = round(float(fitted.nested_score_.estimate), 5)
    left_out = len(fitted.race_.left_out) + len(fitted.plan_.left_out)
    n_folds = len(fitted.race_.finished[0].folds)
    return fitted, {
        "taken": fitted.taken_,
        "expected": expected,
        "folds": n_folds,
        "left out": left_out,
    }


def _alternative(name: str, problem: Problem, X: Any, y: np.ndarray) -> Any:
    with _at_most(LONGEST):
        return clone(ALTERNATIVES[name](problem)).fit(X, y)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def end(*_: Any) -> None:
        raise TimeoutError(f"over {seconds:.0f} s")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
