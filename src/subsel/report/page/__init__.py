"""The page, section by section."""

from subsel.report.page.page import write_report

__all__ = [
    "write_report",
]
