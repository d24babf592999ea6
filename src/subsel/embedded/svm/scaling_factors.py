"""Scaling factors of the inputs of a support vector machine, by descent on a bound of its error."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.utils import check_random_state

from subsel.data.task import Task
from subsel.embedded.svm.bounds import BOUNDS, Bound
from subsel.embedded.svm.dual import Dual, hard_margin
from subsel.embedded.svm.scaled_kernels import KernelName
from subsel.embedded.svm.scaled_machine import ScaledClassifier

__all__ = ["ScalingFactors", "validation_error"]

C_RANGE = (1e-4, 1e6)  # the interval in which C is tuned
_ERROR_OFFSET = 1e-6  # added to the validation error, which may be 0, before its logarithm is taken


class ScalingFactors(ScaledClassifier):
    r"""Learn a scale for each input of a support vector machine by a bound of its error [1]_.

    The kernel is that of standardised inputs times their scales :math:`\sigma`. L-BFGS-B minimises
    the logarithm of a bound of the leave-one-out error over :math:`\sigma_t^2 \ge 0`, starting with
    all scales 1. Scales of inputs that increase the radius of the data but not the margin become 0.
    The model is the machine at these scales. If `n_features` is given, the inputs of the largest
    scales are kept, and the bound is minimised again over theirs.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to keep; None keeps those whose scale is not 0.
    bound : {"radius-margin", "variance", "span", "validation"}
        :func:`~subsel.embedded.svm.bounds.radius_margin` (known as R2W2),
        :func:`~subsel.embedded.svm.bounds.variance_margin`,
        :func:`~subsel.embedded.svm.bounds.span`, which has many local minima, as has the error on
        held-out rows, :func:`~subsel.embedded.svm.scaling_factors.validation_error`.
    C : float
        Price of the squared slack.
    tune_C : bool
        Whether the bound is minimised over C as well, starting from the value given.
    kernel : {"rbf", "linear", "poly"}
        Kernel of the scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Width of the kernel; None stands for one over the number of columns.
    max_iter : int
        Largest number of steps of the minimiser. With 0 all scales stay 1, and recursive
        elimination by ``feature_importances_`` is backward elimination on the bound, to first
        order.
    held_out : float
        Share of the rows of each class on which the validation error is measured; the final
        machine is trained on all rows.
    random_state : int, RandomState or None
        Seed of the choice of these rows.

    Attributes
    ----------
    scales_ : ndarray
        The scale of each input.
    bound_, C_ : float
        The bound with all inputs at these scales, and the price of the slack in it.
    feature_importances_ : ndarray
        The relative change of the bound, to first order, if the input were removed.
    ranking_, support_, n_iter_ : ndarray, ndarray, int
        All columns, the largest scale first; mask of those kept; number of steps made.

    References
    ----------
    .. [1] Weston, Mukherjee, Chapelle, Pontil, Poggio and Vapnik, *Feature selection for SVMs*,
       NIPS 2000.
    .. [2] Rakotomamonjy, *Variable selection using SVM-based criteria*, JMLR 3, 2003 (backward
       elimination).
    .. [3] Guyon et al. (eds.), *Feature Extraction*, 2006, sections 5.3.1 and 12.3.4.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 6))
    >>> ScalingFactors(2).fit(X, X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4).get_support(indices=True)
    array([1, 4])
    """

    _held_out_rows: np.ndarray | None = None  # bool of shape (rows,), for the validation error

    def __init__(
        self,
        n_features: int | None = None,
        *,
        bound: Literal["radius-margin", "variance", "span", "validation"] = "radius-margin",
        C: float = 10.0,
        tune_C: bool = False,
        kernel: KernelName = "rbf",
        gamma: float | None = None,
        max_iter: int = 100,
        held_out: float = 0.3,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.bound = bound
        self.C = C
        self.tune_C = tune_C
        self.kernel = kernel
        self.gamma = gamma
        self.max_iter = max_iter
        self.held_out = held_out
        self.random_state = random_state

    def _check(self, task: Task) -> None:
        super()._check(task)
        if self.bound not in (*BOUNDS, "validation"):
            raise ValueError(
                f"bound must be one of {', '.join(BOUNDS)}, validation, got {self.bound!r}."
            )
        if self.bound == "validation" and not 0 < self.held_out < 1:
            raise ValueError(f"held_out must lie between 0 and 1, got {self.held_out!r}.")

    def _learn_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        n, self.C_ = Z.shape[1], float(self.C)
        self._held_out_rows = None
        if self.bound == "validation":
            self._held_out_rows = self._choose_held_out(target)
        theta, self.n_iter_ = self._descend(np.ones(n), Z, target, n)
        value, slopes = self._log_bound(theta, Z, target, n)
        self.bound_, self.feature_importances_ = float(np.exp(value)), np.abs(theta * slopes)
        return np.sqrt(theta)

    def _choose_held_out(self, target: np.ndarray) -> np.ndarray:
        """Draw a mask of held-out rows from each class, of which at least one row is left."""
        rng, held = check_random_state(self.random_state), np.zeros(len(target), dtype=bool)
        for sign in (-1.0, 1.0):
            rows = rng.permutation(np.flatnonzero(target == sign))
            held[rows[: min(len(rows) - 1, max(1, round(self.held_out * len(rows))))]] = True
        if not held.any():
            held[0] = True
        return held

    def _final_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        theta = self.scales_[self.support_] ** 2
        if self.n_features is not None and len(theta) < len(self.support_):
            theta, _ = self._descend(theta, Z, target, len(self.support_))
        return np.sqrt(theta)

    def _dual(self, K: np.ndarray, target: np.ndarray) -> Dual:
        return hard_margin(K + np.eye(len(K)) / self.C_, target)

    def _descend(
        self, theta: np.ndarray, Z: np.ndarray, target: np.ndarray, n: int
    ) -> tuple[np.ndarray, int]:
        """Minimise the bound over the squared scales, and over C if it is tuned; updates `C_`.

        Parameters
        ----------
        theta : ndarray of shape (inputs,)
            Squared scales to start from.
        Z, target : ndarray
            The inputs of shape (rows, inputs), and -1 or 1 for each row.
        n : int
            Columns of the whole table, for the width of the kernel.

        Returns
        -------
        theta : ndarray of shape (inputs,)
        n_steps : int
        """
        if self.max_iter == 0:
            return theta, 0
        settings = {"jac": True, "method": "L-BFGS-B", "options": {"maxiter": self.max_iter}}
        bounds: list[tuple[float, float | None]] = [(0.0, None)] * len(theta)
        if not self.tune_C:
            solution = minimize(self._log_bound, theta, (Z, target, n), bounds=bounds, **settings)
            return solution.x, max(1, solution.nit)
        start, price = np.append(theta, np.log(self.C_)), (np.log(C_RANGE[0]), np.log(C_RANGE[1]))
        solution = minimize(
            self._log_bound_and_price, start, (Z, target, n), bounds=[*bounds, price], **settings
        )
        self.C_ = float(np.exp(solution.x[-1]))
        return solution.x[:-1], max(1, solution.nit)

    def _log_bound(
        self, theta: np.ndarray, Z: np.ndarray, target: np.ndarray, n: int
    ) -> tuple[float, np.ndarray]:
        """Compute the logarithm of the bound and its derivative by the squared scales."""
        value, slopes = self._log_bound_and_price(
            np.append(theta, np.log(getattr(self, "C_", self.C))), Z, target, n
        )
        return value, slopes[:-1]

    def _log_bound_and_price(
        self, point: np.ndarray, Z: np.ndarray, target: np.ndarray, n: int
    ) -> tuple[float, np.ndarray]:
        """Compute the logarithm of the bound and its derivative by the squared scales and log C.

        `point` and the derivative have shape (inputs + 1,), log C last.
        """
        kernel, theta, ridge = self._kernel(n), point[:-1], np.exp(-point[-1])
        K = kernel(Z, theta) + ridge * np.eye(len(Z))
        if self._held_out_rows is None:
            value, slope = BOUNDS[self.bound](K, target)
        else:
            value, slope = self._error(K, target)
        # chain rule: the slack adds 1/C to the diagonal of K, and d(1/C) / d(log C) = -1/C
        slopes = np.append(kernel.slopes(Z, theta, slope), -ridge * np.trace(slope))
        return float(np.log(value)), slopes / value

    def _error(self, K: np.ndarray, target: np.ndarray) -> Bound:
        assert self._held_out_rows is not None
        value, slope = validation_error(K, target, self._held_out_rows)
        return Bound(value + _ERROR_OFFSET, slope)


def validation_error(
    K: np.ndarray, sign: np.ndarray, held: np.ndarray, steepness: float = 5.0
) -> Bound:
    r"""Compute the share of errors on held-out rows, smoothed by a sigmoid [1]_.

    .. math:: \frac1{|H|} \sum_{k \in H} \frac1{1 + \exp(a\, y_k f(x_k))}

    f is the machine without slack trained on the other rows; quadratic slack of price C is 1/C
    added to the diagonal of K. The derivative is that for an unchanged set of support vectors.

    Parameters
    ----------
    K : ndarray of shape (rows, rows)
        The kernel matrix of all rows.
    sign : ndarray of shape (rows,)
        -1 or 1, the class of each row.
    held : ndarray of bool of shape (rows,)
        Mask of the rows held out.
    steepness : float
        The slope a of the sigmoid; a large one is closer to the share of errors, but less smooth.

    Returns
    -------
    Bound
        Its value, and its derivative by the kernel matrix.

    References
    ----------
    .. [1] Chapelle, Vapnik, Bousquet and Mukherjee, *Choosing multiple parameters for support
       vector machines*, Machine Learning 46, 2002, sections 3.1 and 5; Guyon et al. (eds.),
       *Feature Extraction*, 2006, section 5.3.1.

    Examples
    --------
    >>> x, sign = np.array([[-2.0], [-1.0], [1.0], [0.5]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> held = np.array([False, False, False, True])
    >>> round(validation_error(x @ x.T, sign, held).value, 4)  # 1 / (1 + exp(2.5))
    0.0759
    """
    train, test = np.flatnonzero(~held), np.flatnonzero(held)
    coef, intercept = hard_margin(K[np.ix_(train, train)], sign[train])
    used, coef = train[coef != 0], coef[coef != 0]
    outputs = K[np.ix_(test, used)] @ coef + intercept
    wrong = expit(-steepness * sign[test] * outputs)
    by_output = -steepness * sign[test] * wrong * (1 - wrong) / len(test)
    # Adjoint method: (c, b) solves the system A (c, b) = (y, 0) bordered by ones. With g the
    # derivative of the error by (c, b), changes dA of A change the error by -(A^-1 g)' dA (c, b),
    # so that one solve gives the derivative by all entries of the kernel of the support vectors.
    bordered = np.ones((len(used) + 1, len(used) + 1))
    bordered[:-1, :-1], bordered[-1, -1] = K[np.ix_(used, used)], 0.0
    by_solution = np.append(by_output @ K[np.ix_(test, used)], by_output.sum())
    adjoint = np.linalg.lstsq(bordered, by_solution, rcond=None)[0][:-1]
    slope = np.zeros_like(K)
    slope[np.ix_(used, used)] = -(np.outer(adjoint, coef) + np.outer(coef, adjoint)) / 2
    slope[np.ix_(test, used)] = np.outer(by_output, coef) / 2
    slope[np.ix_(used, test)] = np.outer(coef, by_output) / 2
    return Bound(float(wrong.mean()), slope)
