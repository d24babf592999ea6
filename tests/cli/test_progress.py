"""Commands that a program watches, and the columns of a file: what the page is made of."""

import json

import numpy as np
import pytest

from subsel.cli import main
from subsel.cli.commands.columns import columns_job


def write(path, every: int):
    """A table in which every so manieth cell of one column is missing."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 5)).round(3)
    lines = ["a,b,c,d,e,day,town,kind"]
    for i, row in enumerate(X):
        gap = "" if i % every == every - 1 else row[4]
        lines.append(
            f"{','.join(map(str, row[:4]))},{gap},2024-03-{i % 28 + 1:02d},{'XYZ'[i % 3]},{'uv'[int(row[0] > 0)]}"
        )
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "table.csv", every=1_000)


def events(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_watched_command_tells_its_beginning_steps_and_end(table, tmp_path, capsys):
    """The file has every step, the screen nothing, the results are written as always."""
    steps, out = tmp_path / "steps", tmp_path / "out"
    search = ["--search", "sfs", "--estimator", "nb", "--n-features", "2", "--budget", "200"]
    assert (
        main(
            [
                "select",
                str(table),
                "--target",
                "kind",
                *search,
                "--out",
                str(out),
                "--progress",
                str(steps),
            ]
        )
        == 0
    )
    told = events(steps)
    assert told[0]["event"] == "begin" and told[0]["pid"] > 0
    assert told[-1] == {"event": "end", "code": 0, "error": None}
    folds = [line for line in told if line["event"] == "step"]
    for what in {line["what"] for line in folds}:
        of_it = [line for line in folds if line["what"] == what]
        assert [line["done"] for line in of_it] == list(range(1, of_it[0]["total"] + 1))
    assert capsys.readouterr() == ("", "")
    assert (out / "report.html").exists()


def test_a_race_tells_its_standings(table, tmp_path):
    """After each fold every contender that ran stands there once, best of the most folds first."""
    steps = tmp_path / "steps"
    common = ["--target", "kind", "--out", str(tmp_path / "out"), "--progress", str(steps)]
    assert main(["select", str(table), "--budget", "1s", *common]) == 0
    races = [line for line in events(steps) if line["event"] == "race"]
    assert [race["done"] for race in races] == list(range(1, len(races) + 1))
    names = [row["name"] for row in races[0]["standings"]]
    assert len(names) == len(set(names)) > 1
    assert all(race["standings"][0]["folds"] == race["done"] for race in races)


def test_a_watched_command_that_fails_says_so(table, tmp_path, capsys):
    """The words of the error are those of the screen."""
    steps = tmp_path / "steps"
    assert main(["select", str(table), "--target", "no", "--progress", str(steps)]) == 1
    end = events(steps)[-1]
    assert end["code"] is None and end["error"] in capsys.readouterr().err


def test_columns_of_a_file(tmp_path, capsys):
    """Name, kind, values and gaps of each column, counted by hand."""
    table = write(tmp_path / "gaps.csv", every=10)
    found = columns_job(table)
    told = {column["name"]: column for column in found["columns"]}
    assert list(told) == ["a", "b", "c", "d", "e", "day", "town", "kind"]
    assert found["rows"] == 60 and found["target"] == "kind" and not found["own_target"]
    assert told["e"] == {
        "name": "e",
        "kind": "numbers",
        "values": told["e"]["values"],
        "missing": 6,
    }
    assert told["day"]["kind"] == "dates" and told["town"] == {
        "name": "town",
        "kind": "text",
        "values": 3,
        "missing": 0,
    }
    assert told["kind"] == {"name": "kind", "kind": "text", "values": 2, "missing": 0}
    assert main(["columns", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    assert main(["columns", str(table)]) == 0
    assert "town" in capsys.readouterr().out


def test_columns_of_files_with_a_target_of_their_own(tmp_path):
    """An NPZ file says itself what is predicted."""
    np.savez(tmp_path / "own.npz", X=np.arange(12.0).reshape(4, 3), y=np.array([0, 1, 0, 1]))
    found = columns_job(tmp_path / "own.npz")
    assert found["own_target"] and found["rows"] == 4 and found["n_columns"] == 4
