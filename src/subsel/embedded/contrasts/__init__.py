"""Selection with error control: Boruta, ACE, knockoffs and stability selection."""

from subsel.embedded.contrasts.ace import ACE
from subsel.embedded.contrasts.boruta import Boruta
from subsel.embedded.contrasts.knockoff_copies import fixed_knockoffs, gaussian_knockoffs
from subsel.embedded.contrasts.knockoffs import Knockoffs
from subsel.embedded.contrasts.stability import StabilitySelection

__all__ = [
    "ACE",
    "Boruta",
    "Knockoffs",
    "StabilitySelection",
    "fixed_knockoffs",
    "gaussian_knockoffs",
]
