"""The answer, before anything else: which features, how good, how sure."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from subsel.assessment.intervals import corrected_interval
from subsel.report.cautions.assessment import NO_EVIDENCE, chance_level
from subsel.report.cautions.caution import Caution
from subsel.report.figures.display import count, measure, named, signed_interval
from subsel.report.page.features import steadiest_first
from subsel.report.page.markup import card, more_in_table
from subsel.report.page.material import Material
from subsel.report.page.race import price_said

__all__ = ["answer", "price_card", "question", "verdict"]

MOST_LISTED = 10
STEADY = {
    "poor": "Which features are chosen depends on the rows: others would give other features.",
    "fair to good": "With other rows part of the features would change.",
    "excellent": "Other rows would give nearly the same features.",
}


def question(material: Material) -> str:
    """What was asked, in a sentence."""
    data = material.data
    if material.comparison is not None:
        return f"Which of {len(material.comparison.names)} methods selects best? Score: {measure(material.scoring)}."
    if not data:
        return f"How good is the procedure, and how steady its choice? Score: {measure(material.scoring)}."
    text = (
        f"Which of the {data.get('columns', 0):,} columns of {data.get('source', 'the table')} "
        f"({data.get('rows', 0):,} rows) predict {material.target} ({material.kind})?"
    )
    race = material.selection.get("race")
    if race:
        return f"{text} Whole procedures raced; taken: {', '.join(race['taken'])} (asked for: {race['prefer']})."
    if asked := ", ".join(_asked(material)):
        text += f" Asked for: {asked}."
    return text


def _asked(material: Material) -> Iterator[str]:
    """What was asked of the search, one setting after the other."""
    settings = material.selection.get("settings", {})
    if search := settings.get("search"):
        yield f"search {search}"
    model = settings.get("estimator") or material.selection.get("guide")
    guides = ", ".join(filter(None, [model, material.guided_by]))
    if guide := settings.get("criterion") or guides:
        yield f"guided by {guide}"
    if n_features := settings.get("n_features"):
        yield f"{_sizes(n_features)} features"
    if fixed := settings.get("fixed"):
        yield f"always {named(fixed, 5)}"
    if forbidden := settings.get("forbidden"):
        yield f"never {named(forbidden, 5)}"


def _sizes(n_features: Any) -> str:
    if isinstance(n_features, int):
        return f"exactly {n_features}"
    low, high = n_features
    return f"{low or 1} to {high or 'any number of'}"


def answer(material: Material, cautions: list[Caution]) -> str:
    """Three cards: the features, how good, how sure."""
    if material.comparison is not None and material.result is None:
        cards = [_methods(material.comparison), _difference(material.comparison)]
    else:
        cards = [
            price_card(material),
            _how_good(material),
            _features(material),
            _how_sure(material),
        ]
    said = f'<p class="verdict">{escape(verdict(material, cautions))}</p>'
    return f'{said}{_serious(cautions)}<div class="cards">{"".join(c for c in cards if c)}</div>'


def verdict(material: Material, cautions: list[Caution]) -> str:
    """The answer in a sentence or two."""
    a, n = material.assessment, len(material.selection.get("selected", []))
    if material.comparison is not None and material.result is None:
        return _best_method(material.comparison)
    if a is None:
        return f"{count(n, 'feature')} chosen; how well they predict {material.target} has not been assessed."
    low, high = a.interval
    score = f"{measure(a.scoring)} {a.performance:.3f}"
    if not np.isnan(low):
        score += f" ({low:.3f} to {high:.3f})"
    if any(c.title == NO_EVIDENCE for c in cautions):
        return (
            f"There is no evidence that the selection predicts {material.target} better than guessing: {score} "
            "on new rows."
        )
    steady = ""
    if a.stability is not None:
        steady = STEADY[steadiness(a.stability.value)]
    who = f"A model on features so chosen predicts {material.target} with {score} on new rows."
    price = price_said(material.selection.get("race"))
    return " ".join(part for part in (price, who, steady) if part)


def _serious(cautions: list[Caution]) -> str:
    """The serious cautions in full, before any number is believed."""
    serious = [c for c in cautions if c.level == "serious"]
    if not serious:
        return ""
    items = "".join(
        f'<li class="serious"><strong>{escape(c.title)}.</strong> {escape(c.text)}</li>'
        for c in serious
    )
    return (
        f'<div class="before"><h3>Before you use this</h3><ul class="cautions">{items}</ul></div>'
    )


def _features(material: Material) -> str:
    names, of = material.selection.get("selected", []), material.data.get("columns", 0)
    if not names:
        return _often_selected(material.assessment)
    order = steadiest_first(material)
    if order:
        names = [material.names[j] for j in order]
    shares = [""] * len(names)
    frequency = getattr(material.assessment, "frequency", None)
    if order and frequency is not None:
        shares = [f' <span class="muted">in {frequency[j]:.0%} of folds</span>' for j in order]
    pairs = list(zip(names, shares))[:MOST_LISTED]
    lines = [f"<li>{escape(str(name))}{share}</li>" for name, share in pairs]
    more = more_in_table(len(names) - MOST_LISTED)
    return (
        f'<div class="card"><h3>The features</h3><p class="big">{len(names):,} of {of:,}</p><ul '
        f'class="names">{"".join(lines)}</ul>{more}</div>'
    )


def _often_selected(assessment: Any) -> str:
    if assessment is None or assessment.frequency is None:
        return ""
    table = assessment.often()
    often = [n for n, f in zip(table["feature"], table["frequency"]) if f >= 0.5]
    names = "".join(f"<li>{escape(str(n))}</li>" for n in often[:MOST_LISTED])
    sizes = (
        f"A fold selects {np.min(assessment.sizes):,} to {np.max(assessment.sizes):,} of "
        f"{len(assessment.names):,} features."
    )
    return (
        f'<div class="card"><h3>Selected by most folds</h3><p class="big">{len(often):,}</p><p>{sizes}</p><ul '
        f'class="names">{names}</ul></div>'
    )


def _how_good(material: Material) -> str:
    guide, a = material.selection.get("guide_quality"), material.assessment
    said = ""
    if guide is not None and not material.selection.get("race"):
        value = f"{guide:.3f}"
        if material.guided_by:
            value += f" ({escape(material.guided_by)})"
        said = (
            f"The guide quality of the chosen subset, {value}, is what the search maximised: not an estimate of "
            "performance."
        )
    if a is None:
        return card(
            "How good",
            "not assessed",
            said,
            "Run the selection again with an assessment, or test it on rows that it never saw.",
        )
    text = f"{escape(measure(a.scoring))} on rows that neither selection nor model saw{_reach(a)}."
    return card("How good", f"{a.performance:.3f}", text, _references(a), _guess(material), said)


def _references(a: Any) -> str:
    if not a.references:
        return ""
    simple = ", ".join(f"{escape(name)} {e.mean:.3f}" for name, e in a.references.items())
    return f"For comparison: {simple}."


def _guess(material: Material) -> str:
    """What guessing scores, where that is known."""
    if material.y is None:
        return ""
    a = material.assessment
    level = chance_level(a.scoring, np.asarray(material.y), a.kind)
    if level is None:
        return ""
    return f"Guessing without any feature scores {level:.3f}."


def _reach(a: Any) -> str:
    low, high = a.interval
    if np.isnan(low):
        return ""
    return f"; {a.confidence:.0%} interval {low:.3f} to {high:.3f}"


def _how_sure(material: Material) -> str:
    a = material.assessment
    if a is None:
        return card(
            "How sure",
            "not assessed",
            _restarts(material),
            "How steady the choice is shows only when the selection is repeated on other rows.",
        )
    lines = [_steady_part(material), _swaps(material), _flattery(a), _false(a), _test(a)]
    if a.stability is None or np.isnan(a.stability.value):
        return card(
            "How sure",
            "–",
            "Stability is not known: the selection was not repeated on halves of the rows.",
            *lines,
        )
    value, (low, high) = a.stability.value, a.stability.interval
    text = (
        f"stability: {steadiness(value)} (1: the same features on any rows, 0: as random; interval {low:z.2f} "
        f"to {high:z.2f}), measured on {a.stability.basis}: with all rows the choice is somewhat steadier."
    )
    return card("How sure", f"{value:z.2f}", text, *lines)


def _restarts(material: Material) -> str:
    n = len(getattr(material.result, "restart_answers", ()))
    if n < 2:
        return ""
    agree = material.selection.get("run", {}).get("restarts_that_agree")
    return f"{agree} of {n} restarts ended with a subset as good as the best."


def steadiness(value: float) -> str:
    """Fleiss's words for an agreement beyond chance: poor below 0.4, excellent above 0.75."""
    if value < 0.4:
        return "poor"
    if value <= 0.75:
        return "fair to good"
    return "excellent"


def _flattery(a: Any) -> str:
    if a.optimism is None or np.isnan(a.optimism):
        return ""
    side = "above" if a.optimism >= 0 else "below"
    return f"In the folds the guide quality was {abs(a.optimism):.3f} {side} the nested score."


def _steady_part(material: Material) -> str:
    a = material.assessment
    if a.frequency is None or not material.chosen:
        return ""
    often = int((a.frequency[material.chosen] >= 0.5).sum())
    return f"{often} of the {len(material.chosen)} chosen features were selected in at least half of the folds."


def _swaps(material: Material) -> str:
    swaps = material.selection.get("alternatives", [])
    some = {name for swap in swaps for name in swap["add"]}
    if not some:
        return ""
    others = count(len(some), "other feature")
    return f"{others} could replace a chosen one at about the same guide quality."


def _false(a: Any) -> str:
    found = a.false_selections
    if found is None:
        return ""
    return (
        f"About {found.expected:.1f} of the selected features are expected to be false "
        f"({found.share:.0%})."
    )


def _test(a: Any) -> str:
    test = a.permutation
    if test is None:
        return ""
    return f"Test with shuffled labels, selection included: p = {test.p_value:.2g}."


def _methods(comparison: Any) -> str:
    table = comparison.table
    best = int(np.nanargmax(table["score"]))
    text = (
        f"{escape(measure(comparison.scoring))} on held-out rows; {comparison.confidence:.0%} interval "
        f"{table['low'][best]:.3f} to {table['high'][best]:.3f}, with {table['n_features'][best]:.3g} features "
        "on average."
    )
    return card(
        "Highest nested score",
        f"{escape(str(comparison.names[best]))}: {table['score'][best]:.3f}",
        text,
    )


def _best_method(comparison: Any) -> str:
    best = comparison.names[int(np.nanargmax(comparison.table["score"]))]
    told = [
        d for d in comparison.differences if best in (d.first, d.second) and d.p_adjusted < 0.05
    ]
    if len(told) == len(comparison.names) - 1:
        return f"{best} is best: its nested score differs from that of every other method."
    return (
        f"{best} has the highest nested score, but cannot be told apart from "
        f"{count(len(comparison.names) - 1 - len(told), 'other method')}."
    )


def _difference(comparison: Any) -> str:
    """Whether the best can be told from the others."""
    best = comparison.names[int(np.nanargmax(comparison.table["score"]))]
    with_best = [d for d in comparison.differences if best in (d.first, d.second)]
    open_ = [d.second if d.first == best else d.first for d in with_best if not d.p_adjusted < 0.05]
    told = len(with_best) - len(open_)
    alike = "It differs from every other method."
    if open_:
        others = escape(named(open_, 8))
        alike = f"Not to be told apart from it (paired test, Holm's correction): {others}."
    return card(
        "Is it better?",
        f"than {told} of {len(with_best)}",
        alike,
        "The highest of several scores is itself flattered: prefer a simpler method that cannot be told apart.",
    )


ALL = "all features"


def price_card(material: Material) -> str:
    """The difference in score, with what it means; empty where nothing with all features was run."""
    found = _of_race(material) or _of_references(material.assessment)
    if found is None:
        return ""
    difference, (low, high), against = found
    scoring = getattr(material.assessment, "scoring", material.scoring)
    text = (
        f"{escape(measure(scoring))} of the selection less that of {escape(against)}, "
        f"on the same held-out rows{signed_interval(low, high)}."
    )
    return card("The price of selecting", f"{difference:+.3f}", text, _meaning(low, high))


def _meaning(low: float, high: float) -> str:
    if np.isnan(low):
        return "One fold cannot tell whether that is more than chance."
    if high < 0:
        return "Selecting costs: all features predict better."
    if low > 0:
        return "Selecting gains: fewer features predict better."
    return "The two cannot be told apart: fewer features do as well."


def _of_race(material: Material) -> tuple[float, tuple[float, float], str] | None:
    price = (material.selection.get("race") or {}).get("price")
    if price is None:
        return None
    return price["difference"], tuple(price["interval"]), price["against"]


def _of_references(assessment: Any) -> tuple[float, tuple[float, float], str] | None:
    """From the folds of an assessment that ran all features beside the selection."""
    if assessment is None or ALL not in assessment.references:
        return None
    scores = np.asarray(assessment.references[ALL].scores, dtype=float)
    gaps = np.asarray(assessment.folds["score"], dtype=float) - scores
    n_test, n_train = (float(np.mean(assessment.folds[key])) for key in ("n_test", "n_train"))
    interval = (np.nan, np.nan)
    if len(gaps) > 1:
        interval = corrected_interval(gaps, n_test / n_train, assessment.confidence)
    return float(gaps.mean()), interval, ALL
