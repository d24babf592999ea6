"""Importance: what a trained model says of every column, as a score."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from subsel.models.relevance import Reader, fitted, held_out_relevance, model_relevance

__all__ = ["Importance"]


class Importance(BaseEstimator):
    """A score: train a model on all columns and read how much it used each.

    As a score it goes with every cut of :class:`subsel.RankingSelector`; with a cut by probes the
    model is trained on the columns and shuffled copies of them side by side, and a column is kept
    if it does better than those.

    Parameters
    ----------
    estimator : estimator
        Any model of scikit-learn's kind.
    relevance : {"auto", "coef", "importance", "permutation", "out-of-bag", "shap"} or callable
        Where to read: the weights (of several rows the root of summed squares),
        ``feature_importances_``, the fall of the score on held-out rows when a column is shuffled,
        the z-scores of a forest's falls on out-of-bag rows
        (:func:`subsel.embedded.out_of_bag_importance`), mean absolute Shapley values where the
        package ``shap`` is installed (:func:`subsel.embedded.shap_importance`), or a function of
        the fitted model. ``"auto"`` takes the weights or else the importances.
    cv, scoring, n_repeats : int or splitter, str or callable, int
        For ``"permutation"``; ``n_repeats`` for ``"out-of-bag"`` too.

    References
    ----------
    .. [1] Kursa and Rudnicki, *Feature selection with the Boruta package*, Journal of Statistical
       Software 36(11), 2010, for importances against shuffled copies.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from subsel import RankingSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> score = Importance(ExtraTreesClassifier(20, random_state=0))
    >>> RankingSelector(score, cut=2).fit(X, y).get_feature_names_out().tolist()
    ['alcohol', 'proline']
    """

    def __init__(
        self,
        estimator: Any,
        relevance: str | Reader = "auto",
        *,
        cv: Any = 5,
        scoring: Any = None,
        n_repeats: int = 5,
    ) -> None:
        self.estimator = estimator
        self.relevance = relevance
        self.cv = cv
        self.scoring = scoring
        self.n_repeats = n_repeats

    def __call__(
        self, X: Any, y: Any, sample_weight: Any = None, random_state: Any = None
    ) -> np.ndarray:
        """Train and read: one value per column."""
        model = with_seed(self.estimator, random_state)
        if isinstance(self.relevance, str) and self.relevance == "permutation":
            settings = {"cv": self.cv, "scoring": self.scoring, "n_repeats": self.n_repeats}
            return held_out_relevance(
                model, X, y, random_state=random_state, sample_weight=sample_weight, **settings
            )
        model = fitted(model, X, y, sample_weight)
        if isinstance(self.relevance, str) and self.relevance == "out-of-bag":
            return self._out_of_bag(model, X, y, sample_weight, random_state)
        values = self._read(model, X, sample_weight, random_state)
        if values.shape != (X.shape[1],):
            inside = "does a step before the model make other columns?"
            raise ValueError(
                f"the model speaks of {values.shape} columns, the table has {X.shape[1]}: {inside}"
            )
        return values

    def _read(self, model: Any, X: Any, sample_weight: Any, random_state: Any) -> np.ndarray:
        if isinstance(self.relevance, str) and self.relevance == "shap":
            from subsel.embedded.importance.shap_values import shap_importance

            return shap_importance(model, X, sample_weight=sample_weight, random_state=random_state)
        return model_relevance(model, self.relevance)

    def _out_of_bag(
        self, forest: Any, X: Any, y: Any, sample_weight: Any, random_state: Any
    ) -> np.ndarray:
        from subsel.embedded.trees.out_of_bag import out_of_bag_importance

        given = {
            "sample_weight": sample_weight,
            "random_state": random_state,
            "n_repeats": self.n_repeats,
        }
        return out_of_bag_importance(forest, X, y, **given).z


def with_seed(estimator: Any, random_state: Any) -> Any:
    """A clone whose seeds, where none were set, are set to the one given."""
    model = clone(estimator)
    free = [
        name
        for name, value in model.get_params().items()
        if name.endswith("random_state") and value is None
    ]
    if random_state is None:
        return model
    return model.set_params(**dict.fromkeys(free, random_state))
