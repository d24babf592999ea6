"""RFE-perceptron: recursive elimination with a large-margin perceptron."""

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
    r"""Find the columns of smallest weight that the margin :math:`\gamma` allows to drop at once.

    For weights of unit q-norm and rows of unit p-norm, :math:`1/p + 1/q = 1`, dropping the set D
    changes an output by at most :math:`(\sum_{i \in D} |w_i|^q)^{1/q}`, by Hölder's inequality.
    The margin may fall by :math:`\alpha (1 - \alpha) \gamma`. One column is always kept.

    Parameters
    ----------
    weights : ndarray of shape (columns,)
        Weights of unit q-norm.
    margin : float
        The margin of the perceptron; a negative one allows only columns of weight zero.
    alpha : float
        The parameter of the perceptron.
    p : float
        The norm of the rows.


    >>> spare_columns(np.array([0.995, 0.0, 0.1]), 0.5, 0.5, 2.0)
    array([1, 2])
    """
    q = p / (p - 1)
    order = np.argsort(np.abs(weights), kind="stable")
    norms = np.cumsum(np.abs(weights[order[:-1]]) ** q)
    return order[:-1][norms <= (alpha * (1 - alpha) * max(margin, 0.0)) ** q]


class PerceptronElimination(TwoClassSelector):
    r"""Eliminate columns as long as the margin of a perceptron allows [1]_.

    A perceptron of large margin is trained, the columns that it can spare are dropped, and so on
    until it can spare none. The perceptron is :class:`subsel.models.ALMA` on standardised columns.
    Its norm depends on the number of columns that are left: with many columns the updates are
    nearly multiplicative, with few those of a support vector machine. The margin decides how many
    columns are kept, see `spare_columns`; where no plane through the mean separates the classes,
    only columns without a weight are dropped.

    Parameters
    ----------
    alpha : float
        Parameter of the perceptron, in (0, 1]. In each round the margin may fall by the share
        :math:`\alpha (1 - \alpha)`, which is largest at 1/2 and zero at 1.
    max_epochs : int
        Largest number of cycles through the rows in each round.

    Attributes
    ----------
    sizes_, margins_ : list
        Number of columns, and margin, of each round.
    ranking_ : ndarray of int
        All columns: those kept by falling weight, then the dropped ones, the last dropped first.
    support_ : ndarray of bool
        Mask of the columns kept.
    model_ : ALMA
        The perceptron on the columns kept.
    classes_ : ndarray
        The two classes.

    References
    ----------
    .. [1] Gentile, *Fast feature selection from microarray expression data via multiplicative
       large margin algorithms*, NIPS 16, 2004.
    .. [2] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature       Extraction*, 2006, chapter 5, section 5.2.3. The bound there
       adds weights of another norm; ours follows from Hölder's inequality.

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
        """Train and eliminate until no column can be spared."""
        X, y = self._receive(X, y)
        check_two_classes(y)
        task = Task.of(X, y, "classification")
        scaler, self.classes_ = StandardScaler().fit(task.matrix), task.classes
        Z = scaler.transform(task.matrix)
        left, dropped = np.arange(task.n_columns), list[np.ndarray]()
        self.sizes_: list[int] = []
        self.margins_: list[float] = []
        while True:
            model = ALMA(alpha=self.alpha, max_epochs=self.max_epochs).fit(Z[:, left], task.y)
            self.sizes_.append(len(left))
            self.margins_.append(model.margin_)
            spare = spare_columns(model.coef_[0], model.margin_, self.alpha, model.p_)
            if len(spare) == 0:
                break
            dropped.append(left[spare])
            left = np.delete(left, spare)
        self.ranking_ = np.concatenate(
            [*dropped, left[np.argsort(np.abs(model.coef_[0]), kind="stable")]]
        )[::-1]
        self.support_ = np.isin(np.arange(task.n_columns), left)
        self.model_, self.mean_, self.scale_ = model, scaler.mean_[left], scaler.scale_[left]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the margin of each row, positive for the second class."""
        check_is_fitted(self, "model_")
        columns = dense(self.transform(X))
        return self.model_.decision_function((columns - self.mean_) / self.scale_)
