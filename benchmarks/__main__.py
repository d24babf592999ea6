"""All benchmarks, one after the other: ``python -m benchmarks``."""

from importlib import import_module

for name in ("engine", "judges", "univariate", "ranking_memory", "information", "relief", "redundancy", "cpl", "madelon"):
    import_module(f"benchmarks.{name}").main()
