"""Which rankings see which structure.

The sentences of docs/which-scores-see-what.md, and the page itself.
"""

import importlib.util
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "generate_structures.py"

if not PAGE.exists():
    pytest.skip("tests of the documentation need the repository", allow_module_level=True)


@pytest.fixture(scope="module")
def structures():
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("generate_structures", PAGE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def marks(structures, rankings, problems):
    return {(r, p): structures.seen(r, p, n_draws=5) for r in rankings for p in problems}


SINGLE = ["t-test", "auc", "kolmogorov-smirnov", "mutual-information", "chi-square", "modl"]
NEIGHBOURS = ["relieff", "multisurf", "simba"]


def test_every_single_score_sees_a_shift(structures):
    """Columns whose means differ are found by all scores of single columns, copies and trap
    included."""
    seen = marks(structures, SINGLE, ["shift", "sum", "copies", "anti", "trap"])
    assert set(seen.values()) == {structures.ALL}


def test_means_do_not_see_spread(structures):
    """A change of spread, or a class in the middle, escapes scores of means and ranks, not those of
    distributions."""
    seen = marks(structures, SINGLE, ["spread", "middle"])
    for (ranking, _), mark in seen.items():
        assert mark == (structures.NONE if ranking in ("t-test", "auc") else structures.ALL), (
            ranking
        )


def test_no_single_score_sees_an_interaction(structures):
    """What is independent of the target alone is not found.

    XOR, parity, the background of a signal.
    """
    assert set(marks(structures, SINGLE, ["xor", "parity"]).values()) == {structures.NONE}
    assert set(marks(structures, SINGLE, ["helper", "sureness"]).values()) == {structures.SOME}


@pytest.mark.parametrize("problem", ["xor", "parity", "helper", "spread", "middle"])
def test_neighbours_see_interactions(structures, problem):
    """Scores by neighbours find columns that tell only together."""
    assert set(marks(structures, NEIGHBOURS, [problem]).values()) == {structures.ALL}


def test_orders_mind_redundancy(structures):
    """Gram-Schmidt and JMI take one of two copies, and the background that cleans a signal; no
    order sees XOR."""
    orders = ["gram-schmidt", "jmi"]
    assert structures.ALL not in marks(structures, orders, ["copies"]).values()
    assert set(marks(structures, orders, ["helper", "anti", "trap"]).values()) == {structures.ALL}
    assert structures.ALL not in marks(structures, orders, ["xor", "parity"]).values()


@pytest.mark.slow
def test_the_page_is_what_the_script_writes(structures):
    """The committed page is up to date."""
    assert structures.PAGE.read_text(encoding="utf8") == structures.page()
