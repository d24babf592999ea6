"""A committee of regularised least-squares classifiers, each trained on a share of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.learners.binary import BinaryClassifier

__all__ = ["RLSCCommittee", "mean_squared_distance"]

LEAST_RIDGE = 1e-8  # of the kernel's diagonal: what solving takes


def mean_squared_distance(X: np.ndarray, rng: np.random.RandomState, pairs: int = 1000) -> float:
    """The mean squared distance of random pairs of rows, to which a kernel's width is measured.

    >>> mean_squared_distance(np.array([[0.0], [1.0]]), np.random.RandomState(0)) <= 1.0
    True
    """
    first, second = rng.randint(len(X), size=(2, pairs))
    return float(((X[first] - X[second]) ** 2).sum(axis=1).mean())


class RLSCCommittee(BinaryClassifier):
    r"""Vote of least-squares machines with a Gaussian kernel, each on a share of the rows drawn without repetition.

    A machine solves :math:`(K + m\gamma I)\alpha = y` for labels -1 and 1. The kernel
    :math:`\exp(-\|x - x'\|^2 / 2\sigma^2)` has :math:`\sigma^2 = c\, d^2` with d the mean distance of random pairs.
    Members differ enough with hardly any ridge and a narrow kernel; their signs are counted, which the authors found
    better than averaging outputs. One member with all rows is the plain classifier.

    Parameters
    ----------
    n_members : int, default=100
        How many machines.
    share : float, default=0.5
        Of the rows that each is trained on.
    width : float, default=0.1
        The factor c.
    gamma : float, default=0.0
        The ridge per row.
    random_state : int, RandomState or None
        Of the samples.

    Attributes
    ----------
    variance_ : float
        Of the kernel.
    dual_coef_ : ndarray of shape (n_members, n_rows)
        Weights of the training rows in each machine, zero for those it was not trained on.
    classes_ : ndarray
        The class labels.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for high-dimensional problems*, in Guyon,
       Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 11.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(80, noise=0.1, random_state=0)
    >>> bool(RLSCCommittee(20, random_state=0).fit(X, y).score(X, y) > 0.95)
    True
    """

    def __init__(
        self,
        n_members: int = 100,
        share: float = 0.5,
        width: float = 0.1,
        gamma: float = 0.0,
        random_state: Any = None,
    ) -> None:
        self.n_members = n_members
        self.share = share
        self.width = width
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RLSCCommittee:
        """Compute the kernel once and solve for every member."""
        if not 0 < self.share <= 1:
            raise ValueError(f"share must be over 0 and at most 1, got {self.share}.")
        X, codes, _ = self._receive(X, y)
        rng = check_random_state(self.random_state)
        self.variance_ = self.width * mean_squared_distance(X, rng) or 1.0
        self.rows_ = X
        kernel, target, n = self._kernel(X), 2 * codes - 1, len(X)
        drawn = max(1, round(self.share * n))
        self.dual_coef_ = np.zeros((self.n_members, n))
        for weights in self.dual_coef_:
            rows = np.sort(rng.permutation(n)[:drawn])
            ridge = max(drawn * self.gamma, LEAST_RIDGE)
            part = kernel[np.ix_(rows, rows)] + ridge * np.eye(drawn)
            weights[rows] = cho_solve(cho_factor(part), target[rows])
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The share of members for the second class, less that for the first; of one member, its output."""
        check_is_fitted(self)
        outputs = self._kernel(validate_data(self, X, dtype=np.float64, reset=False)) @ self.dual_coef_.T
        if outputs.shape[1] == 1:
            return outputs[:, 0]
        votes = np.sign(outputs).mean(axis=1)
        return votes + 1e-6 * np.tanh(outputs.mean(axis=1))  # an even vote goes to the mean output

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return (np.clip(self.decision_function(X), -1, 1) + 1) / 2

    def predict(self, X: Any) -> np.ndarray:
        """The class for which most members vote."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def _kernel(self, X: np.ndarray) -> np.ndarray:
        return np.exp(-cdist(X, self.rows_, "sqeuclidean") / (2 * self.variance_))
