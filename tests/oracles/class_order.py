"""The classes of a column as trees number them, row by row."""

import numpy as np

from subsel.data.statistics.joint_counts import lots

__all__ = ["by_size"]


def by_size(x, y, weight=None):
    """Number classes from the largest to the smallest, ties by a random sum over rows' values."""
    weight = np.ones(len(y)) if weight is None else weight
    lot = lots(np.searchsorted(np.unique(x), x))
    keys = [(-weight[y == k].sum(), (weight * lot)[y == k].sum()) for k in range(y.max() + 1)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return np.argsort(order)[y]
