"""Which spellings may stand for the same thing: one typing error, one sound, one nickname or one cut apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

__all__ = ["NICKNAMES", "NearValues", "full_name", "is_cut_of", "near_values", "sound"]

NICKNAMES = {
    "alexander": ("alex", "sandy"),
    "andrew": ("andy", "drew"),
    "anthony": ("tony",),
    "barbara": ("barb", "babs"),
    "catherine": ("cathy", "kate"),
    "charles": ("charlie", "chuck"),
    "christopher": ("chris", "kit"),
    "daniel": ("dan", "danny"),
    "deborah": ("deb", "debbie"),
    "edward": ("ted", "ned"),
    "elizabeth": ("liz", "beth", "betty"),
    "james": ("jim", "jamie"),
    "jennifer": ("jen", "jenny"),
    "john": ("jack", "johnny"),
    "joseph": ("joe", "joey"),
    "margaret": ("peggy", "meg", "maggie"),
    "matthew": ("matt",),
    "michael": ("mike", "mick"),
    "patricia": ("pat", "trish"),
    "rebecca": ("becky",),
    "richard": ("dick", "rick"),
    "robert": ("bob", "rob", "bobby"),
    "stephen": ("steve",),
    "susan": ("sue", "suzie"),
    "thomas": ("tom", "tommy"),
    "timothy": ("tim",),
    "victoria": ("vicky",),
    "william": ("bill", "will", "billy"),
}
_FULL = {short: full for full, shorts in NICKNAMES.items() for short in (full, *shorts)}
_SOUNDS = {
    letter: code
    for code, letters in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), 1)
    for letter in letters
}
_SHORTEST_SOUND = 3  # consonants below which equal sounds say too little
_SHORTEST_CUT = 3  # letters that a cut leaves at least


def sound(word: str) -> str:
    """Code how a word sounds: Soundex of all its letters, the first one coded too, nothing cut off.

    Empty for what is not one word of letters, or has too few consonants to tell.

    >>> sound("philip") == sound("filip"), sound("catherine") == sound("kathryn"), sound("lee")
    (True, True, '')
    """
    if not word.isalpha():
        return ""
    code, before = "", 0
    if word[0] in "aeiou":
        code = "0"
    for letter in word:
        here = _SOUNDS.get(letter, before if letter in "hw" else 0)
        if here and here != before:
            code += str(here)
        before = here
    if len(code.lstrip("0")) < _SHORTEST_SOUND:
        return ""
    return code


def full_name(word: str) -> str:
    """The name that a nickname stands for, or that is one; empty for other words.

    >>> full_name("bob"), full_name("robert"), full_name("oak")
    ('robert', 'robert', '')
    """
    return _FULL.get(word, "")


def is_cut_of(short: str, long: str) -> bool:
    """Whether a value is another cut short: to three letters or more, and to half of them or more.

    >>> is_cut_of("chri", "christo"), is_cut_of("ch", "chi")
    (True, False)
    """
    return len(short) < len(long) and long.startswith(short) and len(short) >= _least_cut(long)


@dataclass(frozen=True, eq=False)
class NearValues:
    """The near neighbours of each value u, and how many errors away they are.

    They are ``neighbours[starts[u]:starts[u + 1]]`` in increasing order, the smaller ones than u ending at ``middles[u]``.
    """

    starts: np.ndarray
    middles: np.ndarray
    neighbours: np.ndarray
    errors: np.ndarray

    @classmethod
    def of(cls, pairs: dict[tuple[int, int], int], n_values: int) -> NearValues:
        """Sort pairs of values into lists of neighbours, each pair from both sides."""
        table = np.array([(u, v, d) for (u, v), d in pairs.items()], dtype=np.int64).reshape(-1, 3)
        table = np.vstack([table, table[:, [1, 0, 2]]])
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        starts = np.searchsorted(table[:, 0], np.arange(n_values + 1))
        smaller = np.bincount(table[table[:, 1] < table[:, 0], 0], minlength=n_values)
        return cls(starts, starts[:-1] + smaller, table[:, 1], table[:, 2])

    def expand(
        self, values: np.ndarray, smaller: np.ndarray | bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All neighbours of all given values (where ``smaller``, the smaller ones): whose, which value, how many errors."""
        counts = (
            np.where(smaller, self.middles[values], self.starts[values + 1]) - self.starts[values]
        )
        owner = np.repeat(np.arange(len(values)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = self.starts[values][owner] + within
        return owner, self.neighbours[at], self.errors[at]


def near_values(values: Sequence[str], most: int = 1) -> NearValues:
    """Find all pairs of distinct values at most ``most`` errors apart, without forming all pairs.

    The number of errors is the edit distance, neighbouring letters in the wrong order being one edit (optimal string
    alignment); or 1 if the values sound alike, are nicknames of one name, one is the other cut short (to three
    letters or more, and half its length), or one of them is missing (empty). Two values ``most`` edits apart are equal
    after dropping some ``most`` letters or fewer from each, so each is put into the blocks of its l-mers with gaps
    (``l`` from its length down to ``most`` less) and compared within blocks only: every pair is found. (Plain l-mers
    would miss an error in the middle of a short word and put all dates of a year into one block.)

    >>> near = near_values(["anna", "ann", "robert", "bob", "rboert"])
    >>> [near.expand(np.array([u]))[1].tolist() for u in range(5)]
    [[1], [0], [3, 4], [2], [2]]
    """
    if most < 1:
        return NearValues.of({}, len(values))
    return NearValues.of(
        _few_edits(values, most) | dict.fromkeys(_same_thing(values), 1), len(values)
    )


def _few_edits(values: Sequence[str], most: int) -> dict[tuple[int, int], int]:
    """The pairs of values at most ``most`` edits apart, with their distance."""
    try:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cpdist
    except ImportError:
        raise ImportError(
            "record linkage needs rapidfuzz: pip install 'subsel[linkage]'."
        ) from None
    pairs = sorted(
        _sharing_a_block(
            (word, u) for u, value in enumerate(values) for word in _gapped(value, most)
        )
    )
    if not pairs:
        return {}
    left, right = zip(*pairs)
    edits = cpdist(
        [values[u] for u in left], [values[v] for v in right], scorer=OSA.distance, dtype=np.int32
    )
    return {pair: int(d) for pair, d in zip(pairs, edits) if d <= most}


def _gapped(value: str, most: int) -> set[str]:
    """The value with up to ``most`` of its letters dropped."""
    if not value:
        return set()
    words = {value}
    for n in range(1, min(most, len(value)) + 1):
        words.update("".join(kept) for kept in combinations(value, len(value) - n))
    return words


def _same_thing(values: Sequence[str]) -> set[tuple[int, int]]:
    """Pairs that sound alike, share a nickname, are a cut apart, or one of which is missing."""
    number = {value: u for u, value in enumerate(values)}
    alike = _sharing_a_block((sound(value), u) for u, value in enumerate(values) if sound(value))
    alike |= _sharing_a_block((_FULL[value], u) for u, value in enumerate(values) if value in _FULL)
    for u, value in enumerate(values):
        cuts = (
            number[value[:n]] for n in range(_least_cut(value), len(value)) if value[:n] in number
        )
        alike.update((min(u, v), max(u, v)) for v in cuts)
    if "" in number:
        gap = number[""]
        alike.update((min(u, gap), max(u, gap)) for u in range(len(values)) if u != gap)
    return alike


def _least_cut(value: str) -> int:
    return max(_SHORTEST_CUT, (len(value) + 1) // 2)


def _sharing_a_block(keyed: Iterable[tuple[str, int]]) -> set[tuple[int, int]]:
    """The pairs of numbers that share a key, smaller number first."""
    blocks: dict[str, list[int]] = defaultdict(list)
    for key, number in keyed:
        blocks[key].append(number)
    return {pair for block in blocks.values() for pair in combinations(block, 2)}
