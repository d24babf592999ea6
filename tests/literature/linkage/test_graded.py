"""Linkage by agglomeration against all pairs of records, and against unit errors where weights are one."""

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from subsel.data.task import Task
from subsel.literature.linkage import GradedLinkage, LinkageAccuracy
from subsel.literature.linkage.graded import PRICES, graded_distances
from subsel.literature.linkage.near_values import sound
from subsel.literature.linkage.persons import persons
from tests.literature.linkage.test_accuracy import by_hand, edits, full_name

pytest.importorskip("rapidfuzz")
UNITS = dict.fromkeys(PRICES, 1.0)


def together(clusters):
    return {(i, j) for i, j in combinations(range(len(clusters)), 2) if clusters[i] == clusters[j]}


def priced(a, b, prices):
    """The distance of two values, by its definition."""
    if a == b:
        return 0.0
    short, long = sorted((a, b), key=len)
    ways = [prices["edit"] * edits(a, b)]
    if sound(a) and sound(a) == sound(b):
        ways.append(prices["sound"])
    if full_name(a) and full_name(a) == full_name(b):
        ways.append(prices["nickname"])
    if (
        len(short) < len(long)
        and long.startswith(short)
        and len(short) >= max(3, (len(long) + 1) // 2)
    ):
        ways.append(prices["cut"])
    if not short:
        ways.append(prices["missing"])
    return min(ways)


def test_distances_of_values_by_definition():
    """The cheapest of edits, sounds, nicknames, cuts and gaps."""
    words = [
        "philip",
        "filip",
        "phil",
        "robert",
        "bob",
        "rbert",
        "anna",
        "ana",
        "",
        "ashford",
        "asford",
    ]
    wanted = [[priced(a, b, PRICES) for b in words] for a in words]
    np.testing.assert_allclose(graded_distances(words), wanted)


@pytest.mark.parametrize("columns", [[0], [0, 1], [0, 1, 2], [1, 4], [0, 1, 2, 3, 4]])
def test_equal_weights_and_single_linkage_are_unit_errors(columns):
    """Where every error weighs one and clusters join by their nearest records, it is the criterion of unit errors."""
    made = persons(150, random_state=0)
    for records, truth in (by_hand(), (made.records, made.person)):
        task = Task.of(records, truth, "classification")
        plain, graded = (
            LinkageAccuracy().bind(task),
            GradedLinkage(linkage="single", prices=UNITS).bind(task),
        )
        assert together(graded.clusters(np.array(columns))) == together(
            plain.clusters(np.array(columns))
        )
        assert graded.quality(np.array(columns)) == plain.quality(np.array(columns))


@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_clusters_are_those_of_all_pairs(method):
    """Agglomeration of all records at once, names exchanged where that is nearer, gives the same clusters."""
    records, truth = by_hand()
    columns = [0, 1, 2]
    rows = records.iloc[:, columns].to_numpy()
    n = len(rows)
    apart = np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        direct = [priced(a, b, PRICES) for a, b in zip(rows[i], rows[j])]
        swapped = priced(rows[i][0], rows[j][1], PRICES) + priced(rows[i][1], rows[j][0], PRICES)
        apart[i, j] = apart[j, i] = direct[2] + min(direct[0] + direct[1], swapped + PRICES["swap"])
    wanted = fcluster(linkage(squareform(apart), method), 1.0 + 1e-9, "distance")
    found = (
        GradedLinkage(linkage=method)
        .bind(Task.of(records, truth, "classification"))
        .clusters(np.array(columns))
    )
    if method == "single":
        assert together(found) == together(wanted)
    groups = [np.flatnonzero(found == c) for c in np.unique(found)]
    far = {"single": np.min, "complete": np.max, "average": np.mean}[method]
    assert all(far(apart[np.ix_(a, b)]) > 1.0 for a, b in combinations(groups, 2)), (
        "two clusters are still near"
    )
    if method == "complete":
        assert all(apart[np.ix_(g, g)].max() <= 1.0 + 1e-9 for g in groups)


def test_weights_decide_who_is_one_person():
    """A sound-alike counts as the same under the default weights, an edit in a short name does not under dear ones."""
    records, truth = by_hand()
    task = Task.of(records, truth, "classification")
    names = np.array([0, 1])
    assert (
        GradedLinkage().bind(task).quality(names)
        > GradedLinkage(prices={"edit": 5.0}).bind(task).quality(names) - 1
    )
    assert together(GradedLinkage(threshold=0.0).bind(task).clusters(names)) <= together(
        GradedLinkage().bind(task).clusters(names)
    )
    with pytest.raises(ValueError, match="prices must be of"):
        GradedLinkage(prices={"ink": 1.0}).bind(task)
