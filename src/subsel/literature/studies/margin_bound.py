"""A bound on the error of the nearest neighbour on a subset, from its margins."""

from __future__ import annotations

from math import e, inf, log, log2, sqrt

__all__ = ["margin_bound"]


def margin_bound(
    margin_error: float,
    n_rows: int,
    size: int,
    n_features: int,
    *,
    margin: float,
    radius: float = 1.0,
    risk: float = 0.05,
) -> float:
    r"""Give the bound on the error of one nearest neighbour on a subset, chosen in any way [1]_.

    .. math:: \hat e_\gamma + \sqrt{\tfrac2m \big( d \ln\tfrac{34 e m}{d} \log_2 (578 m) + \ln\tfrac{8}{\gamma\delta}
              + (|F| + 1) \ln n \big)}, \qquad d = (64 R / \gamma)^{|F|}

    Holds with probability :math:`1 - \delta` for all subsets and margins at once. It is a diagnostic that tells how much
    more than anyone has would be needed: for one column of a hundred it says something from some 34,000 rows on. Where it
    says nothing it is infinite.

    Parameters
    ----------
    margin_error : float
        The share of rows that are misclassified or have a margin under ``margin``.
    n_rows : int
        m.
    size, n_features : int
        Columns chosen, and columns there are.
    margin : float
        :math:`\gamma`, in (0, 1].
    radius : float
        Of the data.
    risk : float
        :math:`\delta`.

    References
    ----------
    .. [1] Navot, Gilad-Bachrach, Navot and Tishby, *Large margin feature selection*, in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 29, section 29.4 (the proof needs the factor n that the statement has).

    Examples
    --------
    >>> margin_bound(0.0, 30_000, 1, 100, margin=1.0) > 1 > margin_bound(0.0, 36_000, 1, 100, margin=1.0)
    True
    """
    if not 0 < margin <= 1 or not 0 < risk < 1:
        raise ValueError(f"margin must lie in (0, 1] and risk in (0, 1), got {margin} and {risk}.")
    if not 1 <= size <= n_features or n_rows < 1:
        raise ValueError(
            f"size must lie in [1, {n_features}] and n_rows be positive, got {size} and {n_rows}."
        )
    dimension = (64 * radius / margin) ** size
    if dimension > 34 * e * n_rows:
        return inf
    cover = dimension * log(34 * e * n_rows / dimension) * log2(578 * n_rows)
    return margin_error + sqrt(
        2 / n_rows * (cover + log(8 / (margin * risk)) + (size + 1) * log(n_features))
    )
