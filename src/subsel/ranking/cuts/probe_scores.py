"""Scores of probes, columns without information on the target, together with the features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.probes import permuted_probes, probe_origins, zipf_probes
from subsel.data.statistics.blocks import entry_blocks, parts
from subsel.ranking.cuts.probe_p_values import probe_p_value

__all__ = ["PROBES", "Probing", "constant_columns", "probe"]


@dataclass(frozen=True, slots=True, eq=False)
class Probing:
    """P-values of features from probes, with the scores that they come from.

    Examples
    --------
    >>> str(Probing(np.ones(2), np.zeros(2), np.zeros(100), "permuted"))
    '100 permuted probes'
    """

    p_values: np.ndarray  # (n_columns,)
    scores: np.ndarray  # (n_columns,) of the features, scored together with the probes
    probe_scores: np.ndarray  # (n_probes,)
    kind: str  # a key of `PROBES`

    def __str__(self) -> str:
        """Name the evidence, for a cut."""
        return f"{len(self.probe_scores)} {self.kind} probes"


def probe(
    score: Callable[[Any, np.ndarray], np.ndarray],
    X: Any,
    y: np.ndarray,
    n_probes: int = 1000,
    kind: str = "permuted",
    random_state: Any = None,
    *,
    together: bool = True,
) -> Probing:
    """Give the p-value of any score as the share of probes that score at least as high [1]_.

    In each round probes, at most as many as columns, are appended to the table, and both are scored
    together: a score that compares rows by all columns, such as Relief, sees features and probes in
    the same neighbourhoods. These are noisier than without probes, so that its scores of the
    features, averaged over the rounds, differ from those of the table alone. The probes of all
    rounds are pooled for :func:`subsel.ranking.probe_p_value`. A constant column has p-value 1, and
    no probe is made of it.

    Parameters
    ----------
    score : callable
        ``score(X, y)`` gives one number per column.
    X : ndarray or sparse array
        The table.
    y : ndarray
        The target.
    n_probes : int
        The number of probes.
    kind : {"permuted", "gaussian", "zipf"}
        Shuffled copies of the columns (which keep every column's values, and its sparsity), normal
        columns with the means and spreads of the columns, or sparse columns with Zipf's
        frequencies. If the null distribution of a score depends on the values of a column, shuffled
        copies are a fair comparison only for columns with similar values.
    random_state : int, Generator or None
        The seed of the probes.
    together : bool
        Whether columns and probes are scored together. Without it they are scored separately, which
        gives the same for a score that looks at one column at a time, in less time and memory.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, equation 2.1, random probes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 4))
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> found = probe(pearson, X, X[:, 2] + rng.standard_normal(60), n_probes=99, random_state=0)
    >>> int(found.p_values.argmin()), float(found.p_values.min()), str(found)
    (2, 0.01, '99 permuted probes')
    """
    if kind not in PROBES:
        raise ValueError(f"probes must be one of {', '.join(PROBES)}, got {kind!r}.")
    if sparse.issparse(X) and (together or X.format not in ("csr", "csc")):
        X = X.tocsc()
    rng, n = np.random.default_rng(random_state), X.shape[1]
    constant = constant_columns(X)
    varied = np.flatnonzero(constant == constant.all())
    rounds = []
    for begin in range(0, n_probes, n):
        probes = PROBES[kind](X, varied, min(n, n_probes - begin), rng)
        if together:
            probes = _stacked(X, probes)
        rounds.append(np.asarray(score(probes, y), dtype=float))
    if together:
        scores = _mean(np.array([both[:n] for both in rounds]))
        probe_scores = np.concatenate([both[n:] for both in rounds])
    else:
        scores, probe_scores = np.asarray(score(X, y), dtype=float), np.concatenate(rounds)
    p_values = np.where(constant, 1.0, probe_p_value(scores, probe_scores))
    return Probing(p_values, scores, probe_scores, kind)


def constant_columns(X: Any) -> np.ndarray:
    """Give the mask of the columns of an array or sparse matrix with one value only.

    Examples
    --------
    >>> constant_columns(np.array([[1.0, 2.0], [1.0, 3.0]]))
    array([ True, False])
    """
    if sparse.issparse(X):
        constant = np.empty(X.shape[1], dtype=bool)
        for block, part in parts(X, entry_blocks(X)):
            constant[block] = np.ravel(part.max(axis=0).toarray() == part.min(axis=0).toarray())
        return constant
    return np.asarray(X.max(axis=0) == X.min(axis=0))


def _mean(rounds: np.ndarray) -> np.ndarray:
    """Give the mean over rounds, of shape (n_rounds, n_columns), exactly where all are equal."""
    return np.where((rounds == rounds[0]).all(axis=0), rounds[0], rounds.mean(axis=0))


def _permuted(X: Any, varied: np.ndarray, n_probes: int, rng: np.random.Generator) -> Any:
    """Make shuffled copies of columns; `varied` are the numbers of those that may be copied."""
    return permuted_probes(
        X[:, varied[probe_origins(len(varied), n_probes, rng)]], random_state=rng
    )


def _gaussian(X: Any, varied: np.ndarray, n_probes: int, rng: np.random.Generator) -> np.ndarray:
    """Make normal columns with the means and spreads of varied columns."""
    if sparse.issparse(X):
        raise ValueError("gaussian probes are dense, X is sparse: use probes='permuted' or 'zipf'.")
    part = X[:, varied[np.resize(rng.permutation(len(varied)), n_probes)]]
    return np.nanmean(part, axis=0) + np.nanstd(part, axis=0) * rng.standard_normal(
        (X.shape[0], n_probes)
    )


def _zipf(X: Any, varied: np.ndarray, n_probes: int, rng: np.random.Generator) -> Any:
    """Make sparse columns with Zipf's frequencies."""
    if len(varied) < X.shape[1]:
        X = X[:, varied]
    filled = np.count_nonzero(X.data if sparse.issparse(X) else X)
    if not 0 < filled < X.shape[0] * X.shape[1]:
        zeros = "no zeros" if filled else "zeros only"
        raise ValueError(f"zipf probes are sparse, X has {zeros}: use probes='permuted'.")
    probes = zipf_probes(X, n_probes, random_state=rng)
    if sparse.issparse(X):
        return probes
    return probes.toarray()


PROBES: dict[str, Callable[[Any, np.ndarray, int, np.random.Generator], Any]] = {
    "permuted": _permuted,
    "gaussian": _gaussian,
    "zipf": _zipf,
}


def _stacked(X: Any, probes: Any) -> Any:
    """Append the probes to the columns of the table."""
    if sparse.issparse(X):
        return sparse.hstack((X, probes), format="csc")
    return np.hstack((X, probes))
