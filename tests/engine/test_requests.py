"""Relevances through the engine: counted, remembered, recorded, replayed, answered on workers."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from subsel import SubsetSelector
from subsel.engine import run
from subsel.engine.cache import QualityCache
from subsel.engine.journal import journal as journal_module
from subsel.engine.journal.journal import Journal, JournalMismatch
from subsel.engine.journal.restart_log import read_vector
from subsel.engine.journal.state import read_runs
from subsel.runtime.record_file import JournalError, read_records
from subsel.search import RecursiveElimination
from subsel.search.relevance_request import Relevance
from subsel.space.space import Block, Space
from tests.engine.journal.journal_run import COLUMNS, TASK, Slow, seal
from tests.oracles.table import Table

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)[:, :8]


class Twice:
    """Asks for the relevances of two subsets, one of them twice, and keeps them."""

    asks_relevance = True

    def steps(self, space, rng, horizon=None):
        self.received = []
        for units in ([0, 1, 2], [1, 2], [0, 1, 2]):
            self.received.append((yield Relevance(space.subset(units))))
        self.quality = yield space.subset([1])


class Streams(Table):
    """Relevances that say which evaluation they are."""

    def relevances(self, columns, stream=(0, 0)):
        self.asked.append(columns.tolist())
        return np.arange(len(columns)) + 10.0 * stream[1] + 1 / 3


def test_a_relevance_is_one_evaluation_and_no_quality():
    """It counts in the budget and the trace, is remembered, rounded, and never the best."""
    search, table = Twice(), Streams(lambda s: 0.25)
    result = run(search, table, Space.of(3), seed=0)
    assert (result.n_evaluations, result.n_computed) == (4, 3)
    assert table.asked == [[0, 1, 2], [1, 2], frozenset({1})]
    assert (
        search.received[0].values.tolist()
        == search.received[2].values.tolist()
        == [0.3333333333, 1.333333333, 2.333333333]
    )
    assert search.received[1].values.tolist() == [10.33333333, 11.33333333]
    assert search.received[1].units.tolist() == [1, 2]
    assert (result.best.tolist(), result.best_quality) == ([1], 0.25)
    assert np.isneginf(result.trace["quality"][:3]).all()
    assert run(Twice(), table, Space.of(3), budget=2).n_evaluations == 2


def test_fixed_columns_are_reported_apart():
    """The values of fixed columns come beside those of the units."""
    search = Twice()
    run(search, Streams(lambda s: 0.0), Space.of(5, fixed=[1]), seed=0)
    assert search.received[0].units.tolist() == [0, 1, 2]
    assert search.received[0].values.tolist() == pytest.approx([1 / 3, 2 + 1 / 3, 3 + 1 / 3])
    assert search.received[0].fixed.tolist() == pytest.approx([1 + 1 / 3])


def test_relevances_remembered_are_bounded_in_bytes():
    """The oldest are forgotten once they take more than they may."""
    memory = QualityCache(10, n_bytes=100)
    for key in range(5):
        memory.learn_relevances(key, np.zeros(4))
    assert [memory.relevances(key) is None for key in range(5)] == [True, True, False, False, False]


def eliminate(folder, budget=None):
    journal = folder and Journal(folder, {}, TASK, np.random.SeedSequence(3))
    return run(
        RecursiveElimination(evaluate_sizes=True),
        Slow(),
        Space.of(COLUMNS, fixed=[2]),
        restarts=2,
        budget=budget,
        seed=3,
        journal=journal,
    )


def test_an_elimination_is_resumed_wherever_its_file_is_cut(tmp_path, monkeypatch):
    """With a journal, again, extended, and cut at random bytes.

    Always the result of the plain run.
    """
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)
    plain, rng = seal(eliminate(None)), np.random.default_rng(0)
    assert eliminate(tmp_path, budget=7).n_evaluations == 14
    longer = eliminate(tmp_path)
    assert (seal(longer), longer.n_replayed) == (plain, 14)
    again = eliminate(tmp_path)
    assert (seal(again), again.n_replayed) == (plain, again.n_evaluations)
    files = sorted(tmp_path.iterdir())
    assert any(read_vector(record) is not None for record in read_records(files[0]))
    whole = [file.read_bytes() for file in files]
    for _ in range(15):
        for file, data in zip(files, whole):
            file.write_bytes(data[: rng.integers(len(data) + 1)])
        assert seal(eliminate(tmp_path)) == plain
        assert seal(eliminate(tmp_path)) == plain


def test_other_relevances_are_not_resumed(tmp_path):
    """If the first relevances come out otherwise than recorded, the run is refused."""

    def go(evaluator):
        return run(
            RecursiveElimination(),
            evaluator,
            Space.of(COLUMNS),
            seed=3,
            journal=Journal(tmp_path, {}, TASK, np.random.SeedSequence(3)),
        )

    go(Slow())

    class Other(Slow):
        def relevances(self, columns, stream=(0, 0)):
            return 1 + super().relevances(columns, stream)

    with pytest.raises(JournalMismatch, match="subset of 12 feature"):
        go(Other())


def test_journals_of_another_layout_are_refused(tmp_path):
    """A file begun under layout 2 is named and left as it is; the message says what to do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def go():
            return run(
                RecursiveElimination(),
                Slow(),
                Space.of(4),
                seed=3,
                journal=Journal(tmp_path, {}, TASK, np.random.SeedSequence(3)),
            )

        go()
        (file,) = tmp_path.iterdir()
        assert file.read_bytes().startswith(b"subsel journal 3 ")
        older = file.read_bytes().replace(b"subsel journal 3 ", b"subsel journal 2 ", 1)
        file.unlink()
        file = file.with_name("run-0123-000.journal")  # a configuration had another key
        file.write_bytes(older)
        with pytest.raises(JournalError, match=r"another version.*give another directory"):
            go()
        with pytest.raises(JournalError, match="not a journal of this version"):
            read_runs(tmp_path)
    assert file.read_bytes() == older


@pytest.mark.parametrize(
    ("model", "backend"),
    [(LogisticRegression(), "loky"), (RandomForestClassifier(3), "threading")],
    ids=["logistic", "unseeded forest"],
)
def test_workers_and_restarts_change_nothing(model, backend):
    """One job or two: a forest without a seed draws by seed, restart and evaluation."""

    def fit(n):
        return SubsetSelector(
            model,
            RecursiveElimination("half"),
            cv=2,
            restarts=3,
            n_jobs=n,
            random_state=4,
            n_features=2,
        ).fit(X, Y)

    one = fit(1).result_
    with parallel_config(backend=backend):
        two = fit(2).result_
    assert [f.columns.tolist() for f in one.restart_answers] == [
        f.columns.tolist() for f in two.restart_answers
    ]
    assert one.trace["size"].tolist() == two.trace["size"].tolist()


def test_choices_route_relevances_to_their_setting():
    """The relevances of a subset are those of the criterion of its option."""
    received = []

    class BothSettings:
        asks_relevance = True

        def steps(self, space, rng, horizon=None):
            for option in (0, 1):
                subset = space.at(space.subset([0, 1]), (option,))
                received.append((yield Relevance(subset)).values)
                yield subset

    options = [0.01, 10.0]
    SubsetSelector(LogisticRegression(), BothSettings(), choices={"C": options}, cv=2).fit(X, Y)
    for values, C in zip(received, options):
        weights = LogisticRegression(C=C).fit(X[:, :2], Y).coef_
        assert values == pytest.approx(np.sqrt((weights**2).sum(axis=0)), rel=1e-6)


@pytest.mark.parametrize("yielded", [3, None, "sfs", [1, 2], np.zeros(3)], ids=str)
def test_what_may_not_be_yielded_is_named(yielded):
    """The error says which search yielded what, and what may be yielded."""

    class Odd:
        def steps(self, space, rng, horizon=None):
            yield yielded

    with pytest.raises(TypeError, match=r"must yield a Subset .*Odd yielded"):
        run(Odd(), Table(lambda s: 1.0), Space.of(3))


def test_what_may_not_be_returned_is_named():
    """The answer of a search is a subset or nothing."""

    class Columns:
        def steps(self, space, rng, horizon=None):
            yield space.full()
            return [0, 1]

    with pytest.raises(TypeError, match=r"Columns returned \[0, 1\]"):
        run(Columns(), Table(lambda s: 1.0), Space.of(3))


def test_evaluators_must_give_one_value_for_each_column():
    """Too few relevances are an error that names the evaluator."""

    class Short(Table):
        def relevances(self, columns, stream=(0, 0)):
            return np.zeros(1)

    with pytest.raises(
        ValueError, match="relevances of table must be one value for each of 3 columns"
    ):
        run(Twice(), Short(lambda s: 1.0), Space.of(3))


def test_blocks_beside_the_features_are_not_asked():
    """With rows searched too, only features have relevances."""
    received = []

    class FeaturesAndRows:
        def steps(self, space, rng, horizon=None):
            subset = space.subset([0, 2, 3, 5])
            received.append((yield Relevance(subset)))
            yield subset

    run(FeaturesAndRows(), Table(lambda s: 1.0), Space((Block(3), Block(4, name="rows"))), seed=0)
    assert received[0].units.tolist() == [0, 2]
    assert len(received[0].values) == 2
