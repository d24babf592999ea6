"""Embedded selection beside plain loops over scikit-learn: ``python -m benchmarks.embedded`` writes ``results/embedded.md``.

CPU time of one thread, ours and the peer's in turn, the median of a few rounds. Every row says how far the answers agree.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time

import numpy as np
from sklearn.linear_model import Lasso, lars_path, lasso_path
from sklearn.svm import LinearSVC
from tests.real_tables import given_folder, table_if_here
from threadpoolctl import threadpool_limits

from benchmarks.table import write
from subsel.data import load_npz
from subsel.embedded import L1Path, StabilitySelection, quadratic_path
from subsel.embedded.contrasts.stability import half_samples

REPEATS = 3
N_PENALTIES = 100
N_TAKEN = 20  # features that a half-sample takes


@dataclass
class Case:
    """What is done, by us and by the peer, how their answers are compared, and the ratio that must hold, if any."""

    name: str
    ours: Callable[[], object]
    peer: Callable[[], object]
    agreement: Callable[[object, object], str]
    must_hold: str = ""


def main() -> None:
    """Time every case and write the table."""
    warnings.simplefilter("ignore")
    header = ("what", "peer, ms", "ours, ms", "ratio", "must hold", "agreement")
    with threadpool_limits(1):
        rows = [measure(case) for case in cases()]
    write("embedded", "Embedded selection beside plain loops over scikit-learn", header, rows)


def cases() -> list[Case]:
    """All cases."""
    X, y = problem(200, 1000)

    def frequencies():
        return StabilitySelection(n_features=N_TAKEN, random_state=0).fit(X, y).frequencies_

    def same(ours, peer):
        return f"largest difference of a frequency {np.abs(ours - peer).max():.2g}"

    found = [
        Case(
            f"100 half-samples of 200 x 1,000, first {N_TAKEN}: loop over lasso_path, {N_PENALTIES} penalties to 10%",
            frequencies, lambda: looped(X, y, first_of_grid), same, "5x",
        ),
        Case(
            f"the same: lasso_path, {4 * N_PENALTIES} penalties to 10%, tol=1e-6",
            frequencies, lambda: looped(X, y, first_of_fine_grid), same, "5x",
        ),
        Case(f"the same: loop over lars_path, {N_TAKEN + 5} steps", frequencies, lambda: looped(X, y, first_of_lars), same),
    ]  # fmt: skip
    for shape in ((200, 1000), (1000, 200)):
        found.append(lasso_case(*problem(*shape)))
    found += [working_sets_case(*problem(*shape)) for shape in ((200, 1000), (100, 20_000))]
    return found + dexter_cases()


def problem(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten columns of equal weight, as much noise as signal, standardised."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    y = X[:, :10].sum(axis=1) + np.sqrt(10) * rng.standard_normal(n)
    return (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()


def looped(X: np.ndarray, y: np.ndarray, take: Callable) -> np.ndarray:
    """Selection frequencies by a plain loop over the half-samples that ours draws."""
    rng = np.random.default_rng(np.random.RandomState(0).randint(2**31))
    counts = np.zeros(X.shape[1])
    for half in half_samples(len(y), 100, True, None, rng):
        Z = X[half] - X[half].mean(axis=0)
        counts[take(np.asfortranarray(Z / Z.std(axis=0)), y[half] - y[half].mean())] += 1
    return counts / 100


def first_of_grid(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The columns of the first weights on a grid of penalties, those of one penalty by size."""
    _, coefs, _ = lasso_path(Z, y, eps=0.1, alphas=N_PENALTIES)
    return first_entries(coefs)


def first_of_fine_grid(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same on a grid so fine that columns hardly ever come in together."""
    _, coefs, _ = lasso_path(Z, y, eps=0.1, alphas=4 * N_PENALTIES, tol=1e-6)
    return first_entries(coefs)


def first_of_lars(Z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The columns of the first weights along the exact path."""
    _, _, coefs = lars_path(Z, y, method="lasso", max_iter=N_TAKEN + 5)
    return first_entries(coefs)


def first_entries(coefs: np.ndarray) -> np.ndarray:
    """Columns by the step of their first weight."""
    used = coefs != 0
    step = np.where(used.any(axis=1), used.argmax(axis=1), coefs.shape[1])
    size = np.abs(coefs[np.arange(len(coefs)), np.minimum(step, coefs.shape[1] - 1)])
    return np.lexsort((-size, step))[:N_TAKEN]


def lasso_case(X: np.ndarray, y: np.ndarray) -> Case:
    """The exact path of the squared loss against fits of Lasso, each from the one before."""
    alphas = penalties_of(X, y)

    def fits() -> np.ndarray:
        model = Lasso(warm_start=True, fit_intercept=False, tol=1e-6, max_iter=10_000)
        return np.array([model.set_params(alpha=alpha).fit(X, y).coef_.copy() for alpha in alphas])

    return lasso_against(X, y, f"{N_PENALTIES} warm-started fits of Lasso, tol=1e-6", fits)


def working_sets_case(X: np.ndarray, y: np.ndarray) -> Case:
    """The same against skglm, which solves for a few columns at a time along the penalties."""
    from skglm import Lasso as WorkingSets

    X, alphas = np.asfortranarray(X), penalties_of(X, y)

    def fits():
        return WorkingSets(fit_intercept=False, tol=1e-6).path(X, y, alphas)[1].T

    fits()  # compiles
    return lasso_against(X, y, f"skglm's working sets at {N_PENALTIES} penalties, tol=1e-6", fits)


def penalties_of(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Evenly spread in logarithms, from the first at which no column has a weight."""
    return np.abs(X.T @ y).max() / len(y) * np.geomspace(1, 1e-2, N_PENALTIES)


def lasso_against(X: np.ndarray, y: np.ndarray, peer: str, fits: Callable[[], np.ndarray]) -> Case:
    """The exact path of the squared loss against weights at the penalties."""
    n, alphas = len(y), penalties_of(X, y)

    def agreement(path, peer):
        return largest(np.array([path.at(2 * n * alpha)[0] for alpha in alphas]), peer)

    name = f"lasso path of {n:,} x {X.shape[1]:,} to 1%: {peer}"
    return Case(name, lambda: quadratic_path(X, y, lowest=1e-2), fits, agreement)


def dexter_cases() -> list[Case]:
    """The exact path of the squared hinge on Dexter's words against fits of LinearSVC, which has no warm start."""
    path = table_if_here("dexter.npz", given_folder())
    if path is None:
        return []
    data = load_npz(path)
    train = data.split == list(data.split_names).index("train")
    X, y = data.X.tocsr()[train] / 999.0, data.y[train].astype(float)
    first = float(np.abs(2 * X.T @ y).max())
    penalties = first * np.geomspace(1, 1e-2, N_PENALTIES)

    def fits() -> np.ndarray:
        machine = LinearSVC(
            penalty="l1",
            dual=False,
            fit_intercept=False,
            tol=1e-6,
            max_iter=100_000,
            random_state=0,
        )
        return np.array(
            [machine.set_params(C=1 / penalty).fit(X, y).coef_[0] for penalty in penalties]
        )

    def criterion(weights: np.ndarray, penalty: float) -> float:
        return float(
            (np.maximum(1 - y * (X @ weights), 0) ** 2).sum() + penalty * np.abs(weights).sum()
        )

    def agreement(
        path: L1Path, peer: np.ndarray
    ) -> str:  # some words are copies of others: weights are not unique
        pairs = [(criterion(path.at(c)[0], c), criterion(w, c)) for c, w in zip(penalties, peer)]
        return f"criterion above the peer's by {max(1 - b / a for a, b in pairs):.0e} of it at most"

    def ours():
        return quadratic_path(X, y, "squared_hinge", lowest=1e-2, fit_intercept=False)

    return [
        Case(
            f"L1 squared hinge on Dexter to 1%: {N_PENALTIES} fits of LinearSVC, tol=1e-6",
            ours,
            fits,
            agreement,
        )
    ]


def largest(ours: np.ndarray, peer: np.ndarray) -> str:
    """The largest difference of weights, beside the largest weight."""
    return f"largest difference of a weight {np.abs(ours - peer).max():.1e} of {np.abs(ours).max():.2g}"


def measure(case: Case) -> list[str]:
    """The row of a case."""
    ours = case.ours()  # compiles
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        for run, seconds in zip((case.peer, case.ours), times):
            begin = process_time()
            answer = run()
            seconds.append(process_time() - begin)
            if run is case.peer:
                peer = answer
    slow, fast = (1000 * median(seconds) for seconds in times)
    row = [
        case.name,
        f"{slow:,.0f}",
        f"{fast:,.1f}",
        f"{slow / fast:.1f}x",
        case.must_hold,
        case.agreement(ours, peer),
    ]
    print(row, flush=True)
    return row


if __name__ == "__main__":
    main()
