"""Interruption by the user: the outermost job handles it, and its parts raise it again."""

from collections.abc import Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_part_of_a_job", "keep_finished", "part_of_a_job"]

# a context variable, since a search may run inside an estimator of a fold, through code of other
# libraries; it decides only which job handles an interruption
_part = ContextVar("part_of_a_job", default=False)


@contextmanager
def part_of_a_job() -> Iterator[None]:
    """Mark the code within this context as part of a larger job.

    An interrupted part raises the interruption again, since its result so far must not be mistaken
    for a complete one.

    Examples
    --------
    >>> with part_of_a_job():
    ...     is_part_of_a_job()
    True
    >>> is_part_of_a_job()
    False
    """
    token = _part.set(True)
    try:
        yield
    finally:
        _part.reset(token)


def is_part_of_a_job() -> bool:
    """Whether an interruption must be raised again, after finished work was written."""
    return _part.get()


@contextmanager
def keep_finished(done: Sized) -> Iterator[None]:
    """End the code within this context at an interruption, and keep what is done.

    The interruption is raised again if `done` is empty, or if the code is part of a larger job.

    Examples
    --------
    >>> done = []
    >>> with keep_finished(done):
    ...     done.append("first")
    ...     raise KeyboardInterrupt
    >>> done
    ['first']
    """
    try:
        yield
    except KeyboardInterrupt:
        if is_part_of_a_job() or not len(done):
            raise
