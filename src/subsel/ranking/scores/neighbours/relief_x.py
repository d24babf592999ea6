"""ReliefX: Relief with every row as a neighbour, an association of two discrete variables."""

import numpy as np

from subsel.data.statistics.count_statistics import table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score

__all__ = ["relief_x"]


@score("relief_x", "reliefx", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic()
def relief_x(tables: JointCounts, symmetric: bool = True) -> np.ndarray:
    r"""Score columns by how much more often they differ between classes than within [1]_.

    For two rows drawn independently, with :math:`S_x = \sum p_x^2`, :math:`S_y = \sum p_y^2` and
    :math:`S_{xy} = \sum p_{xy}^2`:

    .. math::

        J(Y, X) = P(x \ne x' \mid y \ne y') - P(x \ne x' \mid y = y')
        = \frac{S_{xy} - S_x S_y}{S_y (1 - S_y)}

    The score is Hall's symmetrised :math:`(J(Y, X) + J(X, Y)) / 2`, or J(Y, X) alone with
    ``symmetric=False``: 0 for independence, 1 when feature and class determine each other, 0 for a
    constant feature. ``discretise`` and ``sample_weight`` are those of
    :mod:`subsel.ranking.scores.counts.contingency`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       ReliefX.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    >>> relief_x(X, [0, 0, 1, 1])
    array([1., 0., 0.])
    """
    n = tables.totals
    same_x = tables.per_column(tables.value_totals**2) / n**2
    same_y = (tables.class_totals**2).sum(axis=1) / n**2
    excess = tables.per_column((tables.counts**2).sum(axis=1)) / n**2 - same_x * same_y
    class_scale, value_scale = same_y * (1 - same_y), same_x * (1 - same_x)
    varies = tables.sizes > 1
    by_class = np.where(varies, excess / class_scale, 0.0)
    if not symmetric:
        return by_class
    by_value = np.divide(excess, value_scale, out=np.zeros_like(excess), where=varies)
    return (by_class + by_value) / 2
