"""Accelerated evaluators, which replace those of the processor on a device."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from subsel._loops.device import NotAccelerated, find_device
from subsel.criteria.base import Evaluator

__all__ = ["on_device"]

_ROOM = "subsel.criteria.accelerated"
# the accelerated evaluator of each evaluator
_KNOWN = {
    f"subsel.criteria.{evaluator}": f"{_ROOM}.{accelerated}"
    for evaluator, accelerated in (
        ("linear.linear_evaluator:Linear", "linear:AcceleratedLinear"),
        ("linear.leave_one_out:LeaveOneOut", "linear:AcceleratedLeaveOneOut"),
        ("linear.gaussian_bayes:GaussianBayes", "naive_bayes:AcceleratedBayes"),
        ("kernels.kernel_ridge:KernelRidgeEvaluator", "kernel_ridge:AcceleratedKernelRidge"),
        ("neighbours.nearest_neighbours:_Evaluator", "neighbours:AcceleratedNeighbours"),
    )
}


def on_device(evaluator: Evaluator, name: str | None, what: str) -> Evaluator:
    """Return the evaluator that gives the same qualities on a device, or the evaluator itself.

    Parameters
    ----------
    evaluator : Evaluator
        The evaluator of the processor, which answers where the device is not reliable, and requests
        for one subset.
    name : str or None
        The device; None is the processor.
    what : str
        The name of the criterion for an error.

    Returns
    -------
    Evaluator
        The accelerated evaluator, or `evaluator` where no device is named.

    See Also
    --------
    subsel.criteria.exact.with_device : The criterion on a device.
    """
    if name is None:
        return evaluator
    device, cls = find_device(name), type(evaluator)
    place = _KNOWN.get(f"{cls.__module__}:{cls.__qualname__}")
    if place is None:
        raise NotAccelerated(f"{what} has no accelerated evaluator: use device=None.")
    module, _, attribute = place.partition(":")
    accelerated: Any = getattr(import_module(module), attribute)
    return accelerated(evaluator, device)
