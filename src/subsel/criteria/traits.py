"""What an evaluator is like, as one value: what the engine may do with it, and what its qualities mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Traits"]


@dataclass(frozen=True)
class Traits:
    """What holds for every answer of an evaluator.

    A wrapper passes the traits of what it wraps on whole, changed by ``dataclasses.replace`` where it changes them; one
    that stands for several evaluators has :meth:`joined` ones.

    Parameters
    ----------
    name : str
        What the evaluator is called in results.
    deterministic : bool
        The same subset always has the same quality, so that the engine may remember it.
    monotone : bool
        Adding a column never lowers the quality.
    standard_error : bool
        ``explain`` gives one.
    exact : bool
        Qualities come from a closed form or from the data alone: a model is refitted only where ``n_refits`` counts it.
    heavy : bool
        An evaluation takes milliseconds, so that handing candidates to other processes pays.
    certain : bool
        Heavy, and yet no random number can be drawn unasked: the engine need not evaluate the first subset twice to see.
    shares_state : bool
        Forks write to memory that they share, so that they must not run on threads at the same time.
    relevance : bool
        ``relevances`` says how much a trained model used each column.

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
        """What holds of an evaluator that may pass a request on to any of several."""
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
