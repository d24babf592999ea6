"""Madelon: clusters on the corners of a cube, hidden among combinations, copies and noise."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["Madelon", "draw_madelon", "madelon"]


@dataclass(frozen=True, slots=True, eq=False)
class Madelon:
    """A drawn problem, from which any number of samples can be taken.

    Attributes
    ----------
    vertices : ndarray of shape (n_clusters, n_useful)
        The corner of the cube each cluster sits on; the first clusters belong to class 0, the next to class
        1, ...
    mixings : ndarray of shape (n_clusters, n_useful, n_useful)
        The matrix that gives each cluster its shape.
    combinations : ndarray of shape (n_useful, n_redundant)
        The weights of the redundant columns.
    repeated : ndarray of int
        For each repeated column, which useful or redundant one (before the columns were shuffled) it copies.
    shift, scale : ndarray
        The affine map of each column before the columns were shuffled.
    order : ndarray of int
        Column j of a sample is column ``order[j]`` of useful, redundant, repeated, useless.
    n_classes : int
        How many classes there are.
    class_separation, label_noise, value_noise : float
        Half the side of the cube, the share of labels drawn anew, the relative spread of the noise on the values.

    Examples
    --------
    >>> law = draw_madelon(random_state=0)
    >>> law.roles[law.roles == "useful"].size
    5
    """

    vertices: np.ndarray
    mixings: np.ndarray
    combinations: np.ndarray
    repeated: np.ndarray
    shift: np.ndarray
    scale: np.ndarray
    order: np.ndarray
    n_classes: int
    class_separation: float
    label_noise: float
    value_noise: float

    @property
    def roles(self) -> np.ndarray:
        """What each column of a sample is: ``"useful"``, ``"redundant"``, ``"repeated"`` or ``"useless"``."""
        n_useful, n_redundant = self.combinations.shape
        names = np.full(len(self.order), "useless", dtype="<U9")
        names[: n_useful + n_redundant + len(self.repeated)] = "repeated"
        names[: n_useful + n_redundant] = "redundant"
        names[:n_useful] = "useful"
        return names[self.order]

    @property
    def source(self) -> np.ndarray:
        """For each column of a sample the column it copies, itself where it is no copy."""
        n_base = sum(self.combinations.shape)
        original = np.arange(len(self.order))
        original[n_base : n_base + len(self.repeated)] = self.repeated
        place = np.argsort(self.order)
        return place[original[self.order]]

    def sample(
        self, rows_per_cluster: int, n_replicates: int = 1, random_state: Any = None
    ) -> SyntheticProblem:
        """Draw rows, in random order; labels count from 0.

        The value noise is multiplicative, ``X * (1 + value_noise * sqrt(n_replicates) * N(0, 1))`` entry by
        entry, so copies and combinations are exact only before it. ``n_replicates`` noisy versions of every
        row are given.
        """
        rng = np.random.default_rng(random_state)
        n_clusters, n_useful = self.vertices.shape
        Z = rng.standard_normal((n_clusters, rows_per_cluster, n_useful))
        useful = (Z @ self.mixings + self.class_separation * self.vertices[:, None, :]).reshape(
            -1, n_useful
        )
        base = np.hstack((useful, useful @ self.combinations))
        n_useless = len(self.order) - base.shape[1] - len(self.repeated)
        useless = rng.standard_normal((len(base), n_useless))
        X = (np.hstack((base, base[:, self.repeated], useless)) + self.shift) * self.scale
        y = self._labels(rows_per_cluster, rng)
        rows = np.tile(rng.permutation(len(y)), n_replicates)
        X = X[np.ix_(rows, self.order)]
        X *= 1 + self.value_noise * np.sqrt(n_replicates) * rng.standard_normal(X.shape)
        return SyntheticProblem(X, y[rows], np.flatnonzero(self.roles != "useless"))

    def _labels(self, rows_per_cluster: int, rng: np.random.Generator) -> np.ndarray:
        per_class = len(self.vertices) // self.n_classes * rows_per_cluster
        y = np.repeat(np.arange(self.n_classes), per_class)
        flipped = rng.choice(len(y), size=round(len(y) * self.label_noise), replace=False)
        step = np.rint(rng.random(len(flipped)) * (self.n_classes - 1)).astype(int)
        y[flipped] = (y[flipped] + step) % self.n_classes
        return y


def draw_madelon(
    n_classes: int = 2,
    *,
    n_useful: int = 5,
    n_redundant: int = 5,
    n_repeated: int = 10,
    n_useless: int = 480,
    clusters_per_class: int = 16,
    class_separation: float = 2.0,
    label_noise: float = 0.01,
    value_noise: float = 0.1,
    random_state: Any = None,
) -> Madelon:
    """Draw the law of a Madelon-like problem by the program of the challenge's appendix B [1]_.

    The defaults are those of the 2003 challenge. Particular to the program, and kept: every cluster has a
    shape of its own; the first and the last column are half as likely to be repeated as the others; of the
    labels chosen as noise half keep their value when there are two classes; two useful columns with two
    clusters in each of two classes give XOR. Repaired: the repeated columns follow the redundant ones (the
    listing misnames the index).

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       MADELON.

    Examples
    --------
    >>> law = draw_madelon(n_useless=4, random_state=0)
    >>> law.vertices.shape, int((law.roles == "repeated").sum())
    ((32, 5), 10)
    """
    n_clusters = n_classes * clusters_per_class
    if n_clusters > 2**n_useful:
        raise ValueError(
            f"n_classes * clusters_per_class must be at most 2 ** n_useful = {2**n_useful}, got {n_clusters}."
        )
    rng = np.random.default_rng(random_state)
    n_base = n_useful + n_redundant
    n_columns = n_base + n_repeated + n_useless
    return Madelon(
        vertices=_vertices(n_useful, n_classes, clusters_per_class, rng),
        mixings=rng.uniform(-1, 1, (n_clusters, n_useful, n_useful)),
        combinations=rng.uniform(-1, 1, (n_useful, n_redundant)),
        repeated=np.rint(rng.random(n_repeated) * (n_base - 1)).astype(int),
        shift=rng.random(n_columns),
        scale=1 + 100 * rng.random(n_columns),
        order=rng.permutation(n_columns),
        n_classes=n_classes,
        class_separation=class_separation,
        label_noise=label_noise,
        value_noise=value_noise,
    )


def madelon(rows_per_cluster: int = 250, random_state: Any = None, **law: Any) -> SyntheticProblem:
    """Draw a law and one sample from it; ``law`` goes to :func:`draw_madelon`.

    Examples
    --------
    >>> problem = madelon(10, random_state=0)
    >>> problem.X.shape, len(problem.relevant)
    ((320, 500), 20)
    """
    rng = np.random.default_rng(random_state)
    return draw_madelon(random_state=rng, **law).sample(rows_per_cluster, random_state=rng)


def _vertices(
    n_useful: int, n_classes: int, per_class: int, rng: np.random.Generator
) -> np.ndarray:
    if (n_useful, n_classes, per_class) == (2, 2, 2):
        return np.array([[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]])
    corners = rng.choice(2**n_useful, size=n_classes * per_class, replace=False)
    return 2.0 * ((corners[:, None] >> np.arange(n_useful)) & 1) - 1
