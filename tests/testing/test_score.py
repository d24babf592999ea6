"""Scores that break a promise are told which."""

import numpy as np
import pytest

from subsel.ranking import score
from subsel.ranking.registry import SCORES
from subsel.testing import BrokenPromise, check_score


@pytest.fixture(autouse=True)
def table_as_before(monkeypatch):
    """What a test enters is gone after it."""
    len(SCORES)
    monkeypatch.setattr(SCORES, "_entries", dict(SCORES._entries))
    monkeypatch.setattr(SCORES, "_homes", dict(SCORES._homes))


def gap(X, y, sample_weight=None):
    """The difference between the mean of the second class and that of the first."""
    codes = np.unique(y, return_inverse=True)[1]
    if codes.max() > 1:
        raise ValueError("y must have 2 classes.")
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    return np.array(
        [
            abs(np.average(c[codes == 1], weights=weight[codes == 1]) - _low(c, codes, weight))
            for c in X.T
        ]
    )


def _low(column, codes, weight):
    return np.average(column[codes == 0], weights=weight[codes == 0])


def two(X, y):
    """Refuse more than two classes."""
    if len(np.unique(y)) > 2:
        raise ValueError("y must have 2 classes.")
    return np.asarray(X, dtype=float).copy()


def spoils(X, y):
    two(X, y)
    X[0] = 0.0
    return gap(X, y)


BROKEN = {
    "one number": (lambda X, y: 1.0, {}, "one float per column"),
    "not a number": (lambda X, y: two(X, y)[0] * np.nan, {}, "no score is NaN"),
    "spoils": (spoils, {}, "the data stay as they are"),
    "constant": (lambda X, y: gap(X, y) / gap(X, y).clip(0) if (X.std(axis=0) > 0).all() else X[0] * np.nan, {}, "a constant"),
    "places": (lambda X, y: gap(X, y) + np.arange(X.shape[1]), {}, "follow their columns"),
    "not alone": (lambda X, y: gap(X, y) / gap(X, y).sum(), {"univariate": True}, "it is univariate"),
    "single precision": (lambda X, y: gap(X, y) + (X.dtype == np.float32), {}, r"storage changes nothing \(float32\)"),
    "names": (lambda X, y: gap(X, y) + (y.dtype.kind == "U"), {}, "classes may have any names"),
    "sparse": (lambda X, y: gap(X.toarray() if hasattr(X, "toarray") else X, y) + hasattr(X, "toarray"),
               {"sparse": True}, r"storage changes nothing \(csr\)"),
    "more classes": (lambda X, y: two(X, y != 0).mean(axis=0), {}, "three classes are refused"),
    "weights": (lambda X, y, sample_weight=None: gap(X, y), {"weights": True}, "a row of weight w counts as w rows"),
    "missing": (gap, {"missing": True}, "missing values are taken"),
    "p-values": (gap, {"p_value": lambda X, y: 2 + gap(X, y)}, "p-values lie between 0 and 1"),
}  # fmt: skip


@pytest.mark.parametrize(("function", "given", "message"), BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.filterwarnings("ignore")
def test_each_broken_promise_is_named(function, given, message):
    """The error says which promise, what was seen, and on which table."""
    score("tests-broken", **given)(function)
    with pytest.raises(BrokenPromise, match=message) as caught:
        check_score("tests-broken")
    assert "make_table('classification')" in str(caught.value)


def test_a_score_that_keeps_them_passes():
    """A plain function with what its entry says is a score, found by its key or itself."""
    score("tests-gap", univariate=True, weights=True)(gap)
    check_score("tests_gap")
    check_score(gap)


def test_a_function_must_be_in_the_table():
    """What a score accepts is in its entry; an unknown score is told how to register."""
    with pytest.raises(ValueError, match="two is not a registered score; register it with @score"):
        check_score(two)


def test_a_name_already_taken_is_refused():
    """The error says whose the name is."""
    with pytest.raises(
        ValueError,
        match=r"score 'pearson' belongs to subsel.ranking.scores.moments.pearson:pearson; .*another name",
    ):
        score("pearson")(gap)
