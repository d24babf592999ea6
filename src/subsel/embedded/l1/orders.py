"""Orders from L1 penalties: features as they enter a model while its penalty falls."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from subsel.embedded.design import Design, numbers, row_weights, signs, unit_columns
from subsel.embedded.l1.losses import PiecewiseLoss, huber, huberized_hinge, squared, squared_hinge
from subsel.embedded.l1.path import quadratic_path
from subsel.models.planes.cpl_program import Program
from subsel.models.planes.cpl_table import ScaledColumns
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order

__all__ = [
    "huber_lasso",
    "l1_huberized_hinge",
    "l1_logistic",
    "l1_squared_hinge",
    "lasso",
    "one_norm_svm",
]

LOWEST_PENALTY = 1e-3  # the last penalty of a path as a share of the first
N_PENALTIES = 100  # of a path on a grid
ROUNDING = 1e-9  # a weight of at most this share of the largest is the solver's rounding error


@order("lasso", "l1_least_squares", multiclass=False, regression=True, sparse=True, weights=True)
def lasso(
    X: Any, y: Any, n_features: int | None = None, scale: bool = True, sample_weight: Any = None
) -> FeatureOrder:
    r"""Order features by the penalty at which they enter the lasso [1]_.

    The score is the exact value of the ``alpha`` of scikit-learn's ``Lasso`` at which a feature
    first has a weight.

    Parameters
    ----------
    X : array-like or sparse
        Numeric features.
    y : array-like
        Numbers, or two classes.
    n_features : int, optional
        Largest number of features. None stands for all that enter before the path ends, at a
        thousandth of its first penalty.
    scale : bool
        Whether to divide the columns by their standard deviations.
    sample_weight : array-like, optional
        A row of weight w counts as w rows.

    References
    ----------
    .. [1] Tibshirani, *Regression shrinkage and selection via the lasso*, JRSS B 58, 1996; chapter
       5, section 5.4.4 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> path = lasso(X, X @ [1.0, 3.0, 0.0])
    >>> path.features, path.scores
    (array([1, 0]), array([3., 1.]))
    """
    return _piecewise(X, y, n_features, squared(), scale, sample_weight)


@order("huber_lasso", multiclass=False, regression=True, sparse=True, weights=True)
def huber_lasso(
    X: Any,
    y: Any,
    n_features: int | None = None,
    delta: float = 1.345,
    scale: bool = True,
    sample_weight: Any = None,
) -> FeatureOrder:
    """Order features by the L1 penalty at which they enter a linear model of Huber's loss [1]_.

    The path is exact (:func:`subsel.embedded.quadratic_path`). The influence of errors beyond
    ``delta`` is bounded. The score is the penalty per row at which a feature enters.

    Parameters
    ----------
    X, y, n_features, scale, sample_weight : array-like, array-like, int, bool, array-like
        As in :func:`lasso`.
    delta : float
        The error from which on the loss is linear, in robust standard deviations of the target
        (its median absolute deviation times 1.4826; the standard deviation where that is 0).

    References
    ----------
    .. [1] Rosset and Zhu, chapter 16 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> huber_lasso(X, X @ [1.0, 3.0, 0.0]).features
    array([1, 0])
    """
    response = numbers(y)
    weight = row_weights(len(response), sample_weight)
    # 1.4826 = 1 / Phi^-1(3/4) makes the median absolute deviation of a normal law its standard
    # deviation; the default delta of 1.345 then has 95% efficiency (Holland and Welsch, Robust
    # regression using iteratively reweighted least-squares, 1977)
    spread = 1.4826 * _median(np.abs(response - _median(response, weight)), weight)
    mean = np.average(response, weights=weight)
    spread = spread or float(np.sqrt(np.average((response - mean) ** 2, weights=weight))) or 1.0
    return _piecewise(X, y, n_features, huber(delta * spread), scale, sample_weight)


@order("l1_squared_hinge", "l1_svm", multiclass=False, sparse=True, weights=True)
def l1_squared_hinge(
    X: Any, y: Any, n_features: int | None = None, scale: bool = True, sample_weight: Any = None
) -> FeatureOrder:
    """Order features by the L1 penalty at which they enter a machine of squared hinge loss [1]_.

    The path is exact (:func:`subsel.embedded.quadratic_path`). The score is the penalty per row at
    which a feature enters. The intercept is not penalised.

    Parameters
    ----------
    X, y, n_features, scale, sample_weight : array-like, array-like, int, bool, array-like
        As in :func:`lasso`; y holds two classes.

    References
    ----------
    .. [1] Rosset and Zhu, chapter 16 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> l1_squared_hinge(X, [0, 1, 0, 1]).features
    array([1])
    """
    return _piecewise(X, y, n_features, squared_hinge(), scale, sample_weight)


@order("l1_huberized_hinge", multiclass=False, sparse=True, weights=True)
def l1_huberized_hinge(
    X: Any,
    y: Any,
    n_features: int | None = None,
    delta: float = -1.0,
    scale: bool = True,
    sample_weight: Any = None,
) -> FeatureOrder:
    """Order features by the L1 penalty at which they enter a machine of huberized hinge loss [1]_.

    The path is exact (:func:`subsel.embedded.quadratic_path`). The score is the penalty per row at
    which a feature enters.

    Parameters
    ----------
    X, y, n_features, scale, sample_weight : array-like, array-like, int, bool, array-like
        As in :func:`lasso`; y holds two classes.
    delta : float
        The margin below which the loss is linear.

    References
    ----------
    .. [1] Rosset and Zhu, chapter 16 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> l1_huberized_hinge(X, [0, 1, 0, 1]).features
    array([1])
    """
    return _piecewise(X, y, n_features, huberized_hinge(delta), scale, sample_weight)


@order("l1_logistic", "generalised_lasso", multiclass=False, sparse=True, weights=True)
def l1_logistic(
    X: Any, y: Any, n_features: int | None = None, scale: bool = True, sample_weight: Any = None
) -> FeatureOrder:
    """Order features by the L1 penalty at which they enter a logistic regression [1]_.

    The model is trained at a hundred penalties, down to a thousandth of the first. Features that
    enter at the same one are ordered by their weights. The score is the penalty per row. The solver
    is scikit-learn's liblinear, which penalises the intercept too, here a hundred times less.

    Parameters
    ----------
    X, y, n_features, scale, sample_weight : array-like, array-like, int, bool, array-like
        As in :func:`lasso`; y holds two classes.

    References
    ----------
    .. [1] Roth, *The generalized LASSO*, IEEE Transactions on Neural Networks 15, 2004; chapter 5,
       section 5.4.4 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> l1_logistic(X, [0, 1, 0, 1]).features
    array([1])
    """
    table, weight, length = _checked(X, y, n_features, scale, sample_weight)
    sign = signs(y)
    share = float(weight @ (sign > 0)) / weight.sum()
    largest = float(
        np.abs(Design(table, True, weight).products(weight * ((sign > 0) - share))).max()
    )
    options: dict[str, Any] = {"l1_ratio": 1.0}
    if LogisticRegression().penalty == "l2":
        options = {"penalty": "l1"}

    def weights_at(penalty: float) -> np.ndarray:
        model = LogisticRegression(
            C=1 / penalty,
            solver="liblinear",
            intercept_scaling=100,
            tol=1e-6,
            max_iter=1000,
            random_state=0,
            **options,
        )
        return model.fit(table, sign, weight).coef_[0]

    return _along_grid(weights_at, largest, length, weight.sum())


@order("one_norm_svm", "lp_svm", multiclass=False, sparse=True, weights=True)
def one_norm_svm(
    X: Any, y: Any, n_features: int | None = None, scale: bool = True, sample_weight: Any = None
) -> FeatureOrder:
    """Order features by the penalty at which they enter the 1-norm support vector machine [1]_.

    The hinge loss with an L1 penalty is a linear programme, which the simplex method solves at a
    hundred penalties, down to a thousandth of the first. Features that enter at the same one are
    ordered by their weights. The score is the penalty per row. The machine itself is
    :class:`subsel.embedded.CPLSelector`.

    Parameters
    ----------
    X, y, n_features, scale, sample_weight : array-like, array-like, int, bool, array-like
        As in :func:`lasso`; y holds two classes.

    References
    ----------
    .. [1] Zhu, Rosset, Hastie and Tibshirani, *1-norm support vector machines*, NIPS 2003; chapter
       16, section 16.2.1 of Guyon et al. (eds.), *Feature Extraction*, 2006.

    Examples
    --------
    >>> X = np.array([[1.0, 1, 0], [1, -1, 1], [-1, 1, 1], [-1, -1, 0]])
    >>> one_norm_svm(X, [0, 1, 0, 1]).features
    array([1])
    """
    table, weight, length = _checked(X, y, n_features, scale, sample_weight)
    n_columns = table.shape[1]
    program = Program(
        ScaledColumns(table, np.ones(n_columns), np.zeros(n_columns)), signs(y), weight
    )
    return _along_grid(
        lambda lam: program.at(lam).weights(n_columns), program.lam_max, length, weight.sum()
    )


def _piecewise(
    X: Any, y: Any, n_features: int | None, loss: PiecewiseLoss, scale: bool, sample_weight: Any
) -> FeatureOrder:
    """Order features by the exact path of a piecewise quadratic loss."""
    table, weight, length = _checked(X, y, n_features, scale, sample_weight)
    target = signs(y) if loss.margin else numbers(y)
    path = quadratic_path(
        table, target, loss, n_features=length, lowest=LOWEST_PENALTY, sample_weight=weight
    )
    return FeatureOrder(path.entered, path.entry_penalties / (2 * weight.sum()))


def _along_grid(weights_at: Any, largest: float, length: int, total: float) -> FeatureOrder:
    """Order features by the first penalty of a grid at which they have a weight, then by weight.

    Parameters
    ----------
    weights_at : callable
        Function of a penalty that returns the weights of all columns.
    largest : float
        The penalty above which all weights are 0.
    length : int
        Number of features after which to stop.
    total : float
        Total weight of the rows, by which scores are divided.
    """
    features, scores = [], []
    seen: set[int] = set()
    penalties = largest * np.geomspace(1, LOWEST_PENALTY, N_PENALTIES + 1)[1:]
    for penalty in penalties[penalties > 0]:
        size = np.abs(weights_at(penalty))
        least = ROUNDING * size.max()
        new = [j for j in np.argsort(-size, kind="stable") if size[j] > least and j not in seen]
        seen.update(new)
        features += new
        scores += [penalty / total] * len(new)
        if len(features) >= length:
            break
    return FeatureOrder(np.array(features[:length], dtype=np.intp), np.array(scores[:length]))


def _checked(
    X: Any, y: Any, n_features: int | None, scale: bool, sample_weight: Any
) -> tuple[Any, np.ndarray, int]:
    """Validate the arguments of an order.

    Returns
    -------
    X : ndarray or csc_array of shape (rows, columns)
        The table, its columns of unit standard deviation if `scale`.
    weight : ndarray of shape (rows,)
        The weights of the rows, 1 by default.
    length : int
        The largest number of features.
    """
    X = check_array(X, accept_sparse=["csc", "csr"], dtype=np.float64)
    check_consistent_length(X, y)
    length = path_length(n_features, X.shape[1])
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if scale:
        X = unit_columns(X, weight)
    if sparse.issparse(X):
        return sparse.csc_array(X), weight, length
    return np.asfortranarray(X), weight, length


def _median(values: np.ndarray, weight: np.ndarray) -> float:
    """Compute the weighted median."""
    ranked = np.argsort(values, kind="stable")
    mass = np.cumsum(weight[ranked]) / weight.sum()
    low, high = np.searchsorted(mass, [0.5 - 1e-12, 0.5 + 1e-12])
    return float(values[ranked[[low, min(high, len(values) - 1)]]].mean())
