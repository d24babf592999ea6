"""Problems that the introduction of *Feature Extraction* suggests, as far as small data can answer them."""

import numpy as np
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from subsel.ranking import t_test


def cross_validated(X, y):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_score(KNeighborsClassifier(3), X, y, cv=folds).mean()


def test_a_filter_that_does_not_look_at_the_target_does_not_overfit():
    """On noise, ten columns of largest variance chosen before the folds stay at chance; ten of largest t do not."""
    by_variance, by_t = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 400)) * rng.uniform(0.5, 2, 400), np.arange(40) % 2
        by_variance.append(cross_validated(X[:, np.argsort(-X.var(axis=0))[:10]], y))
        by_t.append(cross_validated(X[:, np.argsort(-t_test(X, y))[:10]], y))
    assert abs(np.mean(by_variance) - 0.5) < 0.12
    assert np.mean(by_t) > 0.75


def test_wrong_labels_mislead_a_ranking_and_dropping_them_mends_it():
    """The more labels are wrong, the fewer of the true columns stand in front; without those rows they are back."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 300))
    X[:, :20] += 1.2 * y[:, None]

    def found(rows, labels):
        return np.mean(np.argsort(-t_test(X[rows], labels[rows]))[:20] < 20)

    shares = []
    for n_wrong in (0, 16, 32):
        labels = y.copy()
        wrong = rng.permutation(80)[:n_wrong]
        labels[wrong] = 1 - labels[wrong]
        shares.append(found(np.arange(80), labels))
        kept = np.setdiff1d(np.arange(80), wrong)
        assert found(kept, labels) >= shares[-1]
    assert shares[0] > shares[1] > shares[2]


def test_an_efficient_subset_need_not_be_sufficient():
    """With few rows a subset that leaves relevant columns out has the least expected risk; with many rows all have it."""
    shift = np.append(
        [1.2, 1.2], np.full(30, 0.25)
    )  # every column is relevant: only all of them suffice

    def risk(n_rows: int, n_columns: int, rng: np.random.Generator) -> float:
        """The exact error of a linear discriminant on the first columns, whose spread is estimated too."""
        y = np.arange(n_rows) % 2
        X = (
            rng.normal(size=(n_rows, n_columns))
            + np.where(y[:, None], 1, -1) * shift[:n_columns] / 2
        )
        model = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
        w, c = model.coef_[0], model.intercept_[0]
        margin = np.array(
            [(w @ shift[:n_columns] / 2 + c), (w @ shift[:n_columns] / 2 - c)]
        ) / np.linalg.norm(w)
        return float(norm.sf(margin).mean())

    rng = np.random.default_rng(0)

    def mean(m, n):
        return np.mean([risk(m, n, rng) for _ in range(30)])

    assert mean(40, 2) < mean(40, 32) - 0.03
    assert mean(4000, 32) < mean(4000, 2) - 0.03
