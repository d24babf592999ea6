"""Latent features in the space of a kernel, for any convex loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from subsel.construct.latent.base import Latent, LossName

__all__ = ["KernelLatentFeatures", "KernelPLS"]


class KernelLatentFeatures(Latent):
    """Orthogonal features boosted for a convex loss in the space of a kernel [1]_ (kernel BLF).

    With a linear kernel they are those of `LatentFeatures`. Memory grows with the square of the
    rows.

    Parameters
    ----------
    n_components, loss, damping, n_steps, class_weight, scaled : see `LatentFeatures`
        The same parameters. With Gaussian kernels an exact refit overfits soon: leave one damped
        step.
    kernel : str or function
        As in scikit-learn's ``pairwise_kernels``; the chapter's Gaussian of width s is ``"rbf"``
        with gamma 1 / s^2.
    kernel_params : mapping
        Its parameters.

    Attributes
    ----------
    duals_ : array of shape (n_rows, n_components)
        The centred kernel with the training rows, times it, gives the features.
    coefficients_, intercept_, stages_ : see `LatentFeatures`
        The boosted function.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, section 28.7.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]]), ["out", "in", "in", "in", "out"]
    >>> fitted = KernelLatentFeatures(2, "logistic", kernel="poly", kernel_params={"degree": 2}).fit(X, y)
    >>> fitted.classes_[(fitted.decision_function(X) > 0).astype(int)].tolist()
    ['out', 'in', 'in', 'in', 'out']
    """

    def __init__(
        self,
        n_components: int = 2,
        loss: LossName = "squared",
        *,
        kernel: str | Callable = "rbf",
        kernel_params: Mapping[str, Any] | None = None,
        damping: float = 0.1,
        n_steps: int = 1,
        class_weight: Any = None,
        scaled: bool = False,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.damping = damping
        self.n_steps = n_steps
        self.class_weight = class_weight
        self.scaled = scaled

    def _learn(self, X: Any, target: np.ndarray, weight: np.ndarray) -> None:
        self.rows_ = X
        K = self._kernel(X)
        self.weight_ = weight / weight.sum()
        self.row_means_ = K @ self.weight_
        K = self._centred(K)
        found = self._boost(K.__matmul__, target, weight)
        self.duals_, self.stages_ = found.duals, found.stages

    def _scores(self, X: Any) -> np.ndarray:
        return self._centred(self._kernel(X)) @ self.duals_

    def _kernel(self, X: Any) -> np.ndarray:
        return pairwise_kernels(X, self.rows_, metric=self.kernel, **(self.kernel_params or {}))

    def _centred(self, K: np.ndarray) -> np.ndarray:
        return K - (K @ self.weight_)[:, None] - self.row_means_ + self.row_means_ @ self.weight_


class KernelPLS(KernelLatentFeatures):
    """Partial least squares in the space of a kernel, or directly on the kernel matrix as data [1]_ [2]_.

    The direct form takes the centred kernel matrix for a table with a column per training row, so
    that its inner products are those of the matrix with itself; the two differ. For classes give y
    as numbers; standardised, as the chapter has it, the smaller class has the larger response (f
    changes by that scale and no more).

    Parameters
    ----------
    n_components : int
        How many latent variables.
    kernel, kernel_params : see `KernelLatentFeatures`
        The kernel.
    direct : bool
        Take the kernel matrix as data.
    scaled : bool
        Multiply each feature with its coefficient.

    References
    ----------
    .. [1] Rosipal and Trejo, Kernel partial least squares regression in reproducing kernel Hilbert
       space, Journal of Machine Learning Research 2, 2001.
    .. [2] Embrechts, Bress and Kewley, Feature selection via sensitivity analysis with direct
       kernel PLS, in *Feature Extraction: Foundations and Applications*, 2006, chapter 21.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]]), np.array([4.0, 1.0, 0.0, 1.0, 4.0])
    >>> fitted = KernelPLS(2, kernel="poly", kernel_params={"degree": 2}).fit(X, y)
    >>> fitted.decision_function([[1.5]]).round(2)
    array([2.25])
    """

    loss = "squared"
    damping, n_steps, class_weight = 0.0, 1, None

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str | Callable = "rbf",
        kernel_params: Mapping[str, Any] | None = None,
        direct: bool = False,
        scaled: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.direct = direct
        self.scaled = scaled

    def _learn(self, X: Any, target: np.ndarray, weight: np.ndarray) -> None:
        super()._learn(X, target, weight)
        if self.direct:
            K = self._centred(self._kernel(X))
            found = self._boost(lambda a: K @ (K.T @ a), target, weight)
            self.duals_, self.stages_ = K.T @ found.duals, found.stages
