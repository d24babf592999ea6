"""What all pictures share: colours that everyone can tell apart, plain labels, and a text alternative."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from subsel.runtime.text import one_line

__all__ = [
    "COLOURS",
    "Display",
    "colour_bar",
    "count",
    "legend",
    "measure",
    "named",
    "plain",
    "signed_interval",
    "stretch",
]

# The hues are those of Okabe and Ito (2008), told apart by all kinds of colour vision, also in grey print by lightness.
COLOURS = {
    "ink": "#1f2328",
    "muted": "#5b6068",
    "grid": "#d9dce0",
    "blue": "#0072b2",
    "orange": "#d55e00",
    "green": "#009e73",
    "grey": "#b4b9c0",
    "page": "#ffffff",
}
GUIDE = "guide quality is what the search maximised, not an estimate of performance"
INK, MUTED, GRID, BLUE, ORANGE, GREEN, GREY, PAGE = COLOURS.values()


class Display(ABC):
    """A picture in scikit-learn's manner: made by ``from_...``, drawn by ``plot``.

    Attributes
    ----------
    ax_, figure_ : axes and figure
        Where it was drawn.
    tips_ : dict
        What to say of each point, by the group of points (its ``gid`` in the drawing).

    Examples
    --------
    >>> class Sizes(Display):
    ...     def describe(self):
    ...         return "How many features each method takes."
    ...
    ...     def plot(self, ax=None):
    ...         self._begin(ax)
    ...         self._points([1, 2], [3, 5], ["first: 3", "second: 5"])
    ...         return self
    >>> Sizes().plot().tips_
    {'points-0': ['first: 3', 'second: 5']}
    """

    ax_: Any
    figure_: Any
    tips_: dict[str, list[str]]

    @abstractmethod
    def describe(self) -> str:
        """Say in words what the picture shows."""

    def _begin(self, ax: Any, size: tuple[float, float] = (4.8, 3.3)) -> Any:
        """Take the axes given, or make a figure of this size in inches."""
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=size, layout="constrained")
        self.ax_, self.figure_, self.tips_ = ax, ax.figure, {}
        dress(ax)
        return ax

    def _points(self, x: Any, y: Any, tips: Sequence[str], **style: Any) -> Any:
        """Draw points that can say what they are."""
        gid = f"points-{len(self.tips_)}"
        self.tips_[gid] = list(tips)
        return self.ax_.plot(
            x, y, linestyle="none", gid=gid, **{"marker": "o", "markersize": 5, **style}
        )[0]


def dress(ax: Any) -> None:
    """Make axes quiet: ink for words, a light grid behind, no box."""
    ax.spines[["top", "right"]].set_visible(False)
    for spine in ax.spines.values():
        spine.set_color(MUTED)
    ax.tick_params(colors=INK, labelsize=9)
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    ax.title.set_color(INK)
    ax.grid(True, color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def legend(ax: Any) -> None:
    """Put a plain legend under the label of the horizontal axis, whatever the height of the axes."""
    from matplotlib.transforms import ScaledTranslation

    points = 38 + 14 * ax.get_xlabel().count("\n")
    below = ax.transAxes + ScaledTranslation(0, -points / 72, ax.figure.dpi_scale_trans)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "bbox_transform": below, "ncols": 2}
    if ax.get_legend_handles_labels()[1]:
        ax.legend(frameon=False, fontsize=9, labelcolor=INK, borderaxespad=0, **place)


def plain(name: Any, width: int = 24) -> str:
    r"""Make a name fit for a label: one short line, no mathematics between dollars.

    Examples
    --------
    >>> plain("length\n(cm), of the petal", 16)
    'length ... petal'
    """
    return one_line(name, width).replace("$", r"\$")


def named(names: Sequence[Any], most: int = 40) -> str:
    """List names in a sentence, the first of them if there are many.

    Examples
    --------
    >>> named(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(map(str, names[:most]))
    if len(names) > most:
        shown += f" and {len(names) - most:,} more"
    return shown


def measure(scoring: str) -> str:
    """Say a scorer's name as one would.

    Examples
    --------
    >>> measure("balanced_accuracy"), measure("r2")
    ('balanced accuracy', 'R²')
    """
    return {"r2": "R²", "roc_auc": "area under the ROC curve"}.get(
        scoring, scoring.replace("_", " ")
    )


def count(n: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1, "feature"), count(2000, "feature")
    ('1 feature', '2,000 features')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def signed_interval(low: float, high: float) -> str:
    """Write the interval of a difference behind it; nothing where it is not known.

    Examples
    --------
    >>> signed_interval(-0.021, 0.003), signed_interval(np.nan, np.nan)
    (' (-0.021 to +0.003)', '')
    """
    if not np.isfinite([low, high]).all():
        return ""
    return f" ({low:+.3f} to {high:+.3f})"


def stretch(ax: Any, values: Any) -> None:
    """Make the horizontal axis logarithmic if positive values span so much that it shows them better."""
    values = np.asarray(values, dtype=float)
    values = values[values > 0]
    if len(values) and values.max() / values.min() > 50:
        from matplotlib.ticker import StrMethodFormatter

        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


def colour_bar(ax: Any, mapped: Any, label: str) -> None:
    """Put a scale of colours beside the axes."""
    bar = ax.figure.colorbar(mapped, ax=ax, label=label)
    bar.ax.tick_params(colors=INK, labelsize=9)
    bar.ax.yaxis.label.set_color(INK)
    bar.outline.set_visible(False)
