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

    With a linear kernel they are those of `LatentFeatures`. The memory needed is quadratic in the
    number of rows.

    Parameters
    ----------
    n_components, loss, damping, n_steps, class_weight, scaled : see `LatentFeatures`
        The same parameters. With Gaussian kernels an exact refit overfits soon; the default, one
        damped step, does not.
    kernel : str or function
        As in scikit-learn's ``pairwise_kernels``; the Gaussian of width s of [1]_ is ``"rbf"``
        with gamma 1 / s^2.
    kernel_params : mapping
        Parameters of the kernel.

    Attributes
    ----------
    duals_ : array of shape (n_rows, n_components)
        The features are the centred kernel with the training rows, times this matrix.
    coefficients_, intercept_, stages_ : see `LatentFeatures`
        The boosted function.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, section 28.7.

    Examples
    --------
    >>> X, y = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]]), ["out", "in", "in", "in", "out"]
    >>> latent = KernelLatentFeatures(2, "logistic", kernel="poly", kernel_params={"degree": 2})
    >>> fitted = latent.fit(X, y)
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
        boosted = self._boost(K.__matmul__, target, weight)
        self.duals_, self.stages_ = boosted.duals, boosted.stages

    def _scores(self, X: Any) -> np.ndarray:
        return self._centred(self._kernel(X)) @ self.duals_

    def _kernel(self, X: Any) -> np.ndarray:
        """Compute the kernel of rows with the training rows."""
        return pairwise_kernels(X, self.rows_, metric=self.kernel, **(self.kernel_params or {}))

    def _centred(self, K: np.ndarray) -> np.ndarray:
        """Centre a kernel with the training rows, by their weighted mean in feature space."""
        # (phi(x) - m)'(phi(z) - m) = k(x, z) - phi(x)'m - m'phi(z) + m'm with the mean
        # m = sum_k w_k phi(x_k) (Scholkopf, Smola and Muller 1998, with weights)
        return K - (K @ self.weight_)[:, None] - self.row_means_ + self.row_means_ @ self.weight_


class KernelPLS(KernelLatentFeatures):
    """Partial least squares in the space of a kernel [1]_, or on the kernel matrix as a table [2]_.

    The second, direct form treats the centred kernel matrix as a table with a column per training
    row; the two forms differ. Classes must be encoded as numbers; if these are standardised, as in
    [2]_, only the scale of the predictions changes.

    Parameters
    ----------
    n_components : int
        Number of latent variables.
    kernel, kernel_params : see `KernelLatentFeatures`
        The kernel.
    direct : bool
        Whether to treat the kernel matrix as a table.
    scaled : bool
        Whether to multiply each feature with its coefficient.

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
            boosted = self._boost(lambda a: K @ (K.T @ a), target, weight)
            self.duals_, self.stages_ = K.T @ boosted.duals, boosted.stages
