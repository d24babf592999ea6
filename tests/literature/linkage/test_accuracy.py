"""Record linkage: near spellings, clusters, accuracy, the recipe mo-DI."""

from itertools import combinations
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from subsel.data.task import Task
from subsel.literature.linkage.accuracy import LinkageAccuracy, LinkageReport, linkage_report
from subsel.literature.linkage.mo_di import mo_di
from subsel.literature.linkage.near_values import NICKNAMES, near_values, sound
from subsel.literature.linkage.persons import ATTRIBUTES, load_febrl, persons
from tests.real_tables import real_table

pd = pytest.importorskip("pandas")
pytest.importorskip("rapidfuzz")

# Four persons: an original each, and one record for each kind of error.
BY_HAND = [
    ("robert", "ashford", "19500203", "m", "06269", 0),
    ("bob", "ashford", "19500203", "m", "06269", 0),  # nickname
    ("ashford", "robert", "19500203", "m", "06269", 0),  # swapped
    ("catherine", "millworth", "19770811", "f", "06104", 1),
    ("kathryn", "millworth", "19770811", "f", "06104", 1),  # sound-alike
    ("catherine", "millw", "19770811", "f", "06104", 1),  # truncation
    ("susan", "oakley", "19991231", "f", "06103", 2),
    ("susan", "oakely", "19991231", "f", "06103", 2),  # typing: exchanged letters
    ("susan", "oakley", "1999131", "f", "06103", 2),  # typing: a dropped digit
    ("susan", "oakley", "19991231", "", "06103", 2),  # missing
    ("susan", "elmley", "19650407", "f", "06103", 3),  # someone else of the same name
    ("susan", "elmley", "19650407", "m", "06103", 3),  # typing: the other sex
]


def by_hand():
    return pd.DataFrame([row[:5] for row in BY_HAND], columns=list(ATTRIBUTES)), np.array(
        [row[5] for row in BY_HAND]
    )


def bound(records, truth, **options):
    return LinkageAccuracy(**options).bind(Task.of(records, truth, "classification"))


# Oracle: the number of errors by dynamic programming, all pairs of records, components by flooding -----------------


def edits(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    d[:, 0], d[0] = range(len(a) + 1), range(len(b) + 1)
    for i, j in np.ndindex(len(a), len(b)):
        d[i + 1, j + 1] = min(d[i, j + 1] + 1, d[i + 1, j] + 1, d[i, j] + (a[i] != b[j]))
        if i and j and a[i] == b[j - 1] and a[i - 1] == b[j]:
            d[i + 1, j + 1] = min(d[i + 1, j + 1], d[i - 1, j - 1] + 1)
    return d[-1, -1]


def full_name(a):
    return next((full for full, short in NICKNAMES.items() if a in (full, *short)), None)


def errors(a, b):
    if a == b:
        return 0
    short, long = sorted((a, b), key=len)
    cut = long.startswith(short) and len(short) >= max(3, (len(long) + 1) // 2)
    alike = (sound(a) and sound(a) == sound(b)) or (full_name(a) and full_name(a) == full_name(b))
    return 1 if not short or cut or alike else edits(a, b)


def record_errors(a, b, swap):
    straight = sum(map(errors, a, b))
    if swap is None:
        return straight
    i, j = swap
    b = list(b)
    b[i], b[j] = b[j], b[i]
    return min(straight, 1 + sum(map(errors, a, b)))


def slow_clusters(rows, threshold, swap):
    labels = np.arange(len(rows))
    for i, j in combinations(range(len(rows)), 2):
        if record_errors(rows[i], rows[j], swap) <= threshold:
            labels[labels == labels[j]] = labels[i]
    return labels


def same_partition(a, b):
    return np.array_equal(np.equal.outer(a, a), np.equal.outer(b, b))


# ------------------------------------------------------------------------------------------------------------------


def test_every_kind_of_error_is_forgiven_by_hand():
    """Twelve records with one error of each kind fall into the clusters of their four persons, and no others."""
    records, truth = by_hand()
    evaluator = bound(records, truth)
    assert same_partition(evaluator.clusters(np.arange(5)), truth)
    assert evaluator.quality(np.arange(5)) == 1.0
    assert (
        evaluator.quality(np.array([0])) == 0.25
    )  # the swapped robert is lost, the two called susan become one


words = st.sampled_from(
    [
        "anna",
        "ana",
        "robert",
        "bob",
        "rob",
        "kate",
        "cat",
        "philip",
        "filip",
        "",
        "lee",
        "el",
        "robertson",
    ]
)
dates = st.text("12", min_size=1, max_size=4)


@settings(max_examples=120, deadline=None)
@given(
    rows=st.lists(st.tuples(words, words, dates), min_size=2, max_size=14),
    threshold=st.integers(0, 2),
    columns=st.sets(st.integers(0, 2), min_size=1),
    swap=st.booleans(),
)
def test_clusters_are_those_of_all_pairs(rows, threshold, columns, swap):
    """Blocking loses no pair: the clusters are the components of all pairs of records within the threshold."""
    columns = sorted(columns)
    frame = pd.DataFrame(rows, columns=["first_name", "last_name", "date"], dtype=object)
    evaluator = bound(
        frame,
        np.arange(len(rows)),
        threshold=threshold,
        swappable=("first_name", "last_name") if swap else None,
    )
    at = (0, 1) if swap and {0, 1} <= set(columns) else None
    expected = slow_clusters([[row[c] for c in columns] for row in rows], threshold, at)
    assert same_partition(evaluator.clusters(np.array(columns)), expected)


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.text("abc", max_size=6), unique=True, max_size=12), most=st.integers(1, 3)
)
def test_near_values_are_all_pairs_within_reach(values, most):
    """The neighbours of a value are all others at most that many errors away, with their number."""
    near = near_values(values, most)
    for u in range(len(values)):
        owner, neighbours, found = near.expand(np.array([u]))
        expected = {v: errors(values[u], values[v]) for v in range(len(values)) if v != u}
        assert dict(zip(neighbours.tolist(), found.tolist())) == {
            v: d for v, d in expected.items() if d <= most
        }
        assert_array_equal(
            near.expand(np.array([u]), smaller=True)[1], [v for v in neighbours if v < u]
        )
        assert not owner.any()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_report_counts_pairs(labels):
    """Accuracy and pairwise figures are those of counting persons and pairs one by one."""
    clusters, truth = np.array(labels).T
    together = [
        (clusters[i] == clusters[j], truth[i] == truth[j])
        for i, j in combinations(range(len(labels)), 2)
    ]
    right = sum(a and b for a, b in together)
    found, due = sum(a for a, _ in together), sum(b for _, b in together)
    whole = [
        any(
            set(np.flatnonzero(clusters == c)) == set(np.flatnonzero(truth == t))
            for c in set(clusters)
        )
        for t in set(truth)
    ]
    report = linkage_report(clusters, truth)
    assert report.accuracy == np.mean(whole)
    assert report.precision == (right / found if found else 1)
    assert report.recall == (right / due if due else 1)
    assert report.n_clusters == len(set(clusters))


def test_perfect_clusters_have_a_perfect_report():
    """The truth itself, under other names, scores 1 in everything."""
    truth = np.array([3, 3, 1, 2, 2, 2])
    assert linkage_report(-truth, truth) == LinkageReport(1.0, 1.0, 1.0, 1.0, 3)


def test_explanation_agrees_with_the_quality():
    """The explained clusters, losses and standard error are those of the persons behind the quality."""
    made = persons(200, random_state=1)
    evaluator = bound(made.records, made.person)
    columns = np.array([0, 2])
    explained = evaluator.explain(columns)
    assert (
        explained.quality
        == evaluator.quality(columns)
        == linkage_report(explained.predictions, made.person).accuracy
    )
    whole = np.array([explained.losses[made.person == p].max() == 0 for p in range(200)])
    assert whole.mean() == explained.quality
    assert explained.standard_error == pytest.approx(np.std(whole, ddof=1) / np.sqrt(200))


def test_missing_values_of_any_kind_are_gaps():
    """None, NaN and empty text are one and the same gap, and numbers are read as text."""
    frame = pd.DataFrame({"a": ["x", None, np.nan, ""], "b": [1, 1, 1, 2]}, dtype=object)
    evaluator = bound(frame, [0, 0, 0, 1], threshold=0)
    assert same_partition(evaluator.clusters(np.array([0])), np.array([0, 1, 1, 1]))
    assert same_partition(evaluator.clusters(np.array([1])), np.array([0, 0, 0, 1]))


def test_wrong_arguments_are_named():
    """A negative threshold and an unknown swappable column are refused by name."""
    records, truth = by_hand()
    with pytest.raises(ValueError, match="threshold"):
        bound(records, truth, threshold=-1)
    with pytest.raises(ValueError, match="nickname"):
        bound(records, truth, swappable=("first_name", "nickname"))


def test_ten_thousand_records_take_seconds():
    """10,000 records are read and clustered by all attributes within 5 seconds of processor time."""
    made = persons(5_000, records=(2, 2), random_state=0)
    started = process_time()
    quality = bound(made.records, made.person).quality(np.arange(5))
    assert process_time() - started < 5
    assert 0.8 < quality < 1


def test_walk_beats_all_attributes():
    """mo-DI drops attributes full of errors and puts more persons together than all attributes do (papers DI)."""
    made = persons(
        1_000,
        error_rate={"first_name": 0.1, "birth_date": 0.02, "sex": 0.3, "zip": 0.5},
        random_state=0,
    )
    selector = mo_di(random_state=0).fit(made.records, made.person)
    everything = bound(made.records, made.person).quality(np.arange(5))
    assert selector.result_.best_quality > everything + 0.1
    assert not {"sex", "zip"} & set(selector.get_feature_names_out())


def test_febrl_duplicates_are_found():
    """In FEBRL 1 the social security number alone puts more persons together than all ten attributes do."""
    febrl = load_febrl(real_table("febrl/dataset1.csv.gz").parent, 1)
    assert febrl.records.shape == (1000, 10)
    assert_array_equal(np.unique(febrl.person, return_counts=True)[1], np.full(500, 2))
    evaluator = bound(febrl.records, febrl.person, swappable=("given_name", "surname"))
    assert evaluator.quality(np.array([9])) > 0.9 > evaluator.quality(np.arange(10))
