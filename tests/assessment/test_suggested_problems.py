"""Problems that the introduction of *Feature Extraction* suggests, as far as small data can answer them."""

import numpy as np
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
    found = lambda rows, labels: np.mean(np.argsort(-t_test(X[rows], labels[rows]))[:20] < 20)
    shares = []
    for n_wrong in (0, 16, 32):
        labels = y.copy()
        wrong = rng.permutation(80)[:n_wrong]
        labels[wrong] = 1 - labels[wrong]
        shares.append(found(np.arange(80), labels))
        kept = np.setdiff1d(np.arange(80), wrong)
        assert found(kept, labels) >= shares[-1]
    assert shares[0] > shares[1] > shares[2]
