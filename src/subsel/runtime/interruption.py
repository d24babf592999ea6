"""Who answers an interruption: the outermost job, which keeps what it has; all that is part of it passes it on."""

from collections.abc import Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_part_of_a_job", "keep_finished", "part_of_a_job"]

# ambient, since a search may run inside an estimator of a fold, through code that is not ours; it decides who
# answers an interruption, nothing else
_part = ContextVar("part_of_a_job", default=False)


@contextmanager
def part_of_a_job() -> Iterator[None]:
    """Within, nobody answers an interruption by what there is so far: a half-done part must not look like a whole one.

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
    """Whether an interruption must be raised again, once what is finished was written."""
    return _part.get()


@contextmanager
def keep_finished(done: Sized) -> Iterator[None]:
    """Within, an interruption ends the work and keeps what is done; it is raised again if that is nothing, or part of a job.

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
