"""A classifier that labels rows by their place in hierarchies of labelled and unlabelled rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.cluster.hierarchy import cophenet
from scipy.spatial import KDTree
from scipy.spatial.distance import squareform
from scipy.special import expit
from sklearn.utils.validation import validate_data

from subsel.literature.models.hierarchies.diffusion_tree import sample_diffusion_trees
from subsel.models.bayes.laplace import laplace
from subsel.models.bayes.likelihoods import logistic
from subsel.models.two_classes import BinaryClassifier

__all__ = ["DiffusionTreeClassifier", "label_leaves", "linkage_times"]


class DiffusionTreeClassifier(BinaryClassifier):
    """A classifier that averages labels over Dirichlet diffusion trees of all rows [1]_.

    It samples trees of the labelled and the unlabelled rows and labels the leaves of each tree that
    have no label. The rows to predict are passed to `fit` as ``unlabelled``; any other row is
    predicted the probability of the nearest row of the trees. Columns should be centred, such as
    principal components.

    Parameters
    ----------
    n_draws, n_warmup : int
        Number of trees, and of sweeps before the first; see :func:`sample_diffusion_trees`.
    thin : int
        Number of sweeps from one tree to the next. A single tree drawn from the posterior is a poor
        classifier, the average over trees that differ a good one; on thousands of rows it takes
        about twenty sweeps until trees differ.
    rule : str
        How leaves are labelled; see :func:`label_leaves`.
    rate : float or None
        Rate of divergence; see :func:`sample_diffusion_trees`. If None, it is sampled.
    random_state : int, RandomState or None
        Seed of the chain.

    Attributes
    ----------
    probabilities_ : ndarray of shape (n_labelled + n_unlabelled,)
        Probability of the second class; the labelled rows come first and have 0 or 1.
    relevances_ : ndarray of shape (n_features,)
        The share of diffusion in the sum of the variances of diffusion and noise of each column,
        averaged over the trees.
    rows_ : ndarray of shape (n_labelled + n_unlabelled, n_features)
        The rows that `probabilities_` belong to.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 10, section 6.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [2.0]]), ["left", "right"]
    >>> other = np.array([[-2.2], [-1.9], [2.1], [1.8]])
    >>> DiffusionTreeClassifier(random_state=0).fit(X, y, unlabelled=other).predict(other).tolist()
    ['left', 'left', 'right', 'right']
    """

    def __init__(
        self,
        n_draws: int = 20,
        *,
        n_warmup: int = 50,
        thin: int = 1,
        rule: Literal["nearest", "successive", "weighted", "neighbours", "process"] = "successive",
        rate: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_draws = n_draws
        self.n_warmup = n_warmup
        self.thin = thin
        self.rule = rule
        self.rate = rate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> DiffusionTreeClassifier:
        """Sample trees of all rows and label the unlabelled ones.

        Parameters
        ----------
        X : array of shape (n_labelled, n_features)
            The labelled rows.
        y : array of shape (n_labelled,)
            Their labels, of two classes.
        unlabelled : array of shape (n_unlabelled, n_features), optional
            The rows to predict.
        """
        X, codes, _ = self._receive(X, y)
        if unlabelled is None:
            other = X[:0]
        else:
            other = validate_data(self, unlabelled, dtype=np.float64, reset=False)
        rows = np.vstack([X, other])
        labels = np.append(codes, np.full(len(other), np.nan))
        lengths = {"n_draws": self.n_draws, "n_warmup": self.n_warmup, "thin": self.thin}
        draws = sample_diffusion_trees(
            rows, **lengths, rate=self.rate, random_state=self.random_state
        )
        answers = [label_leaves(draw.tree.divergence_times(), labels, self.rule) for draw in draws]
        self.probabilities_ = np.mean(answers, axis=0)
        self.relevances_ = np.mean([d.diffusion / (d.diffusion + d.noise) for d in draws], axis=0)
        self.rows_ = rows
        return self

    def _positive(self, X: np.ndarray) -> np.ndarray:
        return self.probabilities_[KDTree(self.rows_).query(X)[1]]


RATES = np.append(2.0 ** np.arange(-2, 8), 400.0)  # r of the rule "weighted", chosen from
VARIANCES = 4.0 ** np.arange(0, 5)  # variances of the Gaussian process, chosen from
RULES = ("nearest", "successive", "weighted", "neighbours", "process")


def label_leaves(
    times: Any,
    labels: Any,
    rule: Literal["nearest", "successive", "weighted", "neighbours", "process"] = "successive",
    rate: float | None = None,
    n_neighbors: int = 5,
) -> np.ndarray:
    r"""Return the probability of the positive class for each leaf [1]_.

    Labelled leaves keep their label. The others are labelled by one of five rules:

    - ``"nearest"``: the share of positive leaves among the labelled ones of the smallest subtree
      that holds the leaf and a labelled one.
    - ``"successive"``: take the unlabelled leaf closest to a labelled one first, label it by that
      rule, and let it count with its probability from then on. The outcome depends on the shape of
      the tree only.
    - ``"weighted"``: all labelled leaves, with weights :math:`e^{r t_{ij}} - 1` that grow with the
      time at which the paths to both leaves diverge. Without a given ``rate`` r, leave-one-out on
      the labelled leaves chooses it.
    - ``"neighbours"``: the share of positive ones among the labelled leaves nearest by
      :math:`1 - t_{ij}`, averaged over the trees; all that are as near as the last of them count.
    - ``"process"``: a Gaussian process of log odds whose covariance is the time that two leaves
      travelled together, averaged over the trees, times a variance of largest evidence; by
      Laplace's approximation.

    For several trees, the first three rules average the probabilities from each tree, the last two
    average the trees.

    Parameters
    ----------
    times : array of shape (n_leaves, n_leaves) or (n_trees, n_leaves, n_leaves)
        Times of divergence, larger for closer pairs: `DiffusionTree.divergence_times`, or
        `linkage_times`.
    labels : array of shape (n_leaves,)
        1 for positive, 0 for negative and NaN for unlabelled leaves.
    rule : {"nearest", "successive", "weighted", "neighbours", "process"}
        The rule, one of those above.
    rate : float or None
        The rate r of the rule ``"weighted"``.
    n_neighbors : int
        Number of labelled leaves of the rule ``"neighbours"``.

    Returns
    -------
    ndarray of shape (n_leaves,)
        Probabilities of the positive class.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 10, section 6.

    Examples
    --------
    >>> times = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, 0.2], [0.2, 0.2, 1.0]])
    >>> label_leaves(times, [1.0, np.nan, 0.0])
    array([1., 1., 0.])
    """
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}.")
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}.")
    times, labels = np.asarray(times, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if np.isnan(labels).all():
        raise ValueError("labels must hold at least one label, got NaN for every leaf.")
    trees = times if times.ndim == 3 else times[None]
    if rule == "weighted":
        return np.mean([_weighted(T, labels, rate) for T in trees], axis=0)
    if rule == "neighbours":
        return _neighbours(trees.mean(axis=0), labels, n_neighbors)
    if rule == "process":
        return _process(trees.mean(axis=0), labels)
    return np.mean([_climbing(T, labels, successive=rule == "successive") for T in trees], axis=0)


def linkage_times(linkage: np.ndarray) -> np.ndarray:
    """Return times of divergence from a scipy linkage: 1 - (height of the join) / (largest height).

    >>> from scipy.cluster.hierarchy import average
    >>> linkage_times(average(np.array([[0.0], [1.0], [5.0]])))[0].round(2)
    array([1.  , 0.78, 0.  ])
    """
    heights = squareform(cophenet(linkage))
    highest = heights.max()
    return 1 - heights / (highest if highest > 0 else 1.0)


def _climbing(T: np.ndarray, labels: np.ndarray, successive: bool) -> np.ndarray:
    """Label the leaves in the order of their closeness to a labelled one; see `label_leaves`.

    ``T`` has shape (n_leaves, n_leaves). If ``successive``, a leaf counts as labelled for those
    that come after it.
    """
    answer, known = labels.copy(), ~np.isnan(labels)
    left = np.flatnonzero(~known)
    closest = T[np.ix_(left, np.flatnonzero(known))].max(axis=1, initial=-np.inf)
    while len(left):
        place = int(np.argmax(closest))
        row, time = left[place], closest[place]
        answer[row] = answer[known & (T[row] >= time)].mean()
        left, closest = np.delete(left, place), np.delete(closest, place)
        if successive:
            known[row] = True
            closest = np.maximum(closest, T[left, row])
    return answer


def _weighted(T: np.ndarray, labels: np.ndarray, rate: float | None) -> np.ndarray:
    """Label the leaves by means of all labels, with weights that grow with the times."""
    known = ~np.isnan(labels)
    if rate is None:
        rate = 1.0
        if known.sum() > 2:
            within, y = T[np.ix_(known, known)], labels[known]
            rate = min(RATES, key=lambda r: _left_out_loss(within, y, r))
    return np.where(known, labels, _average(T[:, known], labels[known], rate))


def _average(T: np.ndarray, y: np.ndarray, rate: float) -> np.ndarray:
    """Return the weighted mean of the labels for each row, the plain mean where all weights are 0.

    ``T`` has shape (n_rows, n_labelled), ``y`` shape (n_labelled,).
    """
    # the weights e^(r t) - 1 of a row are multiplied by e^(-r t_max), which leaves the mean as it
    # is and cannot overflow
    latest = T.max(axis=1, keepdims=True)
    weights = np.exp(rate * (T - latest)) - np.exp(-rate * latest)
    total = weights.sum(axis=1)
    return np.where(total > 0, weights @ y / np.where(total > 0, total, 1.0), y.mean())


def _neighbours(T: np.ndarray, labels: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Label the leaves by the share of positive ones among the nearest labelled leaves."""
    known = ~np.isnan(labels)
    within, y = T[:, known], labels[known]
    last = np.sort(within, axis=1)[:, -min(n_neighbors, len(y)), None]
    # averaging over trees changes the last digits of equal times, which must stay ties
    near = within >= last - 1e-12
    return np.where(known, labels, near @ y / near.sum(axis=1))


def _process(T: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Label the leaves by a Gaussian process whose covariance is proportional to `T`."""
    # Laplace's approximation makes the log odds a posteriori normal, with mean k' w and variance
    # k(x, x) - k' C k (Rasmussen and Williams, "Gaussian processes for machine learning", 2006,
    # section 3.4); the mean of their logistic function is expit(mean / sqrt(1 + pi variance / 8))
    # approximately (MacKay, "The evidence framework applied to classification networks", Neural
    # Computation 4, 1992)
    known = ~np.isnan(labels)
    K, y = T[np.ix_(known, known)], 2 * labels[known] - 1
    fits = [(laplace(v * K, y, logistic, np.ones(len(y))), v) for v in VARIANCES]
    best, variance = max(fits, key=lambda fit: fit[0].log_evidence)
    across = variance * T[:, known]
    mean = across @ best.weights
    spread = variance * np.diag(T) - np.einsum("ij,jk,ik->i", across, best.correction, across)
    return np.where(known, labels, expit(mean / np.sqrt(1 + np.pi / 8 * np.maximum(spread, 0.0))))


def _left_out_loss(T: np.ndarray, y: np.ndarray, rate: float) -> float:
    """Return the logistic loss of the labelled leaves, each predicted from the others."""
    T = T.copy()
    np.fill_diagonal(T, 0.0)  # a time of 0 has no weight
    p = np.clip(_average(T, y, rate), 1e-3, 1 - 1e-3)
    return float(-(y * np.log(p) + (1 - y) * np.log1p(-p)).sum())
