"""What Markov chains drew, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from subsel.models.bayes.diagnostics import effective_sample_size, r_hat

__all__ = ["Posterior"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What the chains drew.

    Attributes
    ----------
    chains : list of ndarray of shape (n_draws, n_quantities)
        The draws of each chain; fewer where the run was interrupted.
    acceptance : ndarray of shape (n_chains,)
        The mean probability of accepting a proposal after the warm-up.
    n_diverged : ndarray of shape (n_chains,)
        Trajectories after the warm-up whose energy got lost: where there are many, the sample is not to be trusted.
    note : str
        Empty, or what the reader should know.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> posterior = Posterior([rng.standard_normal((50, 1)), 9 + rng.standard_normal((50, 1))], np.ones(2), np.zeros(2))
    >>> posterior.draws.shape, bool(posterior.r_hat[0] > 2)
    ((100, 1), True)
    """

    chains: Sequence[np.ndarray]
    acceptance: np.ndarray
    n_diverged: np.ndarray
    note: str = ""

    @property
    def draws(self) -> np.ndarray:
        """All draws, one below the other."""
        return np.concatenate(self.chains)

    @property
    def effective_sample_size(self) -> np.ndarray:
        """Of each quantity."""
        return effective_sample_size(self._together())

    @property
    def r_hat(self) -> np.ndarray:
        """Of each quantity."""
        return r_hat(self._together())

    def _together(self) -> np.ndarray:
        shortest = min(map(len, self.chains))
        return np.stack([chain[:shortest] for chain in self.chains])
