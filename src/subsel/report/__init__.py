"""Pictures in scikit-learn's Display manner, cautions, and one self-contained page."""

from importlib import import_module
from typing import Any

_HOMES = {
    "AgreementDisplay": "agreement",
    "AnytimeDisplay": "anytime",
    "Caution": "caution",
    "Display": "display",
    "FoldsDisplay": "folds",
    "FrequencyDisplay": "frequency",
    "FrontDisplay": "front",
    "OptimismDisplay": "optimism",
    "ParetoDisplay": "pareto",
    "RankingDisplay": "ranking",
    "ReferenceDisplay": "reference",
    "ValuesDisplay": "values",
    "VisitsDisplay": "visits",
    "find_cautions": "cautions",
    "write_report": "page",
}

__all__ = [
    "AgreementDisplay",
    "AnytimeDisplay",
    "Caution",
    "Display",
    "FoldsDisplay",
    "FrequencyDisplay",
    "FrontDisplay",
    "OptimismDisplay",
    "ParetoDisplay",
    "RankingDisplay",
    "ReferenceDisplay",
    "ValuesDisplay",
    "VisitsDisplay",
    "find_cautions",
    "write_report",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that a report without pictures needs no matplotlib."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.report.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.report' has no attribute {name!r}")
