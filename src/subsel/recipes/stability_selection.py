"""Stability selection as its authors published it, twice, and the randomised lasso."""

from __future__ import annotations

from typing import Any

from subsel.embedded.stability import StabilitySelection

__all__ = ["randomised_lasso", "stability_selection"]

AFTER: dict[str, dict[str, Any]] = {
    "shah-samworth": {"pairs": True, "bound": "r-concave"},
    "meinshausen-buhlmann": {"pairs": False, "bound": "worst"},
}


def stability_selection(
    base: Any = "lasso", *, after: str = "shah-samworth", **settings: Any
) -> StabilitySelection:
    """Give stability selection with the half-samples and the bound of one of its two papers.

    Parameters
    ----------
    base : str or selector
        An order by name, or any selector.
    after : {"shah-samworth", "meinshausen-buhlmann"}
        Complementary pairs with the r-concave bound, or independent half-samples with the worst-case one.
    **settings : object
        Of :class:`subsel.embedded.StabilitySelection`: ``false_selections``, ``threshold``, ``random_state`` and so on.

    References
    ----------
    .. [1] Meinshausen and Bühlmann, *Stability selection*, JRSS B 72, 2010.
    .. [2] Shah and Samworth, *Variable selection with error control*, JRSS B 75, 2013.

    Examples
    --------
    >>> stability_selection("mrmr", after="meinshausen-buhlmann", n_features=10).bound
    'worst'
    """
    if after not in AFTER:
        raise ValueError(f"after must be one of {', '.join(AFTER)}, got {after!r}.")
    return StabilitySelection(base, **{**AFTER[after], **settings})


def randomised_lasso(weakness: float = 0.5, **settings: Any) -> StabilitySelection:
    """Give the randomised lasso: stability selection in which columns are shrunk at random on every half-sample.

    Parameters
    ----------
    weakness : float
        The factor; the authors advise 0.2 to 0.8.
    **settings : object
        Of :class:`subsel.embedded.StabilitySelection`.

    References
    ----------
    .. [1] Meinshausen and Bühlmann, *Stability selection*, JRSS B 72, 2010, section 3.1.

    Examples
    --------
    >>> randomised_lasso(0.3).weakness
    0.3
    """
    return StabilitySelection("lasso", weakness=weakness, **settings)
