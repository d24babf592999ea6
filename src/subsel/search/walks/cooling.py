"""How a temperature falls."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["cooling_factor", "geometric"]


def cooling_factor(start: float, end: float, n_steps: int) -> float:
    r"""The factor that leads from one temperature to another: :math:`(T_1 / T_0)^{1/(n - 1)}`.

    Examples
    --------
    >>> cooling_factor(8.0, 1.0, 4)
    0.5
    """
    if start <= 0 or n_steps <= 1:
        return 1.0
    factor: float = (end / start) ** (1 / (n_steps - 1))
    return factor


def geometric(start: float, end: float, n_steps: int) -> Iterator[float]:
    """Temperatures from the first to the last, each a constant fraction of the one before.

    Examples
    --------
    >>> list(geometric(8.0, 1.0, 4))
    [8.0, 4.0, 2.0, 1.0]
    """
    factor, temperature = cooling_factor(start, end, n_steps), start
    for _ in range(n_steps):
        yield temperature
        temperature *= factor
