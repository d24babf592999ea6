"""The answer, before anything else: which features, how good, how sure."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from subsel.report.assessment_cautions import NO_EVIDENCE, chance_level
from subsel.report.caution import Caution
from subsel.report.display import count, measure, named
from subsel.report.features import steadiest_first
from subsel.report.markup import card
from subsel.report.material import Material
from subsel.report.price import price_card
from subsel.report.race import price_said

__all__ = ["answer", "question", "verdict"]

MOST_LISTED = 10
STEADY = {
    "poor": "Which features are chosen depends on the rows: others would give other features.",
    "fair to good": "With other rows part of the features would change.",
    "excellent": "Other rows would give nearly the same features.",
}


def question(material: Material) -> str:
    """What was asked, in a sentence."""
    data, settings = material.data, material.selection.get("settings", {})
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
    asked = [f"search {settings['search']}"] if settings.get("search") else []
    model = settings.get("estimator") or material.selection.get("judge")
    guides = [settings["criterion"]] if settings.get("criterion") else [model, material.guided_by]
    asked += [f"guided by {', '.join(filter(None, guides))}"] if any(guides) else []
    asked += [f"{_sizes(settings['n_features'])} features"] if settings.get("n_features") else []
    asked += [f"always {named(settings['fixed'], 5)}"] if settings.get("fixed") else []
    asked += [f"never {named(settings['forbidden'], 5)}"] if settings.get("forbidden") else []
    return f"{text} Asked for: {', '.join(asked)}." if asked else text


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
    reach = "" if np.isnan(a.interval[0]) else f" ({a.interval[0]:.3f} to {a.interval[1]:.3f})"
    score = f"{measure(a.scoring)} {a.performance:.3f}{reach}"
    if any(c.title == NO_EVIDENCE for c in cautions):
        return (
            f"There is no evidence that the selection predicts {material.target} better than guessing: {score} "
            "on new rows."
        )
    steady = "" if a.stability is None else STEADY.get(steadiness(a.stability.value), "")
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
    frequency = getattr(material.assessment, "frequency", None)
    if material.chosen:
        pairs = [
            (material.names[j], None if frequency is None else frequency[j])
            for j in steadiest_first(material)
        ]
    else:
        pairs = [(name, None) for name in names]
    lines = [
        f"<li>{escape(str(name))}{_in_folds(share)}</li>" for name, share in pairs[:MOST_LISTED]
    ]
    more = (
        f"<p>and {len(names) - MOST_LISTED:,} more, <a href='#feature-table'>all here</a></p>"
        if len(names) > MOST_LISTED
        else ""
    )
    return (
        f'<div class="card"><h3>The features</h3><p class="big">{len(names):,} of {of:,}</p><ul '
        f'class="names">{"".join(lines)}</ul>{more}</div>'
    )


def _in_folds(share: float | None) -> str:
    return "" if share is None else f' <span class="muted">in {share:.0%} of folds</span>'


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
        value = (
            f"{guide:.3f} ({escape(material.guided_by)})" if material.guided_by else f"{guide:.3f}"
        )
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
    simple = ", ".join(f"{escape(name)} {e.mean:.3f}" for name, e in a.references.items())
    level = None if material.y is None else chance_level(a.scoring, np.asarray(material.y), a.kind)
    guess = "" if level is None else f"Guessing without any feature scores {level:.3f}."
    return card(
        "How good",
        f"{a.performance:.3f}",
        text,
        f"For comparison: {simple}." if simple else "",
        guess,
        said,
    )


def _reach(a: Any) -> str:
    low, high = a.interval
    return "" if np.isnan(low) else f"; {a.confidence:.0%} interval {low:.3f} to {high:.3f}"


def _how_sure(material: Material) -> str:
    a = material.assessment
    if a is None:
        agree, n = (
            material.selection.get("run", {}).get("restarts_that_agree"),
            len(getattr(material.result, "restart_answers", ())),
        )
        restarts = (
            f"{agree} of {n} restarts ended with a subset as good as the best." if n > 1 else ""
        )
        return card(
            "How sure",
            "not assessed",
            restarts,
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


def steadiness(value: float) -> str:
    """Fleiss's words for an agreement beyond chance: poor below 0.4, excellent above 0.75."""
    return "poor" if value < 0.4 else "fair to good" if value <= 0.75 else "excellent"


def _flattery(a: Any) -> str:
    if a.optimism is None or np.isnan(a.optimism):
        return ""
    return (
        f"In the folds the guide quality was {abs(a.optimism):.3f} {'above' if a.optimism >= 0 else 'below'} "
        "the honest score."
    )


def _steady_part(material: Material) -> str:
    a = material.assessment
    if a.frequency is None or not material.chosen:
        return ""
    often = int((a.frequency[material.chosen] >= 0.5).sum())
    return f"{often} of the {len(material.chosen)} chosen features were selected in at least half of the folds."


def _swaps(material: Material) -> str:
    swaps = material.selection.get("alternatives", [])
    some = {name for swap in swaps for name in swap["add"]}
    return (
        f"{count(len(some), 'other feature')} could replace a chosen one at about the same guide quality."
        if some
        else ""
    )


def _false(a: Any) -> str:
    found = a.false_selections
    return (
        ""
        if found is None
        else f"About {found.expected:.1f} of the selected features are expected to be false ({found.share:.0%})."
    )


def _test(a: Any) -> str:
    test = a.permutation
    return (
        ""
        if test is None
        else f"Test with shuffled labels, selection included: p = {test.p_value:.2g}."
    )


def _methods(comparison: Any) -> str:
    table = comparison.table
    best = int(np.nanargmax(table["score"]))
    text = (
        f"{escape(measure(comparison.scoring))} on held-out rows; {comparison.confidence:.0%} interval "
        f"{table['low'][best]:.3f} to {table['high'][best]:.3f}, with {table['n_features'][best]:.3g} features "
        "on average."
    )
    return card(
        "Highest honest score",
        f"{escape(str(comparison.names[best]))}: {table['score'][best]:.3f}",
        text,
    )


def _best_method(comparison: Any) -> str:
    best = comparison.names[int(np.nanargmax(comparison.table["score"]))]
    told = [
        d for d in comparison.differences if best in (d.first, d.second) and d.p_adjusted < 0.05
    ]
    if len(told) == len(comparison.names) - 1:
        return f"{best} is best: its honest score differs from that of every other method."
    return (
        f"{best} has the highest honest score, but cannot be told apart from "
        f"{count(len(comparison.names) - 1 - len(told), 'other method')}."
    )


def _difference(comparison: Any) -> str:
    """Whether the best can be told from the others."""
    best = comparison.names[int(np.nanargmax(comparison.table["score"]))]
    with_best = [d for d in comparison.differences if best in (d.first, d.second)]
    open_ = [d.second if d.first == best else d.first for d in with_best if not d.p_adjusted < 0.05]
    told = len(with_best) - len(open_)
    alike = (
        f"Not to be told apart from it (paired test, Holm's correction): {escape(named(open_, 8))}."
    )
    return card(
        "Is it better?",
        f"than {told} of {len(with_best)}",
        alike if open_ else "It differs from every other method.",
        "The highest of several scores is itself flattered: prefer a simpler method that cannot be told apart.",
    )
