"""Neural networks that prune their inputs."""

from subsel.embedded.networks.brain_damage import OptimalBrainDamage
from subsel.embedded.networks.brain_surgeon import OptimalBrainSurgeon
from subsel.embedded.networks.nonlinear_psvm import NonlinearPSVM

__all__ = [
    "NonlinearPSVM",
    "OptimalBrainDamage",
    "OptimalBrainSurgeon",
]
