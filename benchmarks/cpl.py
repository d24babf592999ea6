"""CPL beside the whole linear programme and LinearSVC: ``python -m benchmarks.cpl`` writes ``results/cpl.md``."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import platform
import warnings
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import process_time

import highspy
import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from tests.real_tables import given_folder, needed_table, table_if_here

from subsel.criteria.model_free.separability import Separability
from subsel.data.task import Task
from subsel.embedded import CPLSelector, descending_sequence
from subsel.models.planes.cpl_master import Master
from subsel.models.planes.cpl_program import Program
from subsel.models.planes.cpl_table import scaled_columns
from subsel.space.space import Space

RESULT = Path(__file__).parent / "results" / "cpl.md"
REPEATS = 5
LONG = 5.0  # a peer that takes this many seconds runs once
SHARES = np.geomspace(0.5, 0.005, 10)  # of the largest useful lambda
SETS = {
    "Golub, train": ("leukemia_golub.npz", True),
    "Golub, all": ("leukemia_golub.npz", False),
    "colon": ("colon_alon.npz", False),
    "prostate": ("prostate_singh.npz", False),
    "ARCENE, train": ("arcene.npz", True),
}


@cache
def at_hand():
    """The sets whose tables are here; of each other one a line says that it is skipped."""
    return [name for name, (file, _) in SETS.items() if table_if_here(file, given_folder())]


def read(name):
    """Training rows (standardised by themselves) and the rows of the other split, if there is one."""
    file, has_split = SETS[name]
    with np.load(needed_table(file, given_folder())) as data:
        X, y = data["X"].astype(float), np.where(data["y"] > 0, 1, -1)
        train = (
            data["split"] == data["split_names"].tolist().index("train")
            if has_split
            else np.ones(len(y), bool)
        )
    deviation = X[train].std(axis=0)
    X = (X - X[train].mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return X[train], y[train], X[~train], y[~train]


class Whole:
    """The programme over all columns at once, in its primal form, handed to HiGHS as it is."""

    def __init__(self, X, y, hard=False):
        m, p = X.shape
        self.n_weights = 2 * p
        A = y[:, None] * np.hstack([X, -X, np.ones((m, 1))])
        A = A if hard else np.hstack([A, np.eye(m)])
        self.columns, self.n, self.m = sparse.csc_array(A), A.shape[1], m
        self.lower = np.zeros(self.n)
        self.lower[2 * p] = -highspy.kHighsInf
        self.highs = None

    def cost(self, lam):
        slack = np.ones(self.n - self.n_weights - 1)
        return np.r_[np.full(self.n_weights, lam), 0.0, slack]

    def cold(self, lam):
        """Build the model and solve it."""
        self.highs = highspy.Highs()
        for option, value in {"output_flag": False, "parallel": "off"}.items():
            self.highs.setOptionValue(option, value)
        for kind in ("primal", "dual"):
            self.highs.setOptionValue(f"{kind}_feasibility_tolerance", 1e-9)
        lp, infinite = highspy.HighsLp(), highspy.kHighsInf
        lp.num_col_, lp.num_row_, lp.col_cost_ = self.n, self.m, self.cost(lam)
        lp.col_lower_, lp.col_upper_ = self.lower, np.full(self.n, infinite)
        lp.row_lower_, lp.row_upper_ = np.ones(self.m), np.full(self.m, infinite)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = self.columns.indptr, self.columns.indices
        lp.a_matrix_.value_ = self.columns.data
        self.highs.passModel(lp)
        return self._run()

    def warm(self, lam):
        """Change the costs and solve from the basis at hand."""
        self.highs.changeColsCost(self.n, np.arange(self.n, dtype=np.int32), self.cost(lam))
        return self._run()

    def _run(self):
        self.highs.run()
        return self.highs.getInfo().objective_function_value


def timed(function, *arguments):
    start = process_time()
    value = function(*arguments)
    return value, process_time() - start


def in_turn(*functions):
    """The value and the median time of each, one after the other in every round; slow ones run once."""
    times, values = [[] for _ in functions], [None for _ in functions]
    for _ in range(REPEATS):
        for i, function in enumerate(functions):
            if not times[i] or times[i][0] < LONG:
                values[i], seconds = timed(function)
                times[i].append(seconds)
    return values, [median(t) for t in times], [len(t) for t in times]


def our_path(X, y):
    task = Task.of(X, y)
    program = Program(scaled_columns(task, False, None, True), y.astype(float), np.ones(len(y)))
    return [program.at(share * program.lam_max).criterion for share in SHARES]


def lambdas(X, y):
    task = Task.of(X, y)
    columns = scaled_columns(task, False, None, True)
    return SHARES * Program(columns, y.astype(float), np.ones(len(y))).lam_max


def whole_path(whole, lams, warm):
    return [whole.warm(lam) if warm and i else whole.cold(lam) for i, lam in enumerate(lams)]


def paths():
    """Ten lambdas: ours, the whole programme cold each time, and warm from one lambda to the next."""
    for name in at_hand():
        X, y, _, _ = read(name)
        lams, whole = lambdas(X, y), Whole(X, y)
        functions = (
            partial(our_path, X, y),
            partial(whole_path, whole, lams, False),
            partial(whole_path, whole, lams, True),
        )
        (ours, cold, warm), (t, t_cold, t_warm), runs = in_turn(*functions)
        error = max(np.abs(np.array(ours) / other - 1).max() for other in (cold, warm))
        yield (
            f"| {name} | {X.shape[0]} x {X.shape[1]} | {1e3 * t:.0f} | {t_cold:.2f} ({runs[1]}) | "
            f"{t_warm:.2f} ({runs[2]}) | {t_cold / t:.0f} / {t_warm / t:.0f} | {error:.0e} |"
        )


def margin(X, y, coef, intercept):
    """Twice the least distance of a row to the plane in the largest coordinate; negative where a row is wrong."""
    norm = np.abs(coef).sum()
    return 2 * float((y * (X @ coef + intercept)).min()) / norm if norm else 0.0


def matched_svc(X, y, n_features):
    """LinearSVC with an L1 penalty at the C whose number of weights comes nearest."""
    low, high, best = 1e-5, 1e3, None
    for _ in range(18):
        C = float(np.sqrt(low * high))
        model = LinearSVC(penalty="l1", dual=False, C=C, max_iter=5000, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y)
        size = int((model.coef_ != 0).sum())
        if best is None or abs(size - n_features) < abs(best[1] - n_features):
            best = C, size, model
        low, high = (C, high) if size < n_features else (low, C)
        if size == n_features:
            break
    return best


def accuracy(model, X, y):
    return f"{np.mean(model.predict(X) == y):.3f}" if len(y) else "-"


def selections():
    """The limit of small lambda beside the whole programme and LinearSVC."""
    for name in at_hand():
        X, y, X_test, y_test = read(name)
        whole = Whole(X, y, hard=True)
        (selector, least), (t, t_whole), runs = in_turn(
            partial(CPLSelector(scale=False).fit, X, y), partial(whole.cold, 1.0)
        )
        C, size, svc = matched_svc(X, y, int(selector.support_.sum()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            t_svc = median(timed(svc.fit, X, y)[1] for _ in range(3))
        yield (
            f"| {name} | {selector.support_.sum()} | {selector.margin_:.4f} | {1e3 * t:.0f} | "
            f"{t_whole:.2f} ({runs[1]}) | {t_whole / t:.0f} | {abs(selector.criterion_ / least - 1):.0e} | "
            f"{size} (C={C:.3g}) | {margin(X, y, svc.coef_[0], svc.intercept_[0]):.4f} | {1e3 * t_svc:.0f} | "
            f"{t_svc / t:.1f} | {accuracy(selector, X_test, y_test)} / {accuracy(svc, X_test, y_test)} |"
        )


def sequences():
    """Down from independent columns to the best subspace."""
    for name in at_hand():
        X, y, _, _ = read(name)
        found, seconds = timed(partial(descending_sequence, X, y, scale=False))
        yield (
            f"| {name} | {len(found)} | {len(found[0].features)} | {found[0].margin:.4f} | "
            f"{len(found[-1].features)} | {found[-1].margin:.4f} | {seconds:.2f} |"
        )


def neighbours():
    """All additions to ten columns: from the base, and each programme from nothing."""
    for name in at_hand():
        X, y, _, _ = read(name)
        task, space = Task.of(X, y), Space.of(X.shape[1])
        base = space.subset(CPLSelector(scale=False).fit(X, y).get_support(indices=True)[:10])
        batch = space.additions(base).take(np.arange(500))
        evaluator = Separability(scale=False).bind(task)
        evaluator.evaluate(batch)
        qualities, seconds = timed(evaluator.evaluate, batch)
        fresh, slow = timed(from_nothing, evaluator, batch.columns()[:100])
        error = np.abs(qualities[:100] / fresh - 1).max()
        yield (
            f"| {name} | {1e3 * seconds / 500:.2f} | {1e3 * slow / 100:.2f} | {slow / 100 / seconds * 500:.1f} | "
            f"{(qualities == qualities.min()).mean():.0%} | {error:.0e} |"
        )


def from_nothing(evaluator, subsets):
    return [alone(evaluator, columns) for columns in subsets]


def alone(evaluator, columns):
    master = Master(evaluator.signs[0])
    master.limit(evaluator.price / evaluator.lam)
    master.move(columns, evaluator.columns)
    master.solve()
    return -evaluator.lam * master.objective


def many_columns():
    """Seconds for more columns than the sets above have."""
    rng = np.random.default_rng(0)
    yield "noise, 60 x 50000", rng.normal(size=(60, 50_000)), np.arange(60) % 2
    for name in ("dexter", "dorothea"):
        path = table_if_here(f"{name}.npz", given_folder())
        if path is None:
            continue
        with np.load(path) as data:
            parts = data["data"].astype(float), data["indices"], data["indptr"]
            train = data["split"] == data["split_names"].tolist().index("train")
            X, y = sparse.csr_array(parts, shape=tuple(data["shape"]))[train], data["y"][train]
        yield f"{name.upper()}, {X.shape[0]} x {X.shape[1]}, sparse", X, y


def report():
    yield "# CPL: separating planes of least L1 cost\n"
    yield (
        f"Python {platform.python_version()}, numpy {version('numpy')}, scikit-learn {version('scikit-learn')}, highspy "
        f"{version('highspy')}; one thread, CPU time, in turn in one process, median of {REPEATS}; a peer that takes "
        f"more than {LONG:.0f} s runs once (runs in brackets). Columns standardised beforehand; tolerance 1e-9 for all. "
        "The whole programme is the primal one over all columns, in HiGHS with its own choices.\n"
    )
    yield "Path of ten lambdas, from half of the largest useful one to a hundredth of that:\n"
    yield "| data | rows x columns | subsel, ms | whole, cold, s | whole, warm, s | ratio cold / warm | largest difference |"
    yield "|---|---|---|---|---|---|---|"
    yield from paths()
    yield (
        "\nThe limit of small lambda (`CPLSelector()`), beside the whole hard-margin programme and "
        "`LinearSVC(penalty='l1', dual=False)` (squared hinge, at most 5000 iterations) at the C whose number of weights "
        "comes nearest; the time of LinearSVC is one fit at that C, without the search for C. Margin: width of the empty "
        "strip in the largest coordinate, in standard deviations; negative where a training row is on the wrong side. "
        "Accuracy on the other split, where there is one.\n"
    )
    yield (
        "| data | columns | margin | ms | whole, s | ratio | difference | SVC columns | SVC margin | SVC, ms | ratio | "
        "accuracy, ours / SVC |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    yield from selections()
    yield "\n`descending_sequence`, one column at a time from as many independent columns as the table has rank:\n"
    yield "| data | subspaces | first: columns | margin | last: columns | margin | s |\n|---|---|---|---|---|---|---|"
    yield from sequences()
    yield "\n`Separability`: 500 additions to ten columns, against a programme built and solved from nothing for each:\n"
    yield "| data | ms each | from nothing, ms | ratio | unchanged by the addition | largest difference |"
    yield "|---|---|---|---|---|---|"
    yield from neighbours()
    yield "\nMore columns (`CPLSelector()`, scaling included):\n\n| data | columns kept | margin | s |\n|---|---|---|---|"
    for name, X, y in many_columns():
        selector, seconds = timed(CPLSelector().fit, X, y)
        yield f"| {name} | {selector.support_.sum()} | {selector.margin_:.4f} | {seconds:.2f} |"


if __name__ == "__main__":
    lines = []
    for line in report():
        print(line, flush=True)
        lines.append(line)
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf8")
