"""ACE by its name."""

from __future__ import annotations

from typing import Any

from subsel.embedded.ace import ACE

__all__ = ["ace"]


def ace(random_state: Any = None, **settings: Any) -> ACE:
    """Give ACE: a compact set of columns by artificial contrasts, masking and residuals.

    Parameters
    ----------
    random_state : int, RandomState or None
        Seed.
    **settings : object
        Of :class:`subsel.embedded.ACE`.

    References
    ----------
    .. [1] Tuv, Borisov, Runger and Torkkola, *Feature selection with ensembles, artificial variables, and redundancy
       elimination*, JMLR 10, 2009.

    Examples
    --------
    >>> ace(random_state=0, n_trees=20)
    ACE(n_trees=20, random_state=0)
    """
    return ACE(random_state=random_state, **settings)
