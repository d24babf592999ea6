"""Models by short names: one table."""

import pytest

from subsel.models.short_names import ESTIMATORS, estimator_of, quick_models


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize("n_rows", [50, 500, 5_000])
def test_quick_models_are_those_of_the_table(kind, n_rows):
    """Each quick model is what a short name gives, so that both say the same."""

    def does(key):
        role = "classifier" if kind == "classification" else "regressor"
        return getattr(ESTIMATORS[key], role) is not None

    made = {repr(estimator_of(key, kind)) for key in ("ridge", "nb", "lda", "knn") if does(key)}
    quick = {repr(model) for model in quick_models(kind, n_rows).values()}
    assert quick and quick <= made
