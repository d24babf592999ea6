"""Importance: the relevances of a trained model as a score."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from subsel.models.relevance import Reader, fitted, held_out_relevance, model_relevance

__all__ = ["Importance"]


class Importance(BaseEstimator):
    """A score of columns: the relevances of a model trained on all of them.

    It can be used with every cut of :class:`subsel.RankingSelector`. With a cut by probes, the
    model is trained on the columns together with shuffled copies of them, and a column is kept if
    it is more relevant than those [1]_.

    Parameters
    ----------
    estimator : estimator
        Any estimator with scikit-learn's interface.
    relevance : {"auto", "coef", "importance", "permutation", "out-of-bag", "shap"} or callable
        What the relevances are. ``"coef"``: the absolute weights (of several rows of weights, the
        root of the sum of squares). ``"importance"``: ``feature_importances_``.
        ``"permutation"``: the fall of the score on held-out rows when a column is shuffled.
        ``"out-of-bag"``: the z-scores of :func:`subsel.embedded.out_of_bag_importance`.
        ``"shap"``: mean absolute Shapley values (:func:`subsel.embedded.shap_importance`), if the
        package ``shap`` is installed. A function of the fitted model. ``"auto"``: the weights, or
        else the importances.
    cv, scoring, n_repeats : int or splitter, str or callable, int
        For ``"permutation"``; ``n_repeats`` is for ``"out-of-bag"`` too.

    References
    ----------
    .. [1] Kursa and Rudnicki, *Feature selection with the Boruta package*, Journal of Statistical
       Software 36(11), 2010.

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
        """Train the model and compute its relevances, of shape (columns,)."""
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
            raise ValueError(
                f"relevance must give a value for each of the {X.shape[1]} columns, got an array "
                f"of shape {values.shape}: a step before the model may make other columns."
            )
        return values

    def _read(self, model: Any, X: Any, sample_weight: Any, random_state: Any) -> np.ndarray:
        """Compute the relevances of a fitted model."""
        if isinstance(self.relevance, str) and self.relevance == "shap":
            from subsel.embedded.importance.shap_values import shap_importance

            return shap_importance(model, X, sample_weight=sample_weight, random_state=random_state)
        return model_relevance(model, self.relevance)

    def _out_of_bag(
        self, forest: Any, X: Any, y: Any, sample_weight: Any, random_state: Any
    ) -> np.ndarray:
        """Compute the z-scores of out-of-bag permutation of a fitted forest."""
        from subsel.embedded.trees.out_of_bag import out_of_bag_importance

        options = {
            "sample_weight": sample_weight,
            "random_state": random_state,
            "n_repeats": self.n_repeats,
        }
        return out_of_bag_importance(forest, X, y, **options).z


def with_seed(estimator: Any, random_state: Any) -> Any:
    """Clone an estimator and set the seeds that are None."""
    model = clone(estimator)
    free = [
        name
        for name, value in model.get_params().items()
        if name.endswith("random_state") and value is None
    ]
    if random_state is None:
        return model
    return model.set_params(**dict.fromkeys(free, random_state))
