"""TableEncoder, which turns a data frame with text, dates and gaps into a table of numbers."""

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
    """Encode a table of numbers, text, truth values and dates with gaps as numbers.

    Numbers and truth values stay one column. Text becomes one column per value; where there are
    many values, the rarer ones share a column. Dates become year, month, weekday and days since the
    first date. Row numbers, identifiers (text with a value of its own in nearly every row) and
    empty columns are left out. Gaps are filled with values learnt from the training rows; a column
    with gaps is followed by one that is 1 where they were.

    Parameters
    ----------
    impute : {"median", "knn", "none"}, default="median"
        The values that fill gaps: the median of the column (the most frequent value of text and
        truth values); the mean of the five rows that are nearest in the other columns [1]_; or
        none, for models that accept NaN.
    plans : sequence of ColumnPlan, optional
        The contents of the columns, ``plans_`` of another encoder; only the values that fill gaps
        are then learnt.

    Attributes
    ----------
    plans_ : tuple of ColumnPlan
        The content of each column and its encoding.
    origin_ : ndarray of int of shape (n_encoded,)
        For each encoded column, the number of the column it was made from.
    notes_ : list of str
        What was recognised, and what was left out.
    filling_ : object
        The values that fill gaps.

    References
    ----------
    .. [1] Troyanskaya et al., "Missing value estimation methods for DNA microarrays",
       *Bioinformatics* 17(6), 2001, section KNNimpute.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [30, None, 50], "town": ["A", "B", "A"]})
    >>> frame["smokes"] = ["no", "yes", "no"]
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
        """Recognise what the columns hold, and learn what fills their gaps."""
        if self.impute not in ("median", "knn", "none"):
            raise ValueError(f"impute must be 'median', 'knn' or 'none', got {self.impute!r}.")
        X = self._receive(X, reset=True)
        self.plans_ = self._plans_for(X)
        widths = [len(plan.names) for plan in self.plans_]
        self.origin_ = np.repeat(np.arange(len(widths)), widths)
        self.notes_ = [plan.note for plan in self.plans_ if plan.note]
        if not len(self.origin_):
            raise ValueError(
                f"X must have a column that can be selected, but all {len(widths)} are left out. "
                f"{' '.join(self.notes_)}"
            )
        self.filling_: Filling = filling_of(self.impute, self.plans_, numbers_of(X, self.plans_))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the encoded table, an array of shape (n_rows, n_encoded)."""
        check_is_fitted(self)
        return self.filling_.filled(numbers_of(self._receive(X, reset=False), self.plans_))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return the names of encoded columns: ``town=A``, ``born (year)``, ``age (missing)``."""
        check_is_fitted(self)
        return np.array([name for plan in self.plans_ for name in plan.names], dtype=object)

    @property
    def plain_(self) -> bool:
        """Whether all columns are numbers without gaps, so that the encoder changes nothing."""
        return all(plan.plain for plan in self.plans_)

    def _receive(self, X: Any, reset: bool) -> Any:
        """Check X; where `reset` is False, order the columns of a frame as in `fit`."""
        if not is_frame(X):
            return validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
        if not reset and (known := getattr(self, "feature_names_in_", None)) is not None:
            names = set(X.columns)
            if missing := [name for name in known if name not in names]:
                near = did_you_mean(missing[0], list(map(str, X.columns)), shown=8)
                raise ValueError(
                    f"X must have the columns of fit, but column {missing[0]!r} is missing. {near}"
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
        """Return the plans of the columns of X; given ones are matched by name (or array position).

        Columns of a frame that no given plan names are planned by their content.
        """
        if self.plans is None:
            return plans_of(X)
        if not is_frame(X):
            if X.shape[1] != len(self.plans):
                raise ValueError(
                    f"plans must hold one plan for each of the {X.shape[1]} columns of X, "
                    f"got {len(self.plans)}."
                )
            return tuple(self.plans)
        known = {plan.name: plan for plan in self.plans}
        new = [j for j, name in enumerate(map(str, X.columns)) if name not in known]
        if new:
            known |= {plan.name: plan for plan in plans_of(select_columns(X, new))}
        return tuple(known[name] for name in map(str, X.columns))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
