"""Products and ratios of columns, made lazily, with the groups that bring their parents along."""

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
    """The columns, and products (and ratios) of them [1]_.

    Candidates are made in blocks and only the best kept, so that many columns do not fill the
    memory with products.

    Parameters
    ----------
    degree : int
        Most factors of a product; at least 2.
    repeated : bool
        Let a column be a factor more than once.
    ratios : bool
        Add the ratios of two columns; 0 where they would divide by 0.
    max_constructed : int
        Keep so many, those most associated with the target (see `association`; ties go to the
        first); all of them if not given, and the target is not looked at.
    heredity : bool
        Let each constructed column be preceded by copies of its parents, to be selected as one:
        ``feature_groups_``.

    Attributes
    ----------
    monomials_ : list of Monomial
        In order of their making.
    feature_groups_ : list of lists
        Output columns that belong together: copies of parents with their product. Empty without
        heredity.

    References
    ----------
    .. [1] Guyon and Elisseeff, An introduction to feature extraction, in *Feature Extraction:
       Foundations and Applications*, 2006, section 1.2.

    Examples
    --------
    >>> made = Monomials(heredity=True).fit([[2.0, 3.0]])
    >>> made.transform([[2.0, 3.0]]), made.get_feature_names_out().tolist(), made.feature_groups_
    (array([[2., 3., 2., 3., 6.]]), ['x0', 'x1', 'x0 of x0*x1', 'x1 of x0*x1', 'x0*x1'], [[2, 3, 4]])
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
        """Choose what to make."""
        if self.degree < 2:
            raise ValueError(f"degree must be at least 2, got {self.degree}.")
        if self.max_constructed is None:
            X = validate_data(self, X, dtype=np.float64)
            self.monomials_ = list(self.candidates(X.shape[1]))
        elif y is None:
            raise ValueError("max_constructed needs the target: y is None.")
        else:
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
            self.monomials_ = best_monomials(
                self.candidates(X.shape[1]), X, y, self.max_constructed
            )
        self.sources_, self.feature_groups_ = self._layout(X.shape[1])
        return self

    def candidates(self, n_columns: int) -> Iterator[Monomial]:
        """Make all candidates, one after the other."""
        choose: Callable[[range, int], Iterator[tuple[int, ...]]] = combinations
        if self.repeated:
            choose = combinations_with_replacement
        products = (choose(range(n_columns), k) for k in range(2, self.degree + 1))
        ratios = permutations(range(n_columns), 2) if self.ratios else ()
        return chain(
            map(Monomial, chain.from_iterable(products)), (Monomial((i,), (j,)) for i, j in ratios)
        )

    def transform(self, X: Any) -> np.ndarray:
        """Give the columns and what was made of them."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.column_stack([_values(source, X) for source, _ in self.sources_])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Give names such as ``a*b``, ``a/b``, and ``a of a*b`` for a copy."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array(
            [source_name(source, child, names) for source, child in self.sources_], dtype=object
        )

    def _layout(self, n_columns: int) -> tuple[list[tuple[Any, Monomial | None]], list[list[int]]]:
        """Give for each output column what it is and whose copy, and the groups of output columns."""
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
    if isinstance(source, Monomial):
        return source.values(X)
    return X[:, source]


def source_name(source: int | Monomial, child: Monomial | None, names: Any) -> str:
    """Give the name of an output column."""
    if isinstance(source, Monomial):
        name = source.name(names)
    else:
        name = str(names[source])
    if child is not None:
        name += f" of {child.name(names)}"
    return name


BLOCK = 256  # candidates that exist at one time


class Monomial(NamedTuple):
    """A product of columns over another column or none.

    >>> Monomial((0, 0), (1,)).values(np.array([[6.0, 3.0]]))
    array([12.])
    """

    over: tuple[int, ...]
    under: tuple[int, ...] = ()

    def parents(self) -> list[int]:
        """Give its columns, each once.

        >>> Monomial((2, 2), (0,)).parents()
        [0, 2]
        """
        return sorted({*self.over, *self.under})

    def values(self, X: np.ndarray) -> np.ndarray:
        """Give its values; 0 where it would divide by 0.

        >>> Monomial((0,), (1,)).values(np.array([[6.0, 3.0], [1.0, 0.0]]))
        array([2., 0.])
        """
        under = X[:, list(self.under)].prod(axis=1)
        return np.divide(
            X[:, list(self.over)].prod(axis=1), under, out=np.zeros(len(X)), where=under != 0
        )

    def name(self, names: Any) -> str:
        """Give a name.

        >>> Monomial((0, 1), (2,)).name(["a", "b", "c"])
        'a*b/c'
        """
        return "/".join(
            "*".join(str(names[j]) for j in part) for part in (self.over, self.under) if part
        )


def best_monomials(
    candidates: Iterator[Monomial], X: np.ndarray, y: np.ndarray, n: int
) -> list[Monomial]:
    """Give the n candidates most associated with the target, in the order they came.

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
