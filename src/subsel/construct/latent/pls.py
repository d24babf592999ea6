"""Kernel partial least squares, and its direct form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from subsel.construct.latent.kernel import KernelLatentFeatures

__all__ = ["KernelPLS"]


class KernelPLS(KernelLatentFeatures):
    """Partial least squares in the space of a kernel, or directly on the kernel matrix as data [1]_ [2]_.

    The direct form takes the centred kernel matrix for a table with a column per training row, so that its inner
    products are those of the matrix with itself; the two differ. For classes give y as numbers; standardised, as the
    chapter has it, the smaller class has the larger response (f changes by that scale and no more).

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
    .. [1] Rosipal and Trejo, Kernel partial least squares regression in reproducing kernel Hilbert space, Journal of
       Machine Learning Research 2, 2001.
    .. [2] Embrechts, Bress and Kewley, Feature selection via sensitivity analysis with direct kernel PLS, in *Feature
       Extraction: Foundations and Applications*, 2006, chapter 21.

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
