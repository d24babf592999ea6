"""The lines of Python in the report are the procedure that was assessed, and give the model that was saved."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from subsel.cli import SelectOptions, select_job
from subsel.cli.files import write_model
from subsel.datasets.table import Table
from subsel.model_file import load_model
from subsel.report.material import Material
from subsel.report.method import model_code, procedure_code


@pytest.mark.parametrize("estimator", ["nb", None])
def test_the_code_of_a_search_gives_the_saved_model(tmp_path, estimator):
    """Run as printed it selects and predicts as the model file does, whether a model was named or several were tried."""
    X, y = load_wine(return_X_y=True)
    path = tmp_path / "wine.csv"
    np.savetxt(path, np.column_stack((X, y)), delimiter=",", header=",".join([*"abcdefghijklm", "y"]), comments="")
    table = Table(X, y.astype(float), list("abcdefghijklm"), "y")
    options = SelectOptions(search="sfs", estimator=estimator, n_features=(1, 3), budget="60", assess=False)
    found = select_job(table, options, source=str(path))
    code = procedure_code(
        Material(found.document, found.selector.result_, names=table.names, procedure=found.procedure)
    )
    scope: dict = {}
    exec(code, scope)
    write_model(tmp_path, found, table)
    saved = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(scope["model"].predict(X), saved.model.predict(table.frame()))
    np.testing.assert_array_equal(scope["model"][0].get_support(), found.selector.get_support())
    assert list(saved.needed) == found.document["selected"]


def test_the_code_of_a_race_gives_the_winner(tmp_path, monkeypatch):
    """The race runs again with the same settings and takes the same procedure, where no time runs out."""
    monkeypatch.setattr("subsel.auto.RACING", 1e6)
    X, y = load_wine(return_X_y=True)
    path = tmp_path / "wine.csv"
    np.savetxt(path, np.column_stack((X, y)), delimiter=",", header=",".join([*"abcdefghijklm", "y"]), comments="")
    table = Table(X, y.astype(float), list("abcdefghijklm"), "y")
    found = select_job(table, SelectOptions(budget="1s", prefer="few"), source=str(path))
    scope: dict = {}
    exec(model_code(Material(found.document, found.selector.result_, names=table.names)), scope)
    assert scope["model"].taken_ == found.selector.taken_
    np.testing.assert_array_equal(scope["model"].predict(X), found.selector.predict(table.frame()))
