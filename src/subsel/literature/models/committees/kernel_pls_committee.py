"""A committee of kernel partial least squares models, each trained without some of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from subsel.construct.latent.kernel import KernelPLS
from subsel.literature.models.decisions.cut_points import CUT_RULES
from subsel.models.two_classes import BinaryDecision

__all__ = ["KernelPLSCommittee"]


class KernelPLSCommittee(BinaryDecision):
    """A mean of kernel PLS models, each trained without a tenth of the rows [1]_.

    The targets are standardised, so that the smaller class has the larger response. For each row,
    the outputs of the models that were not trained on it are averaged; the threshold is that of
    least balanced error of these means.

    Parameters
    ----------
    n_components : int
        Number of latent variables of each model.
    n_members : int
        Number of models.
    left_out : float
        Share of the rows that each model is not trained on.
    gamma : float or None
        The constant of the Gaussian kernel; by default the inverse of the number of columns.
    random_state : int, RandomState or None
        Seed of the choice of rows.

    Attributes
    ----------
    models_ : list of KernelPLS
        The models.
    threshold_ : float
        Rows with a larger output are of the second class.

    References
    ----------
    .. [1] Embrechts, Bress and Kewley, *Feature selection via sensitivity analysis with direct
       kernel PLS*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter
       21.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = (X**2).sum(axis=1) > 1.4
    >>> bool(KernelPLSCommittee(4, random_state=0).fit(X, y).score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_components: int = 5,
        *,
        n_members: int = 20,
        left_out: float = 0.1,
        gamma: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_members = n_members
        self.left_out = left_out
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> KernelPLSCommittee:
        """Train the models and choose the threshold."""
        if not 0 < self.left_out < 1:
            raise ValueError(f"left_out must lie between 0 and 1, got {self.left_out!r}.")
        X, codes, _ = self._receive(X, y)
        target, rng = (codes - codes.mean()) / codes.std(), check_random_state(self.random_state)
        n_out = min(max(1, round(self.left_out * len(X))), len(X) - 2)
        self.models_, total, count = [], np.zeros(len(X)), np.zeros(len(X))
        for _ in range(self.n_members):
            order = rng.permutation(len(X))
            out, rows = order[:n_out], order[n_out:]
            model = self._model().fit(X[rows], target[rows])
            self.models_.append(model)
            total[out] += model.decision_function(X[out])
            count[out] += 1
        scored = count > 0
        self.threshold_ = 0.0  # if the rows left out are of one class
        if len(np.unique(codes[scored])) == 2:
            self.threshold_ = CUT_RULES["ber"](total[scored] / count[scored], codes[scored] == 1)
        return self

    def _model(self) -> KernelPLS:
        """Return an unfitted model."""
        if self.gamma is None:
            return KernelPLS(self.n_components)
        return KernelPLS(self.n_components, kernel_params={"gamma": self.gamma})

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return (
            np.mean([model.decision_function(X) for model in self.models_], axis=0)
            - self.threshold_
        )
