"""What crosses between search and engine, checked where it crosses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from subsel.engine.cache import Forgetful
from subsel.engine.requests.relevances import RelevanceRequest
from subsel.engine.requests.subsets import BatchRequest, Stream, SubsetRequest
from subsel.search.relevance_request import Relevance
from subsel.space.candidates import Candidates, Subset
from subsel.space.space import Space

__all__ = ["Request", "read_question", "read_return"]

Request: TypeAlias = SubsetRequest | BatchRequest | RelevanceRequest
"""What a search asks for in one step; none of them ever changes."""


def read_question(
    question: object,
    space: Space,
    memory: Forgetful,
    stream: Stream,
    *,
    left: float,
    search: str,
) -> Request:
    """Read what a search yielded, cut to the evaluations that are left, with what is remembered of it."""
    if type(question) is Subset:
        return SubsetRequest(question, space, stream, memory.quality(question.key))
    if isinstance(question, Relevance):
        return RelevanceRequest.of(question.subset, space, stream).recalled(memory)
    if not isinstance(question, Candidates):
        if not isinstance(question, (list, tuple)) or not all(
            isinstance(subset, Subset) for subset in question
        ):
            raise TypeError(
                f"{search} yielded {question!r}. It may yield a Subset (and is sent its quality), Candidates or a list "
                "of subsets (and is sent their qualities), or Relevance(subset)."
            )
        question = Candidates.of(space, question)
    if len(question) > left:
        question = question.take(np.arange(int(left)))
    return BatchRequest.of(question, stream, memory)


def read_return(value: object, search: str) -> Subset | None:
    """Read what a search returned as its own answer."""
    if value is not None and not isinstance(value, Subset):
        raise TypeError(
            f"{search} returned {value!r}. It may return a Subset as its answer, or nothing."
        )
    return value
