"""MADELON with the exact k-nearest-neighbours evaluator: which of its 20 true columns each search finds.

``python -m benchmarks.madelon``; with ``--data FOLDER`` the folder holds ``madelon.npz``.
"""

from time import perf_counter

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from tests.real_tables import given_folder, needed_table

from benchmarks.table import write
from subsel import Budget, SubsetSelector
from subsel.criteria import NearestNeighbours

TRUE = {
    28,
    48,
    64,
    105,
    128,
    153,
    241,
    281,
    318,
    336,
    338,
    378,
    433,
    442,
    451,
    453,
    455,
    472,
    475,
    493,
}
HEADER = (
    "search",
    "selected",
    "of the 20 true",
    "false",
    "guide quality",
    "validation error",
    "evaluations",
    "seconds",
)


def main() -> None:
    """Search on the 2,000 training rows, test on the 600 validation rows."""
    with np.load(needed_table("madelon.npz", given_folder())) as file:
        X, y, split = file["X"].astype(float), file["y"], file["split"]
    train, valid = split == 0, split == 1
    lines = []
    for search, budget in (
        ("sffs", None),
        ("rfs1", 8_000),
        ("genetic", 8_000),
        ("annealing", 8_000),
    ):
        selector = SubsetSelector(
            NearestNeighbours(n_neighbors=5, cv=5),
            search=search,
            n_features=(1, 25),
            budget=Budget(evaluations=budget, seconds=120),
            random_state=0,
        )
        begin = perf_counter()
        selector.fit(X[train], y[train])
        seconds = perf_counter() - begin
        chosen = selector.get_support(indices=True)
        model = KNeighborsClassifier(5).fit(X[train][:, chosen], y[train])
        error = 1 - model.score(X[valid][:, chosen], y[valid])
        hits = len(TRUE & set(chosen.tolist()))
        quality, asked = selector.result_.chosen_quality, selector.result_.n_evaluations
        lines.append(
            (
                search,
                len(chosen),
                hits,
                len(chosen) - hits,
                f"{quality:.4f}",
                f"{error:.3f}",
                f"{asked:,}",
                f"{seconds:.0f}",
            )
        )
        print(*lines[-1], sep=" | ", flush=True)
    write(
        "madelon",
        "MADELON (2,000 x 500), exact 5-nearest neighbours, at most 25 features, one core",
        HEADER,
        lines,
    )


if __name__ == "__main__":
    main()
