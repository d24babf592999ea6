"""Write ``which-scores-see-what.md``: which rankings find which structures of the toy problems.

Run as ``python docs/generate_structures.py`` (about a minute); everything is seeded, so that the page is the same each time.
"""

from collections.abc import Callable
from inspect import signature
from pathlib import Path

import numpy as np

from subsel.literature.problems import (
    SyntheticProblem,
    anticorrelated_pair,
    chessboard,
    corral,
    forward_against_backward,
    helper,
    noise_reduction,
    one_useful,
    parity,
    probability_only,
    redundant_pair,
)
from subsel.ranking.suitability import find_ranking

PAGE = Path(__file__).with_name("which-scores-see-what.md")
N_ROWS, N_NOISE, N_DRAWS = 400, 8, 10
ALL, SOME, NONE = "●", "◐", "·"


def spread_only(n_samples: int, random_state: int) -> SyntheticProblem:
    """Equal means, spreads of 0.5 and 1.5."""
    rng = np.random.default_rng(random_state)
    y = rng.choice([-1, 1], n_samples)
    return SyntheticProblem((1 + y / 2)[:, None] * rng.standard_normal((n_samples, 1)), y, np.array([0]))


def middle_class(n_samples: int, random_state: int) -> SyntheticProblem:
    """One class between two lumps of the other."""
    rng = np.random.default_rng(random_state)
    y = rng.choice([-1, 1], n_samples)
    lump = np.where(y == 1, 0.0, rng.choice([-2.0, 2.0], n_samples))
    return SyntheticProblem((lump + 0.5 * rng.standard_normal(n_samples))[:, None], y, np.array([0]))


PROBLEMS: dict[str, tuple[str, Callable[[int], SyntheticProblem]]] = {
    "shift": ("the means differ (book, figure 2-a)", lambda s: one_useful(N_ROWS, random_state=s)),
    "sum": (
        "two shifted, independent columns (2-d)",
        lambda s: noise_reduction(N_ROWS, random_state=s),
    ),
    "copies": (
        "two shifted columns, nearly copies of each other (2-f)",
        lambda s: redundant_pair(N_ROWS, random_state=s),
    ),
    "anti": (
        "two shifted columns, anti-correlated in the classes (2-e)",
        lambda s: anticorrelated_pair(N_ROWS, random_state=s),
    ),
    "trap": (
        "the same pair beside a column that is better alone (2-g, 2-h)",
        lambda s: forward_against_backward(N_ROWS, random_state=s),
    ),
    "spread": ("equal means, different spreads", lambda s: spread_only(N_ROWS, s)),
    "middle": ("one class between two lumps of the other", lambda s: middle_class(N_ROWS, s)),
    "helper": (
        "a signal on a background, and the background alone (2-b)",
        lambda s: helper(N_ROWS, random_state=s),
    ),
    "sureness": (
        "the second column tells how far to trust the first",
        lambda s: probability_only(N_ROWS, random_state=s),
    ),
    "logic": ("CorrAL: (a and b) or (c and d), on bits", lambda s: corral(random_state=s)),
    "xor": ("the chessboard of two columns (2-c)", lambda s: chessboard(N_ROWS, random_state=s)),
    "parity": ("parity of three bits", lambda s: parity(3, 0, N_ROWS, random_state=s)),
}

RANKINGS = [
    "t-test", "auc", "kolmogorov-smirnov", "runs", "threshold-balanced-accuracy", "chi-square", "mutual-information", "modl",
    "neighbour-information", "quadratic-information", "relieff", "multisurf", "surf-star", "simba",
    "gram-schmidt", "mrmr", "cfs", "jmi", "cmim",
]  # fmt: skip


def seen(ranking: str, name: str, n_draws: int = N_DRAWS) -> str:
    """Mark whether all, some or none of the k relevant columns are among the first k in at least four draws of five."""
    shares = np.mean(
        [found(ranking, PROBLEMS[name][1](seed), seed) for seed in range(n_draws)], axis=0
    )
    return ALL if np.all(shares >= 0.8) else SOME if np.any(shares >= 0.8) else NONE


def found(ranking: str, problem: SyntheticProblem, seed: int) -> np.ndarray:
    """Which of the relevant columns are among the first k, noise columns standing before them, so that ties count for noise."""
    rng, k, bits = (
        np.random.default_rng(1000 + seed),
        len(problem.relevant),
        np.isin(problem.X, [0, 1]).all(),
    )
    shape = (len(problem.y), N_NOISE)
    noise = rng.integers(0, 2, shape) if bits else rng.standard_normal(shape)
    X = np.hstack((noise, problem.X[:, problem.relevant])).astype(float)
    function = find_ranking(ranking).function
    seeded = {"random_state": seed} if "random_state" in signature(function).parameters else {}
    ranked = function(X, problem.y, **seeded)
    first = ranked.features if hasattr(ranked, "features") else np.argsort(-ranked, kind="stable")
    return np.isin(N_NOISE + np.arange(k), first[:k])


def page() -> str:
    """The page as text."""
    lines = [
        "# Which scores see what",
        "",
        f"Each problem has k relevant columns and {N_NOISE} columns of noise ({N_ROWS} rows; CorrAL its own number; {N_DRAWS} draws).",
        f"{ALL} all k relevant columns, {SOME} some of them, {NONE} none is among the first k of the ranking in at least four draws of five;",
        "ties count against the relevant columns. Rankings as they come, without options. Generated by `docs/generate_structures.py`.",
        "",
        *(f"- **{name}**: {text}" for name, (text, _) in PROBLEMS.items()),
        "",
        "| ranking | " + " | ".join(PROBLEMS) + " |",
        "|---|" + ":-:|" * len(PROBLEMS),
        *(f"| `{r}` | " + " | ".join(seen(r, name) for name in PROBLEMS) + " |" for r in RANKINGS),
        "",
        *READING,
    ]
    return "\n".join(lines) + "\n"


READING = [
    "How to read it:",
    "",
    "- A score of means or ranks (`t-test`, `auc`) sees shifts and nothing else. Scores of whole distributions also see a",
    "  change of spread, or a class in the middle.",
    "- No score of single columns can see `xor`, `parity`, the background of `helper` or the second column of `sureness`:",
    "  alone these columns are independent of the target. Scores by neighbours (`relieff`, `multisurf`, `simba`) see the first three.",
    "- `copies` is the reverse: both columns are relevant, but the second adds nothing, so that an order that minds redundancy is",
    "  right to leave it out.",
    "- `surf-star` subtracts what far rows say: it finds columns that act together and turns away from single effects.",
    "- Orders that look at pairs (`jmi`, `cmim`) find the partner of a column that shows by itself (`helper`, `sureness`), but",
    "  cannot start on `xor`, where no column does.",
]

if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf8")
