"""An order in which features are taken, and the table of methods that give one."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np

__all__ = ["FeatureOrder", "path_length"]


@dataclass(frozen=True, slots=True, eq=False)
class FeatureOrder:
    """Features in the order in which they were taken.

    Attributes
    ----------
    features : ndarray of int
        The columns, the first taken first. A method that finds nothing more to take gives a shorter
        path.
    scores : ndarray
        The value of the criterion for each of them at the moment it was taken. Later values need
        not be smaller.

    Examples
    --------
    >>> path = FeatureOrder(np.array([4, 1]), np.array([0.9, 0.2]))
    >>> len(path)
    2
    """

    features: np.ndarray
    scores: np.ndarray

    def __len__(self) -> int:
        """The number of features taken."""
        return len(self.features)


def path_length(n_features: int | None, n_columns: int) -> int:
    """Give the number of features wanted, all of them where none is given.

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
