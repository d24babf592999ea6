"""Checks of the table, target and weights that scores read."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

__all__ = ["as_stored", "classes_and_codes", "columns", "target", "weights"]

# Types that are not converted; others become double precision.
NUMBERS = [
    np.float64,
    np.float32,
    bool,
    *(np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8)),
]


def columns(
    X: Any, accept_sparse: bool = True, allow_nan: bool = False
) -> np.ndarray | sparse.csc_array:
    """Return X as a float array, or as a CSC array if it is sparse and that is accepted."""
    return check_array(
        X,
        accept_sparse="csc" if accept_sparse else False,
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan" if allow_nan else True,
    )


def as_stored(X: Any, finite: bool | str = True) -> Any:
    """Return X dense, CSR or CSC, without a copy if it is of a type in `NUMBERS`.

    :func:`subsel.data.statistics.blocks.parts` reads it. ``finite`` is scikit-learn's
    ``ensure_all_finite``.
    """
    if (
        finite is False
        and type(X) is np.ndarray
        and X.ndim == 2
        and X.size
        and X.dtype == np.float64
    ):
        return X  # nothing to check
    if (
        sparse.issparse(X)
        and X.format in ("csr", "csc")
        and X.dtype == np.float64
        and min(X.shape) > 0
    ):
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.data.sum()):
                return X  # the sum would not be finite if an entry were not
    return check_array(X, accept_sparse=["csr", "csc"], dtype=NUMBERS, ensure_all_finite=finite)


def classes_and_codes(
    X: Any, y: Any, n_classes: int | None = None, sample_weight: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted class labels, and the class of each row as a position in these.

    Rows of weight 0 are ignored: their code is 0, and their class is no class unless it has other
    rows.

    Examples
    --------
    >>> classes_and_codes(np.zeros((3, 1)), ["b", "a", "b"])
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 1]))
    """
    if type(y) is not np.ndarray or y.ndim != 1:
        y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    if y.dtype.kind not in "biuSU":  # these types can only be classes
        check_classification_targets(y)
    if sample_weight is None:
        if y.dtype == bool and 0 < np.count_nonzero(y) < len(y):
            labels, codes = np.array([False, True]), y.astype(np.intp)  # sorted already
        else:
            labels, codes = np.unique(y, return_inverse=True)
    else:
        weighted = weights(X, sample_weight) > 0
        codes = np.zeros(len(y), dtype=np.intp)
        labels, codes[weighted] = np.unique(y[weighted], return_inverse=True)
    if len(labels) < 2:
        raise ValueError(f"y must hold at least two classes, got only {labels.tolist()}.")
    if n_classes is not None and len(labels) != n_classes:
        raise ValueError(
            f"this score is defined for {n_classes} classes, but y holds {len(labels)}."
        )
    return labels, codes


def target(X: Any, y: Any) -> np.ndarray:
    """Return a numeric target as float64, of shape (n,)."""
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    return check_array(y, ensure_2d=False, dtype=np.float64)


def weights(X: Any, sample_weight: Any) -> np.ndarray:
    """Return the weight of each row, ones if `sample_weight` is None.

    Examples
    --------
    >>> weights(np.zeros((2, 1)), None)
    array([1., 1.])
    """
    if sample_weight is None:
        return np.ones(X.shape[0])
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
