"""A model of a table with text, dates and gaps predicts the same from its file and from a new file."""

import numpy as np
import pytest

from subsel.cli import SelectOptions, main, select_job
from subsel.cli.commands.predict import new_rows, read_columns
from subsel.cli.files import write_model
from subsel.data.files.read_table import read_table
from subsel.result.model_file import fitted_model, load_model

pytest.importorskip("skops")
pd = pytest.importorskip("pandas")


def mixed(path, n=90, seed=0):
    """City and age decide; a date, a yes/no, gaps and noise stand beside."""
    rng = np.random.default_rng(seed)
    city, age = rng.choice(["Ulm", "Bonn", "Kiel"], n), rng.integers(20, 80, n).astype(float)
    state = np.where((age > 50) ^ (city == "Ulm"), "ill", "well")
    age[rng.random(n) < 0.1] = np.nan
    seen = pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d")
    table = {
        "city": city,
        "age": age,
        "seen": seen,
        "smoker": rng.choice(["yes", "no"], n),
        "a": rng.normal(size=n),
    }
    pd.DataFrame(table | {"state": state}).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "options",
    [
        SelectOptions(budget="3s", prefer="accuracy"),
        SelectOptions(search="sfs", estimator="nb", budget="100"),
    ],
    ids=["race", "search"],
)
def test_the_saved_model_reads_the_file_as_the_selection_did(tmp_path, options):
    """Whatever was selected: predictions of the rows as they stand in a file equal those in memory."""
    path = mixed(tmp_path / "mixed.csv")
    table = read_table(path, "state")
    found = select_job(table, options, source=str(path))
    assert write_model(tmp_path, found, table) == ["model.skops"]
    saved = load_model(tmp_path / "model.skops")
    assert set(saved.needed) <= {"city", "age", "seen", "smoker", "a"}
    behind = None if found.procedure is None else found.procedure[-1]
    X = table.as_in_file()
    expected = fitted_model(found.selector, behind, X, table.y).predict(X)
    np.testing.assert_array_equal(
        saved.model.predict(new_rows(saved, read_columns(path), path)), expected
    )


def test_new_rows_with_words_and_gaps_never_seen(tmp_path, capsys):
    """Another city, missing cells, columns in another order: predicted all the same."""
    path = mixed(tmp_path / "mixed.csv")
    out = tmp_path / "out"
    assert (
        main(
            [
                "select",
                str(path),
                "--target",
                "state",
                "--budget",
                "3s",
                "--out",
                str(out),
                "--quiet",
            ]
        )
        == 0
    )
    new = pd.read_csv(path).drop(columns="state").iloc[:6, ::-1]
    new.loc[0, "city"], new.loc[1, "age"], new.loc[2, "city"] = "Rom", np.nan, None
    new.to_csv(tmp_path / "new.csv", index=False)
    capsys.readouterr()
    assert main(["predict", str(out / "model.skops"), str(tmp_path / "new.csv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7 and all(line.split(",")[1] in ("ill", "well") for line in lines[1:])
