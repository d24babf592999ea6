"""Our own, without a limit on features."""

from __future__ import annotations

from typing import Any

from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from subsel.construct.inputs.normalisation import StabilisedScaler
from subsel.literature.challenge.entries.ours.subsel_few import (
    SubselRecipes,
    predicted,
    spectra,
    words,
)
from subsel.literature.challenge.entry import enter
from subsel.literature.models.committees.output_committee import OutputCommittee
from subsel.models.planes.least_squares_classifier import LeastSquaresClassifier

__all__ = ["SubselAll"]


@enter("subsel-all")
class SubselAll(SubselRecipes):
    """As many features as help.

    ARCENE: the models of few features on all columns that others predict, and a Gaussian machine on all. DEXTER: machines
    on all words weighted by rarity, beside one and naive Bayes on a thousand. DOROTHEA and MADELON: the same, as by
    folds of training rows more columns did not help.

    Examples
    --------
    >>> SubselAll().title
    'subsel, any features'
    """

    title = "subsel, any features"

    def arcene(self, p: int) -> Any:  # noqa: ARG002
        """Machines on all real columns, and one on all columns, standardised."""
        everything = make_pipeline(StabilisedScaler(), LeastSquaresClassifier(0.01, kernel="rbf"))
        return OutputCommittee(
            [("real", make_pipeline(predicted(), spectra())), ("all", everything)]
        )

    def dexter(self, p: int) -> Any:
        """Two machines on all words, one machine and naive Bayes on a thousand."""

        def rare(sublinear: bool) -> Any:
            terms = TfidfTransformer(sublinear_tf=sublinear)
            return make_pipeline(VarianceThreshold(), terms, LinearSVC())

        return OutputCommittee(
            [
                ("logarithms", rare(True)),
                ("counts", rare(False)),
                ("machine", words(min(1000, p), LinearSVC())),
                ("bayes", words(min(1000, p), MultinomialNB(alpha=0.1))),
            ]
        )
