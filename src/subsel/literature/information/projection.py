"""Linear projections learnt by climbing mutual information."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.literature.information.climbing import Estimate, climb
from subsel.literature.information.neighbours import neighbour_information
from subsel.literature.information.quadratic import quadratic_information
from subsel.literature.information.whitening import whitening

__all__ = ["InformationProjection"]


class InformationProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The projection whose features carry the most information about the classes [1]_.

    Columns are whitened; orthonormal directions start from those of the class means and climb the gradient of the
    estimated information, brought back to orthonormal after each step. Steps that lose information are halved.

    Parameters
    ----------
    n_components : int
        How many features, at most the rank of the table.
    estimate : {"quadratic", "neighbours"}
        See `quadratic_information` and `neighbour_information`.
    widths : tuple of floats
        Widths of the quadratic estimate on whitened columns, wide first: each starts where the last one ended.
    n_neighbors : int
        Of the other estimate.
    max_iter : int
        Most steps, for each width.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A row minus ``mean_``, times its transpose, gives the features, uncorrelated with variance 1.
    information_ : list of lists
        The estimate after each step, a list for each width.
    n_iter_ : int
        Steps in all.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction: Foundations and Applications*, 2006,
       section 6.5.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ring = rng.normal(size=(60, 4)) * [1, 5, 1, 1]
    >>> fitted = InformationProjection(1, widths=(0.5,)).fit(ring, abs(ring[:, 0]) > 0.7)
    >>> fitted.information_[0][-1] > fitted.information_[0][0]
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        estimate: Literal["quadratic", "neighbours"] = "quadratic",
        *,
        widths: tuple[float, ...] = (1.0, 0.5, 0.25),
        n_neighbors: int = 3,
        max_iter: int = 50,
    ) -> None:
        self.n_components = n_components
        self.estimate = estimate
        self.widths = widths
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> InformationProjection:
        """Climb."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        if self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, got {self.n_components}.")
        codes = np.unique(y, return_inverse=True)[1]
        self.mean_, whiten = whitening(X)
        Z = (X - self.mean_) @ whiten
        S = class_directions(Z, codes, min(self.n_components, Z.shape[1]))
        self.information_ = []
        for estimate in self._estimates(codes):
            S, climbed = climb(S, Z, estimate, self.max_iter)
            self.information_.append(climbed)
        self.n_iter_ = max(1, sum(len(values) - 1 for values in self.information_))
        self.components_ = (whiten @ S).T
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Project rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return (X - self.mean_) @ self.components_.T

    def _estimates(self, codes: np.ndarray) -> list[Estimate]:
        if self.estimate == "neighbours":
            return [partial(neighbour_information, codes=codes, n_neighbors=self.n_neighbors)]
        if self.estimate != "quadratic":
            raise ValueError(
                f"estimate must be 'quadratic' or 'neighbours', got {self.estimate!r}."
            )
        return [partial(quadratic_information, codes=codes, width=width) for width in self.widths]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def class_directions(Z: np.ndarray, codes: np.ndarray, n: int) -> np.ndarray:
    """Give n orthonormal directions of whitened rows: those of linear discriminant analysis, then others.

    >>> square = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    >>> abs(class_directions(square, np.array([0, 1, 0, 1]), 1)).T
    array([[1., 0.]])
    """
    sizes = np.bincount(codes)
    means = np.stack([Z[codes == c].mean(axis=0) for c in range(len(sizes))])
    return np.linalg.svd(np.sqrt(sizes)[:, None] * means)[2][:n].T
