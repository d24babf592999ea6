"""The knockoff filter in its published forms."""

from __future__ import annotations

from typing import Any

from subsel.embedded.knockoffs import Knockoffs

__all__ = ["fixed_x_knockoffs", "knockoffs"]


def knockoffs(statistic: Any = "coefficient", *, fdr: float = 0.1, **settings: Any) -> Knockoffs:
    """Give the model-X knockoff+ filter: Gaussian copies, and the lasso's coefficient difference or any model.

    Parameters
    ----------
    statistic : str or estimator
        As in :class:`subsel.embedded.Knockoffs`.
    fdr : float
        The false discovery rate.
    **settings : object
        Of :class:`subsel.embedded.Knockoffs`.

    References
    ----------
    .. [1] Candès, Fan, Janson and Lv, *Panning for gold: model-X knockoffs*, JRSS B 80, 2018.

    Examples
    --------
    >>> knockoffs(fdr=0.2)
    Knockoffs(fdr=0.2, statistic='coefficient')
    """
    return Knockoffs(statistic, fdr=fdr, **settings)


def fixed_x_knockoffs(*, fdr: float = 0.1, **settings: Any) -> Knockoffs:
    """Give the fixed-X knockoff+ filter: exact copies, and the penalties at which columns come into the lasso.

    Parameters
    ----------
    fdr : float
        The false discovery rate.
    **settings : object
        Of :class:`subsel.embedded.Knockoffs`.

    References
    ----------
    .. [1] Barber and Candès, *Controlling the false discovery rate via knockoffs*, Annals of Statistics 43, 2015.

    Examples
    --------
    >>> fixed_x_knockoffs(fdr=0.2)
    Knockoffs(copies='fixed', fdr=0.2, statistic='entry')
    """
    return Knockoffs("entry", fdr=fdr, copies="fixed", **settings)
