"""Cuts by p-values of the score, of probes, or of shuffled labels."""

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
    """Keep features with p-values at or below alpha, each by itself."""
    p, evidence, probing = _p_values(ranked, check_share("p", alpha))
    return CutResult(
        p <= alpha, f"{evidence}, not corrected for the number of features", p, None, probing
    )


@cut("bonferroni")
def by_bonferroni(ranked: OrderedScores, alpha: float) -> CutResult:
    """Keep features whose p-values times the number of features are at or below alpha [1]_.

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
    """Apply Benjamini and Hochberg's procedure to p-values of the score, or else of probes [1]_.

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
    """Apply Benjamini and Yekutieli's procedure, which allows any dependence of the columns [1]_.

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
    """Bound the false discovery rate by alpha from probes, even if the score has p-values [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equations 2.4 and 2.5, false discovery rate from probes.
    """
    probing = ranked.probing(check_share("probes", alpha) / len(ranked.scores))
    q = q_values(probing.p_values)
    return CutResult(q <= alpha, f"{probing}, Benjamini-Hochberg", probing.p_values, q, probing)


@cut("probe-p")
def by_probe_p(ranked: OrderedScores, alpha: float) -> CutResult:
    """Keep scores that at most this share of the probes reaches [1]_.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equation 2.1, random probes.
    """
    probing = ranked.probing(check_share("probe-p", alpha))
    evidence = f"{probing}, not corrected for the number of features"
    return CutResult(probing.p_values <= alpha, evidence, probing.p_values, None, probing)


@cut("probe-mean")
def by_probe_mean(ranked: OrderedScores) -> CutResult:
    """Keep scores above the mean of probes: a first filter, not evidence [1]_.

    It keeps nearly a third of pure noise if the score is mutual information of two-valued columns,
    which follows chi-square with one degree of freedom. ``probe-p`` uses a share of the probes in
    place of their mean.

    References
    ----------
    .. [1] S.-K. Lee, S.-J. Yi and B.-T. Zhang, "Combining Information-Based Supervised and
       Unsupervised Feature Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       24, the permutation threshold.
    """
    probing = ranked.probing(0.01)
    finite = probing.probe_scores[np.isfinite(probing.probe_scores)]
    bar = finite.mean() if len(finite) else np.inf
    evidence = f"mean of {probing} ({bar:.4g})"
    with np.errstate(invalid="ignore"):
        return CutResult(probing.scores > bar, evidence, None, None, probing)


@cut("permutation")
def by_permutation(ranked: OrderedScores, alpha: float) -> CutResult:
    """Keep scores above the best of all features in all but a share alpha of label shuffles [1]_.

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
    """Keep scores some standard deviations above their mean under label shuffles [1]_.

    This is a first filter, not evidence.

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
    evidence = (
        f"{n_deviations:g} standard deviations above the mean of {ranked.n_permutations} shuffles "
        "of the labels"
    )
    with np.errstate(invalid="ignore"):
        return CutResult(ranked.scores > bar, evidence)


def _p_values(ranked: OrderedScores, finest: float) -> tuple[np.ndarray, str, Probing | None]:
    """Give p-values of the score if it has them, else of probes, the evidence, and the probing.

    `finest` is the smallest p-value that the cut must resolve.
    """
    if (p := ranked.p_values(finest)) is not None:
        return p, "p-values of the score" + _caution(ranked), None
    probing = ranked.probing(finest)
    return probing.p_values, str(probing), probing


def _caution(ranked: OrderedScores) -> str:
    """Give a caution if fractional weights keep the p-values from being exact or by permutation."""
    weight = ranked.sample_weight
    permutes = (
        ranked.p_value is not None and "n_permutations" in signature(ranked.p_value).parameters
    )
    if weight is None or not permutes or (weight == np.rint(weight)).all():
        return ""
    return (
        " (laws of large samples, as weights are fractions: too small for skewed columns and small "
        "counts)"
    )


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
    """Give the mean score of each feature under shuffled labels plus some standard deviations [1]_.

    If labels are independent of the features, about one score in twenty exceeds two deviations.
    Weights are shuffled with the labels.

    Parameters
    ----------
    score : callable
        ``score(X, y, **parameters)``, with ``sample_weight`` if there are weights.
    X, y, sample_weight : array-like
        The table, the target, and the weights of the rows.
    n_deviations : float
        The number of standard deviations.
    n_permutations : int
        The number of shuffles.
    random_state : int, Generator or None
        Their seed.
    **parameters : object
        Parameters of the score.

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
    # Welford's update of mean and sum of squared deviations, in one pass and without cancellation
    # ("Note on a method for calculating corrected sums of squares and products", Technometrics 4,
    # 1962).
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
    """Compute family-wise p-values of any score by the best of all features under shuffles [1]_.

    The p-value of a feature is the share of label shuffles in which the best of all features scores
    at least as high (Westfall and Young 1993, single step). Shuffles leave the correlations of the
    features as they are, so that many copies of a feature cost no more than one. Weights are
    shuffled with the labels. The scores of different features must have the same null distribution:
    otherwise use :func:`subsel.ranking.laws.permutation.permutation_p_value` and a correction.

    Parameters
    ----------
    score, X, y, n_permutations, random_state, sample_weight, **parameters : object
        As in :func:`relabelled_bar`.

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
    """Yield the scores under one random order of the labels after the other.

    A weight moves with its label.
    """
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    for _ in range(n_permutations):
        rows = rng.permutation(len(y))
        if sample_weight is None:
            yield score(X, y[rows])
        else:
            yield score(X, y[rows], sample_weight=np.asarray(sample_weight)[rows])
