"""A search over columns and products of them, where a product is selected with its factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from subsel.construct.inputs.monomials import Monomials

__all__ = ["SearchedMonomials"]


class SearchedMonomials(MetaEstimatorMixin, TransformerMixin, BaseEstimator):
    """Select columns and products of columns with strong heredity [1]_.

    Under strong heredity a product is selected together with its parents, the columns that it is
    made of. The selector gets a table in which copies of the parents stand next to each product,
    and treats them as one (``feature_groups``). In the result every column appears once.

    Parameters
    ----------
    selector : SubsetSelector or another selector with a parameter ``feature_groups``
        The selector, with its criterion and search.
    monomials : Monomials
        The candidates; products of two columns by default. Its ``heredity`` is set to True.

    Attributes
    ----------
    selector_, monomials_ : SubsetSelector, Monomials
        The fitted selector and the fitted candidates.
    sources_ : list
        The selected columns, as numbers, and then the selected monomials.

    References
    ----------
    .. [1] Chipman, Bayesian variable selection with related predictors, Canadian Journal of
       Statistics 24, 1996.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from subsel import SubsetSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> selector = SubsetSelector(LinearRegression(), search="sfs", n_features=3)
    >>> SearchedMonomials(selector).fit(X, X[:, 0] * X[:, 2]).get_feature_names_out().tolist()
    ['x0', 'x2', 'x0*x2']
    """

    def __init__(self, selector: Any, monomials: Monomials | None = None) -> None:
        self.selector = selector
        self.monomials = monomials

    def fit(self, X: Any, y: Any) -> SearchedMonomials:
        """Construct the candidates and search."""
        monomials = self.monomials
        if monomials is None:
            monomials = Monomials()
        self.monomials_ = clone(monomials).set_params(heredity=True)
        table = self.monomials_.fit(X, y).transform(X)
        self.n_features_in_ = self.monomials_.n_features_in_
        if hasattr(self.monomials_, "feature_names_in_"):
            self.feature_names_in_ = self.monomials_.feature_names_in_
        self.selector_ = clone(self.selector).set_params(
            feature_groups=self.monomials_.feature_groups_
        )
        self.selector_.fit(table, y)
        chosen = [
            self.monomials_.sources_[k][0] for k in np.flatnonzero(self.selector_.get_support())
        ]
        columns = sorted({s for s in chosen if isinstance(s, int)})
        self.sources_ = columns + [s for s in chosen if not isinstance(s, int)]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Compute the selected columns and products, each once."""
        check_is_fitted(self)
        table = self.monomials_.transform(X)
        return table[:, self._places()]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the selected columns and products."""
        check_is_fitted(self)
        return self.monomials_.get_feature_names_out(input_features)[self._places()]

    def _places(self) -> list[int]:
        """Find the output column of ``monomials_`` for each source that is not a copy."""
        plain = {
            source: k for k, (source, child) in enumerate(self.monomials_.sources_) if child is None
        }
        return [plain[source] for source in self.sources_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
