"""Pictures of a selection."""

from subsel.report.figures.agreement import AgreementDisplay
from subsel.report.figures.anytime import AnytimeDisplay
from subsel.report.figures.display import Display
from subsel.report.figures.frequency import FoldsDisplay, FrequencyDisplay
from subsel.report.figures.front import FrontDisplay
from subsel.report.figures.optimism import OptimismDisplay
from subsel.report.figures.pareto import ParetoDisplay
from subsel.report.figures.ranking import RankingDisplay
from subsel.report.figures.reference import ReferenceDisplay
from subsel.report.figures.values import ValuesDisplay
from subsel.report.figures.visits import VisitsDisplay

__all__ = [
    "AgreementDisplay",
    "AnytimeDisplay",
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
]
