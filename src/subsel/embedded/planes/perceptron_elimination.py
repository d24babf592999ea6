"""RFE-perceptron: columns leave a large-margin perceptron as long as its margin allows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from subsel.data.storage import dense
from subsel.data.task import Task
from subsel.embedded.two_classes import TwoClassSelector, check_two_classes
from subsel.models.planes.alma import ALMA

__all__ = ["PerceptronElimination", "spare_columns"]


def spare_columns(weights: np.ndarray, margin: float, alpha: float, p: float) -> np.ndarray:
    r"""Give the columns of smallest weight that may leave together: the margin falls by :math:`\alpha (1 - \alpha) \gamma` at most.

    For weights of unit q-norm and rows of unit p-norm, dropping the set D changes an output by at
    most :math:`(\sum_{i \in D} |w_i|^q)^{1/q}`, by Hölder's inequality. One column always stays.

    >>> spare_columns(np.array([0.995, 0.0, 0.1]), 0.5, 0.5, 2.0)
    array([1, 2])
    """
    q = p / (p - 1)
    order = np.argsort(np.abs(weights), kind="stable")
    taken = np.cumsum(np.abs(weights[order[:-1]]) ** q)
    return order[:-1][taken <= (alpha * (1 - alpha) * max(margin, 0.0)) ** q]


class PerceptronElimination(TwoClassSelector):
    r"""Train a perceptron of large margin, drop the columns it can spare, train again, until it can spare none.

    The perceptron is :class:`subsel.models.ALMA` on standardised columns, its norm adapted to the
    number of columns that are left: at first like multiplicative updates, with few columns like a
    support vector machine. How many columns are kept follows from the margin, see `spare_columns`;
    where no plane through the mean separates the classes, only columns without any weight leave.

    Parameters
    ----------
    alpha : float
        Of the perceptron, over 0 and at most 1; a training may lose a share
        :math:`\alpha (1 - \alpha)` of the margin, most at 1/2, none at 1.
    max_epochs : int
        Cycles of a training at most.

    Attributes
    ----------
    sizes_, margins_ : list
        Columns, and margin, of every training.
    ranking_ : ndarray of int
        All columns: those kept by falling weight, then the others, the last to leave first.
    support_ : ndarray of bool
        Mask of the columns kept.
    model_ : ALMA
        Trained on these.
    classes_ : ndarray
        The two classes.

    References
    ----------
    .. [1] Gentile, *Fast feature selection from microarray expression data via multiplicative
       large margin algorithms*, NIPS 16, 2004.
    .. [2] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 5, section 5.2.3, whose bound adds weights
       of another norm: ours follows from Hölder's inequality.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 30))
    >>> X = X[np.abs(X[:, 3] - X[:, 8]) > 0.5]
    >>> found = PerceptronElimination().fit(X, X[:, 3] > X[:, 8])
    >>> sorted(found.ranking_[:2].tolist()), found.sizes_[0], found.sizes_[-1] < 15
    ([3, 8], 30, True)
    """

    def __init__(self, alpha: float = 0.5, *, max_epochs: int = 100) -> None:
        self.alpha = alpha
        self.max_epochs = max_epochs

    def fit(self, X: Any, y: Any) -> PerceptronElimination:
        """Train and drop."""
        X, y = self._receive(X, y)
        check_two_classes(y)
        task = Task.of(X, y, "classification")
        scaler, self.classes_ = StandardScaler().fit(task.matrix), task.classes
        Z = scaler.transform(task.matrix)
        left, gone = np.arange(task.n_columns), list[np.ndarray]()
        self.sizes_: list[int] = []
        self.margins_: list[float] = []
        while True:
            model = ALMA(alpha=self.alpha, max_epochs=self.max_epochs).fit(Z[:, left], task.y)
            self.sizes_.append(len(left))
            self.margins_.append(model.margin_)
            spare = spare_columns(model.coef_[0], model.margin_, self.alpha, model.p_)
            if len(spare) == 0:
                break
            gone.append(left[spare])
            left = np.delete(left, spare)
        self.ranking_ = np.concatenate(
            [*gone, left[np.argsort(np.abs(model.coef_[0]), kind="stable")]]
        )[::-1]
        self.support_ = np.isin(np.arange(task.n_columns), left)
        self.model_, self.mean_, self.scale_ = model, scaler.mean_[left], scaler.scale_[left]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The margin of each row, positive for the second class."""
        check_is_fitted(self, "model_")
        columns = dense(self.transform(X))
        return self.model_.decision_function((columns - self.mean_) / self.scale_)
