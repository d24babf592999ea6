"""Which accelerated evaluator stands for which evaluator."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from subsel._loops.device import NotAccelerated, find_device
from subsel.criteria.base import Evaluator

__all__ = ["on_device"]

_ROOM = "subsel.criteria.accelerated"
_KNOWN = {
    "subsel.criteria.linear.linear_evaluator:Linear": f"{_ROOM}.linear:AcceleratedLinear",
    "subsel.criteria.linear.leave_one_out:LeaveOneOut": f"{_ROOM}.linear:AcceleratedLeaveOneOut",
    "subsel.criteria.linear.gaussian_bayes:GaussianBayes": f"{_ROOM}.naive_bayes:AcceleratedBayes",
    "subsel.criteria.kernels.kernel_ridge:KernelRidgeEvaluator": f"{_ROOM}.kernel_ridge:AcceleratedKernelRidge",
    "subsel.criteria.neighbours.nearest_neighbours:_Evaluator": f"{_ROOM}.neighbours:AcceleratedNeighbours",
}


def on_device(evaluator: Evaluator, name: str | None, what: str) -> Evaluator:
    """The evaluator that answers the same from a device; itself where none is named.

    Parameters
    ----------
    evaluator : Evaluator
        Who answers what the device cannot vouch for, and everything that is asked of one subset.
    name : str or None
        The device.
    what : str
        What to call the criterion in an error.
    """
    if name is None:
        return evaluator
    device, cls = find_device(name), type(evaluator)
    place = _KNOWN.get(f"{cls.__module__}:{cls.__qualname__}")
    if place is None:
        raise NotAccelerated(f"{what} has no accelerated evaluator: use device=None.")
    module, _, attribute = place.partition(":")
    found: Any = getattr(import_module(module), attribute)
    return found(evaluator, device)
