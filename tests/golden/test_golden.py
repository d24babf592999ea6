"""What the library answers, digit by digit, and says, word for word, on many small configurations.

Every id of `configurations` gives what `answers.json` and `texts.json` hold; to store what it gives now:
``python -m tests.golden --write answers|texts|both [-k SUBSTRING]`` from the root of the repository.
"""

import os
from functools import lru_cache

import pytest

from subsel import embedded
from subsel.criteria import CRITERIA
from subsel.data import intervals
from subsel.ranking.cuts.registry import CUTS
from subsel.ranking.registry import ORDERS, SCORES
from subsel.search import SEARCHES
from tests.golden.configurations import CONFIGURATIONS
from tests.golden.constructions import ABSTRACT, TRANSFORMERS
from tests.golden.embedded import ELSEWHERE
from tests.golden.record import ANSWERS, TEXTS, differences, load, record

DIGITS = int(os.environ.get("SUBSEL_GOLDEN_DIGITS", "8"))
STORED = load(ANSWERS), load(TEXTS)

pytestmark = pytest.mark.slow


@lru_cache(maxsize=1)  # both tests of an id follow one another
def recorded(key):
    return record(CONFIGURATIONS[key])


@pytest.mark.parametrize("key", CONFIGURATIONS)
class TestGolden:
    def test_answers(self, key):
        """Supports and counts are those stored, and qualities and scores to so many digits."""
        found = list(differences(STORED[0].get(key), recorded(key)[0], DIGITS))
        assert not found, "\n".join([key, *found[:20]])

    def test_texts(self, key):
        """Notes, warnings and screens are those stored."""
        found = list(differences(STORED[1].get(key), recorded(key)[1], DIGITS))
        assert not found, "\n".join([key, *found[:20]])


@pytest.mark.parametrize("stored", STORED, ids=["answers", "texts"])
def test_nothing_is_stored_of_what_is_no_more(stored):
    """Each stored record is that of a configuration."""
    assert stored.keys() == CONFIGURATIONS.keys()


def test_every_method_has_a_configuration():
    """Whatever a registry or a room offers is covered, or is listed with the reason why not."""
    keys = {name: {m.key for m in t.values()} for name, t in (("score", SCORES), ("order", ORDERS))}
    keys |= {"search": set(SEARCHES), "criterion": set(CRITERIA), "cut": set(CUTS)}
    keys |= {
        "embedded": set(embedded.__all__) - ELSEWHERE.keys(),
        "construct": set(TRANSFORMERS),
        "discretise": set(intervals.__all__) - ABSTRACT,
    }
    expected = {f"{topic}/{key}" for topic, names in keys.items() for key in names}
    assert expected <= CONFIGURATIONS.keys()
