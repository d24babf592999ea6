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
    r"""Logistic regression that averages its predictions over the posterior of its weights.

    :math:`P(y = 1 | x) = 1 / (1 + e^{-\alpha - \beta' x})`, with a broad prior on :math:`\alpha`
    and

    - ``prior="spherical"``: :math:`\beta \sim N(0, \sigma^2 I)` with a broad Gamma prior on
      :math:`1/\sigma^2`. It does not change when the inputs are rotated, so that it selects
      nothing, and needs no more coordinates than there are rows: it works on the principal
      directions of the rows, and with more columns than those on one further coordinate, the
      distance of a new row from them, about whose weight the data say nothing.
    - ``prior="heavy-tailed"``: :math:`\beta_j \sim \sigma t_2`; a few weights can be large while
      the others stay small.

    Parameters
    ----------
    prior : {"heavy-tailed", "spherical"}
        As above.
    width : float
        Typical width of the prior of a weight; inputs should be standardised.
    n_chains, n_warmup, n_draws, n_leapfrog : int
        Of the sampler, see :class:`subsel.models.bayes.chains.Sampling`.
    random_state : int, RandomState or None
        Seeds the chains.
    n_jobs : int or None
        Chains run at a time; the answer does not depend on it.
    verbose : int
        Where positive, progress is written to standard error.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The posterior mean of :math:`|\beta_j|`.
    coef_draws_ : ndarray of shape (n_draws, n_features)
        Draws of the weights.
    directions_ : ndarray of shape (n_features, n_coordinates) or None
        The principal directions, for the spherical prior.
    posterior_ : subsel.models.bayes.posterior.Posterior
        The draws by chain, with acceptance, effective sample size, R-hat, and a note where the run
        was interrupted. The columns are the intercept, the weights of the coordinates and the scale
        :math:`\sigma`, and for the spherical prior the weight of the further coordinate.
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
    >>> model = BayesianLogisticRegression(n_warmup=50, n_draws=50, random_state=0).fit(X, X[:, 2] > 0)
    >>> int(model.feature_importances_.argmax())
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
        """Return the log odds of each row (column of the answer) under each draw (row of the answer)."""
        draws = self.posterior_.draws
        f = draws[:, :1] + self.coef_draws_ @ X.T
        if self.directions_ is not None:
            inside = X @ self.directions_
            outside = np.maximum(
                np.einsum("ij,ij->i", X, X) - np.einsum("ij,ij->i", inside, inside), 0
            )
            f += np.outer(draws[:, -1], np.sqrt(outside))
        return f

    def _positive(self, X: np.ndarray) -> np.ndarray:
        parts = (X[rows] for rows in gen_batches(len(X), 1000))
        return np.concatenate([expit(self.sample_decisions(part)).mean(axis=0) for part in parts])


def _principal_directions(X: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the rows of X, one column per direction, of defined signs."""
    _, values, rows = np.linalg.svd(X, full_matrices=False)
    rows = rows[values > len(rows) * np.finfo(float).eps * values[0]]
    return rows.T * np.sign(rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)])


BROAD = 10.0  # standard deviation of the intercept


class LogisticTarget:
    """Intercept and weights are the position, the widths of their priors the hyperparameters.

    >>> target = LogisticTarget(np.ones((2, 1)), np.array([0.0, 1.0]), np.ones(2), spherical=True, width=1.0)
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
        # a bound on the curvature of the likelihood
        self._curvature = np.append(weights.sum(), weights @ self.X**2) / 4
        self._precision = np.append(BROAD**-2, np.full(n, width**-2))
        self._outside = 0.0

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Begin near zero."""
        return 0.1 * rng.standard_normal(self.size) / np.sqrt(self._precision + self._curvature)

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the widths, and the weight of the distance from the training rows."""
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
        """Step by the smallest width that prior and likelihood allow."""
        return 1 / np.sqrt(self._precision + self._curvature)

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Return the log posterior, and its gradient."""
        f = self.X @ position[1:] + position[0]
        residual = self.weights * (self.y - expit(f))
        gradient[0] = residual.sum()
        gradient[1:] = residual @ self.X
        pull = self._precision * position
        gradient -= pull
        return self._likelihood(f) - 0.5 * float(pull @ position)

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Keep position and scale, and for the spherical prior the weight of the further coordinate."""
        if isinstance(self.prior, CommonScale):
            return np.concatenate([position, [self.prior.precision**-0.5, self._outside]])
        return np.append(position, np.sqrt(self.prior.common))

    def _likelihood(self, f: np.ndarray) -> float:
        """Return the log likelihood from the log odds."""
        return float(self.weights @ (self.y * f - np.logaddexp(0, f)))
