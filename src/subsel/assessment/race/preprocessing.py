"""Contenders with an encoder as first step, which fills missing values where necessary."""

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
    """Give the contenders with the encoder as their first step.

    Missing values are left to procedures that accept NaN. If the encoder does not fill them, other
    contenders are left out.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from sklearn.linear_model import RidgeClassifier
    >>> offered = [Contender("ridge", Pipeline([("model", RidgeClassifier())]))]
    >>> boosting = Pipeline([("model", HistGradientBoostingClassifier())])
    >>> offered.append(Contender("boosting", boosting))
    >>> [c.procedure[0].impute for c in encoded_contenders(offered, TableEncoder("median"))]
    ['median', 'none']
    >>> [c.name for c in encoded_contenders(offered, TableEncoder("none"))]
    ['boosting']
    """
    for contender in offered:
        accepts_gaps = reads_gaps(contender.procedure)
        if encoder.impute == "none" and not accepts_gaps:
            continue
        first = clone(encoder).set_params(impute="none" if accepts_gaps else encoder.impute)
        procedure = Pipeline([("encode", first), *contender.procedure.steps])
        yield replace(contender, procedure=procedure)


def reads_gaps(procedure: Any) -> bool:
    """Tell whether every step of a procedure accepts NaN."""
    steps = [procedure]
    if isinstance(procedure, Pipeline):
        steps = [step for _, step in procedure.steps]
    return all(get_tags(step).input_tags.allow_nan for step in steps)
