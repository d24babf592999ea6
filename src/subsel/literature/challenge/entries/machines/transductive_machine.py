"""Wu and Li: columns by a score, and a support vector machine that rows without labels help to place."""

from __future__ import annotations

from typing import Any

from subsel.literature.challenge.entries.machines.filter_machine import filtered, machine
from subsel.literature.challenge.entries.unlabelled_rows import TrainedWithOthers
from subsel.literature.challenge.entry import Entry, enter
from subsel.literature.challenge.problem import Problem

__all__ = ["TransductiveMachine"]


@enter("transductive-svm")
class TransductiveMachine(Entry):
    """The same columns as the machine of chapter 13 without transduction, and a machine of labelled and other rows.

    Labels of few pairs of rows are exchanged at each price, for the sake of time; columns are selected with the labelled
    rows alone.

    References
    ----------
    .. [1] Wu and Li, *Feature selection with transductive support vector machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 13.

    Examples
    --------
    >>> TransductiveMachine().transductive
    True
    """

    title, team, chapter = "SVMbased3", "Wu Zhili and Li Chun-hung", "13"
    transductive = True

    def procedure(self, problem: Problem) -> Any:
        """Filter and scale, then train with the other rows."""
        price = 0.1 if problem.recipe == "madelon" else 1.0
        learner = machine(problem, price, exchanges=2 if self.quick else 20)
        return TrainedWithOthers(filtered(problem), learner, problem.others)
