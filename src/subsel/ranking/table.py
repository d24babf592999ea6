"""The table a score reads: checked once, dense or in compressed columns, the target as codes."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

__all__ = ["classes_and_codes", "columns", "target", "weights"]


def columns(X: Any, accept_sparse: bool = True, allow_nan: bool = False) -> np.ndarray | sparse.csc_array:
    """Give X as a float array, or as compressed columns when it is sparse and that is accepted."""
    return check_array(
        X,
        accept_sparse="csc" if accept_sparse else False,
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan" if allow_nan else True,
    )


def classes_and_codes(X: Any, y: Any, n_classes: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Give the sorted class labels and the class of each row as a number from 0."""
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    check_classification_targets(y)
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) < 2:
        raise ValueError(f"y must hold at least two classes, got only {labels.tolist()}.")
    if n_classes is not None and len(labels) != n_classes:
        raise ValueError(f"this score is defined for {n_classes} classes, y holds {len(labels)}.")
    return labels, codes


def target(X: Any, y: Any) -> np.ndarray:
    """Give a numeric target."""
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    return check_array(y, ensure_2d=False, dtype=np.float64)


def weights(X: Any, sample_weight: Any) -> np.ndarray:
    """Give the weight of each row, one where none is given."""
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
