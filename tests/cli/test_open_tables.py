"""Whatever `subsel methods` lists can be asked for, also what a module outside adds."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from subsel.cli import main
from subsel.cli.criterion_key import typed_criterion
from subsel.criteria import CRITERIA, CrossValidated, LeastSquares

PLUGIN = '''
"""Adds one of each kind."""

import numpy as np

from subsel.criteria import Evaluator, criterion
from subsel.estimators import add_estimator
from subsel.ranking import score
from subsel.search import search


class Names(Evaluator):
    def quality(self, columns):
        return float(sum(columns))


@criterion("largest-number")
class LargestNumber:
    """Prefers columns with large numbers.

    References
    ----------
    .. [1] Nobody, *Columns by number*, 1999.
    """

    def bind(self, task, seed=None):
        return Names()


@search("only-last")
class OnlyLast:
    """Asks for the last column alone."""

    def steps(self, space, rng, horizon=None):
        yield space.subset([space.n - 1]) if hasattr(space, "subset") else space.sample(rng)


@score("mean-value", multiclass=True)
def mean_value(X, y):
    """Score columns by their mean."""
    return np.asarray(X).mean(axis=0)


add_estimator("plugged-tree", classifier="sklearn.tree:DecisionTreeClassifier")
'''


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    columns = [3 * y + rng.integers(0, 2, 60), *(rng.integers(0, 3, 60) for _ in range(3))]
    rows = [",".join([*(str(c[i]) for c in columns), "uv"[y[i]]]) for i in range(60)]
    numeric = [",".join([*(str(c[i]) for c in columns), str(y[i] + 0.1 * columns[1][i])]) for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,d,y", *rows]))
    (tmp_path / "numeric.csv").write_text("\n".join(["a,b,c,d,y", *numeric]))
    return tmp_path / "t.csv"


def select(table, *options):
    fixed = ["--target", "y", "--search", "sfs", "--budget", "50", "--no-assess", "--json", "--out"]
    return main(["select", str(table), *fixed, str(table.parent / "out"), *options])


@pytest.mark.parametrize("key", sorted(CRITERIA))
def test_every_criterion_that_is_listed_can_guide(table, capsys, key):
    """The key that `subsel methods` prints selects columns; the document says what guided."""
    table = table.parent / "numeric.csv" if key == "kernel-ridge" else table
    estimator = ["--estimator", "tree"] if key == "cross-validated" else []
    assert select(table, "--criterion", key, "--n-features", "1:2", *estimator) == 0, capsys.readouterr().err
    document = json.loads(capsys.readouterr().out)
    assert document["settings"]["criterion"] == key
    assert document["judge"] == CRITERIA[key].__name__
    if key not in ("linkage-accuracy", "prototype-accuracy"):  # these are about persons and about rows
        assert "a" in document["selected"]


def test_a_criterion_takes_parameters():
    """Literals are numbers, texts are texts, commas inside brackets stay, and usual values yield to typed ones."""
    found = typed_criterion("least-squares:alpha=0.5,cv=4,solver=svd", "regression", cv=3, scoring="r2", memory=None)
    assert isinstance(found, LeastSquares)
    assert (found.alpha, found.cv, found.solver, found.scoring) == (0.5, 4, "svd", "r2")
    assert typed_criterion("discriminant:priors=(0.5, 0.5),kind=lda", "classification").priors == (0.5, 0.5)
    nested = typed_criterion("cross-validated:estimator=tree", "classification", cv=3)
    assert isinstance(nested, CrossValidated) and isinstance(nested.estimator, DecisionTreeClassifier)


BAD = {
    "least-sqares": "Did you mean least-squares",
    "least-squares:alpa=1": "has no parameter 'alpa'. Did you mean alpha",
    "least-squares:alpha": "typed KEY or KEY:parameter=value",
    "cross-validated": "needs its parameter 'estimator'",
    "cross-validated:estimator=tre": "no estimator named 'tre'",
}


@pytest.mark.parametrize(("typed", "message"), BAD.items())
def test_what_cannot_be_is_said(table, capsys, typed, message):
    """A wrong key or parameter exits with 1 and says what comes near."""
    assert select(table, "--criterion", typed) == 1
    assert message in capsys.readouterr().err


def test_a_criterion_guides_and_a_model_is_assessed(table, capsys):
    """With a criterion the estimator stands behind the selection: the assessment scores its predictions."""
    options = ["--target", "y", "--search", "sfs", "--budget", "50", "--json", "--n-features", "1"]
    guided = ["--criterion", "scatter", "--estimator", "nb", "--out", str(table.parent / "out")]
    assert main(["select", str(table), *options, *guided]) == 0, capsys.readouterr().err
    document = json.loads(capsys.readouterr().out)
    assert document["selected"] == ["a"]
    assert document["assessment"]["performance"] == 1.0
    assert "GaussianNB()" in (table.parent / "out" / "report.html").read_text()


def in_a_process(folder, *typed, **environment):
    return subprocess.run(
        [sys.executable, "-m", "subsel", *typed],
        cwd=folder, capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip


def test_a_plugin_adds_to_every_table(table):
    """A module beside the data, named by --plugin, is listed with its source and can be asked for, also in rankings."""
    (table.parent / "mine.py").write_text(textwrap.dedent(PLUGIN))
    listed = in_a_process(table.parent, "methods", "--plugin", "mine", "--json")
    rows = {row["key"]: row for row in json.loads(listed.stdout)}
    assert {"largest-number", "only-last", "mean-value"} <= set(rows)
    assert rows["largest-number"]["source"] == "Nobody 1999"
    typed = ["select", "t.csv", "--target", "y", "--no-assess", "--quiet", "--budget", "50", "--n-features", "1"]
    typed += ["--criterion", "largest-number", "--search", "sfs", "--journal", "runs", "--out", "out"]
    refused = in_a_process(table.parent, *typed)
    assert refused.returncode == 1 and "no criterion named 'largest-number'" in refused.stderr
    done = in_a_process(table.parent, "--plugin", "mine", *typed)
    assert done.returncode == 0, done.stderr
    selection = json.loads((table.parent / "out" / "selection.json").read_text())
    assert selection["selected"] == ["d"]
    assert "--plugin mine" in selection["settings"]["command"]
    resumed = in_a_process(table.parent, "resume", "runs", "--quiet")
    assert resumed.returncode == 0, resumed.stderr


def test_plugins_of_the_environment(table):
    """SUBSEL_PLUGINS names modules too; one that cannot be imported is an error of one line."""
    (table.parent / "mine.py").write_text(textwrap.dedent(PLUGIN))
    path = {"PYTHONPATH": f"{table.parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = in_a_process(table.parent, "rank", "t.csv", "--target", "y", "--score", "mean-value", "--cut", "1", "--json",
                        SUBSEL_PLUGINS="mine", **path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["score"] == "mean-value"
    failed = in_a_process(table.parent, "methods", SUBSEL_PLUGINS="not_there")
    assert failed.returncode == 1
    assert failed.stderr.startswith("subsel: error: the plugin 'not_there' cannot be imported")
