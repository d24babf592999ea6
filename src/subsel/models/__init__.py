"""Learners that selection needs and scikit-learn lacks."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "ALMA": "planes.alma",
    "KERNELS": "kernels",
    "ARDClassifier": "bayes.sparse_bayes",
    "ARDKernelClassifier": "bayes.ard_classifier",
    "BayesianNetworkClassifier": "bayes.bayesian_network",
    "BinnedForestClassifier": "binned_forest",
    "BinnedForestRegressor": "binned_forest",
    "CommitteeClassifier": "committee",
    "CommitteeRegressor": "committee",
    "EncodedClasses": "boosting_packages",
    "IntervalNaiveBayes": "bayes.interval_naive_bayes",
    "KernelDiscriminant": "planes.kernel_discriminant",
    "LeastSquaresClassifier": "planes.least_squares_classifier",
    "NearestMean": "planes.nearest_mean",
    "TransductiveSVM": "planes.transductive_svm",
    "find_kernel": "kernels",
    "stabilised_covariance": "covariance",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
