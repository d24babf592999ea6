"""All benchmarks, one after the other: ``python -m benchmarks``."""

from importlib import import_module

NAMES = (
    "engine",
    "journal",
    "judges",
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
    import_module(f"benchmarks.{name}").main()
