"""Models the literature needs and scikit-learn lacks."""

from subsel.learners.covariance import stabilised_covariance
from subsel.learners.kernel_discriminant import KernelDiscriminant
from subsel.learners.kernels import KERNELS, find_kernel

__all__ = ["KERNELS", "KernelDiscriminant", "find_kernel", "stabilised_covariance"]
