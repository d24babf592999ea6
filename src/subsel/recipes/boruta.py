"""Boruta as published."""

from __future__ import annotations

from typing import Any

from subsel.embedded.boruta import Boruta

__all__ = ["boruta"]


def boruta(estimator: Any = None, random_state: Any = None, **settings: Any) -> Boruta:
    """Give Boruta: every column that beats the best of shuffled copies more often than by chance.

    Parameters
    ----------
    estimator : estimator, optional
        The model that is read; None is a random forest of 500 trees, read by out-of-bag permutation.
    random_state : int, RandomState or None
        Seed.
    **settings : object
        Of :class:`subsel.embedded.Boruta`.

    References
    ----------
    .. [1] Kursa and Rudnicki, *Feature selection with the Boruta package*, Journal of Statistical Software 36(11), 2010.

    Examples
    --------
    >>> boruta(random_state=0, max_iter=50)
    Boruta(max_iter=50, random_state=0)
    """
    return Boruta(estimator, random_state=random_state, **settings)
