"""Bayesian logistic regression with a spherical or a heavy-tailed prior."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.special import expit
from sklearn.utils import gen_batches

from subsel.models.bayes.chains import Sampling, sample_posterior
from subsel.models.bayes.scale_priors import CommonScale, HeavyTailedScales, stretched
from subsel.models.two_classes import BinaryClassifier

__all__ = ["BayesianLogisticRegression", "LogisticTarget"]


class BayesianLogisticRegression(BinaryClassifier):
    r"""Logistic regression that averages its predictions over the posterior of its weights [1]_.

    The model is :math:`P(y = 1 | x) = 1 / (1 + e^{-\alpha - \beta' x})`, with a broad prior on
    :math:`\alpha` and one of two priors on :math:`\beta`:

    - ``prior="spherical"``: :math:`\beta \sim N(0, \sigma^2 I)` with a broad Gamma prior on
      :math:`1/\sigma^2`. The prior does not change when the inputs are rotated, so that it selects
      nothing, and the sampler needs no more coordinates than there are rows: it works on the
      principal directions of the rows. If there are further columns, the distance of a new row from
      the span of these directions is one more coordinate, whose weight has its prior.
    - ``prior="heavy-tailed"``: :math:`\beta_j \sim \sigma t_2`; a few weights can be large while
      the others stay small.

    Parameters
    ----------
    prior : {"heavy-tailed", "spherical"}
        The prior of the weights.
    width : float
        Typical width of the prior of a weight; inputs should be standardised.
    n_chains, n_warmup, n_draws, n_leapfrog : int
        Parameters of the sampler; see :class:`subsel.models.bayes.chains.Sampling`.
    random_state : int, RandomState or None
        Seed of the chains.
    n_jobs : int or None
        Number of chains run in parallel; the result does not depend on it.
    verbose : int
        If positive, progress is written to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The posterior mean of :math:`|\beta_j|`.
    coef_draws_ : ndarray of shape (n_draws, n_features)
        Draws of the weights :math:`\beta`.
    directions_ : ndarray of shape (n_features, n_coordinates) or None
        The principal directions of the rows, for the spherical prior.
    posterior_ : subsel.models.bayes.posterior.Posterior
        The draws by chain, with acceptance, effective sample size, R-hat, and a note if the run was
        interrupted. The columns are the intercept, the weights of the coordinates, the scale
        :math:`\sigma` and, for the spherical prior, the weight of the distance from their span.
    classes_ : ndarray of shape (2,)
        The class labels.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 10, section 4.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 4))
    >>> model = BayesianLogisticRegression(n_warmup=50, n_draws=50, random_state=0)
    >>> int(model.fit(X, X[:, 2] > 0).feature_importances_.argmax())
    2
    """

    def __init__(
        self,
        prior: Literal["heavy-tailed", "spherical"] = "heavy-tailed",
        *,
        width: float = 1.0,
        n_chains: int = 2,
        n_warmup: int = 300,
        n_draws: int = 300,
        n_leapfrog: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.width = width
        self.n_chains = n_chains
        self.n_warmup = n_warmup
        self.n_draws = n_draws
        self.n_leapfrog = n_leapfrog
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianLogisticRegression:
        """Sample the posterior."""
        if self.prior not in ("heavy-tailed", "spherical"):
            raise ValueError(f"prior must be 'heavy-tailed' or 'spherical', got {self.prior!r}.")
        if not self.width > 0:
            raise ValueError(f"width must be positive, got {self.width!r}.")
        sampling = Sampling(self.n_chains, self.n_warmup, self.n_draws, self.n_leapfrog)
        X, y, weights = self._receive(X, y, sample_weight)
        spherical = self.prior == "spherical"
        self.directions_: np.ndarray | None = None
        Z = X
        if spherical:
            self.directions_ = _principal_directions(X * np.sqrt(weights)[:, None])
            Z = X @ self.directions_
        make_target = partial(LogisticTarget, Z, y, weights, spherical, self.width)
        self.posterior_ = sample_posterior(
            make_target, sampling, self.random_state, self.n_jobs, self.verbose
        )
        coordinates = self.posterior_.draws[:, 1 : 1 + Z.shape[1]]
        if self.directions_ is not None:
            coordinates = coordinates @ self.directions_.T
        self.coef_draws_ = coordinates
        self.feature_importances_ = np.abs(self.coef_draws_).mean(axis=0)
        return self

    def sample_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the log odds of each row under each draw, of shape (n_draws, n_rows)."""
        draws = self.posterior_.draws
        f = draws[:, :1] + self.coef_draws_ @ X.T
        if self.directions_ is not None:
            # |x|^2 less the squared length of its projection (Pythagoras): rotated so that the part
            # outside the span of the training rows is one coordinate, only its length matters
            inside = X @ self.directions_
            outside = np.maximum(
                np.einsum("ij,ij->i", X, X) - np.einsum("ij,ij->i", inside, inside), 0
            )
            f += np.outer(draws[:, -1], np.sqrt(outside))
        return f

    def _positive(self, X: np.ndarray) -> np.ndarray:
        parts = (X[rows] for rows in gen_batches(len(X), 1000))  # bounds memory: (n_draws, 1000)
        return np.concatenate([expit(self.sample_decisions(part)).mean(axis=0) for part in parts])


def _principal_directions(X: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the span of the rows of X, of shape (n_columns, rank).

    The entry of largest size of each direction is positive.
    """
    _, values, rows = np.linalg.svd(X, full_matrices=False)
    # singular values up to min(n_rows, n_columns) eps times the largest count as rounding errors
    rows = rows[values > len(rows) * np.finfo(float).eps * values[0]]
    return rows.T * np.sign(rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)])


BROAD = 10.0  # standard deviation of the prior of the intercept, broad on the scale of log odds


class LogisticTarget:
    """The posterior of Bayesian logistic regression, for :mod:`subsel.models.bayes.chains`.

    The position of the sampler is the intercept and the weights, of shape (1 + n_features,); the
    widths of their priors are drawn by `refresh`.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        The table.
    y : ndarray of shape (n_rows,)
        Classes, 0 and 1.
    weights : ndarray of shape (n_rows,)
        Weights of the rows.
    spherical : bool
        Whether the prior is spherical or heavy-tailed.
    width : float
        Typical width of the prior of a weight.

    Examples
    --------
    >>> X, y = np.ones((2, 1)), np.array([0.0, 1.0])
    >>> target = LogisticTarget(X, y, np.ones(2), spherical=True, width=1.0)
    >>> gradient = np.empty(2)
    >>> round(target.density(np.zeros(2), gradient), 4), gradient
    (-1.3863, array([0., 0.]))
    """

    def __init__(
        self, X: np.ndarray, y: np.ndarray, weights: np.ndarray, spherical: bool, width: float
    ) -> None:
        n = X.shape[1]
        self.X, self.y, self.weights, self.size = np.ascontiguousarray(X), y, weights, n + 1
        self.prior: CommonScale | HeavyTailedScales
        if spherical:
            self.prior = CommonScale(width)
        else:
            self.prior = HeavyTailedScales(n, shape=1.0, width=width)
        # the diagonal of X' W X / 4 bounds the curvature of the likelihood, since p (1 - p) <= 1/4
        # (Bohning and Lindsay, "Monotonicity of quadratic-approximation algorithms", Annals of the
        # Institute of Statistical Mathematics 40, 1988)
        self._curvature = np.append(weights.sum(), weights @ self.X**2) / 4
        self._precision = np.append(BROAD**-2, np.full(n, width**-2))
        self._outside = 0.0

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Return a random position near zero."""
        return 0.1 * rng.standard_normal(self.size) / np.sqrt(self._precision + self._curvature)

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the widths of the priors and, if spherical, the weight of the further coordinate.

        Rescales `position` in place.
        """
        self.prior.refresh(position[1:, None], rng)
        f = self.X @ position[1:]
        stretched(
            self.prior, position[1:], lambda factor: self._likelihood(factor * f + position[0]), rng
        )
        if isinstance(self.prior, CommonScale):
            self._precision[1:] = self.prior.precision
            self._outside = rng.standard_normal() / np.sqrt(self.prior.precision)
        else:
            self._precision[1:] = self.prior.precisions

    def scales(self) -> np.ndarray:
        """Return a step size for each coordinate, a lower bound of the width of the posterior."""
        return 1 / np.sqrt(self._precision + self._curvature)

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Return the log posterior up to a constant, and write its gradient into `gradient`."""
        f = self.X @ position[1:] + position[0]
        residual = self.weights * (self.y - expit(f))
        gradient[0] = residual.sum()
        gradient[1:] = residual @ self.X
        prior_gradient = self._precision * position
        gradient -= prior_gradient
        return self._likelihood(f) - 0.5 * float(prior_gradient @ position)

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Return what is stored of a draw: one row of the draws of `posterior_`."""
        if isinstance(self.prior, CommonScale):
            return np.concatenate([position, [self.prior.precision**-0.5, self._outside]])
        return np.append(position, np.sqrt(self.prior.common))

    def _likelihood(self, f: np.ndarray) -> float:
        """Return the log likelihood at given log odds, of shape (n_rows,)."""
        return float(self.weights @ (self.y * f - np.logaddexp(0, f)))
