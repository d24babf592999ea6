"""Clocks that go by what is done, so that no test depends on how quick a machine is."""

from importlib import import_module
from threading import Lock

ENGINE = ("engine.budget", "engine.parallel", "engine.progress", "runtime.workers")


class Clock:
    """Seconds that pass when somebody says so, and by ``step`` whenever they are looked at.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.add(2.5)
    >>> clock(), clock()
    (102.5, 102.5)
    """

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step, self.n_looks = 100.0, step, 0
        self._lock = Lock()

    def __call__(self) -> float:
        """What stands for ``perf_counter``."""
        with self._lock:
            self.n_looks += 1
            self.now += self.step
            return self.now

    def add(self, seconds: float) -> None:
        """Let time pass."""
        with self._lock:
            self.now += seconds

    def __deepcopy__(self, memo: object) -> "Clock":
        return self

    def rule(self, monkeypatch, *modules: str) -> "Clock":
        """Be the clock of these modules of ours, or of the engine."""
        for name in modules or ENGINE:
            monkeypatch.setattr(import_module(f"subsel.{name}"), "perf_counter", self)
        return self
