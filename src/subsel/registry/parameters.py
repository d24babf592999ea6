"""Parameters of criteria and strategies, which are read and set as those of estimators."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from subsel.registry.table import did_you_mean

__all__ = ["Parameters"]

Self = TypeVar("Self", bound="Parameters")


class Parameters:
    """Base class of dataclasses whose fields are parameters, as those of estimators.

    ``clone``, ``GridSearchCV`` and ``set_params(estimator__...)`` of scikit-learn work with them. A
    frozen object can be changed only by setting a parameter: a new object is built, so that
    ``__post_init__`` checks it, and its fields replace those of the old one.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Ridge(Parameters):
    ...     alpha: float = 1.0
    >>> model = Ridge()
    >>> model.set_params(alpha=2.0), model.get_params()
    (Ridge(alpha=2.0), {'alpha': 2.0})
    >>> model.set_params(beta=2.0)
    Traceback (most recent call last):
    ValueError: Ridge has no parameter 'beta'. Known: alpha.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of parameters, as ``name__inner``.

        Returns
        -------
        dict
            Names and values.
        """
        names = [field.name for field in fields(self) if field.init]  # type: ignore[arg-type]
        own = {name: getattr(self, name) for name in names}
        nested = {name: value for name, value in own.items() if deep and has_parameters(value)}
        inner = {
            f"{name}__{key}": inner_value
            for name, value in nested.items()
            for key, inner_value in value.get_params().items()
        }
        return own | inner

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters by name, and those of a parameter as ``name__inner``; changes the object.

        Parameters
        ----------
        **params : dict
            Names and values.

        Returns
        -------
        self
            The object.
        """
        own: dict[str, Any] = {}
        inner: dict[str, dict[str, Any]] = {}
        known = self.get_params(deep=False)
        for key, value in params.items():
            name, nested, rest = key.partition("__")
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}. {did_you_mean(name, known)}"
                )
            if nested:
                inner.setdefault(name, {})[rest] = value
            else:
                own[name] = value
        for name, settings in inner.items():
            own.get(name, known[name]).set_params(**settings)
        built = vars(replace(self, **own))  # type: ignore[type-var]
        vars(self).clear()
        vars(self).update(built)
        return self


def has_parameters(value: Any) -> bool:
    """Whether a value is an object with parameters of its own."""
    return hasattr(value, "get_params") and not isinstance(value, type)
