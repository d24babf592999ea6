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
    :math:`\exp(-\|x - x'\|^2 / 2\sigma^2)` has :math:`\sigma^2 = c\, d^2` with d the mean distance
    of random pairs. Members differ enough with hardly any ridge and a narrow kernel; their signs
    are counted, which the authors found better than averaging outputs. One member with all rows is
    the plain classifier. Two proposals of theirs are at hand: a width of its own for every member,
    and members weighted by regressing the labels on outputs for rows that they were not trained on.

    Parameters
    ----------
    n_members : int, default=100
        How many machines.
    share : float, default=0.5
        Of the rows that each is trained on.
    width : float or (float, float), default=0.1
        The factor c. Of a pair every member draws its own between the two, uniformly in the
        logarithm.
    gamma : float, default=0.0
        The ridge per row.
    random_state : int, RandomState or None
        Of the samples.
    weights : {"votes", "out-of-bag"}
        Count signs, or sum outputs by weights of partial least squares on out-of-bag outputs. What
        a member says of rows it was trained on is replaced there by the mean of the members that
        were not.
    n_components : int
        Of partial least squares.
    verbose : int
        Where positive, a line on standard error says how far it is.

    Attributes
    ----------
    variance_ : float or ndarray of shape (n_members,)
        Of the kernel, or of every member's. Ctrl-C keeps the members trained so far.
    member_weights_ : ndarray of shape (n_members,) or None
        The weights of outputs; None where signs are counted.
    intercept_ : float
        Added to the weighted outputs.
    dual_coef_ : ndarray of shape (n_members, n_rows)
        Weights of the training rows in each machine, zero for those it was not trained on.
    classes_ : ndarray
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
        width: float | tuple[float, float] = 0.1,
        gamma: float = 0.0,
        random_state: Any = None,
        *,
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
        """Compute distances once and solve for every member."""
        self._check_parameters()
        X, codes, _ = self._receive(X, y)
        rng = check_random_state(self.random_state)
        distance = mean_squared_distance(X, rng)
        self.variance_ = self._widths(rng) * (distance or 1.0)
        self.rows_ = X
        target, n = 2 * codes - 1, len(X)
        drawn = max(1, round(self.share * n))
        members: list[tuple[np.ndarray, np.ndarray]] = []

        def progress() -> str:
            return f"{len(members)} of {self.n_members} members"

        with StatusLine(progress, shown=self.verbose > 0), keep_finished(members):
            for _, kernel in zip(range(self.n_members), self._kernels(X)):
                rows = np.sort(rng.permutation(n)[:drawn])
                members.append(
                    (rows, _machine(kernel[np.ix_(rows, rows)], target[rows], drawn * self.gamma))
                )
        trained = self._keep(members)
        self.member_weights_: np.ndarray | None = None
        self.intercept_ = 0.0
        if self.weights == "out-of-bag":
            self._weigh(self._outputs(X), trained.T, target)
        return self

    def _keep(self, members: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        """Write the weights of members by row; gives on which rows each was trained."""
        self.dual_coef_ = np.zeros((len(members), len(self.rows_)))
        trained = np.zeros(self.dual_coef_.shape, dtype=bool)
        for weights, inside, (rows, solved) in zip(self.dual_coef_, trained, members):
            weights[rows], inside[rows] = solved, True
        if np.ndim(self.variance_):
            self.variance_ = self.variance_[: len(members)]
        return trained

    def _check_parameters(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share must be over 0 and at most 1, got {self.share}.")
        if np.min(self.width) <= 0 or np.size(self.width) > 2:
            raise ValueError(f"width must be a positive number or two of them, got {self.width!r}.")
        if self.weights not in ("votes", "out-of-bag"):
            raise ValueError(f"weights must be 'votes' or 'out-of-bag', got {self.weights!r}.")

    def _widths(self, rng: np.random.RandomState) -> Any:
        if np.ndim(self.width) == 0:
            return self.width
        low, high = np.log(np.asarray(self.width, dtype=float))
        return np.exp(rng.uniform(low, high, self.n_members))

    def _weigh(self, outputs: np.ndarray, trained: np.ndarray, target: np.ndarray) -> None:
        """Regress the labels on what members say of rows that they were not trained on."""
        outside = ~trained
        rows = np.flatnonzero(outside.any(axis=1))
        if len(rows) < 2:
            raise ValueError(
                f"weights='out-of-bag' needs rows outside the samples: lower share, got {self.share}."
            )
        others = (outputs * outside).sum(axis=1)[rows] / outside[rows].sum(axis=1)
        seen = np.where(outside[rows], outputs[rows], others[:, None])
        n_components = min(self.n_components, len(rows) - 1, seen.shape[1])
        model = PLSRegression(n_components, scale=False).fit(seen, target[rows])
        self.member_weights_ = np.ravel(model.coef_)
        self.intercept_ = float(target[rows].mean() - seen.mean(axis=0) @ self.member_weights_)

    def decision_function(self, X: Any) -> np.ndarray:
        """The share of members for the second class, less that for the first; of one member, its output; or weighted outputs."""
        check_is_fitted(self)
        outputs = self._outputs(validate_data(self, X, dtype=np.float64, reset=False))
        if self.member_weights_ is not None:
            return outputs @ self.member_weights_ + self.intercept_
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

    def _outputs(self, X: np.ndarray) -> np.ndarray:
        """What every member says of every row."""
        if np.ndim(self.variance_) == 0:
            return next(self._kernels(X)) @ self.dual_coef_.T
        return np.column_stack(
            [kernel @ weights for kernel, weights in zip(self._kernels(X), self.dual_coef_)]
        )

    def _kernels(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Every member's kernel between rows and those of training; one that all share is computed once."""
        distances = cdist(X, self.rows_, "sqeuclidean")
        if np.ndim(self.variance_) == 0:
            yield from repeat(np.exp(-distances / (2 * self.variance_)))
        for variance in np.atleast_1d(self.variance_):
            yield np.exp(-distances / (2 * variance))


def _machine(kernel: np.ndarray, target: np.ndarray, ridge: float) -> np.ndarray:
    """The weights of rows in one machine."""
    return cho_solve(cho_factor(kernel + max(ridge, LEAST_RIDGE) * np.eye(len(kernel))), target)
