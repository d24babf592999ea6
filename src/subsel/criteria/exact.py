"""The criterion that computes the cross-validated score of an estimator without refitting it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from subsel._loops.device import NotAccelerated
from subsel.criteria.base import Criterion, Evaluator
from subsel.criteria.evaluators.footprint import fit_into
from subsel.criteria.registry import CRITERIA
from subsel.criteria.scoring.scoring import NotExact
from subsel.data.task import Task
from subsel.runtime.memory import NotEnoughMemory

if TYPE_CHECKING:
    from subsel.criteria.refits.cross_validated import CrossValidated

__all__ = ["Exact", "criterion_of", "exact_criterion", "with_device"]

Exact = Literal["auto", "require", "never"]
# the scalers that criteria support, by name, with the settings that they support
_PLAIN: dict[type, tuple[str, dict[str, Any]]] = {
    StandardScaler: ("standard", {"with_mean": True, "with_std": True}),
    MinMaxScaler: ("minmax", {"feature_range": (0, 1), "clip": False}),
}


def criterion_of(
    estimator: Any,
    scoring: Any = None,
    cv: Any = 5,
    exact: Exact = "auto",
    device: str | None = None,
) -> Criterion:
    """Return the exact criterion of an estimator where there is one, else the one that refits.

    An estimator has an exact criterion if one of the table declares an equivalent estimator of its
    type with these parameters, alone or after a scaler in a pipeline. Whether the folds and the
    scoring allow it is known when the criterion is bound.

    Parameters
    ----------
    estimator : estimator
        Any estimator with the interface of scikit-learn.
    scoring, cv : object
        As in ``cross_val_score``.
    exact : {"auto", "require", "never"}, default="auto"
        Whether to use the exact criterion where there is one, insist on it, or always refit.
    device : str or None, default=None
        Where the exact criterion is evaluated, see :func:`with_device`; a device requires an exact
        criterion.

    Returns
    -------
    criterion
        Equal to the mean of ``cross_val_score``.

    Examples
    --------
    >>> from sklearn.linear_model import Lasso, Ridge
    >>> type(criterion_of(Ridge(), exact="require")).__name__, type(criterion_of(Lasso())).__name__
    ('LeastSquares', 'CrossValidated')
    """
    if exact not in ("auto", "require", "never"):
        raise ValueError(f"exact must be 'auto', 'require' or 'never', got {exact!r}.")
    if isinstance(cv, Iterator):
        cv = list(cv)  # both criteria may have to read it
    if device is not None and exact == "never":
        raise NotAccelerated(
            f"device={device!r} needs an exact criterion, got exact='never': no device refits."
        )
    from subsel.criteria.refits.cross_validated import CrossValidated

    refit, exact_form = CrossValidated(estimator, scoring, cv=cv), None
    if exact != "never":
        exact_form = exact_criterion(estimator, scoring, cv)
    if exact_form is None:
        if device is not None:
            raise NotAccelerated(
                f"device={device!r}: there is no exact criterion for {estimator!r}."
            )
        if exact == "require":
            raise NotExact(
                f"there is no exact criterion for {estimator!r}: use exact='auto' to refit."
            )
        return refit
    if device is not None:
        return with_device(exact_form, device)
    return exact_form if exact == "require" else ExactOrRefit(exact_form, refit)


def with_device(criterion: Criterion, device: str | None) -> Criterion:
    """Return the criterion, to be evaluated on a device.

    Parameters
    ----------
    criterion : criterion
        One with a parameter ``device``.
    device : str or None
        ``"cpu"`` or ``"cuda"``; None leaves the criterion as it is.

    Examples
    --------
    >>> from subsel.criteria import LeastSquares
    >>> with_device(LeastSquares(), "cuda").device
    'cuda'
    """
    if device is None:
        return criterion
    if not hasattr(criterion, "device"):
        raise NotAccelerated(
            f"{type(criterion).__name__} has no accelerated evaluator: use device=None."
        )
    return replace(criterion, device=device)  # type: ignore[type-var]


@dataclass(frozen=True)
class ExactOrRefit:
    """The exact criterion, unless the data, the folds or the scoring have no closed form."""

    exact: Criterion  # the exact criterion
    refit: CrossValidated  # the criterion that refits

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Bind the exact criterion, or the one that refits where there is no closed form."""
        try:
            return self.exact.bind(task, seed)
        except NotExact:
            return self.refit.bind(task, seed)

    def fit_into(self, task: Task, memory: str | float | None, restarts: int) -> Criterion:
        """Return the exact criterion within the limit of memory.

        Without a limit, return the one that refits where the machine has too little memory.
        """
        try:
            return replace(self, exact=fit_into(self.exact, task, memory, restarts))
        except NotEnoughMemory:
            if memory is None:
                return self.refit
            raise


def exact_criterion(estimator: Any, scoring: Any, cv: Any) -> Criterion | None:
    """Return the criterion that declares an equivalent of this estimator, or None."""
    scaling, model = _unscaled(estimator)
    if model is None or not _valid(model):
        return None
    ours = [CRITERIA[key] for key in CRITERIA if key not in CRITERIA.facts]
    answers = ((cls, answer) for cls in ours for answer in getattr(cls, "answers", ()))
    for cls, answer in answers:
        if answer.covers(model):
            settings = answer.read(model)
            if settings is None or (scaling and "scaling" not in signature(cls).parameters):
                return None
            if scaling:
                settings = {**settings, "scaling": scaling}
            return cls(**settings, scoring=scoring, cv=cv)
    return None


def _valid(model: Any) -> bool:
    """Return whether scikit-learn accepts these parameters; if not, refitting shows its error."""
    if not hasattr(model, "_parameter_constraints"):
        return True
    try:
        model._validate_params()
    except ValueError:
        return False
    return True


def _unscaled(estimator: Any) -> tuple[str | None, Any]:
    """Return the scaler and the model of a pipeline; the model is None with any other step."""
    if not isinstance(estimator, Pipeline):
        return None, estimator
    steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
    if len(steps) == 1:
        return None, steps[0]
    if len(steps) != 2 or type(steps[0]) not in _PLAIN:
        return None, None
    scaler, model = steps
    scaling, known = _PLAIN[type(scaler)]
    plain = all(getattr(scaler, name) == value for name, value in known.items())
    return (scaling, model) if plain else (None, None)
