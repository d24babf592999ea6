"""ReliefX: Relief with every row as a neighbour, a measure of association of two discrete variables."""

from typing import Any

import numpy as np

from subsel.ranking.registry import score
from subsel.ranking.table import classes_and_codes, columns

__all__ = ["relief_x"]


@score("relief_x", "reliefx", multiclass=True)
def relief_x(X: Any, y: Any) -> np.ndarray:
    r"""Score discrete features by how much more often they differ between classes than within [1]_.

    For two rows drawn independently, with :math:`S_x = \sum p_x^2`, :math:`S_y = \sum p_y^2` and
    :math:`S_{xy} = \sum p_{xy}^2`:

    .. math:: J(Y, X) = P(x \ne x' \mid y \ne y') - P(x \ne x' \mid y = y') = \frac{S_{xy} - S_x S_y}{S_y (1 - S_y)}

    The score is Hall's symmetrised :math:`(J(Y, X) + J(X, Y)) / 2`: 0 for independence, 1 when feature and class
    determine each other, 0 for a constant feature. Every distinct value is a category, so bin numeric features first.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, eq. 3.15, with the limits of the sums
       in :math:`S_x` and :math:`S_y` put right. book-01 F10.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    >>> relief_x(X, [0, 0, 1, 1])
    array([1., 0., 0.])
    """
    values = columns(X, accept_sparse=False)
    labels, codes = classes_and_codes(X, y)
    return np.array([_symmetrised(column, codes, len(labels)) for column in values.T])


def _symmetrised(column: np.ndarray, codes: np.ndarray, n_classes: int) -> float:
    _, places = np.unique(column, return_inverse=True)
    joint = np.bincount(places * n_classes + codes, minlength=(places.max() + 1) * n_classes) / len(codes)
    joint = joint.reshape(-1, n_classes)
    same_x, same_y = np.sum(joint.sum(axis=1) ** 2), np.sum(joint.sum(axis=0) ** 2)
    if len(joint) == 1:
        return 0.0
    excess = np.sum(joint**2) - same_x * same_y
    return float(excess * (1 / (same_y * (1 - same_y)) + 1 / (same_x * (1 - same_x))) / 2)
