"""Counting of warnings, so that one sentence replaces a hundred warnings of fits."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import current_thread, main_thread

from subsel.runtime.text import one_line

__all__ = ["counted_warnings", "in_one_line"]

WIDTH = 100  # characters of a message that are shown
# warnings for developers of other libraries, which are dropped
IGNORED = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@contextmanager
def counted_warnings(ours: Callable[[Warning], None] | None = None) -> Iterator[Counter[str]]:
    """Count the warnings of other libraries within this context, instead of showing them.

    Threads other than the main one count none, since the handling of warnings is a setting of the
    whole process.

    Parameters
    ----------
    ours : callable, optional
        It is called with each warning of this library; by default these are issued again at the
        end.

    Yields
    ------
    Counter
        The number of warnings of each kind and message.

    Examples
    --------
    >>> with counted_warnings() as counts:
    ...     for _ in range(3):
    ...         warnings.warn("it did not converge", RuntimeWarning)
    >>> in_one_line(counts)
    '3 warnings while models were fitted, such as RuntimeWarning (3 times): it did not converge'
    """
    counts: Counter[str] = Counter()
    own_warnings: list[Warning] = []
    if current_thread() is not main_thread():
        yield counts
        return

    def note(
        message: Warning,
        category: type[Warning],
        *where: object,  # noqa: ARG001
        **more: object,  # noqa: ARG001
    ) -> None:
        if category.__module__.partition(".")[0] == "subsel":
            (ours or own_warnings.append)(message)
        elif not issubclass(category, IGNORED):
            counts[f"{category.__name__}: {one_line(str(message), WIDTH)}"] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note  # type: ignore[assignment]
        yield counts
    for message in own_warnings:
        warnings.warn(message, stacklevel=3)


def in_one_line(counts: Mapping[str, int]) -> str:
    """Return a sentence on the number of warnings and the most frequent one; empty if none."""
    if not counts:
        return ""
    total, (most, times) = sum(counts.values()), max(counts.items(), key=lambda item: item[1])
    kind, _, message = most.partition(": ")
    plural = "s" * (total > 1)
    return (
        f"{total:,} warning{plural} while models were fitted, such as {kind} "
        f"({times:,} times): {message}"
    )
