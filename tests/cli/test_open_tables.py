"""Whatever `subsel methods` lists can be asked for, also what a module outside adds."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from subsel.cli import main
from subsel.cli.commands.plugins import load_named_plugins
from subsel.cli.jobs.criterion_key import typed_criterion
from subsel.criteria import CRITERIA, CrossValidated, LeastSquares

PLUGIN = '''
"""Adds one of each kind."""

import numpy as np

from subsel.criteria import Evaluator, criterion
from subsel.models.short_names import add_estimator
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


@search("random-point")
class RandomPoint:
    """Asks for one subset."""

    def steps(self, space, rng, horizon=None):
        yield space.sample(rng)


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
    numeric = [
        ",".join([*(str(c[i]) for c in columns), str(y[i] + 0.1 * columns[1][i])])
        for i in range(60)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,d,y", *rows]))
    (tmp_path / "numeric.csv").write_text("\n".join(["a,b,c,d,y", *numeric]))
    return tmp_path / "t.csv"


def select(table, *options):
    fixed = ["--target", "y", "--search", "sfs", "--budget", "50", "--no-assess", "--json", "--out"]
    return main(["select", str(table), *fixed, str(table.parent / "out"), *options])


@pytest.mark.parametrize("key", sorted(CRITERIA))
def test_every_criterion_that_is_listed_can_guide(table, capsys, key):
    """The key that `subsel methods` prints selects columns; the document says what guided."""
    table = table.parent / "numeric.csv" if key in ("kernel-ridge", "icomp") else table
    estimator = ["--estimator", "tree"] if key in ("cross-validated", "fresh-split-score") else []
    assert select(table, "--criterion", key, "--n-features", "1:2", *estimator) == 0, (
        capsys.readouterr().err
    )
    document = json.loads(capsys.readouterr().out)
    assert document["settings"]["criterion"] == key
    assert document["guide"] == CRITERIA[key].__name__
    if key not in (
        "graded-linkage",
        "linkage-accuracy",
        "prototype-accuracy",
    ):  # these are about persons and about rows
        assert "a" in document["selected"]


def test_a_criterion_takes_parameters():
    """Literals are numbers, texts are texts, commas inside brackets stay, and usual values yield to typed ones."""
    found = typed_criterion(
        "least-squares:alpha=0.5,cv=4,solver=svd", "regression", cv=3, scoring="r2", memory=None
    )
    assert isinstance(found, LeastSquares)
    assert (found.alpha, found.cv, found.solver, found.scoring) == (0.5, 4, "svd", "r2")
    assert typed_criterion("discriminant:priors=(0.5, 0.5),kind=lda", "classification").priors == (
        0.5,
        0.5,
    )
    nested = typed_criterion("cross-validated:estimator=tree", "classification", cv=3)
    assert isinstance(nested, CrossValidated) and isinstance(
        nested.estimator, DecisionTreeClassifier
    )


BAD = {
    "least-sqares": "Did you mean least-squares",
    "least-squares:alpa=1": "has no parameter 'alpa'. Did you mean alpha",
    "least-squares:alpha": "typed KEY or KEY:parameter=value",
    "cross-validated": "needs its parameter 'estimator'",
    "cross-validated:estimator=tre": "no estimator named 'tre'",
}


@pytest.mark.parametrize(("typed", "message"), BAD.items())
def test_what_cannot_be_is_said(table, capsys, typed, message):
    """A wrong key or parameter exits with 2 and says what comes near."""
    assert select(table, "--criterion", typed) == 2
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


def in_a_process(folder, *commands, **environment):
    """Run command lines one after another in a process of their own."""
    code = f"import sys; from subsel.cli import main; sys.exit(max(main(typed) for typed in {list(commands)!r}))"
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment
    )


def test_a_plugin_adds_to_every_table(table, capsys):
    """A module named by --plugin is listed with its source and can be asked for; a resumed job loads it again."""
    (table.parent / "mine.py").write_text(PLUGIN)
    fixed = [
        "--target",
        "y",
        "--no-assess",
        "--quiet",
        "--budget",
        "50",
        "--n-features",
        "1",
        "--journal",
        "runs",
    ]
    typed = [
        "select",
        "t.csv",
        *fixed,
        "--criterion",
        "largest-number",
        "--search",
        "sfs",
        "--out",
        "out",
    ]
    done = in_a_process(table.parent, ["--plugin", "mine", *typed], ["methods", "--json"])
    assert done.returncode == 0, done.stderr
    rows = {row["key"]: row for row in json.loads(done.stdout)}
    assert {"largest-number", "random-point", "mean-value"} <= set(rows)
    assert rows["largest-number"]["source"] == "Nobody 1999"
    selection = json.loads((table.parent / "out" / "selection.json").read_text())
    assert selection["selected"] == ["d"]
    assert selection["settings"]["command"].startswith("subsel --plugin mine select t.csv")
    resumed = in_a_process(table.parent, ["resume", "runs", "--quiet", "--out", "again"])
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads((table.parent / "again" / "selection.json").read_text())["selected"] == ["d"]
    assert select(table, "--criterion", "largest-number") == 2, "in this process nobody loaded it"
    assert "no criterion named 'largest-number'" in capsys.readouterr().err


def test_plugins_of_the_environment(table):
    """SUBSEL_PLUGINS names modules too, and rankings reach what they add."""
    (table.parent / "mine.py").write_text(PLUGIN)
    typed = ["rank", "t.csv", "--target", "y", "--score", "mean-value", "--cut", "1", "--json"]
    done = in_a_process(table.parent, typed, SUBSEL_PLUGINS="mine")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["score"] == "mean-value"


def test_a_plugin_that_is_not_there_is_named(capsys, monkeypatch):
    """It is an error of one line, from the option and from the environment."""
    assert main(["--plugin", "not_there", "methods"]) == 1
    assert capsys.readouterr().err.startswith(
        "subsel: error: the plugin 'not_there' cannot be imported"
    )
    monkeypatch.setenv("SUBSEL_PLUGINS", "nor_there")
    assert main(["methods"]) == 1
    assert capsys.readouterr().err.startswith(
        "subsel: error: the plugin 'nor_there' cannot be imported"
    )


def test_a_plugin_may_lie_beside_the_data(tmp_path, monkeypatch):
    """A module of the working directory is found, and the option is taken off what other parsers read."""
    (tmp_path / "beside_the_data.py").write_text("LOADED = True\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    assert load_named_plugins(["select", "--plugin", "beside_the_data", "x.csv"]) == [
        "select",
        "x.csv",
    ]
    assert sys.modules.pop("beside_the_data").LOADED
