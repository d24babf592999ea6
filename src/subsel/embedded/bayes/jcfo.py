"""Joint classifier and feature optimisation: a sparse kernel classifier with learnt scales."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import log_ndtr, ndtr
from sklearn.linear_model import Lasso
from sklearn.preprocessing import StandardScaler

from subsel.data.task import Task
from subsel.embedded.design import signs
from subsel.embedded.relevance_selector import check_n_features
from subsel.embedded.svm.scaled_kernels import KernelName, ScaledKernel
from subsel.embedded.svm.scaled_machine import VANISHED, kept_standardised
from subsel.embedded.two_classes import TwoClassSelector, check_two_classes

__all__ = ["JCFO", "SparseProbit", "hidden_outputs"]


def hidden_outputs(values: np.ndarray, sign: np.ndarray) -> np.ndarray:
    """Compute the expected latent output of a probit model given the classes (the E-step).

    The latent output is the value plus noise of unit variance, and has the sign of the class. Both
    arrays have shape (rows,).

    >>> hidden_outputs(np.array([0.0, 3.0]), np.array([1.0, 1.0])).round(3)
    array([0.798, 3.004])
    """
    # The mean of a normal variable truncated to one side: value + sign phi(margin) / Phi(margin),
    # the inverse Mills ratio, by logarithms so that it does not underflow far out.
    margin = sign * values
    return values + sign * np.exp(-(margin**2) / 2 - log_ndtr(margin)) / np.sqrt(2 * np.pi)


class SparseProbit(NamedTuple):
    r"""A probit classifier on the rows of a kernel, with a Laplace prior on its weights.

    .. math:: P(+ \mid x) = \Phi\Bigl(\sum_k \beta_k k(x, x_k) + b\Bigr)

    Attributes
    ----------
    beta : ndarray
        One weight per row.
    intercept : float
        The intercept b, which has no prior.
    """

    beta: np.ndarray
    intercept: float

    @classmethod
    def start(cls, K: np.ndarray, sign: np.ndarray) -> SparseProbit:
        """Start with the ridge regression of the signs."""
        return cls(np.ones(len(K)), 0.0).step(K, sign, 1.0)

    def step(self, K: np.ndarray, outputs: np.ndarray, penalty: float) -> SparseProbit:
        """Fit the weights to expected outputs (the M-step)."""
        # The Laplace prior is a normal one whose variance has an exponential prior; given the
        # present weights, the expected inverse variance is penalty / |beta| (Krishnapuram et al.
        # 2004). This is ridge regression of beta / width with width^2 = |beta| / penalty, a form
        # that needs no division by weights that are 0.
        width = np.sqrt(np.abs(self.beta) / penalty)
        design = (K - K.mean(axis=0)) * width
        centred = outputs - outputs.mean()
        factor = cho_factor(design.T @ design + np.eye(len(K)))
        beta = width * cho_solve(factor, design.T @ centred)
        return SparseProbit(beta, float(np.mean(outputs - K @ beta)))

    def values(self, K: np.ndarray) -> np.ndarray:
        """Compute the argument of the probit for each row of K, positive for the second class."""
        return K @ self.beta + self.intercept

    def log_posterior(self, K: np.ndarray, sign: np.ndarray, penalty: float) -> float:
        """Compute the logarithm of the posterior density of the weights, up to a constant."""
        return float(log_ndtr(sign * self.values(K)).sum() - penalty * np.abs(self.beta).sum())


class JCFO(TwoClassSelector):
    r"""A kernel classifier that selects rows and inputs jointly, by two sparse priors [1]_.

    The classifier is :class:`SparseProbit` on a kernel of scaled inputs,
    :math:`k(\sigma x, \sigma x_k)`, with Laplace priors on its weights and on
    :math:`\theta = \sigma^2`. An EM algorithm alternates between the expected latent outputs and
    fits of the weights and of the scales to them. For a linear kernel the scales are the weights
    of a nonnegative lasso; for others a bounded quasi-Newton method minimises over them. The
    posterior never falls. Columns are standardised.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to keep, those of the largest scales; None keeps those with a scale above
        0.
    kernel : {"linear", "poly", "rbf"}
        Kernel of the scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Width of the kernel; None stands for one over the number of columns.
    row_penalty, input_penalty : float
        Parameters of the priors: a larger one leaves fewer rows, or inputs, in the classifier.
    max_iter : int
        Largest number of rounds, each of which takes time cubic in the number of rows.
    tol : float
        The algorithm ends when the logarithm of the posterior rises by less than this share of it.

    Attributes
    ----------
    scales_ : ndarray
        The scale :math:`\sigma` of each standardised input.
    ranking_, support_ : ndarray
        All columns, the largest scale first; mask of those kept.
    classifier_ : SparseProbit
        The classifier, with a weight for each training row.
    posteriors_ : ndarray
        The logarithm of the posterior, up to a constant, after each round with all inputs.
    n_iter_ : int
        Number of these rounds.

    References
    ----------
    .. [1] Krishnapuram, Hartemink, Carin and Figueiredo, *A Bayesian approach to joint feature
       selection and classifier design*, IEEE Transactions on Pattern Analysis and Machine
       Intelligence 26, 2004; Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.3.4.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> JCFO().fit(X, X[:, 2] - X[:, 5] > 0).get_support(indices=True)
    array([2, 5])
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        kernel: KernelName = "linear",
        gamma: float | None = None,
        row_penalty: float = 1.0,
        input_penalty: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-4,
    ) -> None:
        self.n_features = n_features
        self.kernel = kernel
        self.gamma = gamma
        self.row_penalty = row_penalty
        self.input_penalty = input_penalty
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any) -> JCFO:
        """Learn weights and scales; learn them again on the inputs kept if that drops some."""
        X, y = self._receive(X, y)
        check_two_classes(y)
        task = Task.of(X, y, "classification")
        self._check(task.n_columns)
        self.classes_, sign = np.unique(y), signs(task.y)
        self.scaler_ = StandardScaler().fit(task.matrix)
        Z = self.scaler_.transform(task.matrix)
        gamma = self.gamma
        if gamma is None:
            gamma = 1.0 / task.n_columns
        self._kernel = ScaledKernel(self.kernel, gamma)
        self.classifier_, theta, posteriors = self._learn(Z, sign, np.ones(task.n_columns))
        self.scales_, self.posteriors_, self.n_iter_ = (
            np.sqrt(theta),
            np.array(posteriors),
            len(posteriors),
        )
        self.ranking_ = np.argsort(-self.scales_, kind="stable")
        n_left = int(np.count_nonzero(theta > VANISHED**2 * theta.max()))
        n = self.n_features or max(1, n_left)
        self.support_ = np.isin(np.arange(task.n_columns), self.ranking_[:n])
        self._theta, self._rows = theta[self.support_], Z[:, self.support_]
        if n < n_left:
            self.classifier_, self._theta, _ = self._learn(self._rows, sign, self._theta)
        return self

    def _check(self, n_columns: int) -> None:
        check_n_features(self.n_features, n_columns)
        for name in ("row_penalty", "input_penalty"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)!r}.")

    def _learn(
        self, Z: np.ndarray, sign: np.ndarray, theta: np.ndarray
    ) -> tuple[SparseProbit, np.ndarray, list[float]]:
        """Run the EM algorithm.

        Parameters
        ----------
        Z : ndarray of shape (rows, inputs)
            The standardised inputs.
        sign : ndarray of shape (rows,)
            -1 or 1, the class of each row.
        theta : ndarray of shape (inputs,)
            Squared scales to start from.

        Returns
        -------
        classifier : SparseProbit
        theta : ndarray of shape (inputs,)
            The squared scales.
        posteriors : list of float
            The logarithm of the posterior after each round.
        """
        K, posteriors = self._kernel(Z, theta), list[float]()
        classifier = SparseProbit.start(K, sign)
        for _ in range(self.max_iter):
            outputs = hidden_outputs(classifier.values(K), sign)
            classifier = classifier.step(K, outputs, self.row_penalty)
            theta, classifier = self._rescaled(Z, outputs, theta, classifier)
            K = self._kernel(Z, theta)
            posteriors.append(
                classifier.log_posterior(K, sign, self.row_penalty)
                - self.input_penalty * theta.sum()
            )
            if len(posteriors) > 1 and posteriors[-1] - posteriors[-2] <= self.tol * abs(
                posteriors[-1]
            ):
                break
        return classifier, theta, posteriors

    def _rescaled(
        self, Z: np.ndarray, outputs: np.ndarray, theta: np.ndarray, classifier: SparseProbit
    ) -> tuple[np.ndarray, SparseProbit]:
        """Fit the squared scales and the intercept to expected outputs, for fixed weights."""
        # for the linear kernel, K beta = (Z * (Z' beta)) theta is linear in theta
        if self.kernel == "linear":
            lasso = Lasso(self.input_penalty / len(Z), positive=True, max_iter=10_000)
            theta = np.maximum(lasso.fit(Z * (classifier.beta @ Z), outputs).coef_, 0.0)
        else:
            loss = partial(self._loss, Z, outputs, classifier.beta)
            optimum = minimize(
                loss,
                theta,
                jac=True,
                method="L-BFGS-B",
                bounds=[(0, None)] * len(theta),
                options={"maxiter": 20},
            )
            theta = optimum.x
        residuals = outputs - self._kernel(Z, theta) @ classifier.beta
        return theta, classifier._replace(intercept=float(residuals.mean()))

    def _loss(
        self, Z: np.ndarray, outputs: np.ndarray, beta: np.ndarray, theta: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Compute half the squared error of the outputs plus the penalty, and its gradient."""
        residuals = outputs - self._kernel(Z, theta) @ beta
        residuals -= residuals.mean()
        pairs = np.outer(residuals, beta)
        slopes = self.input_penalty - self._kernel.slopes(Z, theta, (pairs + pairs.T) / 2)
        return float(residuals @ residuals / 2 + self.input_penalty * theta.sum()), slopes

    def decision_function(self, X: Any) -> np.ndarray:
        """Compute the value of the classifier for each row, positive for the second class."""
        Z = kept_standardised(self, X)
        return self.classifier_.values(self._kernel(Z, self._theta, self._rows))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Compute the probability of each class."""
        second = ndtr(self.decision_function(X))
        return np.column_stack([1.0 - second, second])
