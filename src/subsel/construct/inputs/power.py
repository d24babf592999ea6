"""Powers of columns, chosen by their association with the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from subsel.construct.inputs.association import association

__all__ = ["PowerChoice"]


class PowerChoice(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Raise each column to the power whose result is most associated with the target [1]_.

    The power is :math:`\operatorname{sign}(x) |x|^p`, so that negative values are allowed. Of
    powers with equal association, the one closest to 1 is chosen.

    Parameters
    ----------
    powers : sequence of positive floats
        The powers to choose from.

    Attributes
    ----------
    powers_ : array
        The power of each column.

    References
    ----------
    .. [1] Neal and Zhang, High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees, in *Feature Extraction: Foundations and Applications*, 2006,
       chapter 10.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [4.0, 2.0], [9.0, 3.0]])
    >>> PowerChoice().fit(X, [1.5, 2.5, 3.5]).powers_
    array([0.5, 1. ])
    """

    def __init__(self, powers: tuple[float, ...] = (0.5, 1.0, 2.0)) -> None:
        self.powers = powers

    def fit(self, X: Any, y: Any) -> PowerChoice:
        """Choose the powers."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2
        )
        if not len(self.powers) or min(self.powers) <= 0:
            raise ValueError(f"powers must be positive numbers, got {self.powers!r}.")
        order = sorted(self.powers, key=lambda power: abs(np.log(power)))
        strength = np.stack(
            [association(raised(X, np.full(X.shape[1], power)), y) for power in order]
        )
        close = strength >= strength.max(axis=0) * (1 - 1e-10)
        self.powers_ = np.array(order)[close.argmax(axis=0)]
        return self

    def transform(self, X: Any) -> Any:
        """Raise the columns."""
        check_is_fitted(self)
        return raised(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False), self.powers_
        )

    def inverse_transform(self, X: Any) -> Any:
        """Take the roots."""
        check_is_fitted(self)
        return raised(check_array(X, accept_sparse="csr", dtype=np.float64), 1 / self.powers_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def raised(X: Any, powers: np.ndarray) -> Any:
    """Raise each column to its power; the signs stay the same.

    >>> raised(np.array([[-4.0, 3.0]]), np.array([0.5, 2.0]))
    array([[-2.,  9.]])
    """
    if not issparse(X):
        return np.sign(X) * np.abs(X) ** powers
    columns = csc_array(X)
    each = np.repeat(powers, np.diff(columns.indptr))
    data = np.sign(columns.data) * np.abs(columns.data) ** each
    return csr_array(csc_array((data, columns.indices, columns.indptr), shape=X.shape))
