"""How many features of a ranking to keep, and with what confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from subsel.ranking.cuts.p_values import bonferroni, max_permutation_p_value, q_values, relabelled_bar
from subsel.ranking.cuts.probing import Probing, probe

__all__ = [
    "CUTS",
    "SHUFFLING",
    "Kept",
    "Ranked",
    "find_cut",
    "gap_sizes",
    "largest_gap",
    "mask_of",
    "n_by_fraction",
    "n_by_k",
]

MOST_PROBES = 10_000
FEWEST_PROBES = 100
EXAMPLES = {"k": 20, "relabelled": 2}


@dataclass(frozen=True, eq=False)
class Ranked:
    """A ranking and what it is made of, so that a cut can score probes or shuffled labels in the same way.

    ``one_by_one`` says that the score looks at one column at a time.
    """

    X: Any
    y: np.ndarray
    score: Callable[..., np.ndarray]
    p_value: Callable[..., np.ndarray] | None = None
    sample_weight: np.ndarray | None = None
    random_state: Any = None
    probes: str = "permuted"
    n_probes: int | None = None
    n_permutations: int = 199
    one_by_one: bool = False

    @cached_property
    def scores(self) -> np.ndarray:
        """The score of each column."""
        scores = np.asarray(self.weighted(self.score)(self.X, self.y), dtype=float)
        if scores.shape != (self.X.shape[1],):
            raise ValueError(f"a score must give one number per column ({self.X.shape[1]}), got shape {scores.shape}.")
        return scores

    @cached_property
    def order(self) -> np.ndarray:
        """Columns from the best score to the worst: the first of equals first, NaN last."""
        return np.argsort(-self.scores, kind="stable")

    def probing(self, finest: float) -> Probing:
        """P-values from probes: by default as many as it takes for the finest p-value that matters, within bounds."""
        n = self.n_probes or int(np.clip(np.ceil(1 / finest), FEWEST_PROBES, MOST_PROBES))
        score = self.weighted(self.score)
        return probe(score, self.X, self.y, n, self.probes, self.random_state, together=not self.one_by_one)

    def weighted(self, function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        """The function with the weights filled in, if there are any."""
        return function if self.sample_weight is None else partial(function, sample_weight=self.sample_weight)

    @property
    def shuffling(self) -> dict[str, Any]:
        """How labels are to be shuffled."""
        weight = self.sample_weight
        return {"n_permutations": self.n_permutations, "random_state": self.random_state, "sample_weight": weight}

    def first(self, k: int) -> np.ndarray:
        """Mask of the first k of the order."""
        return mask_of(self.order[:k], len(self.scores))


@dataclass(frozen=True, eq=False)
class Kept:
    """What a cut keeps: a mask, which evidence it used, and where there are any the p-, q-values and the probing."""

    mask: np.ndarray
    evidence: str
    p_values: np.ndarray | None = None
    q_values: np.ndarray | None = None
    probing: Probing | None = None


def find_cut(cut: Any) -> Callable[[Ranked], Kept]:
    """Read a cut: a number of features, a share of them (a float), or ``"rule:value"`` with a rule of :data:`CUTS`.

    >>> find_cut("fdr")
    Traceback (most recent call last):
    ...
    ValueError: cut 'fdr' needs a value, as in 'fdr:0.1'.
    """
    rule, value = split_cut(cut)
    if rule not in CUTS:
        known = ", ".join(c if c in WITHOUT_VALUE else f"{c}:VALUE" for c in CUTS)
        raise ValueError(f"there is no cut {cut!r}; known: a number, a share, {known}, cv, cv-gap.")
    if value is None and rule not in WITHOUT_VALUE:
        raise ValueError(f"cut {rule!r} needs a value, as in '{rule}:{EXAMPLES.get(rule, 0.1)}'.")
    if value is not None and rule in WITHOUT_VALUE:
        raise ValueError(f"cut {rule!r} takes no value, got {cut!r}.")
    return lambda ranked: CUTS[rule](ranked, value)


def split_cut(cut: Any) -> tuple[str, float | None]:
    """Give the rule and its value: a whole number is the rule ``k``, a share the rule ``fraction``.

    >>> split_cut(20), split_cut(0.5), split_cut("fdr:0.1"), split_cut("gap")
    (('k', 20.0), ('fraction', 0.5), ('fdr', 0.1), ('gap', None))
    """
    if isinstance(cut, (bool, np.bool_)) or not isinstance(cut, (int, float, np.number, str)):
        raise ValueError(f"cut must be a number, a share or a rule, got {cut!r}.")
    if not isinstance(cut, str):
        return ("k" if isinstance(cut, (int, np.integer)) else "fraction"), float(cut)
    rule, colon, value = cut.partition(":")
    try:
        return rule, float(value) if colon else None
    except ValueError:
        raise ValueError(f"the value of cut {cut!r} must be a number.") from None


def by_k(ranked: Ranked, k: float) -> Kept:
    """The k best; of equal scores the first columns."""
    return Kept(ranked.first(n_by_k(k, len(ranked.scores))), "number asked for")


def by_fraction(ranked: Ranked, share: float) -> Kept:
    """The best share of the columns, rounded up."""
    return Kept(ranked.first(n_by_fraction(share, len(ranked.scores))), "share asked for")


def by_threshold(ranked: Ranked, threshold: float) -> Kept:
    """Scores at or above a threshold (book-00 A1)."""
    return Kept(ranked.scores >= threshold, "threshold asked for")


def by_p_value(ranked: Ranked, alpha: float) -> Kept:
    """P-values at or under alpha, each feature by itself."""
    p, evidence, probing = _p_values(ranked, _share("p", alpha))
    return Kept(p <= alpha, f"{evidence}, not corrected for the number of features", p, None, probing)


def by_bonferroni(ranked: Ranked, alpha: float) -> Kept:
    """P-values times the number of features at or under alpha (book-00 A11)."""
    p, evidence, probing = _p_values(ranked, _share("bonferroni", alpha) / len(ranked.scores))
    adjusted = bonferroni(p)
    return Kept(adjusted <= alpha, f"{evidence}, Bonferroni", p, adjusted, probing)


def by_fdr(ranked: Ranked, alpha: float) -> Kept:
    """Benjamini-Hochberg on the p-values of the score where it has them, else of probes (book-00 A11, A12)."""
    p, evidence, probing = _p_values(ranked, _share("fdr", alpha) / len(ranked.scores))
    q = q_values(p)
    return Kept(q <= alpha, f"{evidence}, Benjamini-Hochberg", p, q, probing)


def by_fdr_any(ranked: Ranked, alpha: float) -> Kept:
    """The same after Benjamini and Yekutieli, which holds however the columns depend on each other (book-00 A11)."""
    p, evidence, probing = _p_values(ranked, _share("fdr-any", alpha) / len(ranked.scores))
    q = q_values(p, any_dependence=True)
    return Kept(q <= alpha, f"{evidence}, Benjamini-Yekutieli", p, q, probing)


def by_probes(ranked: Ranked, alpha: float) -> Kept:
    """The false discovery rate as bounded by probes at most alpha, even where the score has p-values (book-00 A12)."""
    found = ranked.probing(_share("probes", alpha) / len(ranked.scores))
    q = q_values(found.p_values)
    return Kept(q <= alpha, f"{found}, Benjamini-Hochberg", found.p_values, q, found)


def by_probe_p(ranked: Ranked, alpha: float) -> Kept:
    """Scores that at most this share of the probes reaches (book-00 A2)."""
    found = ranked.probing(_share("probe-p", alpha))
    evidence = f"{found}, not corrected for the number of features"
    return Kept(found.p_values <= alpha, evidence, found.p_values, None, found)


def by_probe_mean(ranked: Ranked, value: None) -> Kept:
    """Scores above the mean of probes: a first sieve, not evidence (book-04 24B).

    Of pure noise it keeps nearly a third where the score is mutual information of two-valued columns, whose law is
    chi-square of one degree; ``probe-p`` is the same with a share of the probes in place of their mean.
    """
    found = ranked.probing(0.01)
    finite = found.probe_scores[np.isfinite(found.probe_scores)]
    bar = finite.mean() if len(finite) else np.inf
    with np.errstate(invalid="ignore"):
        return Kept(found.scores > bar, f"mean of {found} ({bar:.4g})", None, None, found)


def by_permutation(ranked: Ranked, alpha: float) -> Kept:
    """Scores above the best of all features in all but a share alpha of label shuffles (book-01 F07)."""
    _share("permutation", alpha)
    p = max_permutation_p_value(ranked.score, ranked.X, ranked.y, **ranked.shuffling)
    return Kept(p <= alpha, f"best score under {ranked.n_permutations} shuffles of the labels (family-wise)", p, p)


def by_relabelling(ranked: Ranked, n_deviations: float) -> Kept:
    """Scores above their mean under label shuffles by so many standard deviations: a sieve, not evidence (book-06 31F)."""
    if not 0 <= n_deviations < np.inf:
        raise ValueError(f"the value of cut 'relabelled' must be a number of at least 0, got {n_deviations:g}.")
    bar = relabelled_bar(ranked.score, ranked.X, ranked.y, n_deviations, **ranked.shuffling)
    evidence = f"{n_deviations:g} standard deviations above the mean of {ranked.n_permutations} shuffles of the labels"
    with np.errstate(invalid="ignore"):
        return Kept(ranked.scores > bar, evidence)


def by_gap(ranked: Ranked, value: None) -> Kept:
    """Everything above the largest gap between consecutive scores (book-04 22B)."""
    return Kept(ranked.first(largest_gap(ranked.scores)), "largest gap")


CUTS: dict[str, Callable[[Ranked, Any], Kept]] = {
    "k": by_k,
    "fraction": by_fraction,
    "threshold": by_threshold,
    "p": by_p_value,
    "bonferroni": by_bonferroni,
    "fdr": by_fdr,
    "fdr-any": by_fdr_any,
    "probes": by_probes,
    "probe-p": by_probe_p,
    "probe-mean": by_probe_mean,
    "permutation": by_permutation,
    "relabelled": by_relabelling,
    "gap": by_gap,
}
WITHOUT_VALUE = ("gap", "probe-mean")
SHUFFLING = ("permutation", "relabelled")


def largest_gap(scores: np.ndarray) -> int:
    """How many scores stand above the largest gap between finite ones; the first of equal gaps.

    If some are infinite, those stand above it; if all are equal, there is no gap and all stand. NaN is below everything.

    >>> largest_gap(np.array([0.9, 0.1, 0.85, 0.2]))
    2
    """
    if infinite := int(np.isposinf(scores).sum()):
        return infinite
    ordered = np.sort(scores[np.isfinite(scores)])[::-1]
    gaps = ordered[:-1] - ordered[1:]
    return int(np.argmax(gaps)) + 1 if len(gaps) and gaps.max() > 0 else len(ordered)


def gap_sizes(scores: np.ndarray, n_sizes: int = 10, most: int = 500) -> np.ndarray:
    """Numbers of features that end at the largest gaps of the ranking, ascending: candidates to validate (book-03 A20).

    >>> gap_sizes(np.array([0.9, 0.1, 0.85, 0.2, 0.5]), n_sizes=2)
    array([2, 3])
    """
    ordered = np.sort(scores[np.isfinite(scores)])[::-1][: most + 1]
    gaps = ordered[:-1] - ordered[1:]
    widest = np.argsort(-gaps, kind="stable")[:n_sizes]
    return np.sort(widest[gaps[widest] > 0]) + 1 if np.any(gaps > 0) else np.array([max(len(ordered), 1)])


def mask_of(columns: np.ndarray, n: int) -> np.ndarray:
    """Mask of some of n columns.

    >>> mask_of(np.array([2, 0]), 3)
    array([ True, False,  True])
    """
    mask = np.zeros(n, dtype=bool)
    mask[columns] = True
    return mask


def n_by_k(k: float, n: int) -> int:
    """The number asked for, if there are as many."""
    if not (1 <= k <= n and k == int(k)):
        raise ValueError(f"k must be a whole number between 1 and n_features = {n}, got {k:g}.")
    return int(k)


def n_by_fraction(share: float, n: int) -> int:
    """The number that a share of n makes, rounded up (but not by rounding errors).

    >>> n_by_fraction(0.07, 100), n_by_fraction(0.001, 10)
    (7, 1)
    """
    return int(np.ceil(round(_share("fraction", share) * n, 9)))


def _p_values(ranked: Ranked, finest: float) -> tuple[np.ndarray, str, Probing | None]:
    """The p-values of the score where it has them, else of probes; which it was."""
    if ranked.p_value is not None:
        return ranked.weighted(ranked.p_value)(ranked.X, ranked.y), "p-values of the score", None
    found = ranked.probing(finest)
    return found.p_values, str(found), found


def _share(rule: str, value: float) -> float:
    if not 0 < value <= 1:
        raise ValueError(f"the value of cut '{rule}' must lie in (0, 1], got {value:g}.")
    return value
