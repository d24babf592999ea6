"""Products and ratios of columns, in groups with the columns that they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations, combinations_with_replacement, islice, permutations
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from subsel.construct.inputs.association import association

__all__ = ["Monomial", "Monomials", "best_monomials"]


class Monomials(TransformerMixin, BaseEstimator):
    """The columns of a table, and products and ratios of them [1]_.

    Candidates are constructed in blocks of which only the best are kept, so that the memory needed
    does not depend on the number of products.

    Parameters
    ----------
    degree : int
        Largest number of factors of a product; at least 2.
    repeated : bool
        Whether a column can be a factor more than once.
    ratios : bool
        Whether to add the ratios of two columns; a ratio is 0 where its denominator is 0.
    max_constructed : int
        Number of constructed columns to keep, those most associated with the target (see
        `association`), the first of equals. By default all are kept and the target is not used.
    heredity : bool
        Whether each constructed column is preceded by copies of its parents, the columns that it
        is made of, so that they can be selected as a group: ``feature_groups_``.

    Attributes
    ----------
    monomials_ : list of Monomial
        The constructed columns, in the order of the output.
    feature_groups_ : list of lists
        Groups of output columns: copies of the parents, and their product. Empty without heredity.

    References
    ----------
    .. [1] Guyon and Elisseeff, An introduction to feature extraction, in *Feature Extraction:
       Foundations and Applications*, 2006, section 1.2.

    Examples
    --------
    >>> monomials = Monomials(heredity=True).fit([[2.0, 3.0]])
    >>> monomials.transform([[2.0, 3.0]]), monomials.feature_groups_
    (array([[2., 3., 2., 3., 6.]]), [[2, 3, 4]])
    >>> monomials.get_feature_names_out().tolist()
    ['x0', 'x1', 'x0 of x0*x1', 'x1 of x0*x1', 'x0*x1']
    """

    def __init__(
        self,
        degree: int = 2,
        *,
        repeated: bool = False,
        ratios: bool = False,
        max_constructed: int | None = None,
        heredity: bool = False,
    ) -> None:
        self.degree = degree
        self.repeated = repeated
        self.ratios = ratios
        self.max_constructed = max_constructed
        self.heredity = heredity

    def fit(self, X: Any, y: Any = None) -> Monomials:
        """Choose the columns to construct."""
        if self.degree < 2:
            raise ValueError(f"degree must be at least 2, got {self.degree}.")
        if self.max_constructed is None:
            X = validate_data(self, X, dtype=np.float64)
            self.monomials_ = list(self.candidates(X.shape[1]))
        elif y is None:
            raise ValueError("y must be given where max_constructed is, got None.")
        else:
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
            self.monomials_ = best_monomials(
                self.candidates(X.shape[1]), X, y, self.max_constructed
            )
        self.sources_, self.feature_groups_ = self._layout(X.shape[1])
        return self

    def candidates(self, n_columns: int) -> Iterator[Monomial]:
        """Iterate over all candidates, products first."""
        choose: Callable[[range, int], Iterator[tuple[int, ...]]] = combinations
        if self.repeated:
            choose = combinations_with_replacement
        products = (choose(range(n_columns), k) for k in range(2, self.degree + 1))
        ratios = permutations(range(n_columns), 2) if self.ratios else ()
        return chain(
            map(Monomial, chain.from_iterable(products)), (Monomial((i,), (j,)) for i, j in ratios)
        )

    def transform(self, X: Any) -> np.ndarray:
        """Compute the columns and the constructed columns."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.column_stack([_values(source, X) for source, _ in self.sources_])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return names such as ``a*b``, ``a/b``, and ``a of a*b`` for a copy of a parent."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array(
            [source_name(source, child, names) for source, child in self.sources_], dtype=object
        )

    def _layout(self, n_columns: int) -> tuple[list[tuple[Any, Monomial | None]], list[list[int]]]:
        """Lay out the output columns.

        Returns
        -------
        sources : list of tuple
            For each output column, a column number or monomial, and the monomial of which it is a
            copied parent, or None.
        groups : list of list of int
            The groups of output columns.
        """
        sources: list[tuple[Any, Monomial | None]] = [(j, None) for j in range(n_columns)]
        groups = []
        for monomial in self.monomials_:
            start = len(sources)
            if self.heredity:
                sources += [(parent, monomial) for parent in monomial.parents()]
            sources.append((monomial, None))
            groups.append(list(range(start, len(sources))))
        if not self.heredity:
            groups = []
        return sources, groups


def _values(source: int | Monomial, X: np.ndarray) -> np.ndarray:
    """Compute an output column."""
    if isinstance(source, Monomial):
        return source.values(X)
    return X[:, source]


def source_name(source: int | Monomial, child: Monomial | None, names: Any) -> str:
    """Return the name of an output column; `child` is the monomial of a copied parent."""
    if isinstance(source, Monomial):
        name = source.name(names)
    else:
        name = str(names[source])
    if child is not None:
        name += f" of {child.name(names)}"
    return name


BLOCK = 256  # candidates in memory at a time


class Monomial(NamedTuple):
    """A product of columns, or the ratio of two columns.

    Attributes
    ----------
    over, under : tuple of int
        The columns of the numerator and of the denominator.

    >>> Monomial((0, 0), (1,)).values(np.array([[6.0, 3.0]]))
    array([12.])
    """

    over: tuple[int, ...]
    under: tuple[int, ...] = ()

    def parents(self) -> list[int]:
        """List its columns, each once.

        >>> Monomial((2, 2), (0,)).parents()
        [0, 2]
        """
        return sorted({*self.over, *self.under})

    def values(self, X: np.ndarray) -> np.ndarray:
        """Compute its values, 0 where the denominator is 0.

        >>> Monomial((0,), (1,)).values(np.array([[6.0, 3.0], [1.0, 0.0]]))
        array([2., 0.])
        """
        under = X[:, list(self.under)].prod(axis=1)
        return np.divide(
            X[:, list(self.over)].prod(axis=1), under, out=np.zeros(len(X)), where=under != 0
        )

    def name(self, names: Any) -> str:
        """Return its name.

        >>> Monomial((0, 1), (2,)).name(["a", "b", "c"])
        'a*b/c'
        """
        return "/".join(
            "*".join(str(names[j]) for j in part) for part in (self.over, self.under) if part
        )


def best_monomials(
    candidates: Iterator[Monomial], X: np.ndarray, y: np.ndarray, n: int
) -> list[Monomial]:
    """Choose the n candidates most associated with the target, in their original order.

    >>> X = np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 0.2], [2.0, 2.0, 0.9]])
    >>> best_monomials(iter([Monomial((0, 2)), Monomial((0, 1))]), X, X[:, 0] * X[:, 1] + 0.5, n=1)
    [Monomial(over=(0, 1), under=())]
    """
    kept: list[tuple[float, int, Monomial]] = []
    while block := list(islice(candidates, BLOCK)):
        first = len(kept) and max(number for _, number, _ in kept) + 1
        strength = association(np.column_stack([monomial.values(X) for monomial in block]), y)
        kept += [(-s, first + k, monomial) for k, (s, monomial) in enumerate(zip(strength, block))]
        kept = sorted(kept)[:n]
    return [monomial for _, _, monomial in sorted(kept, key=lambda item: item[1])]
