"""Embrechts, Bress and Kewley: columns by the sensitivity of kernel partial least squares, which then predicts."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.construct.latent.pls import KernelPLS
from subsel.embedded.sensitivity_pruning import SensitivityPruning
from subsel.learners.kernel_pls_committee import KernelPLSCommittee
from subsel.ranking.selector import RankingSelector

__all__ = ["SensitiveKernelPLS"]

COLUMNS = {"arcene": 514, "dexter": 313, "dorothea": 540, "gisette": 1300, "madelon": 13}
CORRELATED = {"arcene": 2000, "dexter": 1000, "dorothea": 2000, "gisette": 2000}
PRESENT = {"dexter": 0.01, "dorothea": 0.03}


@enter("kpls")
class SensitiveKernelPLS(Entry):
    """Keep the most correlated columns, drop the tenth that moves kernel PLS least, again and again; bagged kernel PLS.

    As many columns as the authors kept. Columns are standardised for the kernel, whose width is the root of half their
    number: the printed widths are of raw values. Ten models take part in every round where theirs were a hundred.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct kernel PLS*, in Guyon, Gunn,
       Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 21.

    Examples
    --------
    >>> SensitiveKernelPLS().chapter
    '21'
    """

    title, team, chapter = "KPLS", "Mark Embrechts, Robert Bress and Robert Kewley", "21"

    def procedure(self, problem: Problem) -> Any:
        """Filter, prune, and average models."""
        kept = min(COLUMNS.get(problem.recipe, 10), max(1, problem.n_features // 2))
        latent = 7 if problem.recipe == "madelon" else 5
        models, drop = (2, 0.4) if self.quick else (3 if problem.recipe == "madelon" else 10, 0.1)
        pruned = SensitivityPruning(KernelPLS(latent), n_features=kept, n_models=models, drop=drop)
        last = KernelPLSCommittee(latent, n_members=10 if self.quick else 50)
        return make_pipeline(*_filters(problem), Dense(), pruned, StandardScaler(), last)


def _filters(problem: Problem) -> list[Any]:
    """Columns that are present often enough, then those most correlated with the classes."""
    steps: list[Any] = []
    if (share := PRESENT.get(problem.recipe)) is not None:
        steps.append(RankingSelector("presence-count", cut=f"threshold:{share * len(problem.y):g}"))
    if (kept := CORRELATED.get(problem.recipe, problem.n_features)) < problem.n_features:
        steps.append(RankingSelector("pearson", cut=kept))
    return steps
