"""A page to work in: drop a table, choose, run, watch, read; every job is a command of the command line."""

from subsel.ui.application import application, serve

__all__ = ["application", "serve"]
