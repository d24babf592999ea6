"""Figures, reasons to doubt, and one self-contained page."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "AgreementDisplay": "figures.agreement",
    "AnytimeDisplay": "figures.anytime",
    "Caution": "cautions.caution",
    "Display": "figures.display",
    "FoldsDisplay": "figures.frequency",
    "FrequencyDisplay": "figures.frequency",
    "FrontDisplay": "figures.front",
    "OptimismDisplay": "figures.optimism",
    "ParetoDisplay": "figures.pareto",
    "RankingDisplay": "figures.ranking",
    "ReferenceDisplay": "figures.reference",
    "ValuesDisplay": "figures.values",
    "VisitsDisplay": "figures.visits",
    "find_cautions": "cautions.cautions",
    "write_report": "page.page",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
