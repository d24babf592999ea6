"""What a race says on the page: the price of selecting, who ran, and how to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from subsel.report.figures.display import signed_interval

__all__ = ["price_said", "race_code", "race_columns"]


def price_said(race: Mapping[str, Any] | None) -> str:
    """The price of selecting in a sentence; empty where nothing was left out.

    Examples
    --------
    >>> price = {"difference": -0.021, "interval": [-0.045, 0.003], "against": "all features, ridge"}
    >>> price_said({"price": price})
    'Selecting against all features, ridge: -0.021 (-0.045 to +0.003).'
    """
    if not race or race.get("price") is None:
        return ""
    price = race["price"]
    low, high = price["interval"]  # NaN where there is one fold
    said = (
        f"Selecting against {price['against']}: {price['difference']:+.3f}"
        f"{signed_interval(low, high)}."
    )
    if high < 0:
        return f"All features do better. {said}"
    return said


def race_columns(race: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The table of the procedures that ran."""
    rows = race["procedures"]
    return {
        "procedure": [row["name"] for row in rows],
        "score": [row["score"] for row in rows],
        "features": [row["size"] for row in rows],
        "folds": [row["folds"] for row in rows],
        "seconds": [row["seconds"] for row in rows],
        "taken": [row["name"] in race["taken"] for row in rows],
    }


def race_code(settings: Mapping[str, Any], kind: str | None = None, rows: str = "") -> list[str]:
    """Python lines that run the same race again and give the fitted winner; ``rows`` are further arguments of fit."""
    names = {
        "prefer": "prefer",
        "scoring": "scoring",
        "n_features": "n_features",
        "budget": "budget",
        "seed": "random_state",
    }
    names |= {"fixed": "fixed", "forbidden": "forbidden", "impute": "impute"}
    given = [
        f"{ours}={settings[key]!r}"
        for key, ours in names.items()
        if settings.get(key) not in (None, [], "")
    ]
    if settings.get("cv") == "time":
        given.append("cv='time'")
    if kind:
        given.append(f"kind={kind!r}")
    return [f"model = AutoSelector({', '.join(given)}).fit(X, y{rows})", "model.predict(X)"]
