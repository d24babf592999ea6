"""Evaluators that answer whole batches of subsets at once on an accelerator, through PyTorch."""

from subsel.criteria.accelerated.device import Device, NotAccelerated, find_device
from subsel.criteria.accelerated.dispatch import on_device

__all__ = ["Device", "NotAccelerated", "find_device", "on_device"]
