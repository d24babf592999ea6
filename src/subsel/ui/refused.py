"""What the page answers when something cannot be done."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):
    """A request that is refused, with words for the user and a status of HTTP.

    >>> Refused("two runs are going.", 409).status
    409
    """

    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.status = status
