"""The lines of Python that read a table as the job did: target, weights, groups, how the file is written, order of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from subsel.data.routing import fit_arguments
from subsel.report.page.material import Material

__all__ = ["TableCode"]

TABLES = (
    ".csv",
    ".csv.gz",
    ".tsv",
    ".txt",
    ".xlsx",
    ".parquet",
    ".npz",
    ".libsvm",
    ".svm",
    ".param",
)
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "\\t": "\t"}
OF_ROWS = {
    "weights": ("sample_weight", "table.sample_weight"),
    "groups": ("groups", "table.row_groups"),
}


@dataclass(frozen=True)
class TableCode:
    """What to import, the lines that give X and y, and what else there is of each row.

    Parameters
    ----------
    imports, lines : tuple of str
        Lines of Python.
    known : tuple of str
        Of "weights" and "groups" those that the file has.

    Examples
    --------
    >>> document = {"data": {"source": "t.csv", "target": "y"}, "settings": {"weights": "w", "decimal": ","}}
    >>> print(*TableCode.of(Material(document)).lines, sep="\\n")
    table = read_table('t.csv', 'y', weights='w', dialect=Dialect.of('t.csv', decimal=','))
    X, y = table.as_in_file(), table.y
    """

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    known: tuple[str, ...] = ()

    @classmethod
    def of(cls, material: Material) -> TableCode:
        """The lines for the table of a report; a hint where it came from no file."""
        source, target = str(material.data.get("source", "")), material.data.get("target")
        settings = material.selection.get("settings", {})
        if not source.lower().endswith(TABLES):
            return cls((), ("X, y = ...  # your table, its columns in the order of the search",))
        known = tuple(name for name in OF_ROWS if settings.get(name) is not None)
        given = [repr(source), repr(target), *(f"{name}={settings[name]!r}" for name in known)]
        written = _written(settings)
        imports, sort = "from subsel.data import read_table", ""
        if written:
            given.append(f"dialect=Dialect.of({source!r}, {written})")
            imports = "from subsel.data import Dialect, read_table"
        if settings.get("cv") == "time":
            sort = ".in_order_of_time()"
        lines = (
            f"table = read_table({', '.join(given)}){sort}",
            "X, y = table.as_in_file(), table.y",
        )
        return cls((imports,), lines, known)

    def rows(self, model: Any = None) -> str:
        """Weights and groups as further arguments of fit, under the names by which a pipeline takes them."""
        values = dict(OF_ROWS[name] for name in self.known)
        named = values if model is None else fit_arguments(model, values)
        return "".join(f", {name}={value}" for name, value in named.items())


def _written(settings: Any) -> str:
    """What was said of how the file is written, as arguments."""
    separator = settings.get("separator")
    told = {"delimiter": SEPARATORS.get(str(separator).lower(), separator)}
    told |= {name: settings.get(name) for name in ("decimal", "encoding", "header")}
    return ", ".join(f"{name}={value!r}" for name, value in told.items() if value is not None)
