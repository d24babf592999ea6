"""Names that strategies had before keep working, and say what they are called now."""

import pytest

from subsel import search
from subsel.search import find_search


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({}, "sfs"),
        ({"direction": "backward"}, "sbs"),
        ({"g": 2}, "gsfs"),
        ({"g": 2, "direction": "backward"}, "gsbs"),
    ],
)
def test_sequential_gives_the_strategy_of_its_settings(options, key):
    """The former class gives what the key of the same settings gives, with a warning."""
    with pytest.warns(DeprecationWarning, match=f"is now {type(find_search(key)).__name__}"):
        assert search.Sequential(**options) == find_search(key)


@pytest.mark.parametrize(
    ("options", "key"),
    [({}, "sffs"), ({"direction": "backward"}, "sbfs"), ({"r_max": 3}, "asffs")],
)
def test_floating_gives_the_strategy_of_its_settings(options, key):
    """The former class gives what the key of the same settings gives, with a warning."""
    with pytest.warns(DeprecationWarning, match=f"is now {type(find_search(key)).__name__}"):
        assert search.Floating(**options) == find_search(key)


@pytest.mark.parametrize("former", [search.Sequential, search.Floating])
def test_a_wrong_direction_is_named(former):
    """There are two directions."""
    with pytest.raises(ValueError, match="direction must be 'forward' or 'backward', got 'up'"):
        former(direction="up")
