"""A committee of regularised least-squares classifiers, each trained on a share of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from sklearn.cross_decomposition import PLSRegression
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.two_classes import BinaryClassifier
from subsel.runtime.interruption import keep_finished
from subsel.runtime.status_line import StatusLine

__all__ = ["RLSCCommittee", "mean_squared_distance"]

LEAST_RIDGE = 1e-8  # relative to the diagonal of 1: rows that repeat make the kernel singular


def mean_squared_distance(X: np.ndarray, rng: np.random.RandomState, pairs: int = 1000) -> float:
    """Return the mean squared distance of random pairs of rows, the scale for the kernel's width.

    >>> mean_squared_distance(np.array([[0.0], [1.0]]), np.random.RandomState(0)) <= 1.0
    True
    """
    first, second = rng.randint(len(X), size=(2, pairs))
    return float(((X[first] - X[second]) ** 2).sum(axis=1).mean())


class RLSCCommittee(BinaryClassifier):
    r"""A vote of regularised least-squares classifiers, each trained on a sample of the rows [1]_.

    A member solves :math:`(K + m\gamma I)\alpha = y` for labels -1 and 1 of m rows, drawn without
    replacement. The kernel is :math:`\exp(-\|x - x'\|^2 / 2\sigma^2)` with :math:`\sigma^2 = c\,
    d^2`, where :math:`d^2` is the mean squared distance of random pairs of rows. With hardly any
    ridge and a narrow kernel the members differ enough; the signs of their outputs are counted,
    which the authors found better than the mean of the outputs. One member with all rows is the
    plain classifier. Two proposals of the authors are options: a width drawn for each member, and
    weights of the members, from a regression of the labels on outputs for rows that they were not
    trained on.

    Parameters
    ----------
    n_members : int, default=100
        Number of members.
    share : float, default=0.5
        Share of the rows that each member is trained on.
    width : float or (float, float), default=0.1
        The factor c. From a pair, each member draws its own factor, log-uniformly between the two.
    gamma : float, default=0.0
        The ridge :math:`\gamma` per row.
    random_state : int, RandomState or None
        Seed of the samples.
    weights : {"votes", "out-of-bag"}
        Whether signs are counted, or outputs are summed with weights by partial least squares on
        out-of-bag outputs. There, the output of a member for a row it was trained on is replaced by
        the mean output of the members that were not.
    n_components : int
        Number of components of partial least squares.
    verbose : int
        If positive, progress is written to standard error.

    Attributes
    ----------
    variance_ : float or ndarray of shape (n_members,)
        The variance :math:`\sigma^2` of the kernel, or that of each member.
    member_weights_ : ndarray of shape (n_members,) or None
        The weights of the outputs; None if signs are counted.
    intercept_ : float
        The intercept of the weighted outputs.
    dual_coef_ : ndarray of shape (n_members, n_rows)
        Weights :math:`\alpha` of the training rows in each member, zero for rows it was not trained
        on. After Ctrl-C, for the members completed before.
    rows_ : ndarray of shape (n_rows, n_features)
        The training rows.
    classes_ : ndarray of shape (2,)
        The class labels.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for
       high-dimensional problems*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction:
       Foundations and Applications*, 2006, chapter 11.

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
        *,
        width: float | tuple[float, float] = 0.1,
        gamma: float = 0.0,
        random_state: Any = None,
        weights: str = "votes",
        n_components: int = 1,
        verbose: int = 0,
    ) -> None:
        self.n_members = n_members
        self.share = share
        self.width = width
        self.gamma = gamma
        self.random_state = random_state
        self.weights = weights
        self.n_components = n_components
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> RLSCCommittee:
        """Train every member and, if asked for, fit the weights of the members."""
        self._check_parameters()
        X, codes, _ = self._receive(X, y)
        rng = check_random_state(self.random_state)
        distance = mean_squared_distance(X, rng)
        self.variance_ = self._factors(rng) * (distance or 1.0)
        self.rows_ = X
        target, n = 2 * codes - 1, len(X)
        n_sampled = max(1, round(self.share * n))
        members: list[tuple[np.ndarray, np.ndarray]] = []

        def progress() -> str:
            return f"{len(members)} of {self.n_members} members"

        with StatusLine(progress, shown=self.verbose > 0), keep_finished(members):
            for _, kernel in zip(range(self.n_members), self._kernels(X)):
                rows = np.sort(rng.permutation(n)[:n_sampled])
                K, ridge = kernel[np.ix_(rows, rows)], n_sampled * self.gamma
                members.append((rows, _solve(K, target[rows], ridge)))
        self.dual_coef_ = np.zeros((len(members), n))
        trained = np.zeros(self.dual_coef_.shape, dtype=bool)
        for weights, inside, (rows, solution) in zip(self.dual_coef_, trained, members):
            weights[rows], inside[rows] = solution, True
        if np.ndim(self.variance_):  # an interrupted fit has fewer members
            self.variance_ = self.variance_[: len(members)]
        self.member_weights_: np.ndarray | None = None
        self.intercept_ = 0.0
        if self.weights == "out-of-bag":
            self.member_weights_, self.intercept_ = self._regression(
                self._outputs(X), trained.T, target
            )
        return self

    def _check_parameters(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share must be over 0 and at most 1, got {self.share}.")
        if np.min(self.width) <= 0 or np.size(self.width) > 2:
            raise ValueError(f"width must be a positive number or two of them, got {self.width!r}.")
        if self.weights not in ("votes", "out-of-bag"):
            raise ValueError(f"weights must be 'votes' or 'out-of-bag', got {self.weights!r}.")

    def _factors(self, rng: np.random.RandomState) -> Any:
        """Return the factor c, or an array of those of the members."""
        if np.ndim(self.width) == 0:
            return self.width
        low, high = np.log(np.asarray(self.width, dtype=float))
        return np.exp(rng.uniform(low, high, self.n_members))

    def _regression(
        self, outputs: np.ndarray, trained: np.ndarray, target: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """Regress the labels on out-of-bag outputs, and return the weights and the intercept.

        ``outputs`` and ``trained``, of shape (n_rows, n_members), hold the outputs, and whether the
        member was trained on the row.
        """
        outside = ~trained
        rows = np.flatnonzero(outside.any(axis=1))
        if len(rows) < 2:
            raise ValueError(
                "share must leave rows outside the samples if weights is 'out-of-bag', "
                f"got {self.share}."
            )
        others = (outputs * outside).sum(axis=1)[rows] / outside[rows].sum(axis=1)
        completed = np.where(outside[rows], outputs[rows], others[:, None])
        n_components = min(self.n_components, len(rows) - 1, completed.shape[1])
        model = PLSRegression(n_components, scale=False).fit(completed, target[rows])
        weights = np.ravel(model.coef_)
        return weights, float(target[rows].mean() - completed.mean(axis=0) @ weights)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision for each row, positive for the second class.

        It is the share of members that vote for the second class less that for the first; for one
        member its output; or the weighted sum of the outputs.
        """
        check_is_fitted(self)
        outputs = self._outputs(validate_data(self, X, dtype=np.float64, reset=False))
        if self.member_weights_ is not None:
            return outputs @ self.member_weights_ + self.intercept_
        if outputs.shape[1] == 1:
            return outputs[:, 0]
        votes = np.sign(outputs).mean(axis=1)
        return votes + 1e-6 * np.tanh(outputs.mean(axis=1))  # the mean output decides ties

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return (np.clip(self.decision_function(X), -1, 1) + 1) / 2

    def predict(self, X: Any) -> np.ndarray:
        """Return the class for which most members vote for each row."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def _outputs(self, X: np.ndarray) -> np.ndarray:
        """Return the output of each member for each row, of shape (n_rows, n_members)."""
        if np.ndim(self.variance_) == 0:
            return next(self._kernels(X)) @ self.dual_coef_.T
        return np.column_stack(
            [kernel @ weights for kernel, weights in zip(self._kernels(X), self.dual_coef_)]
        )

    def _kernels(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the kernel of each member with all training rows, of shape (n_rows, n_train).

        Distances are computed once, and a kernel that all members share too; it is then yielded
        without end.
        """
        distances = cdist(X, self.rows_, "sqeuclidean")
        if np.ndim(self.variance_) == 0:
            yield from repeat(np.exp(-distances / (2 * self.variance_)))
        for variance in np.atleast_1d(self.variance_):
            yield np.exp(-distances / (2 * variance))


def _solve(kernel: np.ndarray, target: np.ndarray, ridge: float) -> np.ndarray:
    """Return the weights of the rows in one member, the solution of (K + ridge I) a = target."""
    return cho_solve(cho_factor(kernel + max(ridge, LEAST_RIDGE) * np.eye(len(kernel))), target)
