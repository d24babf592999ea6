"""Bayesian mutual information: the mean of its posterior under a Dirichlet prior."""

from __future__ import annotations

import numpy as np
from scipy.special import psi

from subsel.data.statistics.count_statistics import table_statistic
from subsel.data.statistics.joint_counts import JointCounts

__all__ = ["bayesian_information"]


@table_statistic()
def bayesian_information(tables: JointCounts, prior: float = 0.5) -> np.ndarray:
    r"""Score columns by the posterior mean of their information on the classes, in nats [1]_ [2]_.

    Every cell of the table of values and classes has a prior count :math:`\alpha`; with
    :math:`n_{ij}` such counts included, and n their sum,

    .. math::

        E[I] = \frac1n \sum_{ij} n_{ij} \big( \psi(n_{ij} + 1) - \psi(n_{i\cdot} + 1)
        - \psi(n_{\cdot j} + 1) + \psi(n + 1) \big)

    exactly. It is never zero, because no finite table of counts rules information out. With many
    cells and few rows the prior dominates.

    Parameters
    ----------
    prior : float
        The prior count :math:`\alpha`; 1/2 is Jeffreys' prior, 1 the uniform one.

    References
    ----------
    .. [1] Hutter and Zaffalon, *Distribution of mutual information from complete and incomplete
       data*, Computational Statistics and Data Analysis 48, 2005.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, estimators of entropy.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
    >>> bayesian_information(X, [0, 0, 1, 1] * 50).round(3)
    array([0.663, 0.002])
    """
    if not prior > 0:
        raise ValueError(f"prior must be positive, got {prior!r}.")
    cells = tables.counts + prior
    rows = cells.sum(axis=1)
    classes = tables.per_column(cells)
    total = tables.per_column(rows)
    each = np.repeat(np.arange(len(tables.starts)), tables.sizes)
    logs = (
        psi(cells + 1)
        - psi(rows + 1)[:, None]
        - psi(classes + 1)[each]
        + psi(total + 1)[each][:, None]
    )
    return tables.per_column((cells * logs).sum(axis=1)) / total
