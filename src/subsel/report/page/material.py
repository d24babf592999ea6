"""Everything one page is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from subsel.report.cautions.assessment import assessment_cautions
from subsel.report.cautions.caution import Caution
from subsel.report.cautions.cautions import find_cautions
from subsel.report.cautions.run import run_cautions
from subsel.report.figures.display import measure
from subsel.result.document import TableFacts, names_of, selection_document
from subsel.result.result import Result

__all__ = ["Material"]


@dataclass(frozen=True, eq=False)
class Material:
    """What a report is made of; what is None is left out.

    Attributes
    ----------
    selection : mapping
        The content of selection.json.
    result : Result, optional
        What the search found.
    assessment : Assessment, optional
        What :func:`subsel.assess` gave.
    comparison : Comparison, optional
        What :func:`subsel.compare` gave.
    ranking : RankingSelector, optional
        A fitted ranking.
    X, y : table and array, optional
        What was searched.
    names : sequence of str
        Of the columns of X.
    estimator : estimator or None
        The model that goes with the selection.
    command : str
        What to type to get the same again.
    procedure : estimator or None
        Selection and model as one, not fitted, as it was assessed.
    """

    selection: Mapping[str, Any] = field(default_factory=dict)
    result: Result | None = None
    X: Any = None
    y: Any = None
    names: Sequence[str] = ()
    assessment: Any = None
    comparison: Any = None
    ranking: Any = None
    estimator: Any = None
    command: str = ""
    procedure: Any = None

    @classmethod
    def of(
        cls,
        *,
        selection: Any = None,
        result: Any = None,
        X: Any = None,
        names: Any = (),
        **rest: Any,
    ) -> Material:
        """The same with what can be told from the rest: the names of the columns, and what was selected."""
        names = names_of(X, result, names)
        y, assessment = rest.get("y"), rest.get("assessment")
        if selection is None and result is not None:
            table = None
            if X is not None and y is not None:
                table = TableFacts.of(X, y, task=getattr(assessment, "kind", None))
            selection = selection_document(result, names=names, table=table, assessment=assessment)
        return cls(selection=selection or {}, result=result, X=X, names=list(names), **rest)

    @property
    def data(self) -> Mapping[str, Any]:
        """What is known of the table."""
        return self.selection.get("data", {})

    @property
    def target(self) -> str:
        """The column that is predicted."""
        return str(self.data.get("target") or "the target")

    @property
    def kind(self) -> str:
        """Classification or regression."""
        outcome = self.assessment or self.comparison
        return str(self.data.get("task") or getattr(outcome, "kind", "classification"))

    @property
    def scoring(self) -> str:
        """The measure that guided the search, or that methods were compared by."""
        outcome = self.assessment or self.comparison
        asked = self.selection.get("settings", {}).get("scoring")
        return str(asked or getattr(outcome, "scoring", ""))

    @property
    def guided_by(self) -> str:
        """What the guide quality is a value of: a criterion, or the measure."""
        return str(self.selection.get("settings", {}).get("criterion") or measure(self.scoring))

    @property
    def chosen(self) -> list[int]:
        """The columns of the final selection."""
        if self.result is None:
            return []
        return self.result.chosen.tolist()

    def cautions(self) -> list[Caution]:
        """All reasons to doubt, the serious ones first; those of the document where it has them."""
        if (told := self.selection.get("cautions")) is not None:
            return [Caution(**caution) for caution in told]
        found: list[Caution] = list(run_cautions(self.selection))
        if self.X is not None and self.y is not None:
            settings: dict[str, Any] = {
                "kind": self.kind,
                "scoring": self.scoring,
                "chosen": self.chosen,
            }
            found += find_cautions(
                self.X, self.y, self.names, **settings, assessment=self.assessment
            )
        elif self.assessment is not None:
            found += assessment_cautions(self.assessment)
        if self.comparison is not None:
            for name, assessment in self.comparison.assessments.items():
                of_method = assessment_cautions(assessment, self.y)
                found += [
                    Caution(c.level, f"{name}: {c.title[0].lower()}{c.title[1:]}", c.text)
                    for c in of_method
                ]
        once: dict[str, Caution] = {}
        for caution in found:
            once.setdefault(caution.title, caution)
        return sorted(once.values(), key=lambda caution: caution.level != "serious")

    def notes(self) -> list[str]:
        """Sentences that the parts themselves want read, each once."""
        parts = [
            self.selection.get("notes", ()),
            *(p.notes for p in (self.assessment, self.comparison) if p is not None),
        ]
        return list(dict.fromkeys(str(note) for notes in parts for note in notes))
