"""What the groups of the challenge used, as the organisers surveyed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["SURVEY", "Surveyed"]


class Surveyed(NamedTuple):
    """A group and what it used.

    Parameters
    ----------
    group, chapter : str
        Who, and where the book describes it.
    classifiers, engines, search : tuple of str
        Kinds of classifier; what evaluated features; how features were searched.
    ensemble, transduction : bool
        Whether several models were combined, and whether rows without labels were used.

    Examples
    --------
    >>> first = SURVEY[0]
    >>> first.group, first.classifiers, first.search, first.ensemble
    ('Neal and Zhang', ('neural', 'other'), ('embedded',), True)
    >>> [found.group for found in SURVEY if "elaborate" in found.search and found.transduction]
    ['Gilad-Bachrach and Navot']
    """

    group: str
    chapter: str
    classifiers: tuple[str, ...]
    engines: tuple[str, ...]
    search: tuple[str, ...]
    ensemble: bool
    transduction: bool


CLASSIFIERS = {"N": "neural", "K": "kernel", "T": "trees", "O": "other"}
ENGINES = {
    "C": "single feature",
    "T": "trees",
    "E": "wrapper or embedded",
    "K": "kernel",
    "N": "neural",
}
SEARCHES = {"R": "ranking", "E": "embedded", "B": "backward", "F": "forward", "S": "elaborate"}

_PRINTED = """
Neal and Zhang|10|NO|CE|E|y|y
Torkkola and Tuv|11|K|T|R|y|n
Chen and Lin|12|K|CTE|RE|n|n
Wu and Li|13|K|CE|E|n|y
Saffari|14|N|C|R|y|n
Borisov, Eruhimov and Tuv|15|T|T|E|y|n
Rosset and Zhu|16|K|K|E|n|n
Gilad-Bachrach and Navot|17|K|E|S|n|y
Chu, Keerthi, Ong and Ghahramani|18|K|K|R|n|n
Hochreiter and Obermayer|19|K|K|R|y|n
Lal, Chapelle and Scholkopf|20|K|C|R|n|n
Embrechts, Bress and Kewley|21|K|K|B|y|n
Roobaert, Karakoulas and Chawla|22|K|C|R|n|n
Grabczewski and Jankowski|23|K|CT|B|y|n
Lee, Yi and Zhang|24|KO|C|S|n|n
Boulle|25|NO|C|F|n|n
Lemaire and Clerot|26|N|N|B|n|n
"""


def _read(line: str) -> Surveyed:
    group, chapter, classifiers, engines, search, ensemble, transduction = line.split("|")

    def names_of(letters: str, names: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(names[letter] for letter in letters)

    kinds = (
        names_of(classifiers, CLASSIFIERS),
        names_of(engines, ENGINES),
        names_of(search, SEARCHES),
    )
    return Surveyed(group, chapter, *kinds, ensemble == "y", transduction == "y")


SURVEY = tuple(_read(line) for line in _PRINTED.strip().splitlines())
"""Guyon, Gunn, Ben-Hur and Dror, *Design and analysis of the NIPS 2003 challenge*, in *Feature Extraction*, 2006, table 9.8."""
