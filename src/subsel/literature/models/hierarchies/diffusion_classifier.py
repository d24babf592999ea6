"""Labels of rows from hierarchies of labelled and unlabelled rows together."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.spatial import KDTree
from sklearn.utils.validation import validate_data

from subsel.literature.models.hierarchies.diffusion_sampler import sample_diffusion_trees
from subsel.literature.models.hierarchies.leaf_labels import label_leaves
from subsel.models.two_classes import BinaryClassifier

__all__ = ["DiffusionTreeClassifier"]


class DiffusionTreeClassifier(BinaryClassifier):
    """Sample Dirichlet diffusion trees of all rows, label the leaves without a label, and average over the trees [1]_.

    Rows to predict are given when it is trained, as ``unlabelled``; a row that was not given then takes the probability of
    the nearest that was. Columns should be centred, such as principal components.

    Parameters
    ----------
    n_draws, n_warmup : int
        Trees kept, and sweeps before; as of :func:`sample_diffusion_trees`.
    thin : int
        Of so many sweeps one tree is kept. A tree drawn from the posterior is a poor classifier, the average over trees that
        differ a good one: on thousands of rows it takes about twenty sweeps until trees differ.
    rule : str
        How leaves are labelled, as of :func:`label_leaves`.
    rate : float or None
        Of divergence, as of :func:`sample_diffusion_trees`; None samples it.
    random_state : int, RandomState or None
        Of the chain.

    Attributes
    ----------
    probabilities_ : ndarray
        Of the second class, for all rows given, labelled ones first (theirs are 0 and 1).
    relevances_ : ndarray of shape (n_features,)
        The share of each column's variance that diffuses along the trees; the rest is noise to them.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and Dirichlet diffusion trees*,
       in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 10, section 6.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [2.0]]), ["left", "right"]
    >>> other = np.array([[-2.2], [-1.9], [2.1], [1.8]])
    >>> DiffusionTreeClassifier(random_state=0).fit(X, y, unlabelled=other).predict(other).tolist()
    ['left', 'left', 'right', 'right']
    """

    def __init__(
        self,
        n_draws: int = 20,
        *,
        n_warmup: int = 50,
        thin: int = 1,
        rule: Literal["nearest", "successive", "weighted", "neighbours", "process"] = "successive",
        rate: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_draws = n_draws
        self.n_warmup = n_warmup
        self.thin = thin
        self.rule = rule
        self.rate = rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> DiffusionTreeClassifier:
        """Sample trees of the labelled and the unlabelled rows, and label the latter."""
        X, codes, _ = self._receive(X, y)
        if unlabelled is None:
            other = X[:0]
        else:
            other = validate_data(self, unlabelled, dtype=np.float64, reset=False)
        rows = np.vstack([X, other])
        labels = np.append(codes, np.full(len(other), np.nan))
        lengths = {"n_draws": self.n_draws, "n_warmup": self.n_warmup, "thin": self.thin}
        draws = sample_diffusion_trees(
            rows, **lengths, rate=self.rate, random_state=self.random_state
        )
        kept = [label_leaves(draw.tree.divergence_times(), labels, self.rule) for draw in draws]
        self.probabilities_ = np.mean(kept, axis=0)
        self.relevances_ = np.mean([d.diffusion / (d.diffusion + d.noise) for d in draws], axis=0)
        self.rows_ = rows
        return self

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return self.probabilities_[KDTree(self.rows_).query(X)[1]]
