"""Earlier studies of mass spectra that the book compares with, each as a pipeline of parts that are here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier

from subsel.embedded.importance.importance import Importance
from subsel.literature.models.networks.self_organising_map import SelfOrganisingMap
from subsel.literature.spectra.peaks import PeakHeights
from subsel.ranking.selector import RankingSelector
from subsel.search.populations.genetic import Genetic
from subsel.selector.subset import SubsetSelector

__all__ = [
    "SPECTRA_STUDIES",
    "forest_ranked",
    "genetic_map",
    "pca_discriminant",
    "roc_peaks",
    "t_ranked",
]


def pca_discriminant(n_components: int | float | None = None) -> Pipeline:
    """Project spectra on their principal components and discriminate linearly [1]_.

    ``n_components`` is as of scikit-learn's ``PCA``; None keeps all. With about as many components as rows no row is left to
    estimate the spread within classes: keep fewer.

    References
    ----------
    .. [1] Lilien, Farid and Donald, "Probabilistic disease classification of expression-dependent proteomic data from mass
       spectrometry of human serum", *Journal of Computational Biology* 10, 2003; chapter 30 of Guyon et al. (eds.),
       *Feature Extraction*, 2006, cites 100 % on ovarian and 88 % on prostate spectra with three quarters to train on.

    Examples
    --------
    >>> [name for name, _ in pca_discriminant(5).steps]
    ['pca', 'lineardiscriminantanalysis']
    """
    return make_pipeline(PCA(n_components), LinearDiscriminantAnalysis())


def t_ranked(estimator: Any, n_features: int = 15) -> Pipeline:
    """Keep the columns of largest t statistic, 15 or 25 in the study, and train any classifier on them [1]_.

    References
    ----------
    .. [1] Wu et al., "Comparison of statistical methods for classification of ovarian cancer using mass spectrometry data",
       *Bioinformatics* 19, 2003; chapter 30 of Guyon et al. (eds.), *Feature Extraction*, 2006, cites about 85 % with
       machines, discriminants, neighbours and trees.

    Examples
    --------
    >>> t_ranked(LinearDiscriminantAnalysis(), 25)[0].cut
    25
    """
    return make_pipeline(RankingSelector("t-test", cut=n_features), estimator)


def forest_ranked(n_features: int = 15, n_trees: int = 500, random_state: Any = None) -> Pipeline:
    """Rank by the importances of a random forest and train another on the first columns [1]_.

    References
    ----------
    .. [1] Wu et al., "Comparison of statistical methods for classification of ovarian cancer using mass spectrometry data",
       *Bioinformatics* 19, 2003; chapter 30 of Guyon et al. (eds.), *Feature Extraction*, 2006, cites about 92 %.

    Examples
    --------
    >>> forest_ranked(25)[-1].n_estimators
    500
    """
    forest = RandomForestClassifier(n_trees, random_state=random_state)
    ranking = RankingSelector(Importance(forest), cut=n_features, random_state=random_state)
    return make_pipeline(ranking, RandomForestClassifier(n_trees, random_state=random_state))


def genetic_map(
    n_features: int | tuple[int, int] = (5, 20),
    shape: tuple[int, int] = (3, 3),
    population: int = 50,
    budget: Any = 1500,
    random_state: Any = None,
    **options: Any,
) -> Pipeline:
    """Search columns by a genetic algorithm whose fitness is a self-organising map, and keep the map [1]_.

    The studies used 5 to 20 bins and one held-out set; here cross-validation guides the search, and what it says of
    itself is no estimate of performance.

    Parameters
    ----------
    n_features : int or pair of int
        Bounds of the number of columns.
    shape : pair of int
        Of the map.
    population : int
        Strings of the genetic algorithm.
    budget : Any
        As of :class:`subsel.SubsetSelector`.
    random_state : int or None
        The seed.
    **options : Any
        Further parameters of :class:`subsel.SubsetSelector`.

    References
    ----------
    .. [1] Petricoin et al., "Use of proteomic patterns in serum to identify ovarian cancer", *The Lancet* 359, 2002; chapter
       30 of Guyon et al. (eds.), *Feature Extraction*, 2006, cites sensitivity 100 % and specificity 95 %.

    Examples
    --------
    >>> genetic_map(4)[0].search.population
    50
    """
    given = {"cv": 3, **options}
    seed = random_state
    if seed is None:
        seed = 0
    evaluator = SelfOrganisingMap(shape, random_state=seed)
    search = SubsetSelector(
        evaluator,
        Genetic(population),
        n_features=n_features,
        budget=budget,
        random_state=random_state,
        **given,
    )
    return make_pipeline(search, SelfOrganisingMap(shape, random_state=seed))


def roc_peaks(
    learner: Literal["tree", "boosted-trees", "boosted-stumps"] = "tree",
    n_peaks: int = 20,
    prominence: float = 0.01,
    random_state: Any = None,
) -> Pipeline:
    """Measure peaks, keep those of largest area under the ROC curve, and grow a tree, boosted trees or stumps [1]_ [2]_.

    Parameters
    ----------
    learner : {"tree", "boosted-trees", "boosted-stumps"}
        As above; boosted stumps choose columns as they go.
    n_peaks : int
        Peaks kept.
    prominence : float
        Of :class:`subsel.literature.spectra.PeakHeights`.
    random_state : int or None
        The seed of the trees.

    References
    ----------
    .. [1] Adam et al., "Serum protein fingerprinting coupled with a pattern-matching algorithm distinguishes prostate cancer
       from benign prostate hyperplasia and healthy men", *Cancer Research* 62, 2002 (a tree: 81 %, 97 %).
    .. [2] Qu et al., "Boosted decision tree analysis of SELDI mass spectral serum profiles", *Clinical Chemistry* 48, 2002
       (boosted trees 98.5 % and 97.9 %, stumps 91.1 % and 94.3 %, sensitivity and specificity).

    Examples
    --------
    >>> roc_peaks("boosted-stumps")[-1].estimator.max_depth
    1
    """
    grown: dict[str, Callable[[], Any]] = {
        "tree": lambda: DecisionTreeClassifier(min_samples_leaf=5, random_state=random_state),
        "boosted-trees": lambda: AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=3), random_state=random_state
        ),
        "boosted-stumps": lambda: AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=1), random_state=random_state
        ),
    }
    if learner not in grown:
        raise ValueError(f"learner must be one of {', '.join(grown)}, got {learner!r}.")
    return make_pipeline(
        PeakHeights(prominence), RankingSelector("auc", cut=n_peaks), grown[learner]()
    )


SPECTRA_STUDIES: dict[str, Callable[..., Pipeline]] = {
    "forest-ranked": forest_ranked,
    "genetic-map": genetic_map,
    "pca-discriminant": pca_discriminant,
    "roc-peaks": roc_peaks,
    "t-ranked": t_ranked,
}
"""The studies by name."""
