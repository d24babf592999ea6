"""The package of docs/extending.md, run as it is printed, from outside.

Loaded by its entry points and by --plugin.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from sklearn.datasets import load_iris

import subsel

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"

if not PAGE.exists():
    pytest.skip("tests of the documentation need the repository", allow_module_level=True)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SOURCE = Path(subsel.__file__).resolve().parents[1]


def blocks(language):
    """The blocks of the page in one language."""
    return [
        body for found, body in BLOCK.findall(PAGE.read_text(encoding="utf8")) if found == language
    ]


def lay_out(folder):
    """Write the files of the page, and what an installer would make of pyproject.toml."""
    for body in [*blocks("python"), *blocks("toml")]:
        path = folder / body.splitlines()[0].removeprefix("# ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf8")
    (folder / "orchard" / "__init__.py").write_text('"""Selection in an orchard."""\n')
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    info = folder / "installed" / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = [
        (g, *pair) for g, points in project["entry-points"].items() for pair in points.items()
    ]
    (info / "entry_points.txt").write_text(
        "".join(f"[{g}]\n{name} = {value}\n" for g, name, value in groups)
    )


@pytest.fixture(scope="module")
def orchard(tmp_path_factory):
    """The package and a table of flowers."""
    folder = tmp_path_factory.mktemp("orchard")
    lay_out(folder)
    frame = load_iris(as_frame=True)
    flowers = frame.data.set_axis(
        ["sepal_length", "sepal_width", "petal_length", "petal_width"], axis=1
    )
    flowers.assign(species=frame.target_names[frame.target]).to_csv(
        folder / "flowers.csv", index=False
    )
    flowers.assign(virginica=frame.target == 2).to_csv(folder / "virginica.csv", index=False)
    return folder


def python(folder, *arguments, installed=True, **environment):
    """Run Python in the folder, with or without the package on the path."""
    path = [str(SOURCE), *([str(folder), str(folder / "installed")] if installed else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), **environment}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def commands(lines):
    """Code that runs command lines one after another and fails where one does."""
    typed = [shlex.split(line)[1:] for line in lines]
    return f"import sys; from subsel.cli import main; sys.exit(max(main(t) for t in {typed!r}))"


def test_the_package_passes_its_own_checks(orchard):
    """The four examples keep every promise, found through entry points, as the page's tests say."""
    out = python(orchard, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_orchard.py")
    assert "4 passed" in out


@pytest.fixture(scope="module")
def listed(orchard):
    """What `subsel methods` lists after the commands of the page have run."""
    lines = [f"{line} --quiet" for line in blocks("sh")[0].strip().splitlines()]
    return json.loads(python(orchard, "-c", commands([*lines, "subsel methods --json"])))


def test_the_names_work_on_the_command_line(orchard, listed):
    """The commands of the page select and rank by what the package adds, without naming it."""

    def selected(where):
        return set(json.loads((orchard / where / "selection.json").read_text())["selected"])

    assert selected("by-tabu") == {"petal_length", "petal_width"}
    assert len(selected("by-garrote")) == 2
    ranked = [
        line.split(",")[1] for line in (orchard / "by-gap" / "ranking.csv").read_text().splitlines()
    ]
    assert ranked == ["feature", "petal_length", "petal_width", "sepal_length", "sepal_width"]
    assert json.loads((orchard / "by-tabu" / "selection.json").read_text())["guide"] == "Silhouette"


def test_what_it_adds_is_listed_with_its_source(listed):
    """`subsel methods` names authors and years of search, criterion and score."""
    sources = {row["key"]: row["source"] for row in listed}
    assert "Glover 1989" in sources["tabu"]
    assert "Rousseeuw 1987" in sources["silhouette"]
    assert "Hampel 1974" in sources["robust-gap"]


def test_a_script_needs_no_package(orchard):
    """--plugin and SUBSEL_PLUGINS reach a module of the working directory.

    The record says how to get it again.
    """
    option, variable = blocks("sh")[1].strip().splitlines()
    python(orchard, "-P", "-c", commands([option]), installed=False)
    assert variable.startswith("SUBSEL_PLUGINS=my_search subsel ")
    command = variable[variable.index("subsel ") :]
    python(orchard, "-P", "-c", commands([command]), installed=False, SUBSEL_PLUGINS="my_search")
    by_plugin, by_variable = (
        json.loads((orchard / where / "selection.json").read_text())
        for where in ("by-plugin", "by-variable")
    )
    assert by_plugin["selected"] == by_variable["selected"]
    assert by_plugin["settings"]["command"].startswith(
        "subsel select flowers.csv --plugin my_search"
    )
