"""All benchmarks, one after the other: ``python -m benchmarks``."""

from contextlib import suppress
from importlib import import_module

from tests.real_tables import TableMissing

NAMES = (
    "engine",
    "journal",
    "evaluators",
    "univariate",
    "ranking_memory",
    "information",
    "relief",
    "redundancy",
    "cpl",
    "embedded",
    "eliminations",
    "embedded_bayes",
)
for name in (*NAMES, "madelon", "workers", "worker_scaling", "stored"):
    # a benchmark that needs a table that is not here has said so, and the next one runs
    with suppress(TableMissing):
        import_module(f"benchmarks.{name}").main()
