"""What every exported transformer keeps: scikit-learn's rules, frames and names."""

import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel import construct
from subsel.data import intervals
from subsel.literature import embedding, information, sequences, spectra

EXPORTED = [
    exported
    for package in (construct, intervals, embedding, information, sequences, spectra)
    for name in package.__all__
    if hasattr(exported := getattr(package, name), "transform")
]
HAVE_THEIR_OWN = (
    intervals.Discretiser,
    sequences.MotifCounts,
    sequences.PSSMScores,
    construct.SearchedMonomials,
)
QUICK = {
    construct.HiddenUnits: {"max_iter": 20},
    construct.LatentFeaturesCV: {"max_components": 3, "cv": 3},
}
TRANSFORMERS = [
    found().set_params(**QUICK.get(found, {}))
    for found in EXPORTED
    if not issubclass(found, HAVE_THEIR_OWN)
]


@parametrize_with_checks(TRANSFORMERS)
def test_transformers_keep_scikit_learns_rules(estimator, check):
    """Every exported transformer passes scikit-learn's checks of estimators.

    Exporting a class enrols it.
    """
    check(estimator)


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda t: type(t).__name__)
def test_frames_come_back_as_frames_with_names(transformer):
    """With pandas output, rows keep their index; column names are distinct.

    The names are those of get_feature_names_out.
    """
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X.iloc[40:110].set_axis(range(500, 570)), (y.iloc[40:110] > 0).astype(int)
    fitted = clone(transformer).set_output(transform="pandas").fit(X, y)
    found = fitted.transform(X.iloc[:20])
    assert isinstance(found, pd.DataFrame) and list(found.index) == list(range(500, 520))
    assert list(found.columns) == list(fitted.get_feature_names_out()) and found.columns.is_unique
    assert list(fitted.feature_names_in_) == list(X.columns)
