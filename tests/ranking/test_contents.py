"""The tables of contents are complete, in order, and light."""

import subprocess
import sys
from importlib import import_module

import pytest

import subsel.construct
import subsel.data
import subsel.ranking
from subsel.ranking import find_score
from subsel.ranking.registry import ORDERS, SCORES, find_order


def contents_order(name):
    """Constants, then classes, then functions, as ruff sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


@pytest.mark.parametrize("package", [subsel.ranking, subsel.data, subsel.construct])
def test_contents_are_sorted_and_there(package):
    """Every name is there, once, in order."""
    assert sorted(package.__all__, key=contents_order) == package.__all__
    assert len(set(package.__all__)) == len(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


OURS = {
    entry
    for entry in (*SCORES.values(), *ORDERS.values())
    if entry.function.__module__.startswith("subsel.ranking")
}


@pytest.mark.parametrize(
    "entry", sorted(OURS, key=lambda entry: entry.key), ids=lambda entry: entry.key
)
def test_every_ranking_is_exported_with_its_p_value(entry):
    """Each score, its p-value companion and each order can be imported from its package by its
    name."""
    for function in (entry.function, getattr(entry, "p_value", None)):
        if function is not None:
            room = import_module(".".join(function.__module__.split(".")[:2]))
            assert getattr(room, function.__name__) is function


def test_names_are_canonical():
    """Keys have hyphens; underscores are understood."""
    assert not [name for name in (*SCORES, *ORDERS) if "_" in name]
    assert find_score("mutual_information") is find_score("mutual-information")
    assert find_order("gram_schmidt") is find_order("gram-schmidt")
    assert not set(SCORES) & set(ORDERS)


def test_importing_does_not_compile():
    """Importing the rankings does not import numba."""
    code = "import sys, subsel.ranking, subsel.ranking.selector; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
