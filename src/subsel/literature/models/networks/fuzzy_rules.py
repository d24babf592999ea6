"""A system of fuzzy rules: if every input is about so much, the output is so much."""

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
    r"""Return what fuzzy rules say: the mean of their outputs, weighted by how far each applies [1]_.

    .. math:: y = \frac{\sum_j c_j \prod_i \mu_{ij}(x_i)}{\sum_j \prod_i \mu_{ij}(x_i)},
       \qquad \mu_{ij}(x) = e^{-((x - m_{ij}) / s_{ij})^2}

    A singleton input, product inference and the centroid of peaks: with Gaussian memberships a
    normalised radial basis network. Minimum in place of the product is the other inference. Far
    from all rules the nearest decides.

    Parameters
    ----------
    X : array of shape (n_rows, n_inputs)
        Inputs.
    centres, widths : array of shape (n_rules, n_inputs)
        Of the memberships.
    outputs : array of shape (n_rules,)
        The peaks of the conclusions.
    inference : {"product", "min"}
        As above.

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
    # dividing all by the largest leaves the ratio as it is, which is never 0 / 0 then
    weights = np.exp(degrees - degrees.max(axis=1, keepdims=True))
    return weights @ np.asarray(outputs, dtype=np.float64) / weights.sum(axis=1)


class FuzzyRules(RegressorMixin, BaseEstimator):
    """Rules around the centres of clusters, their conclusions solved by least squares [1]_.

    Parameters
    ----------
    n_rules : int
        Rules, at most one for each row.
    width : float
        Of the memberships, in standard deviations of the column times the root of the number of
        columns, so that rules still overlap where columns are many.
    inference : {"product", "min"}
        How the conditions of a rule combine.
    random_state : int, RandomState or None
        Of the clusters.

    Attributes
    ----------
    centres_, widths_ : ndarray of shape (n_rules, n_features)
        Of the memberships.
    outputs_ : ndarray of shape (n_rules,)
        What each rule concludes.

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
        """Place the rules and solve for their conclusions."""
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
        """Return what the rules say of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return rule_output(X, self.centres_, self.widths_, self.outputs_, self.inference)
