"""Cuts by p-values: of the score, of probes, of shuffled labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from subsel.ranking.cuts.multiple_testing import bonferroni, q_values
from subsel.ranking.cuts.ordered_scores import CutResult, OrderedScores
from subsel.ranking.cuts.probe_p_values import n_reaching
from subsel.ranking.cuts.probe_scores import Probing
from subsel.ranking.cuts.registry import check_share, cut

__all__ = ["max_permutation_p_value", "relabelled_bar"]


@cut("p")
def by_p_value(ranked: OrderedScores, alpha: float) -> CutResult:
    """P-values at or under alpha, each feature by itself."""
    p, evidence, probing = _p_values(ranked, check_share("p", alpha))
    return CutResult(
        p <= alpha, f"{evidence}, not corrected for the number of features", p, None, probing
    )


@cut("bonferroni")
def by_bonferroni(ranked: OrderedScores, alpha: float) -> CutResult:
    """P-values times the number of features at or under alpha [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing.
    """
    p, evidence, probing = _p_values(ranked, check_share("bonferroni", alpha) / len(ranked.scores))
    adjusted = bonferroni(p)
    return CutResult(adjusted <= alpha, f"{evidence}, Bonferroni", p, adjusted, probing)


@cut("fdr")
def by_fdr(ranked: OrderedScores, alpha: float) -> CutResult:
    """Benjamini-Hochberg on the p-values of the score where it has them, else of probes [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing; equations 2.4 and 2.5, false discovery rate
       from probes.
    """
    p, evidence, probing = _p_values(ranked, check_share("fdr", alpha) / len(ranked.scores))
    q = q_values(p)
    return CutResult(q <= alpha, f"{evidence}, Benjamini-Hochberg", p, q, probing)


@cut("fdr-any")
def by_fdr_any(ranked: OrderedScores, alpha: float) -> CutResult:
    """The same after Benjamini and Yekutieli, which holds however the columns depend on each other [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, multiple testing.
    """
    p, evidence, probing = _p_values(ranked, check_share("fdr-any", alpha) / len(ranked.scores))
    q = q_values(p, any_dependence=True)
    return CutResult(q <= alpha, f"{evidence}, Benjamini-Yekutieli", p, q, probing)


@cut("probes")
def by_probes(ranked: OrderedScores, alpha: float) -> CutResult:
    """The false discovery rate as bounded by probes at most alpha, even where the score has p-values [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equations 2.4 and 2.5, false discovery rate from probes.
    """
    found = ranked.probing(check_share("probes", alpha) / len(ranked.scores))
    q = q_values(found.p_values)
    return CutResult(q <= alpha, f"{found}, Benjamini-Hochberg", found.p_values, q, found)


@cut("probe-p")
def by_probe_p(ranked: OrderedScores, alpha: float) -> CutResult:
    """Scores that at most this share of the probes reaches [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equation 2.1, random probes.
    """
    found = ranked.probing(check_share("probe-p", alpha))
    evidence = f"{found}, not corrected for the number of features"
    return CutResult(found.p_values <= alpha, evidence, found.p_values, None, found)


@cut("probe-mean")
def by_probe_mean(ranked: OrderedScores) -> CutResult:
    """Scores above the mean of probes: a first sieve, not evidence [1]_.

    Of pure noise it keeps nearly a third where the score is mutual information of two-valued
    columns, whose law is chi-square of one degree; ``probe-p`` is the same with a share of the
    probes in place of their mean.

    References
    ----------
    .. [1] S.-K. Lee, S.-J. Yi and B.-T. Zhang, "Combining Information-Based Supervised and
       Unsupervised Feature Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       24, the permutation threshold.
    """
    found = ranked.probing(0.01)
    finite = found.probe_scores[np.isfinite(found.probe_scores)]
    bar = finite.mean() if len(finite) else np.inf
    with np.errstate(invalid="ignore"):
        return CutResult(found.scores > bar, f"mean of {found} ({bar:.4g})", None, None, found)


@cut("permutation")
def by_permutation(ranked: OrderedScores, alpha: float) -> CutResult:
    """Scores above the best of all features in all but a share alpha of label shuffles [1]_.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       significance by permutation.
    """
    check_share("permutation", alpha)
    p = max_permutation_p_value(ranked.score, ranked.X, ranked.y, **ranked.shuffling)
    return CutResult(
        p <= alpha,
        f"best score under {ranked.n_permutations} shuffles of the labels (family-wise)",
        p,
        p,
    )


@cut("relabelled")
def by_relabelling(ranked: OrderedScores, n_deviations: float) -> CutResult:
    """Scores above their mean under label shuffles by so many standard deviations: a sieve, not evidence [1]_.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein
       Function", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, difference of
       frequencies.
    """
    if not 0 <= n_deviations < np.inf:
        raise ValueError(
            f"the value of cut 'relabelled' must be a number of at least 0, got {n_deviations:g}."
        )
    bar = relabelled_bar(ranked.score, ranked.X, ranked.y, n_deviations, **ranked.shuffling)
    evidence = f"{n_deviations:g} standard deviations above the mean of {ranked.n_permutations} shuffles of the labels"
    with np.errstate(invalid="ignore"):
        return CutResult(ranked.scores > bar, evidence)


def _p_values(ranked: OrderedScores, finest: float) -> tuple[np.ndarray, str, Probing | None]:
    """The p-values of the score where it has them, else of probes; which it was."""
    if (p := ranked.p_values(finest)) is not None:
        return p, "p-values of the score" + _caution(ranked), None
    found = ranked.probing(finest)
    return found.p_values, str(found), found


def _caution(ranked: OrderedScores) -> str:
    """What to say of p-values whose labels would be permuted, were the weights whole."""
    weight = ranked.sample_weight
    permutes = (
        ranked.p_value is not None and "n_permutations" in signature(ranked.p_value).parameters
    )
    if weight is None or not permutes or (weight == np.rint(weight)).all():
        return ""
    return " (laws of large samples, as weights are fractions: too small for skewed columns and small counts)"


def relabelled_bar(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    n_deviations: float = 2.0,
    *,
    n_permutations: int = 199,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> np.ndarray:
    """The mean of each feature's score when the labels are shuffled, plus so many standard deviations [1]_.

    Under labels that have nothing to do with the features about one in twenty passes two
    deviations. Weights are shuffled with the labels.

    References
    ----------
    .. [1] A. Ben-Hur and D. Brutlag, "Sequence Motifs: Highly Predictive Features of Protein
       Function", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 31, difference of
       frequencies.

    Examples
    --------
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> X = np.column_stack((np.arange(8.0), np.tile([0.0, 1.0], 4)))
    >>> pearson(X, np.arange(8.0)) > relabelled_bar(pearson, X, np.arange(8.0), random_state=0)
    array([ True, False])
    """
    mean = squares = np.zeros(1)
    shuffled = _shuffled_scores(
        partial(score, **parameters), X, y, sample_weight, n_permutations, random_state
    )
    for b, scores in enumerate(shuffled, 1):
        step = scores - mean
        mean = mean + step / b
        squares = squares + step * (scores - mean)
    return mean + n_deviations * np.sqrt(squares / max(n_permutations - 1, 1))


def max_permutation_p_value(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    *,
    n_permutations: int = 199,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> np.ndarray:
    """Family-wise p-value of any score: how often the best of all features does as well when the labels are shuffled.

    Weights are shuffled with the labels. The correlations of the features stay, so that many copies
    of a feature cost no more than one [1]_ (Westfall and Young 1993, single step). The scores of
    different features must share one scale: where their laws differ, use
    :func:`subsel.ranking.laws.permutation.permutation_p_value` and a correction.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       significance by permutation.

    Examples
    --------
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> X = np.column_stack((np.arange(8.0), np.tile([0.0, 1.0], 4)))
    >>> max_permutation_p_value(pearson, X, np.arange(8.0), n_permutations=99, random_state=0)
    array([0.01, 0.86])
    """
    score, y = partial(score, **parameters), np.asarray(y)
    if sample_weight is None:
        observed = score(X, y)
    else:
        observed = score(X, y, sample_weight=np.asarray(sample_weight))
    shuffled = _shuffled_scores(score, X, y, sample_weight, n_permutations, random_state)
    best = np.array([np.max(np.where(np.isnan(scores), -np.inf, scores)) for scores in shuffled])
    return (1 + n_reaching(best, observed)) / (1 + n_permutations)


def _shuffled_scores(
    score: Callable[..., np.ndarray],
    X: Any,
    y: np.ndarray,
    sample_weight: Any,
    n_permutations: int,
    random_state: Any,
) -> Iterator[np.ndarray]:
    """The scores under labels in one random order after the other; a weight goes with its label."""
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    for _ in range(n_permutations):
        rows = rng.permutation(len(y))
        if sample_weight is None:
            yield score(X, y[rows])
        else:
            yield score(X, y[rows], sample_weight=np.asarray(sample_weight)[rows])
