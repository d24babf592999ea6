"""How the weights of columns follow what trees have found: boosting with all or recent history, and forests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from subsel.literature.models.trees.sampled_tree import SamplingLaw

__all__ = ["LAWS", "ForestHistory", "FullHistory", "RecentHistory", "Uniform"]


@dataclass
class Uniform:
    """Equal weights throughout."""

    law: SamplingLaw
    start: np.ndarray
    setting: float

    def learn(self, importances: np.ndarray) -> None:
        """Change nothing."""


@dataclass
class FullHistory(Uniform):
    r"""MART-WS: :math:`w_i = I_i (1 - S/M)^{\alpha l} + \sum_{j \le l} V_i(j)`, the importances of all trees so far.

    S draws of M columns; the first term fades in about M/S trees, after which what was found decides.
    """

    n_trees: int = 0
    found: float | np.ndarray = 0.0

    def learn(self, importances: np.ndarray) -> None:
        """Add the importances of a tree."""
        self.n_trees += 1
        self.found = self.found + importances
        share = 1 - min(self.law.n_draws / len(importances), 1 - 1e-9)
        self.law.weights = (
            self.start * share ** (self.setting * self.n_trees) + self.found + 1e-12 * self.start
        )


@dataclass
class RecentHistory(Uniform):
    """GTB-FS: a floor and the importances of recent trees, each ``setting`` times what it counted one tree later."""

    found: float | np.ndarray = 0.0

    def learn(self, importances: np.ndarray) -> None:
        """Add the importances of a tree, let those before fade."""
        self.found = self.setting * self.found + importances
        self.law.weights = 0.01 * self.start + self.found


@dataclass
class ForestHistory(Uniform):
    r"""RF-WS: :math:`w_i \leftarrow w_i + V_i / (1 - (1 - p_i)^S)`, importances over the chance to be looked at.

    The start is ``setting`` times the spread of the target.
    """

    def learn(self, importances: np.ndarray) -> None:
        """Add the importances of a tree, freed of how often columns were drawn."""
        self.law.weights = self.law.weights + importances / np.maximum(self.law.inclusion, 1e-12)


LAWS = {"full": FullHistory, "recent": RecentHistory, "uniform": Uniform}
