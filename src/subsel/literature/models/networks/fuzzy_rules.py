"""A regressor of fuzzy rules: if every input is near a centre, the output is near a value."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["FuzzyRules", "rule_output"]


def rule_output(
    X: Any, centres: Any, widths: Any, outputs: Any, inference: str = "product"
) -> np.ndarray:
    r"""Return the mean output of fuzzy rules, weighted by the degree to which each applies [1]_.

    .. math:: y = \frac{\sum_j c_j \prod_i \mu_{ij}(x_i)}{\sum_j \prod_i \mu_{ij}(x_i)},
       \qquad \mu_{ij}(x) = e^{-((x - m_{ij}) / s_{ij})^2}

    This system has singleton inputs, product inference and the centroid of peaks; with Gaussian
    memberships it is a normalised radial basis function network. Far from all rules the nearest
    one decides.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Inputs.
    centres, widths : array of shape (n_rules, n_inputs)
        Centres m and widths s of the memberships.
    outputs : array of shape (n_rules,)
        The outputs c of the rules.
    inference : {"product", "min"}
        Whether the degree of a rule is the product or the minimum of the memberships.

    Returns
    -------
    ndarray of shape (n_rows,)
        The outputs.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 2.3.

    Examples
    --------
    >>> rule_output([[0.0], [0.5], [1.0]], [[0.0], [1.0]], [[0.5], [0.5]], [10.0, 20.0]).round(2)
    array([10.18, 15.  , 19.82])
    """
    if inference not in ("product", "min"):
        raise ValueError(f"inference must be 'product' or 'min', got {inference!r}.")
    X, centres, widths = (np.asarray(a, dtype=np.float64) for a in (X, centres, widths))
    logs = -(((X[:, None] - centres) / widths) ** 2)
    if inference == "product":
        degrees = logs.sum(axis=2)
    else:
        degrees = logs.min(axis=2)
    # division by the largest degree of a row cancels in the ratio and prevents 0 / 0
    weights = np.exp(degrees - degrees.max(axis=1, keepdims=True))
    return weights @ np.asarray(outputs, dtype=np.float64) / weights.sum(axis=1)


class FuzzyRules(RegressorMixin, BaseEstimator):
    """Fuzzy rules around the centres of clusters, with outputs fitted by least squares [1]_.

    Parameters
    ----------
    n_rules : int
        Number of rules, at most one for each distinct row.
    width : float
        Width of the memberships, in standard deviations of the column times the square root of the
        number of columns, so that rules overlap even if there are many columns.
    inference : {"product", "min"}
        Whether the degree of a rule is the product or the minimum of the memberships.
    random_state : int, RandomState or None
        Seed of the clustering.

    Attributes
    ----------
    centres_, widths_ : ndarray of shape (n_rules, n_features)
        Centres and widths of the memberships.
    outputs_ : ndarray of shape (n_rules,)
        The output of each rule.

    References
    ----------
    .. [1] Nikravesh, *Fuzzy neural networks*, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 8, section 2.3.

    Examples
    --------
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> FuzzyRules(10, random_state=0).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.99
    True
    """

    def __init__(
        self,
        n_rules: int = 10,
        *,
        width: float = 1.0,
        inference: str = "product",
        random_state: Any = None,
    ) -> None:
        self.n_rules = n_rules
        self.width = width
        self.inference = inference
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> FuzzyRules:
        """Place the rules and fit their outputs."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        if self.n_rules < 1 or not self.width > 0:
            raise ValueError(
                f"n_rules and width must be positive, got {self.n_rules} and {self.width}."
            )
        n_rules = min(self.n_rules, len(np.unique(X, axis=0)))
        self.centres_ = (
            KMeans(n_rules, n_init=1, random_state=self.random_state).fit(X).cluster_centers_
        )
        spread = X.std(axis=0)
        unit = np.sqrt(X.shape[1]) * np.where(spread > 0, spread, 1.0)
        self.widths_ = np.broadcast_to(self.width * unit, self.centres_.shape)
        shares = np.column_stack(
            [
                rule_output(X, self.centres_, self.widths_, one, self.inference)
                for one in np.eye(n_rules)
            ]
        )
        self.outputs_ = np.linalg.lstsq(shares, y)[0]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the weighted mean output of the rules for each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return rule_output(X, self.centres_, self.widths_, self.outputs_, self.inference)
