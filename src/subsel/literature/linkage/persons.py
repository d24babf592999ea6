"""Records of made-up persons with the errors that people make when they write records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

import numpy as np

from subsel.literature.linkage.near_values import NICKNAMES

__all__ = ["ATTRIBUTES", "ERRORS", "Persons", "load_febrl", "misspell", "persons"]

ATTRIBUTES = ("first_name", "last_name", "birth_date", "sex", "zip")
ERRORS = ("typing", "sound", "nickname", "truncation")

_WOMEN = (
    "barbara catherine deborah elizabeth jennifer margaret patricia rebecca susan victoria alice amanda angela anna "
    "brenda carol christine cynthia diana donna dorothy emily frances gloria grace hannah helen irene jacqueline "
    "janet jessica joyce julia karen kimberly laura linda lisa maria martha melissa michelle nancy nicole pamela "
    "rachel ruth sandra sarah sharon shirley sophia stephanie teresa theresa virginia wendy"
)
_MEN = (
    "alexander andrew anthony charles christopher daniel edward james john joseph matthew michael richard robert "
    "stephen thomas timothy william aaron adam albert arthur benjamin brian bruce carl david dennis douglas eric "
    "frank gary george gregory harold henry jacob jason jeffrey jeremy kevin larry lawrence mark nathan nicholas "
    "patrick paul peter philip ralph raymond roger ronald ryan samuel scott steven vincent walter"
)
_STEMS = (
    "ash black brad brook carl clay cliff cran dal dun east elm fair far fern glen gold grant green hal ham hart hill "
    "hol hunt king lang law lind long mar mel mill mor nor oak park pres rad red rich rock rose ruther sand shel sher "
    "stan stock strat sun thorn wal war wel whit wil win wood york zim"
)
_ENDINGS = (
    "ack berg berry borne bury by cott croft dale den ell er field ford gate ham hurst ing land ley low man mann mer "
    "more ney phy ridge row sen shaw son stein stock stone ton wald ward well wick wood worth wright"
)
_SOUND_ALIKE = (
    ("ph", "f"), ("f", "ph"), ("ck", "k"), ("c", "k"), ("k", "c"), ("ee", "ea"), ("ea", "ee"), ("ie", "y"), ("y", "ie"),
    ("s", "z"), ("z", "s"), ("ll", "l"), ("nn", "n"), ("tt", "t"), ("x", "ks"), ("m", "mm"), ("r", "rr"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Persons:
    """Records, whose they are, and the errors made: per record a tuple of (attribute, kind of error).

    Examples
    --------
    >>> drawn = persons(3, records=(2, 2), random_state=0)
    >>> len(drawn.person), len(drawn.errors)
    (6, 6)
    """

    records: Any
    person: np.ndarray
    errors: list[tuple[tuple[str, str], ...]]


def persons(
    n_persons: int = 10_000,
    records: tuple[int, int] = (1, 3),
    error_rate: float | Mapping[str, float] = 0.05,
    swap_rate: float = 0.02,
    random_state: int | None = None,
) -> Persons:
    """Draw persons and write several records of each, with random errors [1]_.

    A person has a first name (common ones are common, and tell the sex), a last name, a birth date from 1930 to 2009, a
    sex and a zip code. The data of the paper are not public and its error rates not stated; the kinds of error are
    those it names: typing errors, sound-alikes, nicknames, truncation, and first and last name swapped.

    Parameters
    ----------
    n_persons : int
        Number of persons.
    records : tuple of int
        Least and greatest number of records a person has, all numbers being equally likely.
    error_rate : float
        Chance that a cell is written with one error, of a kind drawn evenly among those that can befall it; for all
        attributes, or by name of attribute (others are free of errors).
    swap_rate : float
        Chance that a record has its names swapped.

    References
    ----------
    .. [1] S. Saha, S. Rajasekaran and R. Ramprasad, "Novel randomized feature selection algorithms", *International
       Journal of Foundations of Computer Science* 26, 2015, section 6.3.

    Examples
    --------
    >>> made = persons(3, records=(2, 2), error_rate=0, swap_rate=0, random_state=0)
    >>> made.records.shape, made.person.tolist()
    ((6, 5), [0, 0, 1, 1, 2, 2])
    """
    import pandas as pd

    rng = np.random.default_rng(random_state)
    rates = error_rate
    if not isinstance(rates, Mapping):
        rates = dict.fromkeys(ATTRIBUTES, rates)
    if unknown := [name for name in rates if name not in ATTRIBUTES]:
        raise ValueError(
            f"error_rate names {unknown[0]!r}, the attributes are {', '.join(ATTRIBUTES)}."
        )
    originals = _originals(n_persons, rng)
    person = np.repeat(
        np.arange(n_persons), rng.integers(records[0], records[1], size=n_persons, endpoint=True)
    )
    wrong = rng.random((len(person), len(ATTRIBUTES))) < [
        rates.get(name, 0.0) for name in ATTRIBUTES
    ]
    swapped = rng.random(len(person)) < swap_rate
    rows, errors = [], []
    for who, cells, swap in zip(person, wrong, swapped):
        row, made = _write(originals[who], cells, swap, rng)
        rows.append(row)
        errors.append(made)
    return Persons(pd.DataFrame(rows, columns=list(ATTRIBUTES), dtype=object), person, errors)


def _originals(n: int, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Persons as they are."""
    woman = rng.random(n) < 0.5
    first = np.where(woman, _draw(_WOMEN.split(), n, rng), _draw(_MEN.split(), n, rng))
    last = _draw([a + b for a in _STEMS.split() for b in _ENDINGS.split()], n, rng)
    birth = np.datetime64("1930-01-01") + rng.integers(80 * 365, size=n)
    zips = rng.integers(100, 900, size=400)[rng.integers(400, size=n)]
    date = [str(day).replace("-", "") for day in birth]
    return list(
        zip(
            first.tolist(),
            last.tolist(),
            date,
            np.where(woman, "f", "m").tolist(),
            [f"06{z}" for z in zips],
        )
    )


def _draw(words: list[str], n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw words, the chance falling as one over the rank plus ten, of an order of its own."""
    chance = 1 / (10 + np.arange(len(words)))
    return rng.permutation(np.array(words))[rng.choice(len(words), size=n, p=chance / chance.sum())]


def _write(
    original: tuple[str, ...], wrong: np.ndarray, swap: bool, rng: np.random.Generator
) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """One record of a person, and the errors in it."""
    row, made = list(original), []
    for j in np.flatnonzero(wrong):
        kinds = [kind for kind in ERRORS if _can(kind, ATTRIBUTES[j], row[j])]
        kind = kinds[rng.integers(len(kinds))]
        row[j] = misspell(row[j], kind, rng)
        made.append((ATTRIBUTES[j], kind))
    if swap:
        row[0], row[1] = row[1], row[0]
        made.append(("names", "swap"))
    return row, tuple(made)


def _can(kind: str, attribute: str, value: str) -> bool:
    """Whether an error of this kind can befall the value."""
    if kind == "nickname":
        return attribute == "first_name" and value in NICKNAMES
    if kind == "sound":
        return attribute.endswith("name") and any(old in value for old, _ in _SOUND_ALIKE)
    return kind == "typing" or (attribute != "sex" and len(value) > 4)


def misspell(value: str, kind: str, rng: np.random.Generator) -> str:
    """Write a value with one error of the given kind; it always changes.

    >>> misspell("philip", "truncation", np.random.default_rng(0))
    'phili'
    """
    if kind == "nickname":
        return NICKNAMES[value][rng.integers(len(NICKNAMES[value]))]
    if kind == "sound":
        fitting = [(old, new) for old, new in _SOUND_ALIKE if old in value]
        return value.replace(*fitting[rng.integers(len(fitting))], 1)
    if kind == "truncation":
        return value[: rng.integers(max(3, (len(value) + 1) // 2), len(value))]
    return _mistype(value, rng)


def _mistype(value: str, rng: np.random.Generator) -> str:
    """One letter replaced, dropped, inserted, or two neighbours exchanged; a single letter of sex becomes the other."""
    if value in ("f", "m"):
        return "m" if value == "f" else "f"
    letters = digits if value.isdigit() else ascii_lowercase
    at, letter = int(rng.integers(len(value))), letters[rng.integers(len(letters))]
    typed = (
        value[:at] + letter + value[at + 1 :],
        value[:at] + value[at + 1 :],
        value[:at] + letter + value[at:],
        value[:at] + value[at : at + 2][::-1] + value[at + 2 :],
    )[rng.integers(4)]
    if typed == value:
        return _mistype(value, rng)
    return typed


def load_febrl(folder: str | Path, number: int) -> Persons:
    """Read FEBRL set 1, 2, 3 or 4 (originals and duplicates of set 4 together) from ``dataset<number>*.csv.gz``.

    The ten attributes are ``given_name`` to ``soc_sec_id``, empty where missing. A record ``rec-<n>-org`` or
    ``rec-<n>-dup-<k>`` is of person n. Names are swapped in these sets too: link with
    ``swappable=("given_name", "surname")``.

    Examples
    --------
    >>> import gzip, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with gzip.open(Path(folder.name, "dataset1.csv.gz"), "wt") as file:
    ...     _ = file.write("rec_id, surname\\nrec-7-org, smith\\nrec-7-dup-0, smit\\n")
    >>> load_febrl(folder.name, 1).person
    array([7, 7])
    """
    import pandas as pd

    paths = sorted(Path(folder).glob(f"dataset{number}*.csv.gz"))
    if not paths:
        raise FileNotFoundError(f"there is no dataset{number}*.csv.gz in {folder}.")
    parts = [
        pd.read_csv(path, dtype=str, skipinitialspace=True, keep_default_na=False) for path in paths
    ]
    table = pd.concat(parts, ignore_index=True)
    names = table.pop("rec_id")
    pattern = re.compile(r"rec-(\d+)-(?:org|dup-\d+)")
    person = np.array([int(pattern.fullmatch(name.strip())[1]) for name in names])  # type: ignore[index]
    return Persons(table.astype(object), person, [])
