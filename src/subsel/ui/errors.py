"""What the page answers when something cannot be done."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Refused", "last_complaint"]


class Refused(Exception):
    """A request that is refused, with words for the user and a status of HTTP.

    >>> Refused("two runs are going.", 409).status
    409
    """

    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.status = status


def last_complaint(said: Sequence[str], otherwise: str) -> str:
    """The last line that a command has said, without its own name; else the words given.

    >>> last_complaint(["reading", "subsel: error: there is no file."], "it was silent.")
    'there is no file.'
    """
    if not said:
        return otherwise
    return said[-1].removeprefix("subsel: error: ")
