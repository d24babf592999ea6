"""Record linkage: how many persons a choice of attributes puts back together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task, select_columns
from subsel.literature.linkage.near_values import NearValues, near_values
from subsel.registry.parameters import Parameters

__all__ = ["LinkageAccuracy", "LinkageReport", "Linker", "linkage_report", "swappable_columns"]

BLOCK = 4096  # records whose variants are looked up together


@dataclass(frozen=True)
class LinkageReport:
    """How well clusters agree with the truth.

    ``accuracy`` is the share of persons whose records all lie in one cluster of their own; ``precision``, ``recall``
    and ``f1`` are over pairs of records put together.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    n_clusters: int


def linkage_report(clusters: np.ndarray, truth: np.ndarray) -> LinkageReport:
    """Compare clusters of records with the persons they belong to.

    Where no pair is due (or put together) recall (precision) is 1.

    >>> linkage_report(np.array([0, 0, 1, 2, 2]), np.array([7, 7, 8, 9, 8]))
    LinkageReport(accuracy=0.3333333333333333, precision=0.5, recall=0.5, f1=0.5, n_clusters=3)
    """
    clusters, truth = (np.unique(labels, return_inverse=True)[1] for labels in (clusters, truth))
    both = np.unique(clusters * (truth.max() + 1) + truth, return_counts=True)[1]
    found, due = _pairs(np.bincount(clusters)), _pairs(np.bincount(truth))
    right, precision, recall = _pairs(both), 1.0, 1.0
    if found:
        precision = right / found
    if due:
        recall = right / due
    f1 = float(precision == recall == 1)
    if right:
        f1 = 2 * precision * recall / (precision + recall)
    whole = _whole(clusters, truth)
    return LinkageReport(float(np.mean(whole)), precision, recall, f1, int(clusters.max()) + 1)


def _pairs(sizes: np.ndarray) -> float:
    """How many pairs there are within groups of these sizes."""
    return float((sizes * (sizes - 1) // 2).sum())


def _whole(clusters: np.ndarray, persons: np.ndarray) -> np.ndarray:
    """Whether each person's records form one cluster of their own; both arguments number from 0."""
    _, first, together = np.unique(
        clusters * (persons.max() + 1) + persons, return_index=True, return_counts=True
    )
    of_cluster, of_person = (
        np.bincount(clusters)[clusters[first]],
        np.bincount(persons)[persons[first]],
    )
    whole = np.zeros(persons.max() + 1, dtype=bool)
    whole[persons[first[(together == of_cluster) & (together == of_person)]]] = True
    return whole


@criterion("linkage-accuracy")
@dataclass(frozen=True)
class LinkageAccuracy(Parameters):
    """The share of persons whose records all land in one cluster of their own, by the chosen attributes alone [1]_.

    Two records are linked if at most ``threshold`` errors turn the chosen attributes of one into those of the other;
    clusters are the connected components (single linkage). Typing errors count as :func:`~subsel.literature.linkage.near_values.near_values` counts them: an
    edit, a sound-alike, a nickname, a cut or a missing value is one error each, and so is the exchange of two
    attributes (first and last name) where both are chosen. More attributes tell more persons apart and collect more
    errors, so neither few nor many are best.

    Parameters
    ----------
    threshold : int, default=1
        Errors that two linked records may differ by.
    swappable : pair of str or int, or None, default=("first_name", "last_name")
        Names or numbers of two columns that may be exchanged; the default applies where both names exist.

    Notes
    -----
    The table holds text (a data frame), the target says which records are of one person: ``y`` is the truth, and a
    search on it learns which attributes to trust for further records of the kind. Near values are found once per
    attribute; a subset then looks up all variants within the threshold of each distinct record in the sorted hashes of
    the records. No cross product is formed: for threshold 1 the cost is the number of near values of all cells; each
    further error multiplies it by the number of near values of a record (20,000 records: a tenth of a second, then
    many seconds).
    Records are told apart by 64-bit hashes (the chance of a collision among n is about n^2 / 2^65).

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, sections 3.3 and 6.3; they
       use the scheme of Mi, Rajasekaran and Aseltine, *Efficient algorithms for fast integration on large data sets
       from multiple sources*, BMC Med Inform Decis Mak 12:59, 2012, after which this one is modelled.

    Examples
    --------
    >>> import pandas as pd
    >>> records = pd.DataFrame({"first_name": ["anna", "ana", "lee"], "last_name": ["lee", "lee", "anna"],
    ...                         "zip": ["06269", "10001", "06269"]})
    >>> evaluator = LinkageAccuracy().bind(Task.of(records, [0, 0, 1], "classification"))
    >>> evaluator.quality(np.array([0])), evaluator.clusters(np.array([0, 1])).tolist()
    (1.0, [0, 0, 0])

    The last record is the first with its names exchanged: by both names the two persons are one.
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    threshold: int = 1
    swappable: tuple[str | int, str | int] | None = ("first_name", "last_name")

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Linker:  # noqa: ARG002
        """Find the near values of every attribute."""
        if self.threshold < 0:
            raise ValueError(
                f"threshold must be a number of errors, at least 0, got {self.threshold!r}."
            )
        return Linker(task, self.threshold, swappable_columns(self.swappable, task.names))


def swappable_columns(
    swappable: tuple[str | int, str | int] | None, names: Sequence[str]
) -> tuple[int, int] | None:
    """The numbers of two columns whose values may be exchanged; None where the default names are missing."""
    if swappable is None or (
        swappable == LinkageAccuracy.swappable and not {*swappable} <= {*names}
    ):
        return None
    from subsel.data.columns import column_numbers

    first, second = column_numbers("swappable", list(swappable), names)
    return first, second


class Linker(Evaluator):
    """Clusters records by any choice of attributes."""

    traits = Traits("record linkage", standard_error=True, heavy=True)

    def __init__(self, task: Task, threshold: int, swappable: tuple[int, int] | None) -> None:
        texts = [_text(task, j) for j in range(task.n_columns)]
        homes = list(range(task.n_columns))
        if swappable is not None:
            homes[swappable[1]] = swappable[0]  # one vocabulary, so that their values compare
        rng = np.random.default_rng(0)
        self.codes = np.empty((task.n_rows, task.n_columns), dtype=np.int64)
        self.near: dict[int, NearValues] = {}
        self.words: dict[int, np.ndarray] = {}
        self.values: dict[int, np.ndarray] = {}
        for home in sorted(set(homes)):
            members = [j for j in range(task.n_columns) if homes[j] == home]
            values, codes = np.unique(
                np.concatenate([texts[j] for j in members]), return_inverse=True
            )
            near = near_values(values.tolist(), threshold)
            for j, part in zip(members, np.split(codes, len(members))):
                self.codes[:, j], self.near[j], self.values[j] = part, near, values
                self.words[j] = rng.integers(2**64, size=len(values), dtype=np.uint64)
        self.persons, self.threshold, self.swappable = task.codes, threshold, swappable

    def quality(self, columns: np.ndarray) -> float:
        """The share of persons put back together."""
        return float(np.mean(_whole(self.clusters(columns), self.persons)))

    def explain(self, columns: np.ndarray) -> Evaluation:
        """The cluster of each record, and whether it belongs to a person not put back together."""
        clusters = self.clusters(columns)
        whole = _whole(clusters, self.persons)
        error = float(np.std(whole, ddof=1) / np.sqrt(len(whole)))
        return Evaluation(float(np.mean(whole)), error, None, clusters, 1.0 - whole[self.persons])

    def clusters(self, columns: np.ndarray) -> np.ndarray:
        """The cluster of each record, numbered from 0."""
        columns = np.asarray(columns)
        hashes, first, inverse = np.unique(
            self._hashes(columns, self.codes), return_index=True, return_inverse=True
        )
        links = [self._links(columns, hashes, first, at) for at in range(0, len(first), BLOCK)]
        ends = np.hstack(links)
        graph = coo_array(
            (np.ones(ends.shape[1], dtype=bool), (ends[0], ends[1])), shape=(len(first),) * 2
        )
        return connected_components(graph, directed=False)[1][inverse]

    def _hashes(self, columns: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """One word per record: the sum of the words of its values, so that a change of value is a difference."""
        total = np.zeros(len(codes), dtype=np.uint64)
        for j in columns:
            total += self.words[j][codes[:, j]]
        return total

    def _links(
        self, columns: np.ndarray, hashes: np.ndarray, rows: np.ndarray, at: int
    ) -> np.ndarray:
        """Pairs of distinct records (numbers) at most ``threshold`` errors apart, one of them in the block at ``at``."""
        codes = self.codes[rows[at : at + BLOCK]]
        found = [_look_up(hashes, *self._variants(columns, codes, 0))]
        if (
            self.swappable is not None
            and {*self.swappable} <= {*columns.tolist()}
            and self.threshold
        ):
            codes[:, self.swappable] = codes[:, self.swappable[::-1]]
            found.append(_look_up(hashes, *self._variants(columns, codes, 1)))
        return np.hstack(found) + [[at], [0]]

    def _variants(
        self, columns: np.ndarray, codes: np.ndarray, n_errors: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Whose and what: every way to write the records with at most ``threshold`` errors, column by column."""
        owner, hashes, spent = (
            np.arange(len(codes)),
            self._hashes(columns, codes),
            np.full(len(codes), n_errors),
        )
        for j in columns:
            able = np.flatnonzero(spent < self.threshold)
            values = codes[owner[able], j]
            # The first change goes to a smaller value: a pair is found from one side, and a gap (the smallest) from afar.
            which, value, errors = self.near[j].expand(values, smaller=spent[able] == 0)
            fits = spent[able[which]] + errors <= self.threshold
            which, value, errors = which[fits], value[fits], errors[fits]
            moved = hashes[able[which]] - self.words[j][values[which]] + self.words[j][value]
            owner = np.concatenate([owner, owner[able[which]]])
            spent = np.concatenate([spent, spent[able[which]] + errors])
            hashes = np.concatenate([hashes, moved])
        return owner, hashes


def _look_up(known: np.ndarray, owner: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    """Owner and number in ``known`` (sorted) of every hash that is known."""
    at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    exists = known[at] == hashes
    return np.vstack([owner[exists], at[exists]])


def _text(task: Task, column: int) -> np.ndarray:
    """One column as lower-case text, empty where it is missing."""
    values = select_columns(task.X, [column])
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    return np.array([_written(value) for value in np.asarray(values).ravel()])


def _written(value: Any) -> str:
    text = str(value).strip().lower()
    if not isinstance(value, str) and text in ("none", "nan", "<na>", "nat"):
        return ""
    return text
