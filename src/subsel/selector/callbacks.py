"""scikit-learn's callback interface, where the installed version has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CallbackSupportMixin", "search_callback", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Callable) -> Callable:
        """Leave the method as it is."""
        return method


def search_callback(estimator: Any) -> Callable[[Any], bool] | None:
    """Give a callback of the engine that tells scikit-learn's callbacks of each tick; None where none are set."""
    if not getattr(estimator, "_skl_callbacks", None):
        return None
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator)

    def tick(progress: Any) -> bool:  # noqa: ARG001
        step = context.subcontext(task_name="search")
        step.call_on_fit_task_begin(estimator=estimator)
        return bool(step.call_on_fit_task_end(estimator=estimator))

    def close() -> None:
        context.call_on_fit_task_end(estimator=estimator)

    tick.close = close  # type: ignore[attr-defined]
    return tick
