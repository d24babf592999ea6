"""Chen and Lin: as many columns of largest F-score as an RBF machine from a grid does best with on held-out rows."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from subsel.challenge.entries.dense import Dense
from subsel.challenge.entries.f_score_svm import machine_of_grid, to_unit_range
from subsel.challenge.entry import Entry, enter
from subsel.challenge.problem import Problem
from subsel.ranking.selector import RankingSelector

__all__ = ["ThresholdSearch"]


@enter("f-threshold-svm")
class ThresholdSearch(Entry):
    """Candidate thresholds lie at the widest gaps of the F-scores; five random splits decide, a grid inside each.

    The scores are computed anew in every split, in which the grid is a coarse one (quick: a single point). Tables of more than 1,000 columns are first brought to those of largest
    score, among which the authors' thresholds lie.

    References
    ----------
    .. [1] Chen and Lin, *Combining SVMs with various feature selection strategies*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 12, section 3.2.

    Examples
    --------
    >>> ThresholdSearch().chapter
    '12'
    """

    title, team, chapter = "final 1", "Yi-Wei Chen and Chih-Jen Lin", "12"

    def procedure(self, problem: Problem) -> Any:
        """Scale, search the threshold, and train."""
        steps: list[Any] = [to_unit_range(problem)]
        if problem.n_features > 1000:
            steps += [RankingSelector("f-score", cut=1000), Dense()]
        splits = StratifiedShuffleSplit(2 if self.quick else 5, test_size=0.2, random_state=0)
        tried = SVC(C=32.0, class_weight="balanced") if self.quick else _coarse_grid()
        search = RankingSelector("f-score", cut="cv-gap", estimator=tried, cv=splits, scoring="balanced_accuracy")
        return make_pipeline(*steps, search, machine_of_grid(self.quick))


def _coarse_grid() -> GridSearchCV:
    grid = {"C": [2.0, 64.0], "gamma": [2.0**-9, 2.0**-5, 0.5]}
    return GridSearchCV(SVC(class_weight="balanced"), grid, scoring="balanced_accuracy", cv=3)
