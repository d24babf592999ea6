"""How far apart two spellings are, where errors of different kinds weigh differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from subsel.literature.linkage.near_values import full_name, is_cut_of, sound

__all__ = ["PRICES", "graded_distances"]

PRICES = {"edit": 1.0, "sound": 0.5, "nickname": 0.5, "cut": 0.5, "missing": 0.5, "swap": 0.5}
"""What an error of each kind weighs, where nothing else is said."""


def graded_distances(values: Sequence[str], prices: Mapping[str, float] = PRICES) -> np.ndarray:
    """Give the distances between all pairs of values: the cheapest way to see one as the other.

    An edit (neighbouring letters in the wrong order being one) costs ``prices["edit"]`` each; values that sound alike, that
    are nicknames of one name, of which one is the other cut short, or of which one is missing, cost what their kind does.

    >>> graded_distances(["anna", "ana", "philip", "filip", ""]).tolist()[0]
    [0.0, 1.0, 6.0, 5.0, 0.5]
    >>> graded_distances(["philip", "filip"])[0, 1]
    np.float64(0.5)
    """
    try:
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import cdist
    except ImportError:
        raise ImportError(
            "record linkage needs rapidfuzz: pip install 'subsel[linkage]'."
        ) from None
    words = list(values)
    distances = prices["edit"] * cdist(words, words, scorer=OSA.distance, dtype=np.int32).astype(
        float
    )
    for kind, keys in (
        ("sound", [sound(w) for w in words]),
        ("nickname", [full_name(w) for w in words]),
    ):
        code = np.unique([key or f"\0{i}" for i, key in enumerate(keys)], return_inverse=True)[1]
        same = code[:, None] == code
        distances[same] = np.minimum(distances[same], prices[kind])
    for i, long in enumerate(words):
        cut = [j for j, short in enumerate(words) if j != i and is_cut_of(short, long)]
        distances[i, cut] = distances[cut, i] = np.minimum(distances[i, cut], prices["cut"])
    missing = np.array([not w for w in words])
    gap = missing[:, None] ^ missing
    distances[gap] = np.minimum(distances[gap], prices["missing"])
    np.fill_diagonal(distances, 0.0)
    return distances
