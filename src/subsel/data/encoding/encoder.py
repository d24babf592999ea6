"""TableEncoder: a frame as people have it, as a table of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_is_fitted,
    validate_data,
)

from subsel.data.encoding.kinds import ColumnPlan
from subsel.data.encoding.missing_values import Filling, filling_of
from subsel.data.encoding.plans import numbers_of, plans_of
from subsel.data.task import is_frame, select_columns
from subsel.registry.table import did_you_mean

__all__ = ["Impute", "TableEncoder"]

Impute = Literal["median", "knn", "none"]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers for a table of numbers, text, truth values and dates, with gaps.

    Numbers and truth values stay one column. Text becomes a column per value, the rarer values of very many sharing
    one; dates become year, month, weekday and days since the first. Columns that number the rows or tell each apart,
    and empty ones, are left out. Gaps are filled by what the training rows tell, and a further column says where they
    were. Behind every column stands the one it was made from, ``origin_``.

    Parameters
    ----------
    impute : {"median", "knn", "none"}, default="median"
        What gaps are filled with: the median of a column (the most frequent value of text and truth values); the mean
        of the five rows that are nearest in the other columns [1]_; or nothing, for models that read NaN.
    plans : sequence of ColumnPlan, optional
        What each column holds, as another encoder found it; only what fills the gaps is then learnt.

    Attributes
    ----------
    plans_ : tuple of ColumnPlan
        What each column holds.
    origin_ : ndarray of int
        Of each column that comes out, the number of the column it was made from.
    notes_ : list of str
        What was recognised, and what was left out.

    References
    ----------
    .. [1] Troyanskaya et al., *Missing value estimation methods for DNA microarrays*, 2001.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, None, 50], "town": ["A", "B", "A"], "smokes": ["no", "yes", "no"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age (missing)', 'town=A', 'town=B', 'smokes']
    >>> encoder.origin_
    array([0, 0, 1, 1, 2])
    >>> encoder.transform(frame)[1]
    array([40.,  1.,  0.,  1.,  1.])
    """

    def __init__(
        self, impute: Impute = "median", *, plans: Sequence[ColumnPlan] | None = None
    ) -> None:
        self.impute = impute
        self.plans = plans

    def fit(self, X: Any, y: Any = None) -> TableEncoder:  # noqa: ARG002
        """Tell what the columns hold, and what fills their gaps."""
        if self.impute not in ("median", "knn", "none"):
            raise ValueError(f"impute must be 'median', 'knn' or 'none', got {self.impute!r}.")
        X = self._receive(X, reset=True)
        self.plans_ = self._plans_for(X)
        widths = [len(plan.names) for plan in self.plans_]
        self.origin_ = np.repeat(np.arange(len(widths)), widths)
        self.notes_ = [plan.note for plan in self.plans_ if plan.note]
        if not len(self.origin_):
            raise ValueError(
                f"no column of the {len(widths)} can be learnt from. {' '.join(self.notes_)}"
            )
        self.filling_: Filling = filling_of(self.impute, self.plans_, numbers_of(X, self.plans_))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The table of numbers."""
        check_is_fitted(self)
        return self.filling_.filled(numbers_of(self._receive(X, reset=False), self.plans_))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """What the columns are called: ``town=A``, ``born (year)``, ``age (missing)``."""
        check_is_fitted(self)
        return np.array([name for plan in self.plans_ for name in plan.names], dtype=object)

    @property
    def plain_(self) -> bool:
        """Whether all columns are numbers without gaps, so that nothing is changed."""
        return all(plan.plain for plan in self.plans_)

    def _receive(self, X: Any, reset: bool) -> Any:
        if not is_frame(X):
            return validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
        if not reset and (known := getattr(self, "feature_names_in_", None)) is not None:
            given = set(X.columns)
            if missing := [name for name in known if name not in given]:
                near = did_you_mean(missing[0], list(map(str, X.columns)), shown=8)
                raise ValueError(
                    f"column {missing[0]!r} is missing, which the encoder was fitted on. {near}"
                )
            if list(X.columns) != list(known):
                X = X[list(known)]
            return X
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, X, reset=reset)
        if X.shape[0] == 0:
            raise ValueError(f"X has 0 rows (shape={X.shape}) while a minimum of 1 is required.")
        return X

    def _plans_for(self, X: Any) -> tuple[ColumnPlan, ...]:
        """The plans of these columns; given ones are found by name, those of an array by number."""
        if self.plans is None:
            return plans_of(X)
        if not is_frame(X):
            if X.shape[1] != len(self.plans):
                raise ValueError(f"X has {X.shape[1]} columns, {len(self.plans)} are planned.")
            return tuple(self.plans)
        known = {plan.name: plan for plan in self.plans}
        fresh = [j for j, name in enumerate(map(str, X.columns)) if name not in known]
        if fresh:
            known |= {plan.name: plan for plan in plans_of(select_columns(X, fresh))}
        return tuple(known[name] for name in map(str, X.columns))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
