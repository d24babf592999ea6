"""The probability that a random feature would have been selected by a step of Gram-Schmidt."""

from typing import Any

import numpy as np
from scipy.stats import beta

from subsel.data.statistics.score_input import columns
from subsel.ranking.feature_order import FeatureOrder

__all__ = ["n_within_risk", "probe_risk", "sampled_probe_risk"]


def probe_risk(squared_cosines: np.ndarray, n_samples: int) -> np.ndarray:
    r"""Bound the probability that a Gaussian probe would have been selected by each step [1]_ [2]_.

    The steps are those of :func:`subsel.ranking.gram_schmidt`. Before the k-th step of a centred
    problem with m rows, :math:`\nu = m - k` dimensions are left, the squared cosine of a random
    direction with the residual is distributed as Beta(1/2, (ν-1)/2), and

    .. math:: H_k = 1 - \prod_{j \le k} (1 - p_j), \qquad p_j = P(\mathrm{Beta} > \cos^2_j)

    It is exact for the first step and an upper bound afterwards, because a probe that loses once
    tends to lose again: a stop by it may come early. One step alone is the F-to-enter test.

    Parameters
    ----------
    squared_cosines : ndarray of shape (n_steps,)
        The squared cosine of the feature selected in each step.
    n_samples : int
        The number of rows m.

    Returns
    -------
    ndarray of shape (n_steps,)
        The bound for each step.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the random probe as a stopping rule.
    .. [2] T. N. Lal, O. Chapelle, J. Weston and A. Elisseeff, "Embedded Methods", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 5, stopping by random probes.

    Examples
    --------
    >>> probe_risk(np.array([0.5, 0.1]), n_samples=12).round(4)
    array([0.0101, 0.3501])
    """
    dimensions = n_samples - 1 - np.arange(len(squared_cosines))
    chance = np.ones(len(squared_cosines))
    some = dimensions > 1
    chance[some] = beta.sf(np.minimum(squared_cosines[some], 1.0), 0.5, (dimensions[some] - 1) / 2)
    return 1 - np.cumprod(1 - chance)


def sampled_probe_risk(
    X: Any,
    y: Any,
    path: FeatureOrder,
    n_probes: int = 100,
    probes: Any = None,
    random_state: Any = None,
) -> np.ndarray:
    """Estimate the share of probes that would have been selected by each step of Gram-Schmidt [1]_.

    The probes are projected as the features are; one counts from the first step at which its
    squared cosine exceeds that of the selected feature.

    Parameters
    ----------
    X, y : array-like
        The table and the target.
    path : FeatureOrder
        The answer of :func:`subsel.ranking.gram_schmidt`.
    n_probes : int
        The number of Gaussian probes.
    probes : array-like of shape (n_rows, n_probes), optional
        Probes in place of Gaussian ones, as made for instance by
        :func:`subsel.data.probes.permuted_probes`.
    random_state : int, Generator or None
        The seed of Gaussian probes.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the random probe as a stopping rule.

    Examples
    --------
    >>> from subsel.ranking import gram_schmidt
    >>> X, y = np.array([[0.0, 1.0], [1.0, -1.0], [2.0, 1.0], [3.0, -1.0]]), [0.0, 1.0, 2.0, 3.0]
    >>> sampled_probe_risk(X, y, gram_schmidt(X, y, 1), random_state=0)
    array([0.])
    """
    from subsel.data.statistics.centred_table import CentredTable
    from subsel.data.statistics.co_moments import numeric_target

    X = columns(X)
    if probes is None:
        probes = np.random.default_rng(random_state).standard_normal((X.shape[0], n_probes))
    probes = CentredTable(columns(probes, accept_sparse=False)).columns(slice(None)).copy()
    basis, _ = np.linalg.qr(CentredTable(X).columns(path.features))
    residual = numeric_target(X, y) - np.mean(numeric_target(X, y))
    earlier = np.zeros(probes.shape[1], dtype=bool)
    risk = np.empty(len(path))
    # Modified Gram-Schmidt (Björck, BIT 7, 1967): each basis vector is removed from the residuals
    # of the probes and of the target, whose squared cosine is then compared with the feature's.
    for step, (q, cosine) in enumerate(zip(basis.T, path.scores)):
        scale = (probes**2).sum(axis=0) * (residual @ residual)
        earlier |= (residual @ probes) ** 2 > cosine * scale
        risk[step] = earlier.mean()
        probes -= np.outer(q, q @ probes)
        residual -= q * (q @ residual)
    return risk


def n_within_risk(risk: np.ndarray, alpha: float) -> int:
    """Give the number of features selected before the risk first reaches alpha [1]_.

    Alpha bounds the probability for each irrelevant feature to be selected, not that for any.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, the random probe as a stopping rule.

    Examples
    --------
    >>> n_within_risk(np.array([0.0, 0.05, 0.2, 0.3]), alpha=0.1)
    2
    """
    above = np.flatnonzero(risk >= alpha)
    return int(above[0]) if len(above) else len(risk)
