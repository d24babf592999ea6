"""Draw every picture of the gallery and the page that shows them: ``python docs/gallery/build.py``."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import RankingSelector, SubsetSelector
from subsel.assessment import assess, compare
from subsel.report import (
    AgreementDisplay,
    AnytimeDisplay,
    FrequencyDisplay,
    FrontDisplay,
    OptimismDisplay,
    ParetoDisplay,
    RankingDisplay,
    ReferenceDisplay,
    ValuesDisplay,
)

HERE = Path(__file__).parent


def main() -> None:
    """Run the examples on the wine data."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    noise = np.random.default_rng(0).normal(size=(len(y), 7))
    X = X.assign(**{f"noise {j}": noise[:, j] for j in range(7)})
    judge = make_pipeline(StandardScaler(), KNeighborsClassifier())
    walk = SubsetSelector(judge, search="rfs1", budget=1500, restarts=4, random_state=0).fit(X, y)
    floating = SubsetSelector(judge, search="sffs", choose="one-se", random_state=0)
    assessment = assess(floating, judge, X, y, random_state=0)
    floating.fit(X, y)
    several = [
        ("forward", SubsetSelector(judge, search="sfs", n_features=5)),
        ("floating", floating),
        ("all features", None),
    ]
    comparison = compare(several, judge, X, y, random_state=0)
    ranking = RankingSelector("relieff", cut="probes:0.1", random_state=0).fit(X, y)
    chosen = floating.get_support(indices=True)
    pictures = {
        "anytime": (
            "Four restarts of a random walk: the best so far",
            lambda ax: AnytimeDisplay.from_result(walk.result_, ax=ax),
        ),
        "front": (
            "The best subset of each size, and the one-standard-error choice",
            lambda ax: FrontDisplay.from_result(floating.result_, assessment, ax=ax),
        ),
        "frequency": (
            "How often each feature was selected in the outer folds",
            lambda ax: FrequencyDisplay.from_assessment(assessment, chosen, ax=ax),
        ),
        "optimism": (
            "What guided the search against what came of it",
            lambda ax: OptimismDisplay.from_assessment(assessment, ax=ax),
        ),
        "agreement": (
            "How alike the selections of the folds are",
            lambda ax: AgreementDisplay.from_assessment(assessment, ax=ax),
        ),
        "references": (
            "Against simple alternatives on the same folds",
            lambda ax: ReferenceDisplay.from_assessment(assessment, ax=ax),
        ),
        "pareto": ("Error against number of features", lambda ax: ParetoDisplay.from_comparison(comparison, ax=ax)),
        "ranking": (
            "ReliefF with the cut that probes support",
            lambda ax: RankingDisplay.from_selector(ranking, list(X.columns), ax=ax),
        ),
    }
    lines = ["# Gallery", "", "Drawn by `make gallery` from the wine data with seven columns of noise beside it.", ""]
    for name, (title, draw) in pictures.items():
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        draw(figure.subplots())
        figure.savefig(HERE / f"{name}.png", dpi=110)
        lines += [f"## {title}", "", f"![{title}]({name}.png)", ""]
    values = ValuesDisplay.from_data(X, y.to_numpy(), chosen[:4], names=list(X.columns), target="cultivar")
    values.figure_.savefig(HERE / "values.png", dpi=110)
    lines += ["## Values of the chosen few by class", "", "![Values by class](values.png)", ""]
    (HERE / "README.md").write_text("\n".join(lines), encoding="utf8")


if __name__ == "__main__":
    main()
