"""Committees of learners."""

from subsel.literature.models.committees.fold_committee import FoldCommittee, out_of_bag_losses
from subsel.literature.models.committees.kernel_pls_committee import KernelPLSCommittee
from subsel.literature.models.committees.local_committee import LocalCommittee
from subsel.literature.models.committees.mlp_committee import MLPCommittee
from subsel.literature.models.committees.output_committee import OutputCommittee
from subsel.literature.models.committees.rlsc_committee import RLSCCommittee

__all__ = [
    "FoldCommittee",
    "KernelPLSCommittee",
    "LocalCommittee",
    "MLPCommittee",
    "OutputCommittee",
    "RLSCCommittee",
    "out_of_bag_losses",
]
