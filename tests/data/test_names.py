"""Names that are made when asked for behave as the tuple of all of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from subsel.data.names import NumberedNames
from subsel.data.task import Task

places = st.one_of(st.none(), st.integers(-30, 30))


@given(n=st.integers(0, 25), start=places, stop=places, step=places.filter(lambda s: s != 0))
def test_they_are_the_tuple(n, start, stop, step):
    """Length, items, slices, equality, hash, membership and positions are those of the tuple."""
    names, plain = NumberedNames(n), tuple(f"x{j}" for j in range(n))
    part = slice(start, stop, step)
    for ours, theirs in (
        (names, plain),
        (names[part], plain[part]),
        (names[part][::-2], plain[part][::-2]),
    ):
        assert (
            len(ours) == len(theirs) and list(ours) == list(theirs) and bool(ours) == bool(theirs)
        )
        assert ours == theirs and theirs == ours and hash(ours) == hash(theirs)
        assert [ours[j] for j in range(-len(ours), len(ours))] == [
            theirs[j] for j in range(-len(ours), len(ours))
        ]
        assert [name in ours for name in plain] == [name in theirs for name in plain]
        assert [ours.index(name) for name in theirs] == [theirs.index(name) for name in theirs]
        with pytest.raises(IndexError):
            ours[len(ours)]
        assert list(pickle.loads(pickle.dumps(ours))) == list(theirs)
        assert list(reversed(ours)) == list(reversed(theirs))


@pytest.mark.parametrize("other", [("x0",), ("x0", "x2"), "x0x1", 7, NumberedNames(3)])
def test_other_names_are_others(other):
    """Fewer, more or different names are not equal, nor is a text."""
    assert NumberedNames(2) != other


def test_a_task_without_names_has_them():
    """A task of an array is named by numbers, and one given such names keeps them.

    A wrong number is refused.
    """
    X, y = np.zeros((4, 3)), [0, 1, 0, 1]
    assert Task.of(X, y).names == ("x0", "x1", "x2")
    assert isinstance(Task.of(X, y, names=NumberedNames(3)).names, NumberedNames)
    with pytest.raises(
        ValueError, match="names must hold one name for each of the 3 columns, got 2"
    ):
        Task.of(X, y, names=NumberedNames(2))
