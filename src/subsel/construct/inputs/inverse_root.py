"""One over the root of a sum."""

from __future__ import annotations

import numpy as np

__all__ = ["inverse_root"]


def inverse_root(sums: np.ndarray) -> np.ndarray:
    """Give one over the root, 0 where a sum is 0.

    >>> inverse_root(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    return np.divide(1, np.sqrt(sums), out=np.zeros_like(sums), where=sums > 0)
