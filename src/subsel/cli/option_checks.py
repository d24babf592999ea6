"""Options looked at before anything is read: what cannot be done is said at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from subsel.cli.options import BadOption, CompareOptions, RankOptions, SelectOptions

__all__ = ["blamed", "check_rank_options", "check_select_options"]


@contextmanager
def blamed(option: str = "") -> Iterator[None]:
    """Say that the options are at fault for a value that is refused within.

    Examples
    --------
    >>> with blamed("--budget"):
    ...     raise ValueError("must be positive, got -1.")
    Traceback (most recent call last):
    subsel.cli.options.BadOption: --budget: must be positive, got -1.
    """
    try:
        yield
    except BadOption:
        raise
    except ValueError as error:
        raise BadOption(f"{option}: {error}" if option else str(error)) from None


def check_select_options(options: SelectOptions) -> None:
    """See that names are known and numbers make sense, of ``select``, ``assess`` and ``compare``."""
    from subsel.criteria.registry import CRITERIA
    from subsel.engine.budget import Budget
    from subsel.models.short_names import ESTIMATORS
    from subsel.runtime.memory import byte_count
    from subsel.search.registry import SEARCHES

    methods = getattr(options, "methods", ())
    looks: list[tuple[str, Callable[[], Any]]] = [
        ("--budget", lambda: Budget.of(options.budget)),
        ("--memory", lambda: options.memory and byte_count(options.memory)),
        ("--device", lambda: _check_device(options)),
        ("--search", lambda: options.search and SEARCHES.find(options.search)),
        ("--estimator", lambda: options.estimator and ESTIMATORS.find(options.estimator)),
        (
            "--criterion",
            lambda: options.criterion and CRITERIA.find(options.criterion.partition(":")[0]),
        ),
        ("--methods", lambda: [SEARCHES.find(method.partition(":")[0]) for method in methods]),
        (
            "--methods",
            lambda: [
                ESTIMATORS.find(key) for key in filter(None, (m.partition(":")[2] for m in methods))
            ],
        ),
        ("--cv", lambda: _check_folds(options.cv)),
        ("--restarts", lambda: _at_least(1, options.restarts)),
        ("--permutations", lambda: _at_least(0, options.permutations)),
    ]
    for option, look in looks:
        with blamed(option):
            look()


def _check_folds(cv: Any) -> None:
    if cv not in (None, "time"):
        _at_least(2, int(cv))


def _check_device(options: SelectOptions) -> None:
    """See that the device is there, and that what is asked for can use it."""
    if options.device is None:
        return
    from subsel._loops.device import find_device

    if options.raced and not isinstance(options, CompareOptions):
        raise ValueError(
            "a race evaluates on the processor: name a --search, an --estimator or a --criterion."
        )
    try:
        find_device(options.device)
    except (ImportError, RuntimeError) as error:
        raise ValueError(str(error)) from None


def check_rank_options(options: RankOptions) -> None:
    """The same of ``rank``."""
    from subsel.models.short_names import ESTIMATORS
    from subsel.ranking.cuts.probe_scores import PROBES
    from subsel.ranking.registry import Order
    from subsel.ranking.suitability import find_ranking

    entry = None
    if options.score is not None:
        with blamed("--score"):
            entry = find_ranking(options.score)
    with blamed("--estimator"):
        if options.estimator is not None:
            ESTIMATORS.find(options.estimator)
    if options.probes not in PROBES:
        raise BadOption(
            f"--probes: probes must be one of {', '.join(PROBES)}, got {options.probes!r}."
        )
    if isinstance(entry, Order) or options.cut in ("cv", "cv-gap"):
        return
    from subsel.ranking.cuts.registry import find_cut

    with blamed("--cut"):
        find_cut(options.cut)


def _at_least(low: int, value: int) -> None:
    if value < low:
        raise ValueError(f"must be at least {low}, got {value}.")
