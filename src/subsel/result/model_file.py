"""Files of fitted models without code: ``model.skops``, read with a list of trusted types."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline

from subsel.data.columns import ColumnSelector
from subsel.data.routing import fit_arguments
from subsel.data.task import is_frame
from subsel.models.committee import CommitteeClassifier, CommitteeRegressor
from subsel.models.subset_model import SubsetModel
from subsel.result.document import names_of
from subsel.result.model_types import TRUSTED, name_in_program, with_modules, with_public_names

__all__ = ["MISSING", "FeatureSubset", "SavedModel", "fitted_model", "load_model", "save_model"]

MISSING = "no model.skops: pip install 'subsel[model]'"
LAYOUT = 2  # 1 named our types by their modules

_NOT_NEEDED = (
    "assessment_",
    "budgets_",
    "nested_score_",
    "model_",
    "model_qualities_",
    "p_values_",
    "plan_",
    "probe_scores_",
    "q_values_",
    "race_",
    "result_",
    "selector_",
    "validation_",
)  # learnt attributes that no prediction reads


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted model, and what must be known of the table it predicts from.

    Parameters
    ----------
    model : estimator
        Fitted; it reads the columns below, in their order.
    names : tuple of str
        The columns of the table it was fitted on.
    needed : tuple of str
        Those of them that predictions depend on.
    numeric : tuple of str
        Those of them that held numbers.
    target : str
        What it predicts.
    kind : str
        ``"classification"`` or ``"regression"``.
    version : str
        The version of this library that wrote it.
    """

    model: Any
    names: tuple[str, ...]
    needed: tuple[str, ...]
    numeric: tuple[str, ...]
    target: str
    kind: str
    version: str = ""


class FeatureSubset(ColumnSelector):
    """Some columns of a table: what is left of a fitted selector when only its choice is needed.

    Parameters
    ----------
    support : array of bool, optional
        Mask of the columns that are kept.

    Examples
    --------
    >>> subset = FeatureSubset(np.array([True, False])).fit(np.eye(2), [0, 1])
    >>> subset.transform(np.array([[3.0, 4.0]]))
    array([[3.]])
    """

    def __init__(self, support: Any = None) -> None:
        self.support = support

    def fit(self, X: Any, y: Any = None) -> FeatureSubset:  # noqa: ARG002
        """Take the mask as it is."""
        self.support_ = np.asarray(self.support, dtype=bool)
        self.n_features_in_ = len(self.support_)
        return self


def fitted_model(selector: Any, model: Any, X: Any, y: Any, **rows: Any) -> Any:
    """Make a predictor of a fitted selector: itself, or the model fitted to its selection.

    Parameters
    ----------
    selector : AutoSelector or selector
        Fitted on the table.
    model : estimator or None
        What stands behind a selector that does not predict; it is cloned.
    X, y : table and target
        What both are fitted on.
    **rows : arrays
        ``sample_weight`` and ``groups``, for a model that takes them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from subsel import RankingSelector
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted_model(RankingSelector("anova-f", cut=2).fit(X, y), GaussianNB(), X, y).predict(X[:3])
    array([0, 0, 0])
    """
    if hasattr(selector, "predict"):
        return selector.model_
    chosen = selector.transform(X)
    if sparse.issparse(chosen):
        chosen = chosen.toarray()  # as new rows come
    behind = clone(model).fit(chosen, y, **fit_arguments(model, rows))
    return Pipeline([("select", selector), ("model", behind)])


def save_model(
    path: str | Path,
    model: Any,
    X: Any,
    *,
    names: Sequence[str] = (),
    needed: Any = None,
    target: str = "target",
    kind: str,
) -> Path:
    """Write a fitted model, without what it does not need to predict.

    Parameters
    ----------
    path : str or Path
        Where to write.
    model : estimator
        Fitted: ``AutoSelector(...).fit(X, y).model_``, or a pipeline.
    X : table
        What it was fitted on, or some rows of that: only names and types of the columns are kept.
    names : sequence of str, optional
        The columns of X, where it does not name them itself.
    needed : array of bool, optional
        Mask of the columns that predictions depend on; None: all.
    target : str, default="target"
        What it predicts.
    kind : {"classification", "regression"}
        Whether it predicts classes or numbers.

    Returns
    -------
    Path
        Where it was written.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model, path = GaussianNB().fit(X, y), Path(folder, "m.skops")
    ...     path = save_model(path, model, X, kind="classification")
    ...     load_model(path).model.predict(X[:2])
    array([0, 0])
    """
    from subsel import __version__

    if not len(names):
        names = names_of(X, None)
    names = [str(name) for name in names]
    read = np.ones(len(names), dtype=bool)
    if needed is not None:
        read = np.asarray(needed, dtype=bool)
    parts = {
        "subsel": __version__,
        "layout": LAYOUT,
        "model": for_prediction(model),
        "names": names,
        "needed": [name for name, used in zip(names, read) if used],
        "numeric": [name for name, number in zip(names, _are_numbers(X)) if number],
        "target": str(target),
        "kind": str(kind),
    }
    file = BytesIO(_skops().dumps(parts))
    Path(path).write_bytes(with_public_names(file))
    return Path(path)


def _are_numbers(X: Any) -> list[bool]:
    """Which columns of a table hold numbers."""
    if not is_frame(X):
        return [True] * X.shape[1]
    return [bool(np.asarray(X[name]).dtype.kind in "iufb") for name in X.columns]


def load_model(path: str | Path, trusted: Sequence[str] = ()) -> SavedModel:
    """Read a model back; types that are neither known here nor named as trusted are refused.

    Parameters
    ----------
    path : str or Path
        The file.
    trusted : sequence of str, optional
        Further types that may be made, as ``"package.module.Class"``: who trusts them runs their
        code.

    Returns
    -------
    SavedModel
        The model, and what it reads and predicts.
    """
    skops, path = _skops(), Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}.")
    try:
        found = skops.get_untrusted_types(file=path)
    except Exception as error:
        raise ValueError(f"{path} is not a readable model file: {_first_line(error)}") from None
    if unknown := sorted(set(found) - set(TRUSTED) - set(trusted)):
        raise ValueError(
            f"{path} holds types that are not trusted: {', '.join(unknown[:5])}. "
            "Nothing was loaded; "
            "--trust TYPE allows one, if you know who wrote the file."
        )
    try:
        parts = skops.load(with_modules(path), trusted=[name_in_program(name) for name in found])
        names, needed, numeric = (tuple(parts[key]) for key in ("names", "needed", "numeric"))
        return SavedModel(
            parts["model"], names, needed, numeric, parts["target"], parts["kind"], parts["subsel"]
        )
    except Exception as error:
        raise ValueError(f"{path} is not a readable model file: {_first_line(error)}") from None


def for_prediction(model: Any) -> Any:
    """Return the model without what only fitting needs: its predictions are the same."""
    if isinstance(model, Pipeline):
        return _with_steps(model)
    if isinstance(model, BaseSearchCV):
        return for_prediction(model.best_estimator_)
    if isinstance(model, SubsetModel):
        return SubsetModel(np.asarray(model.columns), for_prediction(model.model))
    if isinstance(model, (CommitteeClassifier, CommitteeRegressor)):
        return _with_members(model)
    if (
        isinstance(model, SelectorMixin)
        and isinstance(model, BaseEstimator)
        and not hasattr(model, "predict")
    ):
        return _bare(model)
    return model


def _with_steps(model: Pipeline) -> Pipeline:
    steps = [(name, for_prediction(step)) for name, step in model.steps]
    return Pipeline(steps, transform_input=model.transform_input)


def _with_members(model: Any) -> Any:
    members = [for_prediction(member) for member in model.members_]
    twin = type(model)(members)
    twin.members_ = members
    if hasattr(model, "classes_"):
        twin.classes_ = model.classes_
    return twin


def _bare(selector: Any) -> Any:
    """A selector that keeps the same columns and knows nothing else."""
    if type(selector).transform in (SelectorMixin.transform, ColumnSelector.transform):
        kept = FeatureSubset(selector.get_support()).fit(None)
        if hasattr(selector, "feature_names_in_"):
            kept.feature_names_in_ = selector.feature_names_in_
        return kept
    twin = copy(selector)
    for name, parameter in signature(type(selector)).parameters.items():
        default = parameter.default
        if default is parameter.empty:
            default = None
        setattr(twin, name, default)
    for name in _NOT_NEEDED:
        twin.__dict__.pop(name, None)
    return twin


def _skops() -> Any:
    """Import skops, without the libraries that it has no use for.

    It walks through all of scikit-learn, of which some modules import these where they are
    installed: seconds.
    """
    absent = [name for name in ("cupy", "dask", "jax", "torch") if name not in sys.modules]
    # None in ``sys.modules`` makes an import fail, as if the module were not installed
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        import skops.io as skops
    except ImportError:
        raise ImportError(MISSING) from None
    finally:
        for name in absent:
            sys.modules.pop(name, None)
    return skops


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
