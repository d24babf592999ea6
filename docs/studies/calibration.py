"""Are the printed numbers right? Intervals, stability and comparisons on simulated tables; writes `docs/calibration.md`.

Run from the checkout: `python docs/studies/calibration.py --repetitions 2000` (about half an hour of one core). What is
done is kept in ``--store`` and never done twice: stop it at will, ask for more later, or only write the page with
`--repetitions 0`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from zlib import crc32

import equal_procedures
import interval_coverage
import numpy as np
import stability_coverage
from calibration_page import page
from threadpoolctl import threadpool_limits

PAGE = Path(__file__).resolve().parents[1] / "calibration.md"
BLOCK = 100

Repetition = Callable[[np.random.Generator], np.ndarray]


def cells() -> Iterator[tuple[str, Repetition]]:
    """Every cell by name, and what gives one repetition of it."""
    for name, law in stability_coverage.LAWS.items():
        yield f"stability: {name}", lambda rng, law=law: stability_coverage.repetition(law, rng)
    for name, rivals in equal_procedures.LAWS.items():
        yield (
            f"compare: {name}",
            lambda rng, rivals=rivals: equal_procedures.repetition(rivals, rng),
        )
    for name, (design, measures) in interval_coverage.designs().items():
        yield (
            f"interval: {name}",
            lambda rng, d=design, m=measures: interval_coverage.repetition(d, m, rng),
        )


class Store:
    """A folder with the repetitions of each cell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        """Where a cell lies."""
        return self.folder / ("".join(c if c.isalnum() else "-" for c in name) + ".npy")

    def read(self, name: str) -> np.ndarray | None:
        """The repetitions that are done: by measures by numbers."""
        return np.load(self.path(name)) if self.path(name).exists() else None

    def extend(self, name: str, repetition: Repetition, wanted: int) -> None:
        """Do one more block, if it is wanted; each block has a seed of its own."""
        done = self.read(name)
        n = 0 if done is None else len(done)
        if n >= wanted:
            return
        rng = np.random.default_rng([crc32(name.encode()), n // BLOCK])
        block = np.stack([repetition(rng) for _ in range(BLOCK)])
        np.save(self.path(name), block if done is None else np.concatenate((done, block)))


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--repetitions", type=int, default=2000, help="for each cell, in blocks of 100"
    )
    parser.add_argument(
        "--store", type=Path, default=Path(tempfile.gettempdir()) / "subsel-calibration"
    )
    parser.add_argument(
        "--only",
        default="",
        help="simulate the cells whose names begin so: stability, compare, interval",
    )
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")
    threadpool_limits(1)
    store, begin = Store(asked.store), perf_counter()
    for wanted in range(BLOCK, asked.repetitions + 1, BLOCK):
        for name, repetition in cells():
            if name.startswith(asked.only):
                store.extend(name, repetition, wanted)
        print(
            f"{wanted} repetitions after {perf_counter() - begin:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    PAGE.write_text(
        page({name: found for name, _ in cells() if (found := store.read(name)) is not None})
    )


if __name__ == "__main__":
    main()
