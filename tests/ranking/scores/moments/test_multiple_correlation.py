"""How well columns are predicted from the others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from subsel.literature.problems.madelon import draw_madelon
from subsel.ranking import multiple_correlation


def left_out(X, ridge):
    """The definition: a ridge regression for every column and every row left out."""
    n, p = X.shape
    Z = (X - X.mean(axis=0)) / (X.std(axis=0) * np.sqrt(n))
    scores = []
    for j in range(p):
        others, errors = np.delete(Z, j, axis=1), []
        for i in range(n):
            model = Ridge(alpha=ridge * max(1, p / n), fit_intercept=False)
            model.fit(np.delete(others, i, axis=0), np.delete(Z[:, j], i))
            errors.append(Z[i, j] - others[i] @ model.coef_)
        scores.append(1 - np.sum(np.square(errors)) / np.sum(Z[:, j] ** 2))
    return scores


@pytest.mark.parametrize(("n", "p"), [(20, 4), (8, 12), (6, 6)])
@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_one_inverse_gives_what_refitting_gives(n, p, ridge):
    """More rows than columns or fewer: the closed form is every regression, every row left out."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 5
    assert_allclose(
        multiple_correlation(X, None, ridge=ridge), left_out(X, ridge), rtol=1e-7, atol=1e-9
    )


def test_real_columns_of_madelon_stand_apart_from_probes():
    """Combinations and copies are found without a label: every one scores more than any probe."""
    law = draw_madelon(n_useless=60, random_state=1)
    table = law.sample(rows_per_cluster=10, random_state=2)
    scores = multiple_correlation(table.X, table.y)
    probes = law.roles == "useless"
    assert scores[~probes].min() > scores[probes].max() + 0.3


def test_constant_columns_and_bad_ridge():
    """A constant column scores nothing, also where all are; no ridge is refused."""
    X = np.column_stack([np.ones(5), np.arange(5.0), np.arange(5.0) ** 2])
    assert multiple_correlation(X, None)[0] == 0
    assert multiple_correlation(np.ones((4, 2)), None).tolist() == [0, 0]
    with pytest.raises(ValueError, match="ridge must be positive, got 0"):
        multiple_correlation(X, None, ridge=0)
