"""Who answers an interruption: the outermost job, which keeps what it has; all that is part of it passes it on."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["is_part_of_a_job", "part_of_a_job"]

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
