"""How the time of five selectors grows with rows and columns, beside the printed formulas: ``python -m benchmarks.selector_growth``.

Seconds are those of the processor, on one thread; exponents are slopes on logarithmic scales.
"""

from collections.abc import Callable

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from benchmarks.table import write
from subsel.literature.recipes import rfe_svm_order
from subsel.literature.studies import SELECTOR_COSTS, growth_exponent, selector_cost
from subsel.ranking import gram_schmidt, pearson, relieff

Run = Callable[[np.ndarray, np.ndarray], object]

RUNS: dict[
    str, tuple[Run, list[int], list[int]]
] = {  # what is run, rows that grow (200 columns), columns (100 rows)
    "pearson": (pearson, [4000, 16000, 64000], [20000, 80000, 320000]),
    "relief": (relieff, [500, 1000, 2000], [2000, 4000, 8000]),
    "gram-schmidt": (
        lambda X, y: gram_schmidt(X, y, n_features=10),
        [4000, 16000, 64000],
        [20000, 80000, 320000],
    ),
    "rfe-svm": (
        lambda X, y: rfe_svm_order(X, y, sizes=[1, 10, 100]),
        [200, 400, 800],
        [2000, 8000, 32000],
    ),
    "random-forest": (
        lambda X, y: RandomForestClassifier(10, random_state=0).fit(X, y),
        [1000, 4000, 16000],
        [1000, 4000, 16000],
    ),
}


def table(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise, with classes on two columns."""
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def printed_exponent(name: str, shapes: list[tuple[int, int]], along: int) -> float:
    """The slope of the formula over the same shapes."""
    costs = [selector_cost(name, *shape, n_selected=10) for shape in shapes]
    return float(np.polyfit(np.log([shape[along] for shape in shapes]), np.log(costs), 1)[0])


def main() -> None:
    """Measure and compare."""
    lines = []
    with threadpool_limits(1):
        for name, (run, rows, columns) in RUNS.items():

            def work(shape, run=run):
                return lambda X=table(*shape): run(*X)

            cells = [name, SELECTOR_COSTS[name].formula]
            for along, sizes in enumerate((rows, columns)):
                shape_of = (lambda m: (m, 200)) if along == 0 else (lambda n: (100, n))
                measured = growth_exponent(
                    lambda size, to=shape_of, work=work: work(to(size)), sizes, repeats=2
                )
                cells.append(f"{measured:.2f}")
                cells.append(
                    f"{printed_exponent(name, [shape_of(size) for size in sizes], along):.2f}"
                )
            lines.append(cells)
            print(*cells, flush=True)
    write(
        "selector_growth",
        "How selectors grow with rows (of 200 columns) and columns (of 100 rows)",
        (
            "selector",
            "printed cost",
            "exponent of rows",
            "printed",
            "exponent of columns",
            "printed",
        ),
        lines,
    )


if __name__ == "__main__":
    main()
