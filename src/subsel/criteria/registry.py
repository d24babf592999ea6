"""The table of criteria: their keys, and what a criterion may declare about itself.

A criterion is anything with ``bind(task, seed)``. In addition it may declare

``serves``
    The kinds of task it is for, ``("classification",)`` or ``("regression",)`` or both.
``footprint(shape)``
    The memory it needs, a :class:`~subsel.criteria.evaluators.footprint.Footprint`, by which limits
    of memory are kept. A parameter ``memory`` is set to the bytes that it may use beyond the least.
``answers``
    The estimators whose cross-validated score it computes without refitting them, each an
    :class:`Equivalent`. It is then constructed with the settings read from the estimator, and with
    ``scoring``, ``cv`` and, after a scaler, ``scaling``.
``gives``
    What it can predict of held-out rows: any of ``"labels"``, ``"decision"``, ``"probability"``,
    ``"values"``. It supports every scoring that is a function of one of these.

None of these is required.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from subsel.criteria.base import Criterion
from subsel.registry.table import Registry, did_you_mean

__all__ = ["CRITERIA", "Equivalent", "criterion", "find_criterion"]

CRITERIA: Registry[type] = Registry(
    "criterion",
    "subsel.criteria",
    rooms=(
        "subsel.criteria.linear",
        "subsel.criteria.neighbours",
        "subsel.criteria.kernels",
        "subsel.criteria.bayes",
        "subsel.criteria.model_free",
        "subsel.criteria.refits",
    ),
)
CRITERIA.declare("linkage-accuracy", "subsel.literature.linkage.accuracy:LinkageAccuracy")
CRITERIA.declare("graded-linkage", "subsel.literature.linkage.graded:GradedLinkage")
_Class = TypeVar("_Class", bound=type)


class Equivalent(NamedTuple):
    """An estimator whose cross-validated score a criterion computes.

    Parameters
    ----------
    estimator : str or type
        Its type, or the place of its type as ``"module:name"``, so that declaring it imports
        nothing. Subclasses do not count, since they may predict otherwise.
    read : callable
        Takes an estimator of this type; returns the parameters of the criterion, or None where the
        criterion does not cover the estimator's settings.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> answer = Equivalent("sklearn.linear_model:Ridge", lambda ridge: {"alpha": ridge.alpha})
    >>> answer.covers(Ridge()), answer.read(Ridge(alpha=2.0))
    (True, {'alpha': 2.0})
    """

    estimator: str | type
    read: Callable[[Any], dict[str, Any] | None]

    def covers(self, estimator: Any) -> bool:
        """Return whether an estimator is of exactly this type."""
        if isinstance(self.estimator, type):
            return type(estimator) is self.estimator
        module, _, name = self.estimator.partition(":")
        return type(estimator) is getattr(sys.modules.get(module), name, None)


def criterion(key: str) -> Callable[[_Class], _Class]:
    """Return a decorator that enters a class of criteria in the table.

    Parameters
    ----------
    key : str
        The name by which ``subsel select --criterion`` finds it.

    Returns
    -------
    callable
        A decorator that returns the class.

    Examples
    --------
    >>> from subsel.criteria.base import Evaluator
    >>> @criterion("fewest-columns")
    ... class FewestColumns:
    ...     def bind(self, task, seed=None):
    ...         return Count()
    >>> class Count(Evaluator):
    ...     def quality(self, columns):
    ...         return -float(len(columns))
    >>> find_criterion("fewest-columns").bind(None).quality([3, 4])
    -2.0
    """

    def enter(cls: _Class) -> _Class:
        CRITERIA.add(key, cls, home=f"{cls.__module__}:{cls.__qualname__}")
        return cls

    return enter


def find_criterion(key: str | Criterion, **params: Any) -> Criterion:
    """Return a criterion by its key, or the criterion itself.

    Parameters
    ----------
    key : str or criterion
        A key of the table, with hyphens or underscores.
    **params : dict
        Its parameters.

    Returns
    -------
    criterion
        With these parameters.

    Examples
    --------
    >>> find_criterion("least-squares", alpha=0.5).alpha
    0.5
    >>> find_criterion("least-squares", alpa=0.5)
    Traceback (most recent call last):
    ValueError: the criterion 'least-squares' has no parameter 'alpa'. Did you mean alpha?
    """
    if not isinstance(key, str):
        if not isinstance(key, Criterion):
            raise TypeError(
                f"criterion must be a key or an object with bind(task, seed), got {key!r}."
            )
        return key
    cls = CRITERIA.find(key)
    known = _parameters(cls)
    for name in params:
        if name not in known:
            raise ValueError(
                f"the criterion {key!r} has no parameter {name!r}. {did_you_mean(name, known)}"
            )
    return cls(**params)


def _parameters(cls: type) -> list[str]:
    """Return the names of the parameters of a class."""
    from inspect import signature

    return list(signature(cls).parameters)
