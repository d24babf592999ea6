"""The table of strategies is open to others, and a name belongs to who took it first."""

import pytest

from subsel.search.registry import SEARCHES, find_search, search


def strategy(name, module):
    """A class of that name which says it comes from that module."""
    return type(
        name, (), {"__module__": module, "steps": lambda self, space, rng, horizon=None: iter(())}
    )


def test_a_stranger_cannot_take_the_key_of_another():
    """Registering under a key that is taken is an error that names its owner, and the owner
    stays.
    """
    before = SEARCHES["sfs"]
    with pytest.raises(
        ValueError,
        match=r"search 'sfs' belongs to subsel\.search\.sequential\.sequential:\w+; elsewhere:Mine",
    ):
        search("sfs")(strategy("Mine", "elsewhere"))
    assert SEARCHES["sfs"] is before


def test_the_same_class_again_replaces_its_entry(monkeypatch):
    """A cell of a notebook that defines a strategy can be run twice.

    The second definition is the one found.
    """
    first, second = strategy("Cell", "notebook"), strategy("Cell", "notebook")
    monkeypatch.setattr(SEARCHES, "_entries", dict(SEARCHES._entries))
    monkeypatch.setattr(SEARCHES, "_homes", dict(SEARCHES._homes))
    search("cell-of-a-notebook")(first)
    assert type(find_search("cell-of-a-notebook")) is first
    search("cell-of-a-notebook")(second)
    assert type(find_search("cell_of_a_notebook")) is second


def test_a_mistyped_key_is_answered_with_those_near():
    """The error names near keys; something that is neither key nor strategy is a TypeError."""
    with pytest.raises(ValueError, match=r"there is no search named 'sffss'. Did you mean .*sffs"):
        find_search("sffss")
    with pytest.raises(TypeError, match="search must be a key or an object with steps"):
        find_search(3)
