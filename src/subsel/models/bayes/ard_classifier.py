"""Bayesian kernel classification with one relevance per input, set by maximal evidence."""

from __future__ import annotations

import sys
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, roots_hermitenorm
from sklearn.utils import check_random_state

from subsel.models.bayes.laplace import Laplace, laplace
from subsel.models.bayes.likelihoods import LIKELIHOODS
from subsel.models.two_classes import BinaryClassifier

__all__ = ["ARD_KERNELS", "ARDKernelClassifier", "GaussianARD", "LinearARD", "Optimum"]

# bounds of logarithms; some have no lower bound, because with all variables boxed L-BFGS-B takes
# the full gradient as its first step
RELEVANCE, OTHER = (-20.0, 12.0), (None, 7.0)


class Optimum(NamedTuple):
    """The end of the optimisation from one start.

    Attributes
    ----------
    log_evidence : float
        The log evidence.
    theta : ndarray of shape (n_parameters,)
        The logarithms of the parameters of the kernel.
    n_iter : int
        The number of steps.
    """

    log_evidence: float
    theta: np.ndarray
    n_iter: int = 0


class ARDKernelClassifier(BinaryClassifier):
    r"""A Gaussian process classifier that weights its inputs by the evidence [1]_.

    The kernel has one relevance :math:`a_l` per input. All its parameters maximise the evidence of
    Laplace's approximation, by its exact gradient. The evidence has many maxima: the relevances of
    several random starts, each divided by their sum, are averaged with weights proportional to the
    evidence at their ends. Predictions are those of the best start, with the uncertainty of the
    latent value integrated out.

    Parameters
    ----------
    kernel : {"gaussian", "linear"}
        :math:`k_0 \exp(-\frac12 \sum_l a_l (x_l - x'_l)^2) + k_b`, or
        :math:`\sum_l a_l x_l x'_l + k_b`. Inputs should be standardised.
    likelihood : {"trigonometric", "logistic"}
        Trigonometric: a smooth relative of the hinge loss, on which rows beyond the margin have no
        influence. Logistic: the usual Gaussian process classifier.
    n_starts : int
        The number of random starts.
    max_iter : int
        The largest number of steps from each start.
    random_state : int, RandomState or None
        The seed of the starts.
    verbose : int
        Where positive, the end of each start is reported to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The averaged relevances; their sum is one.
    optima_ : list of Optimum
        The end of each start; after Ctrl-C those of the finished starts.
    log_evidence_ : float
        The largest log evidence.
    theta_ : ndarray of shape (n_parameters,)
        The logarithms of the parameters at the largest log evidence.
    dual_coef_ : ndarray of shape (n_rows,)
        The weight of each row of positive sample weight; zero beyond the margin of the
        trigonometric likelihood.
    n_iter_ : int
        The largest number of steps from a start.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    An evaluation costs :math:`O(m^3 + n m^2)` and :math:`O(m^2)` memory for m rows and n inputs,
    gradient included. The evidence of the trigonometric likelihood is discontinuous where a row
    crosses the margin, so that starts end at slightly different points.

    References
    ----------
    .. [1] Chu, Keerthi, Ong and Ghahramani, *Bayesian support vector machines for feature ranking
       and selection*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006,
       chapter 18.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 4))
    >>> model = ARDKernelClassifier(n_starts=2, random_state=0).fit(X, X[:, 1] * X[:, 3] > 0)
    >>> bool(model.feature_importances_[[1, 3]].sum() > 0.95)
    True
    """

    def __init__(
        self,
        kernel: Literal["gaussian", "linear"] = "gaussian",
        *,
        likelihood: Literal["trigonometric", "logistic"] = "trigonometric",
        n_starts: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ARDKernelClassifier:
        """Maximise the evidence from each start."""
        self._check()
        X, y, weights = self._receive(X, y, sample_weight)
        self._rows, self._signs, self._weights = X, 2 * y - 1, weights
        rng, n = check_random_state(self.random_state), X.shape[1]
        others = ARD_KERNELS[self.kernel].start(n)
        starts = [
            np.append(rng.standard_normal(n) - np.log(n), others) for _ in range(self.n_starts)
        ]
        self.optima_: list[Optimum] = []
        try:
            self.optima_.extend(self._climb(theta) for theta in starts)
        except KeyboardInterrupt:
            if not self.optima_:
                raise
        self.log_evidence_, self.theta_, _ = max(
            self.optima_, key=lambda optimum: optimum.log_evidence
        )
        self.n_iter_ = max(1, max(optimum.n_iter for optimum in self.optima_))
        self.feature_importances_ = averaged_relevances(self.optima_, n)
        best = self._laplace(self.theta_)
        self.dual_coef_, self._correction = best.weights, best.correction
        return self

    def log_evidence(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Give the log evidence of the training rows at given parameters, and its gradient."""
        approximation = self._laplace(theta)
        gradient = ARD_KERNELS[self.kernel].gradient(theta, self._rows, approximation.slope)
        return approximation.log_evidence, gradient

    def _climb(self, theta: np.ndarray) -> Optimum:
        """Maximise the evidence from one start."""

        def descent(theta: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = self.log_evidence(theta)
            return -value, -gradient

        n = self._rows.shape[1]
        bounds = [RELEVANCE] * n + [OTHER] * (len(theta) - n)
        options = {"maxiter": self.max_iter}
        optimum = minimize(
            descent, theta, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        )
        if self.verbose > 0:
            start = f"start {len(self.optima_) + 1} of {self.n_starts}"
            print(
                f"subsel: {start}, log evidence {-optimum.fun:.6g} in {optimum.nit} steps",
                file=sys.stderr,
                flush=True,
            )
        return Optimum(-float(optimum.fun), optimum.x, int(optimum.nit))

    def _laplace(self, theta: np.ndarray) -> Laplace:
        K = ARD_KERNELS[self.kernel].matrix(theta, self._rows, self._rows)
        return laplace(K, self._signs, LIKELIHOODS[self.likelihood], self._weights)

    def _positive(self, X: np.ndarray) -> np.ndarray:
        kernel = ARD_KERNELS[self.kernel]
        K = kernel.matrix(self.theta_, X, self._rows)
        mean = K @ self.dual_coef_
        variance = kernel.diagonal(self.theta_, X) - np.einsum("ij,ij->i", K @ self._correction, K)
        # Gauss-Hermite quadrature of the likelihood over the latent value, 40 nodes
        nodes, shares = roots_hermitenorm(40)
        f = mean[:, None] + np.sqrt(np.maximum(variance, 0))[:, None] * nodes
        probability = np.exp(LIKELIHOODS[self.likelihood](np.ones_like(f), f).value)
        return np.minimum(probability @ shares / shares.sum(), 1.0)

    def _check(self) -> None:
        for name, known in (("kernel", ARD_KERNELS), ("likelihood", LIKELIHOODS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {sorted(known)}, got {getattr(self, name)!r}."
                )
        if self.n_starts < 1:
            raise ValueError(f"n_starts must be at least 1, got {self.n_starts!r}.")


def averaged_relevances(optima: list[Optimum], n: int) -> np.ndarray:
    r"""Average :math:`a_l / \sum_j a_j` over optima, weighted by their evidence.

    >>> optima = [Optimum(0.0, np.log([1.0, 3.0])), Optimum(0.0, np.zeros(2))]
    >>> averaged_relevances([*optima, Optimum(-99.0, np.zeros(2))], 2)
    array([0.375, 0.625])
    """
    logs = np.array([optimum.theta[:n] for optimum in optima])
    relevances = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    evidence = np.array([optimum.log_evidence for optimum in optima])
    return np.exp(evidence - logsumexp(evidence)) @ relevances


class GaussianARD:
    r"""The kernel :math:`k_0 \exp(-\tfrac12 \sum_l a_l (x_l - x'_l)^2) + k_b`.

    Its parameters are given by their logarithms.

    ``theta`` holds :math:`\ln a_1, \dots, \ln a_n, \ln k_b, \ln k_0`.

    >>> GaussianARD.start(2)
    array([2.30258509, 0.        ])
    >>> theta = np.array([0.0, 0.0, np.log(10), 0.0])
    >>> GaussianARD.matrix(theta, np.zeros((1, 2)), np.ones((1, 2))).round(4)
    array([[10.3679]])
    """

    @staticmethod
    def start(n: int) -> np.ndarray:  # noqa: ARG004
        """Give the initial parameters besides the relevances: a broad offset and a unit signal."""
        return np.log([10.0, 1.0])

    @staticmethod
    def matrix(theta: np.ndarray, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Give the kernel between all rows of X and all rows of Z."""
        return _bell(theta, X, Z) + np.exp(theta[-2])

    @staticmethod
    def diagonal(theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Give the kernel of each row with itself."""
        return np.full(len(X), np.exp(theta[-1]) + np.exp(theta[-2]))

    @staticmethod
    def gradient(theta: np.ndarray, X: np.ndarray, slope: np.ndarray) -> np.ndarray:
        r"""Give :math:`\sum_{ij} Q_{ij} \, \partial K_{ij} / \partial \theta` for symmetric Q."""
        # sum_ij M_ij (x_i - x_j)^2 = 2 (sum_i r_i x_i^2 - sum_i x_i (M x)_i) for symmetric M with
        # row sums r: the gradient by all relevances needs one product M X and no table of
        # differences per input
        M = slope * _bell(theta, X, X)
        squares = M.sum(axis=1) @ X**2 - np.einsum("ij,ij->j", X, M @ X)
        return np.concatenate(
            [-np.exp(theta[:-2]) * squares, [np.exp(theta[-2]) * slope.sum(), M.sum()]]
        )


class LinearARD:
    r"""The kernel :math:`\sum_l a_l x_l x'_l + k_b`, its parameters as logarithms.

    ``theta`` holds :math:`\ln a_1, \dots, \ln a_n, \ln k_b`.

    >>> LinearARD.matrix(np.zeros(3), np.ones((1, 2)), np.array([[1.0, 2.0]]))
    array([[4.]])
    """

    @staticmethod
    def start(n: int) -> np.ndarray:  # noqa: ARG004
        """Give the initial parameter besides the relevances: a broad offset."""
        return np.log([10.0])

    @staticmethod
    def matrix(theta: np.ndarray, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Give the kernel between all rows of X and all rows of Z."""
        return (X * np.exp(theta[:-1])) @ Z.T + np.exp(theta[-1])

    @staticmethod
    def diagonal(theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Give the kernel of each row with itself."""
        return X**2 @ np.exp(theta[:-1]) + np.exp(theta[-1])

    @staticmethod
    def gradient(theta: np.ndarray, X: np.ndarray, slope: np.ndarray) -> np.ndarray:
        r"""Give :math:`\sum_{ij} Q_{ij} \, \partial K_{ij} / \partial \theta` for symmetric Q."""
        inputs = np.exp(theta[:-1]) * np.einsum("ij,ij->j", X, slope @ X)
        return np.append(inputs, np.exp(theta[-1]) * slope.sum())


def _bell(theta: np.ndarray, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Give the Gaussian kernel without its offset, between all rows of X and all rows of Z."""
    root = np.exp(0.5 * theta[:-2])
    A, B = X * root, Z * root
    distances = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2 * A @ B.T
    return np.exp(theta[-1] - 0.5 * np.maximum(distances, 0))


ARD_KERNELS: dict[str, Any] = {"gaussian": GaussianARD, "linear": LinearARD}
