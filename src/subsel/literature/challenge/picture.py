"""A picture of error against number of features, with the front that was printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from subsel.literature.challenge.page import Front
from subsel.literature.challenge.printed_results import FRONT
from subsel.literature.challenge.results import EntryResult

__all__ = ["draw_fronts"]


def draw_fronts(
    results: Mapping[str, Sequence[EntryResult]],
    path: str | PathLike[str],
    ours: Mapping[str, Front] | None = None,
) -> None:
    """Draw a panel per problem: a point with its error bar for each entry, a line for the printed front, one for ours."""
    from matplotlib.figure import Figure

    figure = Figure(
        figsize=(5 * min(len(results), 2), 3.6 * ((len(results) + 1) // 2)), layout="constrained"
    )
    panels = figure.subplots((len(results) + 1) // 2, min(len(results), 2), squeeze=False).ravel()
    for panel, (name, found) in zip(panels, results.items()):
        if name in FRONT:
            errors, sizes = zip(*FRONT[name])
            panel.step(
                sizes, errors, "k--", where="pre", linewidth=1, label="printed front (test rows)"
            )
        if own := sorted((ours or {}).get(name, ())):
            x, y, bars = zip(*own)
            panel.errorbar(
                x,
                y,
                bars,
                fmt="r-",
                elinewidth=0.6,
                linewidth=1,
                label="our front (folds of training rows)",
            )
        for mark, label, some in (
            (
                "o",
                "entries of 2003, run again (validation rows)",
                [r for r in found if not _is_ours(r)],
            ),
            ("rD", "our entries (validation rows)", [r for r in found if _is_ours(r)]),
        ):
            if some:
                x, y, bars = zip(*((r.score.n_features, r.score.ber, r.score.bar) for r in some))
                panel.errorbar(
                    x,
                    y,
                    bars,
                    fmt=mark,
                    markersize=4,
                    elinewidth=0.6,
                    linestyle="none",
                    label=label,
                )
        best = found[0]
        panel.annotate(
            best.score.entry, (best.score.n_features, best.score.ber), fontsize=7, xytext=(-4, -10),
            textcoords="offset points", horizontalalignment="right",
        )  # fmt: skip
        panel.set(
            xscale="log",
            title=name.upper(),
            xlabel="features",
            ylabel="balanced error, %",
            ylim=(0, 55),
        )
    for panel in panels[len(results) :]:
        panel.set_axis_off()
    panels[0].legend(fontsize=7)
    figure.savefig(path, dpi=110)


def _is_ours(result: EntryResult) -> bool:
    return result.key.startswith("subsel")
