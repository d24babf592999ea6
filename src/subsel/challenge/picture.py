"""A picture of error against number of features, with the front that was printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from subsel.challenge.page import Front
from subsel.challenge.published import FRONT
from subsel.challenge.results import Result

__all__ = ["draw_fronts"]


def draw_fronts(
    results: Mapping[str, Sequence[Result]], path: str | PathLike[str], ours: Mapping[str, Front] | None = None
) -> None:
    """Draw a panel per problem: a point with its error bar for each entry, a line for the printed front, one for ours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * min(len(results), 2), 3.6 * ((len(results) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(results) + 1) // 2, min(len(results), 2), squeeze=False).ravel()
    for panel, (name, found) in zip(panels, results.items()):
        if name in FRONT:
            errors, sizes = zip(*FRONT[name])
            panel.step(sizes, errors, "k--", where="pre", linewidth=1, label="printed front (test rows)")
        if own := sorted((ours or {}).get(name, ())):
            x, y, bars = zip(*own)
            panel.errorbar(
                x, y, bars, fmt="r-", elinewidth=0.6, linewidth=1, label="our front (folds of training rows)"
            )
        x, y, bars = zip(*((r.score.n_features, r.score.ber, r.score.bar) for r in found))
        panel.errorbar(x, y, bars, fmt="o", markersize=4, elinewidth=0.6, label="entries, run again (validation rows)")
        for r in found[:1]:
            panel.annotate(
                r.key, (r.score.n_features, r.score.ber), fontsize=7, xytext=(3, 3), textcoords="offset points"
            )
        panel.set(xscale="log", title=name.upper(), xlabel="features", ylabel="balanced error, %", ylim=(0, 55))
    for panel in panels[len(results) :]:
        panel.set_axis_off()
    panels[0].legend(fontsize=7)
    figure.savefig(path, dpi=110)
