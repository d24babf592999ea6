"""The two simulated studies on which the importances of tree ensembles were compared."""

from typing import Any

import numpy as np

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["correlated_block", "graded_ten"]


def graded_ten(
    n_samples: int = 5000, noise: float = 1.0, random_state: Any = None
) -> SyntheticProblem:
    """Draw ``y = x0 + 2 x1 + ... + 10 x9`` plus noise: the root of an importance should grow as 1, 2, ..., 10 [1]_.

    The book prints neither the law of the inputs nor the noise; here both are standard normal.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 7, section 3.

    Examples
    --------
    >>> graded_ten(20, random_state=0).X.shape
    (20, 10)
    """
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n_samples, 10))
    return SyntheticProblem(
        X, X @ np.arange(1.0, 11) + noise * rng.standard_normal(n_samples), np.arange(10), noise**2
    )


def correlated_block(
    n_samples: int = 1000,
    n_correlated: int = 100,
    n_irrelevant: int = 100,
    correlation: float = 0.95,
    random_state: Any = None,
) -> SyntheticProblem:
    r"""Draw ``y = x0 + a + b + c + noise`` where x0 has many close relatives, and there is much noise beside [1]_.

    Columns: the block (x0 first), then a, b and c, then noise. Variances 2.5 of the block, 0.5 of a, b and c and 1 of the
    noise give the printed shares of explained variance, a half for x0 and a tenth for each of a, b, c. The book leaves the
    number of rows and the correlation of x0 with its relatives open.

    References
    ----------
    .. [1] E. Tuv, "Ensemble Learning", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 7, section 3.

    Examples
    --------
    >>> problem = correlated_block(30, random_state=0)
    >>> problem.X.shape, problem.relevant
    ((30, 203), array([  0, 100, 101, 102]))
    """
    if n_correlated < 1 or not -1 <= correlation <= 1:
        raise ValueError(
            f"a block of {n_correlated} columns with correlation {correlation} cannot be drawn."
        )
    rng = np.random.default_rng(random_state)
    first = rng.standard_normal((n_samples, 1))
    relatives = rng.standard_normal((n_samples, n_correlated - 1))
    block = np.hstack((first, correlation * first + np.sqrt(1 - correlation**2) * relatives))
    weak, useless = (
        rng.standard_normal((n_samples, 3)),
        rng.standard_normal((n_samples, n_irrelevant)),
    )
    X = np.hstack((np.sqrt(2.5) * block, np.sqrt(0.5) * weak, useless))
    relevant = np.concatenate(([0], n_correlated + np.arange(3)))
    return SyntheticProblem(
        X, X[:, relevant].sum(axis=1) + rng.standard_normal(n_samples), relevant, 1.0
    )
