"""The traits of an evaluator: what the engine may do with it, and what its qualities mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Traits"]


@dataclass(frozen=True)
class Traits:
    """What holds for every answer of an evaluator.

    A wrapper passes on the traits of what it wraps, with ``dataclasses.replace`` where it changes
    them; an evaluator that represents several has :meth:`joined` ones.

    Parameters
    ----------
    name : str
        The name of the evaluator in results.
    deterministic : bool
        The same subset always has the same quality, so that the engine may cache it.
    monotone : bool
        Adding a column never lowers the quality.
    standard_error : bool
        ``explain`` gives a standard error.
    exact : bool
        Qualities come from a closed form or from the data alone: a model is refitted only where
        ``n_refits`` counts it.
    heavy : bool
        An evaluation takes milliseconds, so that it is worth sending candidates to other processes.
    certain : bool
        Heavy, and yet certain to draw no random numbers of its own: the engine need not evaluate
        the first subset twice to find out.
    shares_state : bool
        Forks write to memory that they share, so that they must not run on threads at the same
        time.
    relevance : bool
        ``relevances`` gives how much a trained model used each column.

    Examples
    --------
    >>> exact, refit = Traits("exact ridge"), Traits("refit of Ridge", exact=False, heavy=True)
    >>> both = Traits.joined([exact, refit])
    >>> both.name, both.exact, both.heavy
    ('exact ridge or refit of Ridge', False, True)
    """

    name: str = ""
    deterministic: bool = True
    monotone: bool = False
    standard_error: bool = False
    exact: bool = True
    heavy: bool = False
    certain: bool = False
    shares_state: bool = False
    relevance: bool = False

    @classmethod
    def joined(cls, several: Iterable[Traits]) -> Traits:
        """Return the traits of an evaluator that may pass a request on to any of several."""
        parts = list(several)
        return cls(
            name=" or ".join(dict.fromkeys(part.name for part in parts)),
            deterministic=all(part.deterministic for part in parts),
            monotone=all(part.monotone for part in parts),
            standard_error=all(part.standard_error for part in parts),
            exact=all(part.exact for part in parts),
            heavy=any(part.heavy for part in parts),
            certain=all(part.certain for part in parts),
            shares_state=any(part.shares_state for part in parts),
            relevance=all(part.relevance for part in parts),
        )
