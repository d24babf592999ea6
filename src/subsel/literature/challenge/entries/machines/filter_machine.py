"""Wu and Li: columns by a score, scaled rows and columns, and a support vector machine."""

from __future__ import annotations

from typing import Any

from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.construct.inputs.normalisation import MeanNormScaler
from subsel.construct.inputs.row_column import RowColumnScaling
from subsel.embedded.svm.transductive import TransductiveSelector
from subsel.literature.challenge.entries.dense_step import Dense
from subsel.literature.challenge.entries.unlabelled_rows import TrainedWithOthers
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem
from subsel.models.planes.transductive_svm import TransductiveSVM
from subsel.ranking.selector import RankingSelector

__all__ = ["FilterMachine", "TransductiveMachine", "filtered", "machine"]

SCORES = {"dexter": "fisher", "dorothea": "exp-rate-difference"}
COLUMNS = {"dexter": 5894, "dorothea": 498, "gisette": 750}


@enter("filter-svm")
class FilterMachine(Entry):
    """Fisher's ratio, or for DOROTHEA the difference of two rates, then a machine of the labelled rows alone.

    Rows of DEXTER and DOROTHEA are given a mean length of one. DOROTHEA: the printed price of slack is of an unprinted
    scale, here it is the one that folds of the training rows prefer. MADELON: of the 32 columns of largest ratio those that
    multiplicative updates keep, with a kernel of one over the number of columns: the printed one, of 1, takes all rows of 32
    columns for strangers and keeps what comes, as folds of the training rows show. ARCENE: all principal components.

    References
    ----------
    .. [1] Wu and Li, *Feature selection with transductive support vector machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 13.

    Examples
    --------
    >>> FilterMachine().chapter
    '13'
    """

    title, team, chapter = "SVM of ch. 13", "Wu Zhili and Li Chun-hung", "13"

    def procedure(self, problem: Problem) -> Any:
        """Filter, scale and train."""
        return make_pipeline(filtered(problem), machine(problem))


def filtered(problem: Problem) -> Any:
    """What comes before the machine."""
    kept = min(COLUMNS.get(problem.recipe, 32), problem.n_features)
    if problem.recipe == "arcene":
        return make_pipeline(
            StandardScaler(), PCA(min(len(problem.y) - 1, problem.n_features)), StandardScaler()
        )
    if problem.recipe in SCORES:
        ranked = RankingSelector(SCORES[problem.recipe], cut=kept)
        return make_pipeline(RowColumnScaling(), ranked, Dense(), MeanNormScaler())
    if problem.recipe == "gisette":
        return make_pipeline(RankingSelector("fisher", cut=kept), Dense(), StandardScaler())
    wide = TransductiveSVM(1.0, C_unlabelled=0.0, kernel="rbf")
    few = TransductiveSelector(min(13, kept), method="multiplicative", estimator=wide)
    return make_pipeline(StandardScaler(), RankingSelector("fisher", cut=kept), few)


def machine(problem: Problem, price: float = 0.0, exchanges: int = 1000) -> TransductiveSVM:
    """The machine with the authors' settings, and a price of the slack of rows without labels."""
    shared: dict[str, Any] = {"C_unlabelled": price, "max_exchanges": exchanges}
    if problem.recipe == "arcene":
        return TransductiveSVM(2.0**5, kernel="rbf", gamma=2.0**-6, **shared)
    if problem.recipe == "gisette":
        return TransductiveSVM(1.0, kernel="poly", degree=2, **shared)
    if problem.recipe == "dexter":
        return TransductiveSVM(1.0, **shared)
    if problem.recipe == "dorothea":
        return TransductiveSVM(0.03, positive_price=20.0, **shared)
    return TransductiveSVM(1.0, kernel="rbf", gamma=1.0, **shared)


@enter("transductive-svm")
class TransductiveMachine(Entry):
    """The same columns as the machine of chapter 13 without transduction, and a machine of labelled and other rows.

    Labels of few pairs of rows are exchanged at each price, for the sake of time; columns are selected with the labelled
    rows alone.

    References
    ----------
    .. [1] Wu and Li, *Feature selection with transductive support vector machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 13.

    Examples
    --------
    >>> TransductiveMachine().transductive
    True
    """

    title, team, chapter = "SVMbased3", "Wu Zhili and Li Chun-hung", "13"
    transductive = True

    def procedure(self, problem: Problem) -> Any:
        """Filter and scale, then train with the other rows."""
        price = 0.1 if problem.recipe == "madelon" else 1.0
        learner = machine(problem, price, exchanges=2 if self.quick else 20)
        return TrainedWithOthers(filtered(problem), learner, problem.others)
