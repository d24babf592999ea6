r"""Statistics as functions of sums over labelled rows, and rules for when their laws are doubtful.

Under permuted labels the correlation of a column x with a target y has the moments of Student's law
up to terms in the product of their skewnesses over the root of n, and in that of their excess
kurtoses over n [1]_. The law is trusted where

.. math:: (g_x g_y)^2 / n + \max(0, k_x) \max(0, k_y) / n \le 0.03

where g is the skewness and k the excess kurtosis. At the limit p-values of 0.001 are wrong by about
an eighth. For classes y is the indicator of the smallest class. Two equal classes have no skewness
and light tails, so that the law is trusted for every column. With a class of a tenth of the rows,
columns of skewness one are doubtful below about 200 rows. Welch's t is studentised by each class
alone, so that the size of the smaller class takes the place of n: its law is trusted where that
size is at least 20 and :math:`g_x^2` at most 0.03 times it.

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
DEPARTURE = 0.03  # the largest departure from Student's law that is accepted (module docstring)
LEAST_OF_WELCH = 20  # rows of the smaller class below which Welch's law is not trusted
FEW_RANKS = 30  # rows up to which Student's law is not trusted for ranks
NO_SCATTER = 1e-12  # of the unit scatter of a column: a class with less is constant up to rounding


class Sums(Protocol):
    """A statistic that depends on the labels through sums of the rows, weighted by a target, only.

    Its value for many permutations of the labels is one product of matrices. Where the statistic
    needs them, the sums of squares are weighted in the same way.
    """

    @property
    def n_powers(self) -> int:
        """1 for sums, 2 for sums and sums of squares."""

    @property
    def target(self) -> Array:
        """The weights of the rows, of shape (n_rows, n_sums)."""

    def prepared(self, columns: Array) -> Array:
        """Give the columns, of shape (n_rows, n_columns), centred and of unit scatter."""

    def finish(self, sums: Array) -> Array:
        """Give the statistic of sums of shape (n_powers, n_columns, n_permutations, n_sums).

        The answer has shape (n_columns, n_permutations); larger is more relevant.
        """

    def doubtful(self, columns: Array) -> Array:
        """Give, for each prepared column, whether the law of the statistic is in doubt."""


@dataclass(frozen=True, eq=False)
class Covariance:
    """The squared covariance with a numeric target."""

    y: Array  # (n_rows,) the target
    n_powers: int = 1

    @property
    def target(self) -> Array:
        """The target, centred and of unit scatter."""
        return centred_to_unit(self.y[:, None])

    def finish(self, sums: Array) -> Array:
        """Give the squared sums."""
        return sums[0, :, :, 0] ** 2

    def prepared(self, columns: Array) -> Array:
        """Give the columns centred and of unit scatter."""
        return centred_to_unit(columns)

    def doubtful(self, columns: Array) -> Array:
        """Give, for each column, whether Student's law is in doubt."""
        return _departure(columns, self.target[:, 0]) > DEPARTURE


@dataclass(frozen=True, eq=False)
class RankCovariance(Covariance):
    """The squared covariance of midranks; Student's law is in doubt where there are few rows."""

    @property
    def target(self) -> Array:
        """The ranks of the target, centred and of unit scatter."""
        return self.prepared(self.y[:, None])

    def prepared(self, columns: Array) -> Array:
        """Give the midranks of the columns, centred and of unit scatter."""
        return centred_to_unit(rankdata(columns, axis=0))

    def doubtful(self, columns: Array) -> Array:
        """Give, for each column, whether there are few rows."""
        return np.full(columns.shape[1], len(columns) <= FEW_RANKS)


@dataclass(frozen=True, eq=False)
class BetweenClasses:
    """The sum of squares between classes, which increases with t, F and eta."""

    codes: Array  # (n_rows,) the class of each row, from 0
    n_powers: int = 1

    @property
    def target(self) -> Array:
        """The indicators of all classes but the largest."""
        sizes = np.bincount(self.codes)
        return (self.codes[:, None] == np.delete(np.arange(len(sizes)), sizes.argmax())).astype(
            float
        )

    def finish(self, sums: Array) -> Array:
        """Give the sum over classes of squared sums over sizes."""
        # Columns are centred, so that the sum of the largest class is minus those of the others.
        sizes = np.bincount(self.codes)
        others = np.delete(sizes, sizes.argmax())
        return (sums[0] ** 2 / others).sum(axis=2) + sums[0].sum(axis=2) ** 2 / sizes.max()

    def prepared(self, columns: Array) -> Array:
        """Centred columns of unit scatter."""
        return centred_to_unit(columns)

    def doubtful(self, columns: Array) -> Array:
        """Give, for each column, whether Student's or Fisher's law is in doubt."""
        smallest = self.codes == np.bincount(self.codes).argmin()
        return (
            _departure(columns, centred_to_unit(smallest[:, None].astype(float))[:, 0]) > DEPARTURE
        )


@dataclass(frozen=True, eq=False)
class WelchSums:
    """``t^2 / (t^2 + 1)`` of Welch's t, which increases with ``|t|``."""

    codes: Array  # (n_rows,) 0 or 1, the class of each row
    n_powers: int = 2

    @property
    def target(self) -> Array:
        """The indicator of the second class."""
        return self.codes[:, None].astype(float)

    def finish(self, sums: Array) -> Array:
        """Give the squared gap of the means over itself plus the variance of their difference."""
        # Columns are centred and of unit scatter: the sum of class 0 is minus that of class 1, its
        # sum of squares 1 minus. The scatter of a class is its sum of squares less sum^2 / size; as
        # this difference cancels, a scatter below NO_SCATTER is that of a constant class.
        sizes = np.bincount(self.codes)
        total, square = sums[0, :, :, 0], sums[1, :, :, 0]
        variance = np.zeros_like(total)
        for size, own, squares in ((sizes[1], total, square), (sizes[0], -total, 1 - square)):
            scatter = np.maximum(squares - own**2 / size, 0.0)
            variance += np.where(scatter > NO_SCATTER, scatter, 0.0) / (max(size - 1, 1) * size)
        gap = (total / sizes[1] + total / sizes[0]) ** 2
        return np.divide(gap, gap + variance, out=np.zeros_like(gap), where=gap > 0)

    def prepared(self, columns: Array) -> Array:
        """Centred columns of unit scatter."""
        return centred_to_unit(columns)

    def doubtful(self, columns: Array) -> Array:
        """Give, for each column, whether Welch's law is in doubt."""
        least = np.bincount(self.codes).min()
        if least < LEAST_OF_WELCH:
            return np.ones(columns.shape[1], dtype=bool)
        skewness = len(columns) ** 0.5 * np.einsum("ij,ij,ij->j", columns, columns, columns)
        return skewness**2 / least > DEPARTURE


def _departure(columns: Array, y: Array) -> Array:
    """Give the departure of each column's permuted correlation from Student's law.

    `columns` and `y`, of shape (n_rows,), are centred and of unit scatter.
    """
    # With unit scatter the skewness is sqrt(n) sum x^3 and the excess kurtosis n sum x^4 - 3; the
    # terms are those of the moments of the permuted correlation (Pitman 1937, see the module).
    n, squares = len(y), columns**2
    skew = n * np.einsum("ij,ij->j", squares, columns) ** 2
    heavy = np.maximum(n * np.einsum("ij,ij->j", squares, squares) - 3, 0.0)
    return skew * (y**3).sum() ** 2 + heavy * max(n * (y**4).sum() - 3, 0.0) / n


def centred_to_unit(columns: Array) -> Array:
    """Centre columns, of shape (n_rows, n_columns), and scale their sums of squares to 1.

    A constant column becomes zero.

    Examples
    --------
    >>> centred_to_unit(np.array([[0.0, 7.0], [0.0, 7.0], [3.0, 7.0], [3.0, 7.0]]))
    array([[-0.5,  0. ],
           [-0.5,  0. ],
           [ 0.5,  0. ],
           [ 0.5,  0. ]])
    """
    # Dividing by the largest entry first keeps the squares from overflow and underflow.
    centred = columns - columns.mean(axis=0)
    centred /= np.maximum(np.maximum(centred.max(axis=0), -centred.min(axis=0)), 1e-300)
    scatter = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    centred /= np.where(scatter > 0, scatter, 1.0)
    return centred
