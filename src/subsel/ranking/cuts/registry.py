"""The table of cuts: rules for how many features of a ranking are kept."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from subsel.ranking.cuts.ordered_scores import CutResult, OrderedScores
from subsel.registry.table import Registry

__all__ = ["CUTS", "SHUFFLING", "check_share", "cut", "find_cut", "split_cut"]

Rule = Callable[..., CutResult]

CUTS: Registry[Rule] = Registry(
    "cut", "subsel.scores", rooms=("subsel.ranking.cuts.by_rank", "subsel.ranking.cuts.by_evidence")
)
EXAMPLES = {"k": 20, "relabelled": 2}
SHUFFLING = ("permutation", "relabelled")


def cut(name: str) -> Callable[[Rule], Rule]:
    """Enter a rule in the table of cuts.

    The rule is ``f(ranked, value)``, or ``f(ranked)`` if it needs no value, of
    :class:`OrderedScores`, and gives a :class:`CutResult`.

    Examples
    --------
    >>> @cut("gap")
    ... def by_my_gap(ranked): ...
    Traceback (most recent call last):
    ValueError: the cut 'gap' belongs to ...; ... must take another name for its own.
    """

    def enter(rule: Rule) -> Rule:
        CUTS.add(name, rule, home=f"{rule.__module__}:{rule.__qualname__}")
        return rule

    return enter


def find_cut(cut: Any) -> Callable[[OrderedScores], CutResult]:
    """Give the function of a cut, which maps :class:`OrderedScores` to a :class:`CutResult`.

    A cut is a number of features, a share of them (a float), or ``"rule:value"`` with a rule of
    :data:`CUTS`.

    Examples
    --------
    >>> find_cut("fdr")
    Traceback (most recent call last):
    ...
    ValueError: cut 'fdr' needs a value, as in 'fdr:0.1'.
    """
    name, value = split_cut(cut)
    if name not in CUTS:
        known = ", ".join(f"{c}:VALUE" if _takes_value(rule) else c for c, rule in CUTS.items())
        raise ValueError(f"there is no cut {cut!r}; known: a number, a share, {known}, cv, cv-gap.")
    rule = CUTS[name]
    if value is None and _takes_value(rule):
        raise ValueError(f"cut {name!r} needs a value, as in '{name}:{EXAMPLES.get(name, 0.1)}'.")
    if value is not None and not _takes_value(rule):
        raise ValueError(f"cut {name!r} takes no value, got {cut!r}.")
    if value is None:
        return rule
    return lambda ranked: rule(ranked, value)


def _takes_value(rule: Rule) -> bool:
    return len(signature(rule).parameters) > 1


def split_cut(cut: Any) -> tuple[str, float | None]:
    """Give the rule and its value: a whole number is the rule ``k``, a share the rule ``fraction``.

    Examples
    --------
    >>> split_cut(20), split_cut(0.5), split_cut("fdr:0.1"), split_cut("gap")
    (('k', 20.0), ('fraction', 0.5), ('fdr', 0.1), ('gap', None))
    """
    if isinstance(cut, (bool, np.bool_)) or not isinstance(cut, (int, float, np.number, str)):
        raise ValueError(f"cut must be a number, a share or a rule, got {cut!r}.")
    if isinstance(cut, (int, np.integer)):
        return "k", float(cut)
    if not isinstance(cut, str):
        return "fraction", float(cut)
    rule, colon, value = cut.partition(":")
    if not colon:
        return rule, None
    try:
        return rule, float(value)
    except ValueError:
        raise ValueError(f"the value of cut {cut!r} must be a number.") from None


def check_share(rule: str, value: float) -> float:
    """Check that the value of a rule is a share, in (0, 1], and return it.

    Examples
    --------
    >>> check_share("fdr", 0.1)
    0.1
    """
    if not 0 < value <= 1:
        raise ValueError(f"the value of cut '{rule}' must lie in (0, 1], got {value:g}.")
    return value
