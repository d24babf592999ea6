"""Problems with logical rules: parity, CorrAL and the three Monks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["corral", "monks", "parity"]


def parity(
    n_relevant: int = 5,
    n_irrelevant: int = 5,
    n_samples: int | None = None,
    random_state: Any = None,
) -> SyntheticProblem:
    """Make the parity of the first bits the class; fewer than all of them tell nothing [1]_.

    The defaults give "parity 5+5". Without ``n_samples`` every row of the space appears once, in binary
    order.

    References
    ----------
    .. [1] I. Guyon and A. Elisseeff, "An Introduction to Feature Extraction", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, introduction, figure 2.

    Examples
    --------
    >>> problem = parity(2, 0)
    >>> problem.X.tolist(), problem.y.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    """
    n_features = n_relevant + n_irrelevant
    if n_samples is None:
        X = _grid([range(2)] * n_features)
    else:
        X = np.random.default_rng(random_state).integers(2, size=(n_samples, n_features))
    return SyntheticProblem(X, X[:, :n_relevant].sum(axis=1) % 2, np.arange(n_relevant), 0.0)


def corral(n_samples: int | None = None, random_state: Any = None) -> SyntheticProblem:
    """Draw CorrAL: (A0 and A1) or (B0 and B1), an irrelevant bit, and one that is right three times in four.

    The columns are A0, A1, B0, B1, irrelevant, correlated. Greedy methods take the last first and cannot do
    without the first four. Without ``n_samples`` the 32 rows of the first five columns appear once each, and
    the last column disagrees with the class in exactly 8 of them, drawn at random.

    Examples
    --------
    >>> problem = corral(random_state=0)
    >>> problem.X.shape, int((problem.X[:, 5] != problem.y).sum())
    ((32, 6), 8)
    """
    rng = np.random.default_rng(random_state)
    if n_samples is None:
        bits = _grid([range(2)] * 5)
        wrong = np.zeros(len(bits), dtype=bool)
        wrong[rng.choice(32, size=8, replace=False)] = True
    else:
        bits = rng.integers(2, size=(n_samples, 5))
        wrong = rng.random(n_samples) < 0.25
    y = (bits[:, 0] & bits[:, 1]) | (bits[:, 2] & bits[:, 3])
    return SyntheticProblem(
        np.column_stack((bits, y ^ wrong)), y, np.arange(4), 0.0, {(0, 1, 2, 3): 0.0, (5,): 0.25}
    )


def monks(
    problem: int,
    n_samples: int | None = None,
    label_noise: float | None = None,
    random_state: Any = None,
) -> SyntheticProblem:
    """Give one of the three Monks problems: the whole space of 432 rows, or a training sample of it.

    The rules over attributes a1..a6 with values from 1: (1) a1 = a2 or a5 = 1; (2) exactly two attributes
    have their first value; (3) a5 = 3 and a4 = 1, or a5 is not 4 and a2 is not 3. A sample (published sizes:
    124, 169, 122) is drawn without replacement; of its labels a share ``label_noise`` is wrong, by default 5
    % for problem 3 and none for the others.

    Examples
    --------
    >>> [int(monks(problem).y.sum()) for problem in (1, 2, 3)]
    [216, 142, 228]
    """
    if problem not in _MONKS:
        raise ValueError(f"problem must be 1, 2 or 3, got {problem!r}.")
    rule, relevant = _MONKS[problem]
    X = _grid([range(1, n_values + 1) for n_values in (3, 3, 2, 3, 4, 2)])
    y = rule(X).astype(int)
    if n_samples is None:
        return SyntheticProblem(X, y, np.array(relevant), 0.0)
    rng = np.random.default_rng(random_state)
    rows = rng.choice(len(X), size=n_samples, replace=False)
    X, y = X[rows], y[rows]
    if label_noise is None:
        label_noise = 0.05 if problem == 3 else 0.0
    wrong = rng.choice(n_samples, size=round(label_noise * n_samples), replace=False)
    y[wrong] = 1 - y[wrong]
    return SyntheticProblem(X, y, np.array(relevant), len(wrong) / n_samples)


_MONKS: dict[int, tuple[Callable[[np.ndarray], np.ndarray], list[int]]] = {
    1: (lambda a: (a[:, 0] == a[:, 1]) | (a[:, 4] == 1), [0, 1, 4]),
    2: (lambda a: (a == 1).sum(axis=1) == 2, [0, 1, 2, 3, 4, 5]),
    3: (lambda a: ((a[:, 4] == 3) & (a[:, 3] == 1)) | ((a[:, 4] != 4) & (a[:, 1] != 3)), [1, 3, 4]),
}


def _grid(values: list[range]) -> np.ndarray:
    """Every row of the product of the given values, the last column turning fastest."""
    return np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(values))
