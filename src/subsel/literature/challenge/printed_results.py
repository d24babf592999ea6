"""The printed result tables of the challenge, of both dates and whole, on the test rows."""

from __future__ import annotations

from csv import DictReader
from importlib.resources import files
from typing import NamedTuple

__all__ = ["FRONT", "VALIDATION", "Published", "published"]


class Published(NamedTuple):
    """A row of a table: an entry as it was printed, its error with the rank, and what it used.

    Parameters
    ----------
    problem, date : str
        "overall" or a problem; "1 Dec" (trained on training labels) or "8 Dec" (on validation labels too).
    place : int
        In the order of the pairwise score.
    method, people : str
        Cut after ten and fifteen characters by the source.
    score, ber, auc : float
        Pairwise score; balanced error and area under the curve, in percent.
    ber_rank, auc_rank : int
        Among 56 entries on 1 Dec, 36 on 8 Dec.
    features, probes : float
        Percent of the columns used, and of those that are probes.
    n_features : str
        Their number, derived; "~" where several fit.
    restored : bool
        Whether the row was put together from others, because the print is damaged.

    Examples
    --------
    The second of the whole challenge on the first date.

    >>> second = published("overall", "1 Dec")[1]
    >>> second.place, second.method, second.people, second.score, second.ber_rank
    (2, 'BayesNN-DF', 'Radford Neal +', 86.18, 2)
    """

    problem: str
    date: str
    place: int
    method: str
    people: str
    score: float
    ber: float
    ber_rank: int
    auc: float
    auc_rank: int
    features: float
    n_features: str
    probes: float
    restored: bool


def published(problem: str | None = None, date: str | None = None) -> list[Published]:
    """Rows of the tables, all or of one problem and date [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix D.

    Examples
    --------
    >>> best = published("madelon", "1 Dec")[0]
    >>> best.method, best.ber, best.n_features
    ('Bayesian +', 7.17, '8')
    """
    text = files("subsel.literature.challenge").joinpath("published.csv").read_text(encoding="utf8")
    rows = [_row(line) for line in DictReader(text.splitlines())]
    return [r for r in rows if problem in (None, r.problem) and date in (None, r.date)]


def _row(line: dict[str, str]) -> Published:
    return Published(
        line["problem"],
        line["date"],
        int(line["place"]),
        line["method"],
        line["people"],
        float(line["score"]),
        float(line["ber"]),
        int(line["ber_rank"]),
        float(line["auc"]),
        int(line["auc_rank"]),
        float(line["features_percent"]),
        line["n_features"],
        float(line["probes_percent"]),
        line["restored"] == "1",
    )


VALIDATION = {
    "DFT-combo": {"arcene": 7.22, "dexter": 5.33, "dorothea": 5.47, "madelon": 6.77},
    "BayesNN-small": {"arcene": 15.75, "dexter": 5.33, "dorothea": 11.10, "madelon": 7.33},
}
"""Printed balanced errors on the validation rows, in percent, of entries that were tuned with feedback from these rows."""

FRONT = {
    "arcene": [
        (13.30, 10000),
        (16.59, 1070),
        (16.71, 514),
        (17.30, 500),
        (18.41, 185),
        (23.95, 99),
        (27.46, 86),
        (31.25, 5),
    ],
    "dexter": [(3.90, 303), (5.50, 200), (6.90, 112), (7.40, 20)],
    "dorothea": [
        (8.54, 100000),
        (10.63, 500),
        (10.86, 300),
        (16.21, 240),
        (17.06, 140),
        (21.03, 53),
        (22.61, 10),
    ],
    "gisette": [
        (1.29, 5000),
        (1.34, 1500),
        (1.37, 913),
        (1.58, 750),
        (1.69, 700),
        (1.89, 307),
        (3.00, 299),
        (3.12, 151),
        (3.48, 90),
    ],
    "madelon": [(6.61, 24), (6.67, 19), (7.17, 8), (8.67, 7)],
}
"""Balanced test error in percent and number of features of the entries of 1 Dec that no other beats in both."""
