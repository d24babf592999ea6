"""Linear machines: one linear function per class, by Fisher's formula or by correcting errors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.models.decisions import decided_codes

__all__ = ["LinearMachine"]

Rule = Literal["fisher", "lms", "perceptron", "relaxation"]
Step = Literal["auto", "constant", "decreasing", "optimal", "newton"]


class LinearMachine(ClassifierMixin, BaseEstimator):
    r"""The class of the largest linear function, learnt by one of four classical rules [1]_.

    - ``"fisher"``: :math:`w_c = S^{-1} \mu_c`, S the pooled covariance within classes (its
      pseudo-inverse), with the threshold midway between the means, moved by the log of the shares
      of the classes.
    - ``"lms"``: least mean squares of targets 1 and -1; corrections
      :math:`(t - \langle w, x \rangle) x`.
    - ``"perceptron"``: corrections :math:`t x` of rows on the wrong side.
    - ``"relaxation"``: corrections :math:`t (\beta - t \langle w, x \rangle) x / \|x\|^2` of rows
      under the margin :math:`\beta`.

    Each class is told from all others (two classes: one from the other); the largest function
    decides, so that no region is left undecided.

    Parameters
    ----------
    rule : {"fisher", "lms", "perceptron", "relaxation"}
        As above.
    step : {"auto", "constant", "decreasing", "optimal", "newton"}
        The step along the mean correction: ``rate``; ``rate`` over the number of the round; the one
        that is best to second order; or the full step of Newton. The last two need a curvature,
        which the perceptron has not. ``"auto"`` is optimal where there is a curvature and constant
        otherwise.
    rate : float
        The step of the first two.
    one_by_one : bool
        Correct after every row, by ``rate``, and not once for all rows.
    margin : float
        :math:`\beta` of the relaxation.
    tol : float
        Ends where a round moves the weights by less.
    max_iter : int
        Rounds at most.

    Attributes
    ----------
    coef_, intercept_ : ndarray
        The functions, one row per class; one for two classes, positive for the second.
    n_iter_ : int
        Rounds made, of the class that took most.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 1, section 1.3.2 (which prints Fisher's direction for the other
       class).

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 0.0]])
    >>> LinearMachine("perceptron").fit(X, ["a", "a", "b", "b"]).predict(np.array([[0.5, 0.5], [3.5, 0.5]])).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        rule: Rule = "fisher",
        *,
        step: Step = "auto",
        rate: float = 0.5,
        one_by_one: bool = False,
        margin: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ) -> None:
        self.rule = rule
        self.step = step
        self.rate = rate
        self.one_by_one = one_by_one
        self.margin = margin
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> LinearMachine:
        """Learn the functions."""
        self._check()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        if self.rule == "fisher":
            weights, self.n_iter_ = _fisher(X, codes), 1
            if len(weights) == 2:
                weights = weights[1:] - weights[:1]
        else:
            A = np.column_stack([X, np.ones(len(X))])
            wanted = np.arange(len(self.classes_))
            if len(wanted) == 2:
                wanted = wanted[1:]
            found = [self._descend(A, np.where(codes == c, 1.0, -1.0)) for c in wanted]
            weights, self.n_iter_ = np.array([w for w, _ in found]), max(n for _, n in found)
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the functions of each row; of two classes one number, positive for the second."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = X @ self.coef_.T + self.intercept_
        if len(self.classes_) == 2:
            return values[:, 0]
        return values

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest function."""
        codes = decided_codes(self.decision_function(X))
        return self.classes_[codes]

    def _check(self) -> None:
        if self.rule not in ("fisher", "lms", "perceptron", "relaxation"):
            raise ValueError(
                f"rule must be 'fisher', 'lms', 'perceptron' or 'relaxation', got {self.rule!r}."
            )
        if self.step not in ("auto", "constant", "decreasing", "optimal", "newton"):
            raise ValueError(
                f"step must be 'auto', 'constant', 'decreasing', 'optimal' or 'newton', got {self.step!r}."
            )
        if self.rule == "perceptron" and self.step in ("optimal", "newton"):
            raise ValueError(
                f"the perceptron's criterion has no curvature: step {self.step!r} is not defined."
            )

    def _descend(self, A: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, int]:
        """Correct until nothing moves."""
        w, round_ = np.zeros(A.shape[1]), 0
        for round_ in range(1, self.max_iter + 1):
            before = w
            if self.one_by_one:
                w = self._one_by_one(A, t, w, round_)
            else:
                w = w + self._move(A, t, w, round_)
            if np.linalg.norm(w - before) < self.tol:
                break
        return w, round_

    def _rate(self, round_: int) -> float:
        if self.step == "decreasing":
            return self.rate / round_
        return self.rate

    def _one_by_one(self, A: np.ndarray, t: np.ndarray, w: np.ndarray, round_: int) -> np.ndarray:
        rate = self._rate(round_)
        for row, target in zip(A, t):
            w = w + rate * self._shares(row[None], np.array([target]), w)[0] * row
        return w

    def _move(self, A: np.ndarray, t: np.ndarray, w: np.ndarray, round_: int) -> np.ndarray:
        downhill = self._shares(A, t, w) @ A / len(A)
        step = self.step
        if step == "auto":
            step = "constant" if self.rule == "perceptron" else "optimal"
        if step in ("constant", "decreasing"):
            return self._rate(round_) * downhill
        H = self._curvature(A, t, w)
        if step == "newton":
            return np.linalg.lstsq(H, downhill, rcond=None)[0]
        bend = downhill @ H @ downhill
        if bend > 0:
            return downhill * (downhill @ downhill / bend)
        return np.zeros_like(w)

    def _shares(self, A: np.ndarray, t: np.ndarray, w: np.ndarray) -> np.ndarray:
        """How much of each row is added to the weights."""
        values = A @ w
        if self.rule == "lms":
            return t - values
        if self.rule == "perceptron":
            return np.where(t * values <= 0, t, 0.0)
        return np.where(t * values < self.margin, t * (self.margin - t * values), 0.0) / (A**2).sum(
            axis=1
        )

    def _curvature(self, A: np.ndarray, t: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The second derivative of the criterion, of mean squares or of rows under the margin."""
        if self.rule == "lms":
            return A.T @ A / len(A)
        under = A[t * (A @ w) < self.margin]
        return (under.T / (under**2).sum(axis=1)) @ under / len(A)


def _fisher(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Weights and threshold of each class, one row each, up to what all have in common."""
    n_classes = int(codes.max()) + 1
    sizes = np.bincount(codes)
    means = np.stack([X[codes == c].mean(axis=0) for c in range(n_classes)])
    centred = X - means[codes]
    directions = np.linalg.lstsq(
        centred.T @ centred / len(X), (means - X.mean(axis=0)).T, rcond=None
    )[0].T
    middle = X.mean(axis=0)
    thresholds = -((means + middle) * directions).sum(axis=1) / 2 + np.log(sizes / len(X))
    return np.column_stack([directions, thresholds])
