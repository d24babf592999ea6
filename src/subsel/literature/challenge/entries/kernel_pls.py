"""Embrechts, Bress and Kewley: columns by the sensitivity of kernel partial least squares, which then predicts."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import make_pipeline

from subsel.construct.latent.kernel import KernelPLS
from subsel.embedded.importance.sensitivity_pruning import SensitivityPruning
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.literature.models.committees.kernel_pls_committee import KernelPLSCommittee
from subsel.ranking.selector import RankingSelector

__all__ = ["SensitiveKernelPLS"]

COLUMNS = {"arcene": 514, "dexter": 313, "dorothea": 540, "gisette": 1300, "madelon": 13}
CORRELATED = {"arcene": 2000, "dexter": 1000, "gisette": 2000}
MODELS = {"gisette": 10}
PRESENT = {"dexter": 0.01, "dorothea": 0.03}
WIDTHS = {"arcene": 1600.0, "dexter": 900.0, "dorothea": 15.0, "gisette": 20.0, "madelon": 100.0}


@enter("kpls")
class SensitiveKernelPLS(Entry):
    """Keep the most correlated columns, drop the tenth that moves kernel PLS least, again and again; bagged kernel PLS.

    As many columns as the authors kept. Columns are centred and not divided by their standard deviations, so that the
    kernel has the printed width; a column is moved by two of them. A hundred models a round, as printed, and in the end.

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
        gamma = 1 / (2 * WIDTHS.get(problem.recipe, 100.0) ** 2)
        models, members = MODELS.get(problem.recipe, 100), 100
        if self.quick:
            models, members = 3, 10
        kernel = KernelPLS(latent, kernel_params={"gamma": gamma})
        pruned = SensitivityPruning(kernel, n_features=kept, n_models=models, scale=False)
        last = KernelPLSCommittee(latent, n_members=members, gamma=gamma)
        return make_pipeline(*_filters(problem), Dense(), pruned, last)


def _filters(problem: Problem) -> list[Any]:
    """Columns that are present often enough, then those most correlated with the classes."""
    steps: list[Any] = []
    if (share := PRESENT.get(problem.recipe)) is not None:
        steps.append(RankingSelector("presence-count", cut=f"threshold:{share * len(problem.y):g}"))
    if (kept := CORRELATED.get(problem.recipe, problem.n_features)) < problem.n_features:
        steps.append(RankingSelector("pearson", cut=kept))
    return steps
