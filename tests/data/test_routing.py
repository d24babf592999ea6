"""Weights and groups reach the parts of a model that take them, under their names."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel.data.routing import fit_arguments, takes_weights, weight_arguments

WEIGHT, GROUPS = np.array([1.0, 2.0]), np.array([0, 1])
ROWS = {"sample_weight": WEIGHT, "groups": GROUPS}


def test_every_step_that_takes_them():
    """Of a pipeline each step gets what its fit names.

    Passthrough and missing values get nothing.
    """
    pipeline = Pipeline([("scale", StandardScaler()), ("none", "passthrough"), ("model", Ridge())])
    assert sorted(fit_arguments(pipeline, ROWS)) == ["model__sample_weight", "scale__sample_weight"]
    assert fit_arguments(pipeline, {"sample_weight": None}) == {}


def test_groups_stop_at_a_search():
    """A grid search splits by the groups itself and passes the weights on."""
    assert sorted(fit_arguments(GridSearchCV(Ridge(), {}), ROWS)) == ["groups", "sample_weight"]


def test_the_last_step_alone():
    """What prepares the columns stays unweighted.

    A model without weights gets none, and says so.
    """
    found = weight_arguments(make_pipeline(StandardScaler(), Ridge()), WEIGHT)
    assert list(found) == ["ridge__sample_weight"] and found["ridge__sample_weight"] is WEIGHT
    assert weight_arguments(Ridge(), None) == {}
    assert takes_weights(make_pipeline(StandardScaler(), Ridge()))
    assert not takes_weights(make_pipeline(StandardScaler(), KNeighborsRegressor()))
