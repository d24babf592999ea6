"""The folds of a race as an assessment."""

from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from subsel import AutoSelector
from subsel.assessment.race.winner import race_assessment
from subsel.data.task import Task


def test_halves_that_would_end_too_late_are_left_out():
    """Stability is measured while the folds of the winner say that there is time for it.

    Otherwise a note tells.
    """
    X, y = load_iris(return_X_y=True)
    found = AutoSelector(GaussianNB(), "sfs", cv=3, budget=20, random_state=0).fit(X, y)
    winner = next(
        standing for standing in found.race_.standings if standing.name == found.taken_[0]
    )
    parts = (found.race_, winner, found.nested_score_, Task.of(X, y, "classification"), "accuracy")
    late, early = (race_assessment(*parts, left=left) for left in (0.0, 1e6))
    assert "stability was not measured: time was short." in late.notes
    assert early.stability is not None and not any("time was short" in note for note in early.notes)
