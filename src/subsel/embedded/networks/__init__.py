"""Neural networks that prune their inputs."""

from subsel.embedded.networks.brain_damage import OptimalBrainDamage, OptimalBrainSurgeon
from subsel.embedded.networks.nonlinear_psvm import NonlinearPSVM

__all__ = [
    "NonlinearPSVM",
    "OptimalBrainDamage",
    "OptimalBrainSurgeon",
]
