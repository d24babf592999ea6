"""XGBoost and LightGBM through their scikit-learn faces, where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from subsel.models.encoded_classes import EncodedClasses

__all__ = ["lightgbm_classifier", "lightgbm_regressor", "xgboost_classifier", "xgboost_regressor"]

SETTINGS = {
    "random_state": 0,
    "n_jobs": 1,
}  # workers are ours: threads within them would stand in each other's way
LIGHT = {
    "verbosity": -1,
    "deterministic": True,
    "force_row_wise": True,
    "importance_type": "gain",
    **SETTINGS,
}


def xgboost_classifier() -> Any:
    """Give XGBoost's classifier, made to take any labels."""
    return EncodedClasses(_made("xgboost", "XGBClassifier", **SETTINGS))


def xgboost_regressor() -> Any:
    """Give XGBoost's regressor."""
    return _made("xgboost", "XGBRegressor", **SETTINGS)


def lightgbm_classifier() -> Any:
    """Give LightGBM's classifier, silent, the same for the same seed."""
    return _made("lightgbm", "LGBMClassifier", **LIGHT)


def lightgbm_regressor() -> Any:
    """Give LightGBM's regressor, silent, the same for the same seed."""
    return _made("lightgbm", "LGBMRegressor", **LIGHT)


def _made(package: str, name: str, **settings: Any) -> Any:
    try:
        module = import_module(package)
    except ImportError:
        raise ValueError(
            f"estimator {package!r} needs its package: pip install 'subsel[boosting]'."
        ) from None
    return getattr(module, name)(**settings)
