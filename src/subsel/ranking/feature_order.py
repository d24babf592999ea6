"""The order in which a method selects features."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

__all__ = ["FeatureOrder", "path_length"]


@dataclass(frozen=True, slots=True, eq=False)
class FeatureOrder:
    """Features in the order in which they were selected.

    Attributes
    ----------
    features : ndarray of int
        The columns, in the order of their selection. A method that finds nothing more to select
        gives a shorter order.
    scores : ndarray
        The criterion of each of them when it was selected. Later values need not be smaller.

    Examples
    --------
    >>> order = FeatureOrder(np.array([4, 1]), np.array([0.9, 0.2]))
    >>> len(order)
    2
    """

    features: np.ndarray
    scores: np.ndarray

    def __len__(self) -> int:
        """Give the number of selected features."""
        return len(self.features)


def path_length(n_features: int | None, n_columns: int) -> int:
    """Check a number of features and give it as an int; None stands for all columns.

    Examples
    --------
    >>> path_length(None, 5), path_length(2, 5)
    (5, 2)
    """
    if n_features is None:
        return n_columns
    if not isinstance(n_features, Integral) or not 1 <= n_features <= n_columns:
        raise ValueError(
            f"n_features must be a whole number in [1, {n_columns}], got {n_features!r}."
        )
    return int(n_features)
