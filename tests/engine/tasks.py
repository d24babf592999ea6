"""Tasks, data and estimators for the tests of workers, in a module that workers can import."""

import os
import signal
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info


def once(marker):
    """Whether this is the first process to come here."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def kill_me():
    """What a crash or the system's memory killer does."""
    os.kill(os.getpid(), signal.SIGKILL)


class Loads:
    """Writes down each time it is unpickled."""

    def __init__(self, folder, values):
        self.folder, self.values = str(folder), values

    def __setstate__(self, state):
        self.__dict__.update(state)
        (Path(self.folder) / f"load-{os.getpid()}-{os.urandom(4).hex()}").touch()

    def loads(self):
        """How often each process loaded it."""
        pids = [path.name.split("-")[1] for path in Path(self.folder).glob("load-*")]
        return {int(pid): pids.count(pid) for pid in pids}


def total(shared, number):
    """Some work on the data."""
    return os.getpid(), float(shared.values.sum()) + number


def total_of_two(shared, number):
    """The same, once two processes have the data (a minute at most), so that every worker
    gets some.
    """
    until = perf_counter() + 60
    while len(shared.loads()) < 2 and perf_counter() < until:
        sleep(0.01)
    return total(shared, number)


def part(shared, number):
    """A look at nothing, the first time, then at everything."""
    sleep(0.6)
    return os.getpid(), float(shared.values.sum()) if number > 3 else 0.0


def square(shared, number):
    return number * number


def fail_at_three(shared, number):
    if number == 3:
        raise LookupError("three")
    return number


def after(shared, number):
    """Number 0 waits until it is told to go, a minute at most."""
    until = perf_counter() + 60
    while number == 0 and not (Path(shared) / "go").exists() and perf_counter() < until:
        sleep(0.01)
    if number == 3:
        (Path(shared) / "done").touch()
    return number


def is_map(shared, number):
    """Whether the array is a map of a file that cannot be written to."""
    array = shared[number]
    base = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    return isinstance(base, np.memmap) and not array.flags.writeable


def die_once(shared, number):
    """Task 5 kills its process, the first time."""
    sleep(0.01)
    if number == 5 and once(Path(shared) / "died"):
        kill_me()
    return number * number


def die_always(shared, number):
    """Task 2 always kills its process."""
    if number == 2:
        kill_me()
    return number


def sleep_long(shared, number):
    """Task 0 is quick, the others take ten minutes, or until they are told to go."""
    (Path(shared) / f"{number}-{os.getpid()}").touch()
    until = perf_counter() + (600 if number else 0)
    while perf_counter() < until and not (Path(shared) / "go").exists():
        sleep(0.05)
    return number


def inner_threads(shared, number):
    """How many threads numeric libraries would use, and how many jobs joblib would."""
    from joblib import effective_n_jobs

    np.ones((2, 2)) @ np.ones((2, 2))
    return max((pool["num_threads"] for pool in threadpool_info()), default=1), effective_n_jobs(4)


class MortalTree(DecisionTreeClassifier):
    """A tree that writes down its fits and can kill its process, once.

    Parameters
    ----------
    folder : where fits are written down; None for none of all this.
    fatal : the fit, counted over all processes, that kills.
    pause : seconds a fit takes more.
    company : a fit waits (at most a minute) until so many processes have made fits.
    """

    def __init__(self, folder=None, fatal=10**9, pause=0.0, company=0, max_depth=2, random_state=0):
        super().__init__(max_depth=max_depth, random_state=random_state)
        self.folder, self.fatal, self.pause, self.company = folder, fatal, pause, company

    def fit(self, X, y, sample_weight=None):
        sleep(self.pause)
        if self.folder is not None:
            count = len(os.listdir(self.folder))
            (Path(self.folder) / f"{count}-{os.getpid()}-{os.urandom(4).hex()}").touch()
            if count >= self.fatal and once(Path(self.folder) / "fatal"):
                kill_me()
            until = perf_counter() + 60
            while len(processes(self.folder)) < self.company and perf_counter() < until:
                sleep(0.05)
        return super().fit(X, y, sample_weight)


def processes(folder):
    """The processes that have made fits."""
    return {name.split("-")[1] for name in os.listdir(folder) if "-" in name}


def table(n=60, p=8, seed=0):
    """Two informative columns, the rest noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, p)), np.arange(n) % 2
    X[:, :2] += y[:, None]
    return X, y


def tables():
    """The same data as every kind of table."""
    import pandas as pd

    X, y = table()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    return {
        "dense": X,
        "columns": np.asfortranarray(X),
        "float32": X.astype(np.float32),
        "strided": np.repeat(X, 2, axis=0)[::2],
        "sparse": sparse.csr_matrix(np.where(X > 0, X, 0)),
        "frame": frame,
    }, y
