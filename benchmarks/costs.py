"""What one fit and one evaluation cost, beside the table that plans a race: ``python -m benchmarks.costs``.

Seconds are those of the processor, on one thread, so that a busy machine does not count.
"""

from time import process_time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import RepeatedStratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.table import write
from subsel import SubsetSelector
from subsel.assessment.race.contenders import Field
from subsel.assessment.race.costs import EVALUATION, FIT, TableShape
from subsel.assessment.race.searches import elimination_contender, finer_scoring
from subsel.models.short_names import estimator_of
from subsel.ranking.selector import RankingSelector

SHAPES = [
    (50, 2000, 2),
    (50, 10_000, 2),
    (200, 50, 2),
    (200, 500, 5),
    (1500, 60, 10),
    (1500, 500, 2),
    (4000, 50, 3),
]
KEYS = {
    "ridge": "ridge",
    "naive Bayes": "nb",
    "linear discriminant": "lda",
    "nearest neighbours": "knn",
}


def table(rows: int, columns: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes on a few of many columns."""
    return make_classification(
        rows,
        columns,
        n_informative=min(10, columns),
        n_redundant=0,
        n_classes=classes,
        flip_y=0.1,
        random_state=0,
    )


def seconds(work: Any) -> float:
    """Of the processor, the second time."""
    for _ in range(2):
        begun = process_time()
        work()
    return process_time() - begun


def fit_seconds(name: str, shape: tuple[int, int, int]) -> float:
    """One fit of a model of the race."""
    X, y = table(*shape)
    field = Field("classification", TableShape(*shape))
    if name == "rank":
        return seconds(lambda: RankingSelector("anova-f", cut=20).fit(X, y))
    if name == "elimination":
        selector = elimination_contender(field).procedure[1].set_params(held_out_size=False)
        return seconds(lambda: selector.fit(X, y))
    return seconds(lambda: field.model(name).fit(X, y))


def evaluation_seconds(name: str, shape: tuple[int, int, int]) -> float:
    """One evaluation in a floating search with five folds."""
    X, y = table(*shape)
    model = estimator_of(KEYS[name], "classification")
    model = model[-1] if hasattr(model, "steps") else model
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=0)
    wide = X[:, :500]
    search = SubsetSelector(
        model,
        scoring=finer_scoring(name, "accuracy"),
        cv=cv,
        n_features=(1, 30),
        budget=8000,
        alternatives=False,
    )
    taken = seconds(lambda: search.fit(wide, y))
    return taken / search.result_.n_evaluations


def main() -> None:
    """Measure and compare."""
    lines = []
    with threadpool_limits(1):
        for shape in SHAPES:
            for name, plan in FIT.items():
                if name == "boosting" and shape[1] > 500:
                    continue
                taken, planned = fit_seconds(name, shape), plan(TableShape(*shape))
                lines.append(
                    (
                        f"fit: {name}",
                        str(shape),
                        f"{taken:.4f}",
                        f"{planned:.4f}",
                        f"{planned / taken:.2f}",
                    )
                )
                print(*lines[-1], flush=True)
            for name, each in EVALUATION.items():
                narrow = (shape[0], min(shape[1], 500), shape[2])
                taken, planned = evaluation_seconds(name, narrow), each(TableShape(*narrow))
                line = (
                    f"evaluation: {name}",
                    str(narrow),
                    f"{1e6 * taken:.1f} us",
                    f"{1e6 * planned:.1f} us",
                )
                lines.append((*line, f"{planned / taken:.2f}"))
                print(*lines[-1], flush=True)
    write(
        "costs",
        "What a fit costs, and what a race plans with",
        ("what", "shape", "measured", "planned", "ratio"),
        lines,
    )


if __name__ == "__main__":
    main()
