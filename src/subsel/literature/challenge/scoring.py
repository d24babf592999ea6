"""Scores of submissions: balanced error and its bar, area under the curve, shares of features and of probes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

import numpy as np

from subsel.assessment.measures import (
    balanced_error,
    binary_auc,
    pairwise_scores,
    pairwise_wins,
    probe_share,
)
from subsel.literature.challenge.problem import Problem
from subsel.literature.challenge.submission import Submission

__all__ = ["EntryScore", "Openings", "class_wise_bar", "pairwise", "score"]


@dataclass(frozen=True)
class EntryScore:
    """How a submission did on the validation rows, in percent.

    Parameters
    ----------
    entry, problem : str
        Who entered, for what.
    ber, bar, auc : float
        Balanced error rate, its class-wise standard error, area under the curve.
    features, probes : float
        Share of the columns that were used; share of those that are probes, NaN where that is not known.
    n_features : int
        How many columns were used.
    seconds : float
        How long it took.
    transductive : bool
        Whether inputs of rows without labels were used.

    Examples
    --------
    One of four rows labelled 1 is predicted as -1, none of the four others is wrong: the balanced
    error is (1/4 + 0) / 2. One of four columns was used.

    >>> y = np.repeat([1, -1], 4)
    >>> given = Submission("e", "p", y, np.array([1, 2, 3, -1, -4, -3, -2, -2]), np.array([1]), 0.0)
    >>> found = score(Problem("p", np.zeros((8, 4)), y, np.zeros((8, 4)), y), given)
    >>> found.ber, found.auc, found.features, found.n_features
    (12.5, 100.0, 25.0, 1)
    """

    entry: str
    problem: str
    ber: float
    bar: float
    auc: float
    features: float
    probes: float
    n_features: int
    seconds: float
    transductive: bool = False


def class_wise_bar(y: np.ndarray, predicted: np.ndarray) -> float:
    """The standard error of a balanced error rate: half the root of the sum of the classes' variances.

    >>> y = np.repeat([-1, 1], [90, 10])
    >>> round(class_wise_bar(y, np.where(np.arange(100) % 10 == 0, -y, y)), 4)
    0.05
    """
    rates = [(float(np.mean(predicted[y == c] != c)), int((y == c).sum())) for c in np.unique(y)]
    return 0.5 * float(np.sqrt(sum(rate * (1 - rate) / n for rate, n in rates)))


def score(problem: Problem, given: Submission) -> EntryScore:
    """Open the labels of the validation rows and score what was handed in."""
    chosen = np.isin(np.arange(problem.n_features), given.features)
    probes = np.nan
    if problem.probes is not None:
        probes = 100 * probe_share(chosen, problem.probes)
    return EntryScore(
        given.entry,
        problem.name,
        100 * balanced_error(problem.sealed, given.predicted),
        100 * class_wise_bar(problem.sealed, given.predicted),
        100 * binary_auc(problem.sealed == 1, given.valid),
        100 * float(chosen.mean()),
        probes,
        int(chosen.sum()),
        given.seconds,
        given.transductive,
    )


def pairwise(problem: Problem, submissions: Sequence[Submission]) -> np.ndarray:
    """The pairwise score of each entry to one problem: wins less losses among the others, times 100."""
    wrong = np.array([given.predicted != problem.sealed for given in submissions])
    shares = [len(given.features) / problem.n_features for given in submissions]
    masks = [np.isin(np.arange(problem.n_features), given.features) for given in submissions]
    probes = [0.0] * len(masks)
    if problem.probes is not None:
        probes = [probe_share(mask, problem.probes) for mask in masks]
    return pairwise_scores(pairwise_wins(wrong, shares, probes))


class Openings:
    """The record of when validation labels were opened for whom: the first opening of an entry counts.

    Parameters
    ----------
    path : path
        A file with one line of JSON for each opening.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> Openings(Path(folder.name, "openings.jsonl")).of("subsel", "madelon")
    []
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        lines = []
        if self.path.exists():
            lines = self.path.read_text(encoding="utf8").splitlines()
        self.records: list[dict] = [json.loads(line) for line in lines if line.strip()]

    def of(self, entry: str, problem: str) -> list[dict]:
        """All openings for an entry to a problem, the first one first."""
        return [r for r in self.records if r["entry"] == entry and r["problem"] == problem]

    def open(self, problem: Problem, given: Submission) -> EntryScore:
        """Score a submission and record it; the same predictions are recorded once."""
        from subsel import __version__

        found = score(problem, given)
        known = {record["fingerprint"] for record in self.of(given.entry, problem.name)}
        if given.fingerprint not in known:
            when = datetime.now(UTC).date().isoformat()
            record = {
                "date": when,
                "version": __version__,
                "fingerprint": given.fingerprint,
                **asdict(found),
            }
            self.records.append(record)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf8") as file:
                file.write(json.dumps(record) + "\n")
        return found
