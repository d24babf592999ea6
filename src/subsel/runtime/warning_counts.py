"""Warnings counted instead of shown: a hundred fits that do not converge are one sentence."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import current_thread, main_thread

from subsel.runtime.text import one_line

__all__ = ["counted_warnings", "in_one_line"]

WIDTH = 100  # signs of a message that are shown
NOBODYS = (
    DeprecationWarning,
    PendingDeprecationWarning,
    ImportWarning,
    ResourceWarning,
)  # of no use to who selects


@contextmanager
def counted_warnings(ours: Callable[[Warning], None] | None = None) -> Iterator[Counter[str]]:
    """Count the warnings of other libraries within; our own are handed to ``ours``, or given again at the end.

    A thread beside the main one counts none: what is done with a warning belongs to the whole process.

    Examples
    --------
    >>> with counted_warnings() as found:
    ...     for _ in range(3):
    ...         warnings.warn("it did not converge", RuntimeWarning)
    >>> in_one_line(found)
    '3 warnings while models were fitted, such as RuntimeWarning (3 times): it did not converge'
    """
    found: Counter[str] = Counter()
    held: list[Warning] = []
    if current_thread() is not main_thread():
        yield found
        return

    def note(
        message: Warning,
        category: type[Warning],
        *where: object,  # noqa: ARG001
        **more: object,  # noqa: ARG001
    ) -> None:
        if category.__module__.partition(".")[0] == "subsel":
            (ours or held.append)(message)
        elif not issubclass(category, NOBODYS):
            found[f"{category.__name__}: {one_line(str(message), WIDTH)}"] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note  # type: ignore[assignment]
        yield found
    for message in held:
        warnings.warn(message, stacklevel=3)


def in_one_line(found: Mapping[str, int]) -> str:
    """What was warned of most, and how many warnings there were; empty where there was none."""
    if not found:
        return ""
    total, (most, times) = sum(found.values()), max(found.items(), key=lambda item: item[1])
    kind, _, message = most.partition(": ")
    return f"{total:,} warning{'s' * (total > 1)} while models were fitted, such as {kind} ({times:,} times): {message}"
