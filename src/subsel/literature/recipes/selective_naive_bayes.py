"""The enhanced selective naive Bayes: no parameter, a column at a time while the area under the lift curve grows."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from subsel.criteria.bayes.interval_naive_bayes import IntervalNaiveBayes
from subsel.literature.models.decisions.decision_threshold import DecisionThreshold
from subsel.models.bayes.interval_naive_bayes import IntervalNaiveBayes as Model
from subsel.search.sequential.sequential import SequentialForward
from subsel.selector.subset import SubsetSelector

__all__ = ["selective_naive_bayes"]


def selective_naive_bayes(cv: Any = "train", **options: Any) -> Pipeline:
    """Give the selective naive Bayes of Boulle [1]_ for two classes: selector and classifier, as one pipeline.

    Columns are cut by MODL; forward selection adds the column that raises the area under the lift curve of naive Bayes
    most, while one does; the threshold is that of the largest chi-square on the training rows. The area is taken on the
    training rows, as published, and so the selection stops late: a copy of a column may enter to weigh it twice. With
    folds as ``cv`` it is cross-validated.

    Parameters
    ----------
    cv : int, splitter, list of pairs or "train"
        As in :class:`subsel.criteria.IntervalNaiveBayes`.
    **options : object
        Others of :class:`subsel.SubsetSelector`.

    Returns
    -------
    Pipeline
        Of the selector and the classifier.

    References
    ----------
    .. [1] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 25.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = selective_naive_bayes().fit(X[::2], y[::2])
    >>> model[0].get_support(indices=True), round(model.score(X[1::2], y[1::2]), 2)
    (array([ 8, 12, 21, 22, 28]), 0.9)
    """
    selector = SubsetSelector(
        IntervalNaiveBayes(cv), search=SequentialForward(patience=1), **options
    )
    return Pipeline(
        [("selector", selector), ("classifier", DecisionThreshold(Model(), "mcc", cv=None))]
    )
