"""Kernel ridge regression on labels -1 and 1, for two classes, scored without refitting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.kernels.kernel_matrices import KERNELS
from subsel.criteria.kernels.kernel_ridge import KernelRidge, KernelRidgeEvaluator
from subsel.criteria.linear.incremental import check_classes
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, NotExact, scoring_of
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds, make_folds
from subsel.data.task import Kind, Task

__all__ = ["KernelRidgeClassification"]


def _settings(model: Any) -> dict[str, Any] | None:
    """Return the parameters of the criterion for a model, None where it is not covered."""
    if not isinstance(model.kernel, str) or model.kernel not in KERNELS:
        return None
    return {name: getattr(model, name) for name in ("alpha", "kernel", "gamma", "degree", "coef0")}


@criterion("kernel-ridge-classification")
@dataclass(frozen=True)
class KernelRidgeClassification(KernelRidge):
    r"""The cross-validated score of least-squares classification, without refitting [1]_.

    Two classes are coded as -1 and 1, fitted as by :class:`KernelRidge`, and predicted by the sign.
    All folds share one factorisation; the residuals of leave-one-out are :math:`(Q y)_i / Q_{ii}`.

    Parameters
    ----------
    alpha, kernel, gamma, degree, coef0, sigma, cv, scoring, pooled, scaling, device : Any
        As in :class:`KernelRidge`; the scoring is one of classes, and the only device is the
        processor.

    References
    ----------
    .. [1] Torkkola and Tuv, *Ensembles of regularized least squares classifiers for
       high-dimensional problems*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 11,
       sections 11.2 and 11.5.2.

    Examples
    --------
    >>> X = np.array([[-2.0, 1.0], [-1.0, 0.0], [1.0, 1.0], [3.0, 0.0]])
    >>> evaluator = KernelRidgeClassification(cv=2).bind(Task.of(X, [0, 0, 1, 1]))
    >>> evaluator.explain(np.array([0])).quality
    1.0
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)
    gives: ClassVar[tuple[Needs, ...]] = ("labels", "decision")
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent(
            "subsel.models.planes.least_squares_classifier:LeastSquaresClassifier", _settings
        ),
    )

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Sort the rows by fold."""
        if task.kind != "classification":
            raise ValueError(
                "least-squares classification needs classes as target, got a quantity."
            )
        if len(task.classes) != 2:
            raise NotExact(
                f"least-squares classification needs two classes, got {len(task.classes)}."
            )
        if self.device is not None:
            raise ValueError(
                f"device must be None for least-squares classification, got {self.device!r}."
            )
        self._check()
        scoring, folds = scoring_of(self, task), make_folds(self.cv, task)
        if self.scaling is not None and folds.leave_one_out:
            raise NotExact(
                "leave-one-out with scaling inside the folds has no closed form for kernel ridge."
            )
        held_out = HeldOutFolds.of(task, folds, scoring.with_ties(), self.pooled)
        check_classes(held_out, folds)
        return _Signs(self, task, folds, held_out)


class _Signs(KernelRidgeEvaluator):
    """Kernel ridge regression on -1 and 1, scored as classes; parameters as in the base class."""

    traits = Traits("exact least-squares classification", standard_error=True, heavy=True)

    def __init__(
        self, criterion: KernelRidge, task: Task, folds: Folds, held_out: HeldOutFolds
    ) -> None:
        signs = np.where(task.codes == 1, 1.0, -1.0)
        numbers = Task.of(task.matrix, signs, "regression", sample_weight=task.sample_weight)
        super().__init__(criterion, numbers, folds, held_out)

    def fork(self) -> Evaluator:
        """Share the data; there is no state."""
        return _Signs(self.criterion, self.held_out.task, self.folds, self.held_out)

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality of one subset with its predictions, losses and fold scores."""
        predictions = self._all(columns)
        values = predictions[self._best(predictions)[1]]
        return self.held_out.explain(self._outputs(values[None]), (values > 0).astype(int))

    def _best(self, predictions: np.ndarray) -> tuple[float, int]:
        return super()._best(self._outputs(predictions))

    def _outputs(self, predictions: np.ndarray) -> np.ndarray:
        """Return what the scoring needs of predictions (ridges, rows)."""
        if self.held_out.scoring.needs == "labels":
            return (predictions > 0).astype(int)
        return predictions
