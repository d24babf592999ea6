"""The NIPS 2003 feature selection challenge: its problems, rules, scores, printed results, and entries to run."""

from subsel.challenge import entries  # (fills the table)
from subsel.challenge.entry import ENTRIES, Entry, enter
from subsel.challenge.figures import Figure, figures
from subsel.challenge.handed_in import read_files, write_files
from subsel.challenge.problem import PARTS, PROBLEMS, Problem, load_problem, problem_of
from subsel.challenge.published import FRONT, VALIDATION, Published, published
from subsel.challenge.scoring import Openings, Score, class_wise_bar, pairwise, score
from subsel.challenge.season import Season
from subsel.challenge.second_date import SecondDate
from subsel.challenge.submission import Submission
from subsel.challenge.survey import SURVEY, Surveyed

__all__ = [
    "ENTRIES",
    "FRONT",
    "PARTS",
    "PROBLEMS",
    "SURVEY",
    "VALIDATION",
    "Entry",
    "Figure",
    "Openings",
    "Problem",
    "Published",
    "Score",
    "Season",
    "SecondDate",
    "Submission",
    "Surveyed",
    "class_wise_bar",
    "enter",
    "entries",
    "figures",
    "load_problem",
    "pairwise",
    "problem_of",
    "published",
    "read_files",
    "score",
    "write_files",
]
