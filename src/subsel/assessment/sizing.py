"""Sample sizes: how many rows an error rate needs, and error bars for given rows."""

from __future__ import annotations

from math import ceil, comb, log, sqrt

from scipy.stats import norm

__all__ = [
    "error_bar",
    "examples_needed",
    "hoeffding_margin",
    "rows_for_mean",
    "rows_for_test",
    "rows_for_validation",
    "search_margin",
]


def error_bar(error: float, n_rows: int) -> float:
    r"""Give the standard error :math:`\sqrt{E(1-E)/m}` of an error rate on m rows [1]_.

    The rows must be new to model and selection; the error bar of a cross-validated rate is larger.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapters 2
       and 9.

    Examples
    --------
    >>> round(100 * error_bar(0.1073, 700), 2)  # ARCENE of the 2003 challenge
    1.17
    """
    _check_share("error", error, closed=True)
    _check_rows(n_rows)
    return sqrt(error * (1 - error) / n_rows)


def rows_for_test(
    error: float,
    *,
    relative: float | None = None,
    bar: float | None = None,
    confidence: float | None = None,
) -> int:
    r"""Give how many test rows reduce the error bar of an expected error rate to a given size.

    .. math:: m \ge z^2\, \frac{E (1 - E)}{b^2}

    Parameters
    ----------
    error : float
        The expected error rate.
    relative, bar : float, optional
        The error bar, as a share of the error (0.1 by default) or as an absolute value.
    confidence : float, optional
        By default the bar is one standard error, z = 1; with 0.95 it is half the width of a 95%
        interval.

    Notes
    -----
    With a bar of a tenth and a small error this is the rule ``100 / E`` that sized the test sets of
    the 2003 challenge [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapters 2
       and 9, appendix A.

    Examples
    --------
    >>> rows_for_test(0.05), rows_for_test(0.5, bar=0.1 / 2, confidence=0.95)
    (1900, 385)
    """
    _check_share("error", error)
    if relative is not None and bar is not None:
        raise ValueError(f"give relative or bar, not both, got {relative} and {bar}.")
    if relative is None:
        relative = 0.1
    if bar is None:
        bar = relative * error
    if not bar > 0:
        raise ValueError(f"the error bar must be positive, got {bar}.")
    z = 1.0
    if confidence is not None:
        z = float(norm.ppf((1 + _check_share("confidence", confidence)) / 2))
    return _whole(z**2 * error * (1 - error) / bar**2)


def rows_for_mean(spread: float, margin: float, risk: float = 0.05, *, normal: bool = True) -> int:
    r"""Give how many rows bring a mean within a margin of the truth, up to a given risk.

    .. math:: m = (z_{1 - \alpha/2}\, \sigma / \epsilon)^2, \qquad m = \sigma^2 / (\alpha
        \epsilon^2)

    for normal values, and (``normal=False``) for any values, by Chebyshev's inequality [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix A
       (whose print of the second has the variance in place of its root).

    Examples
    --------
    >>> rows_for_mean(1.0, 0.1), rows_for_mean(1.0, 0.1, normal=False)
    (385, 2000)
    """
    if not spread > 0 or not margin > 0:
        raise ValueError(f"spread and margin must be positive, got {spread} and {margin}.")
    _check_share("risk", risk)
    factor = float(norm.isf(risk / 2)) ** 2 if normal else 1 / risk
    return _whole(factor * (spread / margin) ** 2)


def hoeffding_margin(n_rows: int, risk: float = 0.05) -> float:
    r"""Give how far the true error of one fixed classifier may lie above its error on m rows.

    It is Hoeffding's bound :math:`\sqrt{\ln(1/\alpha)/2m}`.

    Examples
    --------
    >>> round(hoeffding_margin(1000), 4)
    0.0387
    """
    return search_margin(1, n_rows, risk)


def search_margin(n_subsets: int, n_rows: int, risk: float = 0.05) -> float:
    r"""Bound the excess of the true error of the best of N subsets over its validation error [1]_.

    .. math:: \epsilon = \sqrt{\frac{\ln N + \ln (1/\eta)}{2 m}}

    The bound holds with probability at least :math:`1 - \eta` for all N at once (Hoeffding), if
    subsets and models do not depend on the m validation rows. Every subset whose quality was
    computed counts.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> round(search_margin(10_000, 1000), 3)  # a ranking of 10,000 columns
    0.078
    >>> round(search_margin(2**10_000, 1000), 2)  # every subset of them
    1.86
    """
    _check_rows(n_rows)
    return sqrt(_log_choices(n_subsets, risk) / (2 * n_rows))


def rows_for_validation(n_subsets: int, margin: float, risk: float = 0.05) -> int:
    """Give how many validation rows a search of N subsets needs for a given margin [1]_.

    The margin is that of :func:`search_margin`.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> tuple(rows_for_validation(n_subsets, 0.05) for n_subsets in (1, 10_000, 2**100))
    (600, 2442, 14463)
    """
    if not margin > 0:
        raise ValueError(f"margin must be positive, got {margin}.")
    return _whole(_log_choices(n_subsets, risk) / (2 * margin**2))


def _log_choices(n_subsets: int, risk: float) -> float:
    _check_share("risk", risk)
    if n_subsets < 1:
        raise ValueError(f"n_subsets must be at least 1, got {n_subsets}.")
    return log(n_subsets) - log(risk)


def _whole(rows: float) -> int:
    """Round up to a whole number, at least 1, up to rounding errors."""
    return max(1, ceil(rows * (1 - 1e-12)))


def examples_needed(n_features: int, n_relevant: int, epsilon: float, delta: float) -> int:
    r"""Give how many examples suffice to learn a function of few of many bits [1]_.

    .. math:: m \ge \frac1\epsilon \Big( \ln\frac1\delta + \ln\binom{n}{k} + 2^k \ln 2 \Big)

    The probability that some function of k of the n bits agrees with so many examples, but errs on
    more than a share :math:`\epsilon` of new ones, is at most :math:`\delta`. The number of
    irrelevant bits enters only by its logarithm.

    Parameters
    ----------
    n_features, n_relevant : int
        The number of all bits, and of those on which the label depends.
    epsilon, delta : float
        The tolerated error, and the probability of a larger one.

    References
    ----------
    .. [1] Almuallim and Dietterich, "Learning with many irrelevant features", *AAAI*, 1991; named
       as a problem to solve in Guyon et al. (eds.), *Feature Extraction*, 2006, introduction,
       section 4.4.

    Examples
    --------
    >>> examples_needed(10, 2, 0.1, 0.05), examples_needed(10_000, 2, 0.1, 0.05)
    (96, 235)
    """
    if not 0 <= n_relevant <= n_features:
        raise ValueError(f"n_relevant must lie in [0, {n_features}], got {n_relevant}.")
    _check_share("epsilon", epsilon)
    _check_share("delta", delta)
    return ceil(
        (log(1 / delta) + log(comb(n_features, n_relevant)) + 2**n_relevant * log(2)) / epsilon
    )


def _check_share(name: str, value: float, closed: bool = False) -> float:
    if closed and not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], got {value}.")
    if not closed and not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value}.")
    return value


def _check_rows(n_rows: int) -> None:
    if n_rows < 1:
        raise ValueError(f"n_rows must be at least 1, got {n_rows}.")
