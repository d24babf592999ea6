"""Kernel ridge, evaluated from kernel matrices."""

from subsel.criteria.kernels.kernel_ridge import KernelRidge
from subsel.criteria.kernels.kernel_ridge_classification import KernelRidgeClassification

__all__ = [
    "KernelRidge",
    "KernelRidgeClassification",
]
