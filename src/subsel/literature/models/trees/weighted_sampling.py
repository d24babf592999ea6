"""How the weights by which trees draw columns follow the importances from earlier trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from subsel.literature.models.trees.sampled_tree import SamplingLaw

__all__ = ["LAWS", "ForestHistory", "FullHistory", "History", "RecentHistory", "Uniform"]


class History(Protocol):
    """A law that learns: `learn` replaces `law` after each tree."""

    law: SamplingLaw

    def learn(self, importances: np.ndarray) -> None:
        """Replace `law` after a tree with these importances, of shape (n_features,)."""


@dataclass
class Uniform:
    """Weights that do not change.

    Like the other laws it is created from the initial law, the initial weights of shape
    (n_features,) and a number, which it ignores.
    """

    law: SamplingLaw
    start: np.ndarray
    setting: float

    def learn(self, importances: np.ndarray) -> None:
        """Change nothing."""


@dataclass
class FullHistory:
    r"""MART-WS: :math:`w_i = I_i (1 - S/M)^{\alpha l} + \sum_{j \le l} V_i(j)` after l trees.

    V are the importances from each tree, S is the number of draws and M the number of columns. The
    first term vanishes within about M/S trees.
    """

    law: SamplingLaw
    start: np.ndarray  # I, of shape (n_features,)
    setting: float  # alpha
    n_trees: int = 0  # l
    total: float | np.ndarray = 0.0  # (n_features,) the sum of the importances

    def learn(self, importances: np.ndarray) -> None:
        """Add the importances from a tree, and replace the law."""
        self.n_trees += 1
        self.total = self.total + importances
        # where all columns are drawn, 1e-9 in place of 0 keeps powers of the share defined; the
        # last term keeps every weight positive after the first has underflowed
        share = 1 - min(self.law.n_draws / len(importances), 1 - 1e-9)
        weights = (
            self.start * share ** (self.setting * self.n_trees) + self.total + 1e-12 * self.start
        )
        self.law = SamplingLaw(weights, self.law.n_draws)


@dataclass
class RecentHistory:
    """GTB-FS: importances that fade by the factor ``setting`` with each tree, above a floor."""

    law: SamplingLaw
    start: np.ndarray  # (n_features,) the floor is a hundredth of it
    setting: float  # the factor
    total: float | np.ndarray = 0.0  # (n_features,) the sum of the faded importances

    def learn(self, importances: np.ndarray) -> None:
        """Let the importances so far fade, add those from a tree, and replace the law."""
        self.total = self.setting * self.total + importances
        self.law = SamplingLaw(0.01 * self.start + self.total, self.law.n_draws)


@dataclass
class ForestHistory:
    r"""RF-WS: :math:`w_i \leftarrow w_i + V_i / (1 - (1 - p_i)^S)`.

    The importance from each tree is divided by the probability of the column to be among the S
    draws of a node.
    """

    law: SamplingLaw
    start: np.ndarray  # (n_features,) the initial weights
    setting: float  # their size in units of the variance of the target

    def learn(self, importances: np.ndarray) -> None:
        """Add the importances from a tree, over the probabilities of inclusion."""
        weights = self.law.weights + importances / np.maximum(self.law.inclusion, 1e-12)
        self.law = SamplingLaw(weights, self.law.n_draws)


LAWS = {"full": FullHistory, "recent": RecentHistory, "uniform": Uniform}  # of MART's `sampling`
