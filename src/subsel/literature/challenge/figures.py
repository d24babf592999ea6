"""What each entry reached in 2003, as printed: on the validation rows where a chapter tells, and on the test rows."""

from __future__ import annotations

from csv import DictReader
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Figure", "figures"]


class Figure(NamedTuple):
    """A printed result of an entry for a problem.

    Parameters
    ----------
    validation : float or None
        Balanced error on the validation rows, in percent; None where it is not printed.
    test : float
        That on the test rows.
    date : str
        Of the entry: "1 Dec" (training labels), "8 Dec" (validation labels, too).
    n_features : int
        How many columns were used.

    Examples
    --------
    >>> Figure(None, 7.5, "1 Dec", 20).nearest, Figure(6.0, 7.5, "8 Dec", 20).nearest
    (7.5, 6.0)
    """

    validation: float | None
    test: float
    date: str
    n_features: int

    @property
    def nearest(self) -> float:
        """The figure that is most like ours: on the same rows, if there is one."""
        return self.test if self.validation is None else self.validation


def figures(key: str) -> dict[str, Figure]:
    """The printed results of an entry by problem; none where its team printed none [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapters 10 to 26 and appendix D.

    Examples
    --------
    >>> figures("rf-rlsc")["madelon"]
    Figure(validation=6.67, test=6.67, date='1 Dec', n_features=19)
    """
    text = files("subsel.literature.challenge").joinpath("figures.csv").read_text(encoding="utf8")
    lines = [line for line in DictReader(text.splitlines()) if line["entry"] == key]
    return {line["problem"]: _figure(line) for line in lines}


def _figure(line: dict[str, str]) -> Figure:
    validation = float(line["validation"]) if line["validation"] else None
    return Figure(validation, float(line["test"]), line["date"], int(line["n_features"]))
