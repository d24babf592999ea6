"""Statistics of the columns of a table: moments, counts, entropies, ties and distances of rows."""

from subsel.data.statistics.class_counts import PresenceCounts
from subsel.data.statistics.class_moments import ClassMoments, class_moments
from subsel.data.statistics.co_moments import CoMoments, co_moments
from subsel.data.statistics.counts import joint_counts
from subsel.data.statistics.entropy import entropy
from subsel.data.statistics.joint_counts import JointCounts

__all__ = [
    "ClassMoments",
    "CoMoments",
    "JointCounts",
    "PresenceCounts",
    "class_moments",
    "co_moments",
    "entropy",
    "joint_counts",
]
