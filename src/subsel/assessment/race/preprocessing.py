"""Contenders behind an encoder: gaps as they are for procedures that read NaN, filled for the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from subsel.assessment.race.contender import Contender
from subsel.data.encoding.encoder import TableEncoder

__all__ = ["encoded_contenders", "reads_gaps"]


def encoded_contenders(offered: Iterable[Contender], encoder: TableEncoder) -> Iterator[Contender]:
    """The contenders with the encoder as their first step; those that cannot read gaps are left out if none are filled.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from sklearn.linear_model import RidgeClassifier
    >>> offered = [Contender("ridge", Pipeline([("model", RidgeClassifier())]))]
    >>> offered.append(Contender("boosting", Pipeline([("model", HistGradientBoostingClassifier())])))
    >>> [c.procedure[0].impute for c in encoded_contenders(offered, TableEncoder("median"))]
    ['median', 'none']
    >>> [c.name for c in encoded_contenders(offered, TableEncoder("none"))]
    ['boosting']
    """
    for contender in offered:
        as_they_are = reads_gaps(contender.procedure)
        if encoder.impute == "none" and not as_they_are:
            continue
        first = clone(encoder).set_params(impute="none" if as_they_are else encoder.impute)
        procedure = Pipeline([("encode", first), *contender.procedure.steps])
        yield replace(contender, procedure=procedure)


def reads_gaps(procedure: Any) -> bool:
    """Whether every step of a procedure reads NaN."""
    steps = [procedure]
    if isinstance(procedure, Pipeline):
        steps = [step for _, step in procedure.steps]
    return all(get_tags(step).input_tags.allow_nan for step in steps)
