"""What may be asked of a job, as plain values: the same for the command line, Python and a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from subsel.cli.reading import Reading
from subsel.data.task import Kind

__all__ = ["BadOption", "CompareOptions", "RankOptions", "SelectOptions"]

METHODS = ("sfs:ridge", "sffs:ridge", "sffs:knn", "rfs1:knn")


class BadOption(ValueError):
    """What was asked for cannot be done, whatever the table holds."""


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """How to select and assess.

    Parameters
    ----------
    search : str, optional
        Key of a search, as ``subsel methods`` lists them. Without search, estimator and criterion whole procedures
        race, and the best is taken.
    estimator : str, optional
        Key of the model that evaluates subsets and stands behind the selection; None tries several.
    prefer : {"balance", "accuracy", "few"}
        Which procedure of a race to take, as of :class:`subsel.AutoSelector`.
    criterion : str, optional
        What guides the search instead of a model, ``KEY`` or ``KEY:parameter=value,...``; ``estimator`` is then the
        model behind the selection, and None the best of several.
    task : {"classification", "regression"}, optional
        What is predicted; None tells it from the target.
    scoring : str, optional
        A scorer of scikit-learn; None is accuracy, balanced for skewed classes, or R2.
    cv : int or "time", optional
        Shuffled folds that guide the search, None for five; "time" predicts later rows from earlier ones, in the search and its assessment.
    impute : {"median", "knn", "none"}
        What fills missing values, as of :class:`subsel.data.TableEncoder`; models that read NaN get them as they are.
    n_features : int or pair of int, optional
        How many columns to select, or between what bounds; None is at most 20.
    budget : str
        Seconds or minutes for the whole job (``"60s"``, ``"5m"``), or evaluations per search (``"10000"``).
    restarts : int
        Independent runs of each search.
    fixed, forbidden : tuple of str
        Columns that must, and that must not be selected.
    choose : {"search", "best", "one-se"}
        Which subset to take, as of :class:`subsel.SubsetSelector`.
    seed : int
        Seed of searches and folds.
    jobs : int, optional
        Workers; they never change the answer.
    memory : str, optional
        What evaluators may take beside the table, as in ``"2GB"``.
    device : str, optional
        ``"cpu"`` or ``"cuda"``: where subsets are evaluated through PyTorch, as of :class:`subsel.SubsetSelector`.
    journal : Path, optional
        A directory that keeps what is done.
    permutations : int
        Shufflings of the labels to test with; each repeats one pass over the folds, beyond the budget.
    assess : bool
        Whether the whole selection is repeated in outer folds.

    Examples
    --------
    >>> SelectOptions(search="sfs", n_features=2).budget
    '60s'
    """

    search: str | None = None
    estimator: str | None = None
    criterion: str | None = None
    prefer: Literal["balance", "accuracy", "few"] = "balance"
    task: Kind | None = None
    scoring: str | None = None
    cv: int | Literal["time"] | None = None
    impute: Literal["median", "knn", "none"] = "median"
    n_features: int | tuple[int | None, int | None] | None = None
    budget: str = "60s"
    restarts: int = 1
    fixed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    choose: Literal["search", "best", "one-se"] = "one-se"
    seed: int = 0
    jobs: int | None = None
    memory: str | None = None
    device: str | None = None
    journal: Path | None = None
    permutations: int = 0
    assess: bool = True

    @property
    def raced(self) -> bool:
        """Whether nothing was said of how to search, so that whole procedures race."""
        return self.search is None and self.estimator is None and self.criterion is None


@dataclass(frozen=True, kw_only=True)
class CompareOptions(SelectOptions):
    """How to compare several searches on the same folds.

    Parameters
    ----------
    methods : tuple of str
        Searches to compare, each ``SEARCH`` or ``SEARCH:ESTIMATOR``.

    Examples
    --------
    >>> CompareOptions(methods=("sfs:nb", "rfs1")).methods
    ('sfs:nb', 'rfs1')
    """

    methods: tuple[str, ...] = METHODS


@dataclass(frozen=True, kw_only=True)
class RankOptions:
    """How to rank the columns of a table.

    Parameters
    ----------
    target : str, optional
        The column to predict, where the file does not say.
    table : str, optional
        Table or query of a database.
    memory : str, optional
        Leave the table on disk and rank it within this, as in ``"500MB"``.
    score : str, optional
        Key of a score; None is ``anova-f`` for classes and ``pearson`` for numbers.
    cut : int, float or str
        How many columns to keep, or by what rule, as of :class:`subsel.RankingSelector`.
    estimator : str, optional
        Key of the model that the cuts ``cv`` and ``cv-gap`` validate with.
    probes : {"permuted", "gaussian", "zipf"}
        What scores are compared with, where the cut needs it.
    seed : int
        Seed of probes and shuffles.
    impute : {"median", "none"}
        Whether missing values are filled by the median of their column.
    reading : Reading
        How a text file is written.

    Examples
    --------
    >>> RankOptions(target="kind", cut=20).probes
    'permuted'
    """

    target: str | None = None
    table: str | None = None
    memory: str | None = None
    score: str | None = None
    cut: int | float | str = "fdr:0.1"
    estimator: str | None = None
    probes: str = "permuted"
    seed: int = 0
    impute: Literal["median", "none"] = "median"
    reading: Reading = field(default_factory=Reading)
