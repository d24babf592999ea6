"""Names that strategies had before each direction got its own."""

from __future__ import annotations

import warnings
from typing import Any

from subsel.search.floating import (
    AdaptiveFloatingBackward,
    AdaptiveFloatingForward,
    FloatingBackward,
    FloatingForward,
)
from subsel.search.registry import Search
from subsel.search.sequential import (
    GeneralisedBackward,
    GeneralisedForward,
    SequentialBackward,
    SequentialForward,
)

__all__ = ["Floating", "Sequential"]


def Sequential(g: int = 1, direction: str = "forward", patience: int | None = None) -> Search:
    """Give the sequential search of a direction.

    .. deprecated:: 0.2
       Use `SequentialForward`, `SequentialBackward`, `GeneralisedForward` or `GeneralisedBackward`.

    Parameters
    ----------
    g : int
        Units per step.
    direction : {"forward", "backward"}
        Which way.
    patience : int or None
        As in `SequentialForward`.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     Sequential(direction="backward")
    SequentialBackward(patience=None)
    """
    if g == 1:
        return _renamed("Sequential", direction, SequentialForward, SequentialBackward)(patience)
    return _renamed("Sequential", direction, GeneralisedForward, GeneralisedBackward)(g, patience)


def Floating(
    direction: str = "forward", r_max: int = 1, neighbourhood: int = 3, margin: int = 0
) -> Search:
    """Give the floating search of a direction.

    .. deprecated:: 0.2
       Use `FloatingForward`, `FloatingBackward`, `AdaptiveFloatingForward` or `AdaptiveFloatingBackward`.

    Parameters
    ----------
    direction : {"forward", "backward"}
        Which way.
    r_max : int
        The most units moved at once; above 1 the search is adaptive.
    neighbourhood : int
        How near the last size ``r_max`` units are tried.
    margin : int
        How many columns to go beyond the last eligible size.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     Floating(r_max=2)
    AdaptiveFloatingForward(r_max=2, neighbourhood=3, margin=0)
    """
    if r_max == 1:
        return _renamed("Floating", direction, FloatingForward, FloatingBackward)(margin)
    adaptive = _renamed("Floating", direction, AdaptiveFloatingForward, AdaptiveFloatingBackward)
    return adaptive(r_max, neighbourhood, margin)


def _renamed(name: str, direction: str, forward: Any, backward: Any) -> Any:
    if direction not in ("forward", "backward"):
        raise ValueError(f"direction must be 'forward' or 'backward', got {direction!r}.")
    new = forward if direction == "forward" else backward
    warnings.warn(f"{name} is now {new.__name__}.", DeprecationWarning, stacklevel=3)
    return new
