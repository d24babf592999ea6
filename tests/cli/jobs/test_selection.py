"""Jobs: the same from Python as from the command line, typed options in, values out, seconds shared by all searches."""

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from subsel.assessment.folds.splits import make_splits
from subsel.cli import (
    CompareOptions,
    RankOptions,
    SelectOptions,
    assess_job,
    compare_job,
    main,
    rank_job,
    select_job,
)
from subsel.data.files.read_table import read_table
from subsel.data.files.table import Table
from subsel.data.task import Task

NAMES = ["sl", "sw", "pl", "pw"]
QUICK = SelectOptions(search="sfs", estimator="nb", n_features=2, budget="100")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return Table(X, np.array(["se", "ve", "vi"])[y], NAMES, "kind")


def tall(n_rows):
    y = np.arange(n_rows) % 2
    return Table(np.column_stack([y, np.arange(n_rows) % 7.0]), y, ["a", "b"], "y")


def test_python_and_the_command_line_run_the_same_job(iris, tmp_path, capsys):
    """The document from Python is the printed one, but for where the table came from, what was typed and the time."""
    path = tmp_path / "iris.csv"
    lines = [",".join([*map(str, row), kind]) for row, kind in zip(iris.X.tolist(), iris.y)]
    path.write_text("\n".join([",".join([*NAMES, "kind"]), *lines]))
    typed = [
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--n-features",
        "2",
        "--budget",
        "100",
        "--no-assess",
        "--json",
    ]
    assert (
        main(["select", str(path), "--target", "kind", *typed, "--out", str(tmp_path / "out")]) == 0
    )
    printed = json.loads(capsys.readouterr().out)
    found = select_job(read_table(path, "kind"), replace(QUICK, assess=False), source=str(path))
    assert capsys.readouterr().out == "", "a job prints nothing"
    for document in (printed, found.document):
        document["settings"].pop("command")
        document["run"].pop("seconds")
    assert found.document == printed


def test_options_are_values():
    """Options compare by content and cannot be changed under a job that runs."""
    assert SelectOptions(search="sfs") == SelectOptions(search="sfs") != SelectOptions()
    with pytest.raises(FrozenInstanceError):
        SelectOptions().search = "sfs"


def test_rank_job_gives_a_table(tmp_path):
    """A ranking is told best first, and its title says how many were kept."""
    path = tmp_path / "t.csv"
    path.write_text(
        "\n".join(["a,b,y", *(f"{i % 3},{i % 2 + 0.01 * i},{'uv'[i % 2]}" for i in range(30))])
    )
    ranked = rank_job(path, RankOptions(target="y", cut=1))
    assert [row["feature"] for row in ranked.table.rows()] == ["b", "a"]
    assert ranked.title.startswith("anova-f, cut 1: kept 1 of 2")


@pytest.mark.parametrize("n_rows", [60, 2_000])
@pytest.mark.parametrize("n_methods", [1, 3])
def test_the_searches_of_a_comparison_share_its_seconds(monkeypatch, n_rows, n_methods):
    """Summed over methods and folds, the seconds handed out are those of the whole job but for its report."""
    handed = {}
    monkeypatch.setattr(
        "subsel.assessment.comparison.compare",
        lambda selectors, *_, **rest: handed.update(rest, pairs=selectors),
    )
    table = tall(n_rows)
    compare_job(
        table, CompareOptions(methods=("sfs:ridge", "sffs:knn", "sbs")[:n_methods], budget="6s")
    )
    n_folds = len(make_splits(handed["cv"], Task.of(table.X, table.y), 0))
    budgets = [pipeline[0].budget.seconds for _, pipeline in handed["pairs"]]
    assert len(budgets) == n_methods
    assert sum(budgets) * n_folds == pytest.approx(6.0 - 1.5)


@pytest.mark.parametrize("n_rows", [60, 2_000])
def test_the_folds_of_an_assessment_share_its_seconds(monkeypatch, n_rows):
    """Summed over the folds that are really made, the seconds handed out are those of the whole job but for its report."""
    handed = {}
    monkeypatch.setattr(
        "subsel.assessment.nested.assess",
        lambda selector, *_, **rest: handed.update(rest, selector=selector),
    )
    table = tall(n_rows)
    assess_job(table, SelectOptions(estimator="nb", budget="6s"))
    n_folds = len(make_splits(handed["cv"], Task.of(table.X, table.y), 0))
    assert handed["selector"].budget.seconds * n_folds == pytest.approx(6.0 - 1.5)


def test_evaluations_are_per_search(monkeypatch):
    """A budget of evaluations is each search's own."""
    handed = {}
    monkeypatch.setattr(
        "subsel.assessment.comparison.compare",
        lambda selectors, *_, **rest: handed.update(pairs=selectors),
    )
    compare_job(tall(60), CompareOptions(methods=("sfs:ridge", "sbs:ridge"), budget="100"))
    assert [pipeline[0].budget.evaluations for _, pipeline in handed["pairs"]] == [100, 100]
