"""What importances of trees see on two simulated problems; writes `docs/papers/tree_importances.md`.

Run from the checkout: `python docs/studies/tree_importances.py` (two minutes on one core).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from pages import table, write
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.tree import DecisionTreeRegressor

from subsel.assessment import compactness
from subsel.embedded import impurity_importances, out_of_bag_importance, surrogate_importances
from subsel.literature.models import MARTRegressor
from subsel.literature.problems import correlated_block, graded_ten

N_GRADED, N_BLOCK, BLOCK, WEAK = 5000, 1000, 100, 3
PRINTED = {
    "pruned tree": ("misses a and b", "-"),
    "the same with surrogates": ("all x alike and high, a and b still 0", "-"),
    "boosting": ("right order", "2%"),
    "boosting, 50 columns drawn at a split": ("a, b, c too high, four times as fast", "2%"),
    "forest, impurity": ("x 100%, a, b, c 40%, noise below 5%", "15%"),
    "forest of one column a split": ("noise 15%, a, b, c near it", "50%"),
    "forest, out-of-bag z": ("a, b, c above x, noise not significant", "2%"),
}


def graded() -> list[list[str]]:
    """The first study: the roots of importances over the largest, which should be 0.1, 0.2, ..., 1."""
    drawn = graded_ten(N_GRADED, random_state=0)
    boosted = GradientBoostingRegressor(n_estimators=300, subsample=0.5, random_state=0).fit(
        drawn.X, drawn.y
    )
    forest = RandomForestRegressor(60, max_features=1 / 3, random_state=0).fit(drawn.X, drawn.y)
    shuffled = out_of_bag_importance(forest, drawn.X, drawn.y, random_state=0)
    found = {
        "theory": np.arange(1.0, 11) ** 2,
        "boosting, impurity": impurity_importances(boosted),
        "forest, impurity": impurity_importances(forest),
        "forest, permutation": shuffled.importances,
        "forest, permutation z": shuffled.z**2,
    }
    return [
        [name, *(f"{root:.2f}" for root in np.sqrt(np.maximum(v, 0) / v.max()))]
        for name, v in found.items()
    ]


def pruned_tree(X: np.ndarray, y: np.ndarray) -> DecisionTreeRegressor:
    """A tree with as many leaves as cross-validation asks for."""
    tree = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0)
    return (
        GridSearchCV(tree, {"max_leaf_nodes": [4, 8, 16, 32]}, cv=folds).fit(X, y).best_estimator_
    )


def scorers(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Callable[[], np.ndarray]]:
    """Importances of the second study by their names, each a function without arguments."""
    kept: dict[str, Any] = {}

    def forest() -> Any:
        if "forest" not in kept:
            kept["forest"] = RandomForestRegressor(
                100, max_features=1 / 3, min_samples_leaf=5, random_state=seed
            ).fit(X, y)
        return kept["forest"]

    def tree() -> Any:
        if "tree" not in kept:
            kept["tree"] = pruned_tree(X, y)
        return kept["tree"]

    boosting = MARTRegressor(200, n_draws=203, max_depth=4, subsample=0.5, random_state=seed)
    drawing = MARTRegressor(
        200,
        sampling="recent",
        n_draws=50,
        fading=0.9,
        max_depth=4,
        subsample=0.5,
        random_state=seed,
    )
    one = RandomForestRegressor(100, max_features=1, min_samples_leaf=5, random_state=seed)
    return {
        "pruned tree": lambda: impurity_importances(tree()),
        "the same with surrogates": lambda: surrogate_importances(tree(), X, y),
        "boosting": lambda: boosting.fit(X, y).feature_importances_,
        "boosting, 50 columns drawn at a split": lambda: drawing.fit(X, y).feature_importances_,
        "forest, impurity": lambda: impurity_importances(forest()),
        "forest of one column a split": lambda: impurity_importances(one.fit(X, y)),
        "forest, out-of-bag z": lambda: out_of_bag_importance(forest(), X, y, random_state=seed).z,
    }


def correlated(n_draws: int) -> list[list[str]]:
    """The second study: means of columns of each kind, as shares of the largest score, and compactness."""
    found: dict[str, list[np.ndarray]] = {name: [] for name in PRINTED}
    for seed in range(n_draws):
        drawn = correlated_block(N_BLOCK, BLOCK, random_state=seed)
        for name, score in scorers(drawn.X, drawn.y, seed).items():
            begin = process_time()
            values = score()
            share = 100 * values / values.max()
            parts = (share[:1], share[1:BLOCK], share[BLOCK : BLOCK + WEAK], share[BLOCK + WEAK :])
            compact = 100 * compactness(np.argsort(-values, kind="stable"), drawn.relevant)
            found[name].append(
                np.array([*(part.mean() for part in parts), compact, process_time() - begin])
            )
            print(seed, name, found[name][-1].round(2), flush=True)
    rows = []
    for name, lines in found.items():
        *parts, compact, seconds = np.mean(lines, axis=0)
        rows.append(
            [
                name,
                *(f"{round(part)}%" for part in parts),
                f"{compact:.1f}%",
                PRINTED[name][1],
                PRINTED[name][0],
                f"{seconds:.1f}",
            ]
        )
    return rows


def closer(n_draws: int) -> str:
    """The forest where relatives are closer and a node sees fewer columns: compactness in percent."""
    found = []
    for seed in range(n_draws):
        drawn = correlated_block(N_BLOCK, BLOCK, correlation=0.99, random_state=seed)
        forest = RandomForestRegressor(60, max_features="sqrt", random_state=seed).fit(
            drawn.X, drawn.y
        )
        ranking = np.argsort(-impurity_importances(forest), kind="stable")
        found.append(100 * compactness(ranking, drawn.relevant))
    return f"{np.mean(found):.1f}%"


def main() -> None:
    """Run both and write the page."""
    parser = argparse.ArgumentParser(description="What importances of trees see.")
    parser.add_argument("--draws", type=int, default=3, help="draws of the second problem")
    n_draws = parser.parse_args().draws
    graded_rows = graded()
    for row in graded_rows:
        print(row, flush=True)
    columns = [f"x{j}" for j in range(1, 11)]
    text = TEXT.format(
        closer=closer(n_draws),
        n_graded=N_GRADED, n_block=N_BLOCK, draws=n_draws,
        graded=table(["root of importance / largest", *columns], graded_rows),
        correlated=table(["importance", "x1", "its relatives", "a, b, c", "noise", "compactness", "printed", "printed, in words", "s"], correlated(n_draws)),
    )  # fmt: skip
    write("tree_importances.md", text)


TEXT = """
# What importances of trees see

`python docs/studies/tree_importances.py` makes this page: the two simulated problems of Tuv, *Ensemble learning*, in Guyon, Gunn,
Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006, chapter 7, section 3.

## Ten columns of graded weight

{n_graded} rows of y = x1 + 2 x2 + ... + 10 x10 plus noise. Explained variance goes with the square of the weight, so that roots of
importances should be a tenth, two tenths, and so on. The book prints a figure and says: all rank correctly; boosting is close
to theory; a forest's impurity slightly inflates the weakest; its permutation inflates all but the largest few.

{graded}

## Many relatives, three weak columns, much noise

y = x1 + a + b + c plus noise, x1 with 99 relatives that correlate with it by 0.95, and 100 columns of noise. Means over
{draws} draws of {n_block} rows, as shares of the largest score; *compactness* is the share of the ranking that must be read to meet x1, a, b
and c (2.0% at best; the book prints 0.2%). Rows and correlation are not printed in the book, nor how models were tuned.

{correlated}

As printed, the permutation z separates the noise best and puts a, b and c above x1, one column a split shows masking and little
else, drawing columns is several times as fast as looking at all of them and no less compact, and surrogates lift all relatives
without lifting a, b and c to their place. Unlike printed, our pruned tree sees a, b and c, and the forest by impurity is as compact
as boosting: that hangs on how close the relatives are. Where they correlate by 0.99 and a node sees the root of the number of
columns (one of four settings that were tried on two draws to come near), the forest's compactness is {closer}, the book's 15%.
In the first study our forest's permutation understates
the weak columns; the book says that it overstates them.
"""

if __name__ == "__main__":
    main()
