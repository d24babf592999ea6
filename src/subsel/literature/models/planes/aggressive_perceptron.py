"""A perceptron that corrects its weights until every row has a margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.models.two_classes import BinaryDecision

__all__ = ["AggressivePerceptron"]


class AggressivePerceptron(BinaryDecision):
    r"""A perceptron that corrects its weights for every row with too small a margin [1]_.

    It cycles through the rows and adds :math:`y_i x_i` to the weights w where :math:`y_i \langle w,
    x_i \rangle` is below a limit, with labels :math:`y_i` of -1 and 1. There is no intercept and no
    learning rate; a constant column supplies the one, and the scale of the inputs the other. With a
    limit of zero it is the perceptron. For the weights divided by the limit, it is stochastic
    gradient descent on the hinge loss with the step 1 / limit.

    Parameters
    ----------
    limit : float
        The margin, in units of the squared length of the rows.
    max_epochs : int
        Most cycles, if not all rows reach the margin.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The weights.
    n_epochs_ : int
        Number of cycles.

    References
    ----------
    .. [1] Gilad-Bachrach and Navot, *Margin based feature selection and infogain with standard
       classifiers*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 17.

    Examples
    --------
    >>> model = AggressivePerceptron(limit=4.0).fit(np.array([[1.0, 1.0], [-1.0, 1.0]]), [1, 0])
    >>> model.coef_, model.n_epochs_
    (array([[4., 0.]]), 3)
    """

    def __init__(self, limit: float = 1.0, *, max_epochs: int = 100) -> None:
        self.limit = limit
        self.max_epochs = max_epochs

    def fit(self, X: Any, y: Any) -> AggressivePerceptron:
        """Correct the weights until all margins reach the limit."""
        if self.limit < 0:
            raise ValueError(f"limit must be at least 0, got {self.limit!r}.")
        X, codes, _ = self._receive(X, y)
        signed = X * (2 * codes - 1)[:, None]
        weights, self.n_epochs_ = np.zeros(X.shape[1]), 0
        for _ in range(self.max_epochs):
            self.n_epochs_ += 1
            before = weights.copy()
            for row in signed:
                margin = row @ weights
                if margin < self.limit or margin <= 0:
                    weights += row
            if np.array_equal(before, weights):
                break
        self.coef_, self.intercept_ = weights[None], np.zeros(1)
        return self

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_[0]
