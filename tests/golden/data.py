"""Small tables for the configurations: made by seeded generators, or parts of what scikit-learn bundles."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.preprocessing import StandardScaler

Rows = tuple[np.ndarray, np.ndarray]


def quantity(n_rows: int = 71, n_columns: int = 9) -> Rows:
    """Two columns and a product of two carry a quantity; one column nearly repeats another."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n_rows, n_columns)) * rng.uniform(0.5, 3, n_columns) + 2
    X[:, 5] = X[:, 0] + 0.1 * rng.normal(size=n_rows)
    y = X[:, 0] - 0.7 * X[:, 3] + 0.4 * X[:, 1] * X[:, 2] + rng.normal(size=n_rows)
    return X, y


def two_classes(n_rows: int = 71, n_columns: int = 9) -> Rows:
    """A noisy threshold of the quantity; the classes are 0 and 1, of unequal size."""
    X, y = quantity(n_rows, n_columns)
    return X, (y > np.quantile(y, 0.6)).astype(int)


def three_classes(n_rows: int = 89, n_columns: int = 9) -> Rows:
    """Standardised wines of three cultivars, the first of the shuffled rows and columns."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(5)
    rows, columns = rng.permutation(len(y))[:n_rows], rng.permutation(X.shape[1])[:n_columns]
    # with some noise, so that not every pair of columns separates the classes
    X = StandardScaler().fit_transform(X)[np.ix_(rows, columns)]
    return X + rng.normal(size=X.shape), y[rows]


def tumours(n_rows: int = 97, n_columns: int = 9) -> Rows:
    """Standardised cells of two classes with strongly dependent columns."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(7)
    rows = rng.permutation(len(y))[:n_rows]
    X = StandardScaler().fit_transform(X)[rows][:, ::3][:, :n_columns]
    return X + 0.5 * rng.normal(size=X.shape), y[rows]


def patients(n_rows: int = 101) -> Rows:
    """Ten standardised columns and the progress of a disease."""
    X, y = load_diabetes(return_X_y=True)
    rows = np.random.default_rng(3).permutation(len(y))[:n_rows]
    return 20 * X[rows], y[rows] / 50


def mixed(n_rows: int = 83) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of numbers, counts and yes or no, not negative; three classes, and a quantity."""
    rng = np.random.default_rng(23)
    y = rng.integers(0, 3, n_rows)
    numbers = np.abs(rng.normal(size=(n_rows, 3)) + y[:, None] * [0.9, 0.4, 0.0])
    counts = rng.poisson(1 + y[:, None] * [0.8, 0.3, 0.0], size=(n_rows, 3))
    flags = rng.random((n_rows, 3)) < 0.2 + y[:, None] * [0.25, 0.1, 0.0]
    X = np.column_stack([numbers, counts, flags]).astype(float)
    return X, y, y + X[:, 3] + rng.normal(size=n_rows)


def codes(n_rows: int = 79, n_columns: int = 7) -> Rows:
    """Whole numbers of few values; the class is a function of three of them, with some noise."""
    rng = np.random.default_rng(31)
    X = rng.integers(0, 3, size=(n_rows, n_columns)).astype(float)
    y = ((X[:, 0] + X[:, 2] * X[:, 4]) % 3 > 0) ^ (rng.random(n_rows) < 0.1)
    return X, y.astype(int)


def weights(n_rows: int) -> np.ndarray:
    """Weights of rows between a half and two."""
    return np.random.default_rng(41).uniform(0.5, 2.0, n_rows)


def groups(n_rows: int) -> np.ndarray:
    """Each row belongs to one of eleven groups."""
    return np.arange(n_rows) % 11


def with_zeros(X: np.ndarray) -> sparse.csr_array:
    """The table with a third of its entries set to zero, as a sparse one."""
    kept = np.random.default_rng(43).random(X.shape) > 1 / 3
    return sparse.csr_array(X * kept)


def with_gaps(X: np.ndarray) -> np.ndarray:
    """The table with a tenth of its entries missing."""
    return np.where(np.random.default_rng(47).random(X.shape) < 0.1, np.nan, X)
