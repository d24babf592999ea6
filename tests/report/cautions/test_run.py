"""What a run says against itself, on the terminal and at the top of the report."""

import numpy as np
import pytest

from subsel.cli import main
from subsel.report.cautions.run import run_cautions

RACE = {"procedures": [{"folds": 5}], "folds_asked": 5, "price": None}


@pytest.mark.parametrize(
    ("selection", "titles"),
    [
        ({}, []),
        ({"run": {"stopped_by": "search", "evaluations": 3, "searched": 9}}, []),
        (
            {"run": {"stopped_by": "seconds", "evaluations": 90, "searched": 9}},
            ["note: The search was cut short"],
        ),
        (
            {
                "run": {
                    "stopped_by": "evaluations",
                    "evaluations": 3,
                    "searched": 9,
                    "starved": ["ridge"],
                }
            },
            [
                "serious: The budget ended before every column was tried",
                "serious: An evaluator was starved",
            ],
        ),
        ({"race": RACE}, []),
        ({"race": {**RACE, "procedures": [{"folds": 1}]}}, ["serious: Unfinished assessment"]),
        (
            {
                "race": {
                    **RACE,
                    "price": {
                        "difference": -0.1,
                        "interval": [-0.2, -0.05],
                        "against": "all features, ridge",
                    },
                }
            },
            ["serious: Something simpler does better"],
        ),
    ],
)
def test_a_run_that_ended_too_soon_says_so(selection, titles):
    """Each trouble has its caution, and no other."""
    assert [f"{c.level}: {c.title}" for c in run_cautions(selection)] == titles


def test_serious_cautions_stand_on_the_terminal_and_at_the_top_of_the_report(tmp_path, capsys):
    """A leak and a starved search: one line each on the screen, in full at the top of the page, and in the document."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 30))
    y = (X[:, 3] > 0).astype(int)
    X[:, 7] = y + 0.01 * X[:, 7]
    header = ",".join([f"x{j}" for j in range(30)] + ["y"])
    np.savetxt(
        tmp_path / "t.csv",
        np.column_stack([X, y]),
        delimiter=",",
        header=header,
        comments="",
        fmt="%.6g",
    )
    options = [
        "--target",
        "y",
        "--search",
        "sfs",
        "--estimator",
        "nb",
        "--budget",
        "4",
        "--no-assess",
    ]
    assert main(["select", str(tmp_path / "t.csv"), *options, "--out", str(tmp_path / "out")]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("caution: ")]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf8")
    top = page[: page.index('class="cards"')]
    for title in (
        "A feature alone predicts the target",
        "The budget ended before every column was tried",
    ):
        assert sum(title in line for line in lines) == 1
        assert title in top
