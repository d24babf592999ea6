"""All configurations by their ids."""

from tests.golden import (
    assessments,
    commands,
    constructions,
    criteria,
    embedded,
    rankings,
    searches,
)
from tests.golden.record import Configuration

TOPICS = (searches, criteria, rankings, embedded, constructions, assessments, commands)

CONFIGURATIONS: dict[str, Configuration] = {}
for topic in TOPICS:
    assert not CONFIGURATIONS.keys() & topic.CONFIGURATIONS.keys()
    CONFIGURATIONS.update(topic.CONFIGURATIONS)
