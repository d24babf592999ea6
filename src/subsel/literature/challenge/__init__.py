"""The NIPS 2003 feature selection challenge: its problems, rules, scores, printed results, and entries to run."""

from subsel.literature.challenge import entries  # (fills the table)
from subsel.literature.challenge.entry import ENTRIES, Entry, enter
from subsel.literature.challenge.figures import Figure, figures
from subsel.literature.challenge.printed_results import FRONT, published
from subsel.literature.challenge.problem import PROBLEMS, Problem, load_problem, problem_of
from subsel.literature.challenge.scoring import (
    EntryScore,
    Openings,
    class_wise_bar,
    pairwise,
    score,
)
from subsel.literature.challenge.season import Season
from subsel.literature.challenge.second_date import SecondDate
from subsel.literature.challenge.submission import Submission
from subsel.literature.challenge.submission_files import write_files

__all__ = [
    "ENTRIES",
    "FRONT",
    "PROBLEMS",
    "Entry",
    "EntryScore",
    "Figure",
    "Openings",
    "Problem",
    "Season",
    "SecondDate",
    "Submission",
    "class_wise_bar",
    "enter",
    "entries",
    "figures",
    "load_problem",
    "pairwise",
    "problem_of",
    "published",
    "score",
    "write_files",
]
