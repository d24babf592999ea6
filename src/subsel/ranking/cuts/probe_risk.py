"""How early would a random feature have been taken? Two answers, and the stop they allow."""

from typing import Any

import numpy as np
from scipy.stats import beta

from subsel.data.statistics.score_input import columns
from subsel.ranking.feature_order import FeatureOrder

__all__ = ["n_within_risk", "probe_risk", "sampled_probe_risk"]


def probe_risk(squared_cosines: np.ndarray, n_samples: int) -> np.ndarray:
    r"""Bound, for each step of a Gram-Schmidt path, the chance that a Gaussian probe had been taken by then [1]_ [2]_.

    Before the k-th step of a centred problem a random direction has :math:`\nu = m - k` dimensions
    left, its squared cosine with the residual is distributed as Beta(1/2, (ν-1)/2), and

    .. math:: H_k = 1 - \prod_{j \le k} (1 - p_j), \qquad p_j = P(\mathrm{Beta} > \cos^2_j)

    Exact for the first step, an upper bound afterwards, since a probe beaten once tends to be
    beaten again: it may stop early. One step alone is the F-to-enter test.

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
    """Estimate, for each step of a Gram-Schmidt path, the share of probes that would have been taken by then.

    The probes go through the same projections as the features; one counts from the first step at
    which its squared cosine exceeds that of the feature taken [1]_. They are Gaussian unless given,
    one per column, as made for instance by :func:`subsel.data.probes.permuted_probes`.

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
    for step, (q, taken) in enumerate(zip(basis.T, path.scores)):
        scale = (probes**2).sum(axis=0) * (residual @ residual)
        earlier |= (residual @ probes) ** 2 > taken * scale
        risk[step] = earlier.mean()
        probes -= np.outer(q, q @ probes)
        residual -= q * (q @ residual)
    return risk


def n_within_risk(risk: np.ndarray, alpha: float) -> int:
    """Give the number of features taken before the risk first reaches alpha [1]_.

    Alpha bounds the chance of each irrelevant feature to be taken, not that of any.

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
