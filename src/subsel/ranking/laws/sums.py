"""Statistics of means and correlations as functions of sums over labelled rows, and where their laws are in doubt.

Under permuted labels the correlation of a column x with a target y has the moments of Student's law
up to terms in the product of their skewnesses over the root of n, and in that of their excess
kurtoses over n [1]_. The law is believed where

.. math:: (g_x g_y)^2 / n + \\max(0, k_x) \\max(0, k_y) / n \\le 0.03

which lets p-values of 0.001 be wrong by about an eighth. For classes y is the indicator of the
smallest: with equal halves it has no skewness and no heavy tail, and Student's law holds for any
column that has none of light tails; of a class of a tenth of the rows it doubts columns with a
skewness of one in fewer than 200 rows. Welch's t is studentised by each class alone, so that the
size of the smaller takes the place of n: it is believed where that is at least 20 and :math:`g_x^2`
at most 0.03 of it.

References
----------
.. [1] E. J. G. Pitman, "Significance Tests Which May Be Applied to Samples from any Populations.
   II. The Correlation Coefficient Test", Supplement to the Journal of the Royal Statistical Society
   4, 1937.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.stats import rankdata

__all__ = ["BetweenClasses", "Covariance", "RankCovariance", "Sums", "WelchSums", "centred_to_unit"]

Array = np.ndarray
DEPARTURE = 0.03  # from Student's law that is let pass
LEAST_OF_WELCH = 20  # rows of the smaller class
FEW_RANKS = 30  # rows up to which Student's law is not believed of ranks


class Sums(Protocol):
    """A statistic of the sums of columns, and of their squares if it asks for them, over rows weighted by a target."""

    @property
    def n_powers(self) -> int:
        """One for sums, two for sums and sums of squares."""

    @property
    def target(self) -> Array:
        """What the rows are weighted by: shape (n_rows, n_sums)."""

    def prepared(self, columns: Array) -> Array:
        """Give columns centred and of unit scatter."""

    def finish(self, sums: Array) -> Array:
        """Give the statistic of sums of shape (n_powers, n_columns, n_permutations, n_sums)."""

    def doubtful(self, columns: Array) -> Array:
        """Whether the law of the statistic is in doubt for each prepared column."""


@dataclass(frozen=True, eq=False)
class Covariance:
    """The squared covariance with a target of numbers."""

    y: Array
    n_powers: int = 1

    @property
    def target(self) -> Array:
        """The target, centred."""
        return centred_to_unit(self.y[:, None])

    def finish(self, sums: Array) -> Array:
        """Square."""
        return sums[0, :, :, 0] ** 2

    def prepared(self, columns: Array) -> Array:
        """Centred columns of unit scatter."""
        return centred_to_unit(columns)

    def doubtful(self, columns: Array) -> Array:
        """Whether Student's law is in doubt for each column."""
        return _departure(columns, self.target[:, 0]) > DEPARTURE


@dataclass(frozen=True, eq=False)
class RankCovariance(Covariance):
    """The same of ranks, ties sharing the mean of theirs: Student's law is in doubt where rows are few."""

    @property
    def target(self) -> Array:
        """The ranks of the target, centred."""
        return self.prepared(self.y[:, None])

    def prepared(self, columns: Array) -> Array:
        """Centred ranks of unit scatter."""
        return centred_to_unit(rankdata(columns, axis=0))

    def doubtful(self, columns: Array) -> Array:
        """Whether rows are few."""
        return np.full(columns.shape[1], len(columns) <= FEW_RANKS)


@dataclass(frozen=True, eq=False)
class BetweenClasses:
    """The sum of squares between classes: rises with t, F and eta."""

    codes: Array
    n_powers: int = 1

    @property
    def target(self) -> Array:
        """The indicators of all classes but the largest."""
        sizes = np.bincount(self.codes)
        return (self.codes[:, None] == np.delete(np.arange(len(sizes)), sizes.argmax())).astype(
            float
        )

    def finish(self, sums: Array) -> Array:
        """Squared sums over sizes; what the others lack is the sum of the largest class."""
        sizes = np.bincount(self.codes)
        others = np.delete(sizes, sizes.argmax())
        return (sums[0] ** 2 / others).sum(axis=2) + sums[0].sum(axis=2) ** 2 / sizes.max()

    def prepared(self, columns: Array) -> Array:
        """Centred columns of unit scatter."""
        return centred_to_unit(columns)

    def doubtful(self, columns: Array) -> Array:
        """Whether Student's or Fisher's law is in doubt for each column."""
        smallest = self.codes == np.bincount(self.codes).argmin()
        return (
            _departure(columns, centred_to_unit(smallest[:, None].astype(float))[:, 0]) > DEPARTURE
        )


@dataclass(frozen=True, eq=False)
class WelchSums:
    """The share of the squared gap of two means in itself and the variance of their difference: rises with Welch's t."""

    codes: Array
    n_powers: int = 2

    @property
    def target(self) -> Array:
        """The indicator of the second class."""
        return self.codes[:, None].astype(float)

    def finish(self, sums: Array) -> Array:
        """Means and variances of both classes, the columns being centred and of unit scatter."""
        sizes = np.bincount(self.codes)
        total, square = sums[0, :, :, 0], sums[1, :, :, 0]
        variance = np.zeros_like(total)
        for size, own, squares in ((sizes[1], total, square), (sizes[0], -total, 1 - square)):
            scatter = np.maximum(squares - own**2 / size, 0.0)
            variance += np.where(scatter > 1e-12, scatter, 0.0) / (max(size - 1, 1) * size)
        gap = (total / sizes[1] + total / sizes[0]) ** 2
        return np.divide(gap, gap + variance, out=np.zeros_like(gap), where=gap > 0)

    def prepared(self, columns: Array) -> Array:
        """Centred columns of unit scatter."""
        return centred_to_unit(columns)

    def doubtful(self, columns: Array) -> Array:
        """Whether Welch's law is in doubt for each column."""
        least = np.bincount(self.codes).min()
        if least < LEAST_OF_WELCH:
            return np.ones(columns.shape[1], dtype=bool)
        skewness = len(columns) ** 0.5 * np.einsum("ij,ij,ij->j", columns, columns, columns)
        return skewness**2 / least > DEPARTURE


def _departure(columns: Array, y: Array) -> Array:
    """How far the permuted correlation is from Student's law; columns and target are centred, of unit scatter."""
    n, squares = len(y), columns**2
    skew = n * np.einsum("ij,ij->j", squares, columns) ** 2
    heavy = np.maximum(n * np.einsum("ij,ij->j", squares, squares) - 3, 0.0)
    return skew * (y**3).sum() ** 2 + heavy * max(n * (y**4).sum() - 3, 0.0) / n


def centred_to_unit(columns: Array) -> Array:
    """Columns centred and of unit scatter; a constant one is zero."""
    centred = columns - columns.mean(axis=0)
    centred /= np.maximum(np.maximum(centred.max(axis=0), -centred.min(axis=0)), 1e-300)
    scatter = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    centred /= np.where(scatter > 0, scatter, 1.0)
    return centred
