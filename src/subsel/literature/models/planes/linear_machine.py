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
    r"""A classifier by the largest linear function, learnt by one of four classical rules [1]_.

    - ``"fisher"``: :math:`w_c = S^{-1} \mu_c` with S the pooled covariance within classes (and its
      pseudo-inverse if singular). The threshold is midway between the means, shifted by the log of
      the shares of the classes.
    - ``"lms"``: least mean squares of targets 1 and -1; corrections
      :math:`(t - \langle w, x \rangle) x`.
    - ``"perceptron"``: corrections :math:`t x` of rows on the wrong side.
    - ``"relaxation"``: corrections :math:`t (\beta - t \langle w, x \rangle) x / \|x\|^2` of rows
      under the margin :math:`\beta`.

    The target t is 1 for the rows of a class and -1 for all others. There is one function per class
    (one function for two classes), and the largest decides, so that no region remains undecided.

    Parameters
    ----------
    rule : {"fisher", "lms", "perceptron", "relaxation"}
        The rule, one of those above.
    step : {"auto", "constant", "decreasing", "optimal", "newton"}
        The step along the mean correction: ``rate``; ``rate`` over the number of the round; the
        step that is best to second order; or the full Newton step. The last two need a curvature,
        which the perceptron's criterion does not have. ``"auto"`` is optimal where there is a
        curvature and constant otherwise.
    rate : float
        The step if it is constant or decreasing.
    one_by_one : bool
        If True, the weights are corrected after every row by ``rate``, else once for all rows.
    margin : float
        The margin :math:`\beta` of the relaxation.
    tol : float
        Learning ends when a round changes the weights by less.
    max_iter : int
        Most rounds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_functions, n_features)
        Weights of the functions: one per class, or one for two classes, positive for the second.
    intercept_ : ndarray of shape (n_functions,)
        Intercepts of the functions.
    n_iter_ : int
        Rounds for the class that needed most.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 1, section 1.3.2 (which prints Fisher's direction for the other
       class).

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 0.0]])
    >>> model = LinearMachine("perceptron").fit(X, ["a", "a", "b", "b"])
    >>> model.predict(np.array([[0.5, 0.5], [3.5, 0.5]])).tolist()
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
            targets = np.arange(len(self.classes_))
            if len(targets) == 2:
                targets = targets[1:]
            functions = [self._descend(A, np.where(codes == c, 1.0, -1.0)) for c in targets]
            weights = np.array([w for w, _ in functions])
            self.n_iter_ = max(n for _, n in functions)
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the functions for each row, of shape (n_rows, n_classes).

        For two classes it is one number per row, positive for the second class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = X @ self.coef_.T + self.intercept_
        if len(self.classes_) == 2:
            return values[:, 0]
        return values

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of the largest function for each row."""
        codes = decided_codes(self.decision_function(X))
        return self.classes_[codes]

    def _check(self) -> None:
        if self.rule not in ("fisher", "lms", "perceptron", "relaxation"):
            raise ValueError(
                f"rule must be 'fisher', 'lms', 'perceptron' or 'relaxation', got {self.rule!r}."
            )
        if self.step not in ("auto", "constant", "decreasing", "optimal", "newton"):
            raise ValueError(
                "step must be 'auto', 'constant', 'decreasing', 'optimal' or 'newton', "
                f"got {self.step!r}."
            )
        if self.rule == "perceptron" and self.step in ("optimal", "newton"):
            raise ValueError(
                "step must not be 'optimal' or 'newton' for the perceptron, whose criterion has no "
                f"curvature, got {self.step!r}."
            )

    def _descend(self, A: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the weights after the last correction, and the number of rounds.

        ``A``, of shape (n_rows, n_features + 1), holds the table and a column of ones; ``t``, of
        shape (n_rows,), the targets -1 and 1.
        """
        w, round_ = np.zeros(A.shape[1]), 0
        for round_ in range(1, self.max_iter + 1):
            before = w
            if self.one_by_one:
                w = self._one_by_one(A, t, w, round_)
            else:
                w = w + self._correction(A, t, w, round_)
            if np.linalg.norm(w - before) < self.tol:
                break
        return w, round_

    def _rate(self, round_: int) -> float:
        if self.step == "decreasing":
            return self.rate / round_
        return self.rate

    def _one_by_one(self, A: np.ndarray, t: np.ndarray, w: np.ndarray, round_: int) -> np.ndarray:
        """Return the weights after corrections by one row after the other."""
        rate = self._rate(round_)
        for row, target in zip(A, t):
            w = w + rate * self._shares(row[None], np.array([target]), w)[0] * row
        return w

    def _correction(self, A: np.ndarray, t: np.ndarray, w: np.ndarray, round_: int) -> np.ndarray:
        """Return the change of the weights in a round that looks at all rows."""
        downhill = self._shares(A, t, w) @ A / len(A)
        step = self.step
        if step == "auto":
            step = "constant" if self.rule == "perceptron" else "optimal"
        if step in ("constant", "decreasing"):
            return self._rate(round_) * downhill
        H = self._curvature(A, t, w)
        if step == "newton":
            return np.linalg.lstsq(H, downhill, rcond=None)[0]
        # exact line search on the quadratic model: g'g / g'Hg along the negative gradient g
        # (Duda, Hart and Stork, "Pattern classification", 2nd edition, 2001, section 5.4.2)
        curvature = downhill @ H @ downhill
        if curvature > 0:
            return downhill * (downhill @ downhill / curvature)
        return np.zeros_like(w)

    def _shares(self, A: np.ndarray, t: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the factor of each row in the correction, of shape (n_rows,)."""
        values = A @ w
        if self.rule == "lms":
            return t - values
        if self.rule == "perceptron":
            return np.where(t * values <= 0, t, 0.0)
        return np.where(t * values < self.margin, t * (self.margin - t * values), 0.0) / (A**2).sum(
            axis=1
        )

    def _curvature(self, A: np.ndarray, t: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the second derivative of the criterion of ``"lms"`` or ``"relaxation"``."""
        if self.rule == "lms":
            return A.T @ A / len(A)
        under = A[t * (A @ w) < self.margin]
        return (under.T / (under**2).sum(axis=1)) @ under / len(A)


def _fisher(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return weights and intercept of each class, of shape (n_classes, n_features + 1).

    All functions lack the same linear function of the row, which does not change the decision.
    """
    # with S^-1 (mu_c - mu) for S^-1 mu_c, the log of the normal density of class c is, up to terms
    # common to all classes, x' S^-1 (mu_c - mu) - (mu_c + mu)' S^-1 (mu_c - mu) / 2
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
