"""The pictures: what they hold, where they draw, what they say."""

from __future__ import annotations

from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from subsel import RankingSelector, report
from subsel.criteria import NearestNeighbours
from subsel.report.figures.display import COLOURS
from subsel.report.figures.frequency import noise_level
from subsel.report.figures.svg import inline_svg
from subsel.report.figures.values import ValuesDisplay
from subsel.result.result import SelectedSubset
from subsel.search import RandomWalk
from tests.report import material

matplotlib.use("agg")


def ranking(cut="probes:0.2"):
    X, y = material.table()
    return RankingSelector("anova-f", cut, random_state=0).fit(X, y)


def visits(ax=None):
    X, y = material.table()
    return report.VisitsDisplay.from_search(
        RandomWalk(), NearestNeighbours(), X[:, :4], y, evaluations=200, ax=ax
    )


MAKERS = {
    "anytime": lambda ax=None: report.AnytimeDisplay.from_result(material.result(), ax=ax),
    "seconds": lambda ax=None: report.AnytimeDisplay.from_result(
        material.result(), ax=ax, against="seconds"
    ),
    "front": lambda ax=None: report.FrontDisplay.from_result(
        material.result(), material.assessment(), ax=ax
    ),
    "frequency": lambda ax=None: report.FrequencyDisplay.from_assessment(
        material.assessment(), [0, 1], ax=ax
    ),
    "folds": lambda ax=None: report.FoldsDisplay.from_assessment(material.assessment(), ax=ax),
    "fold agreement": lambda ax=None: report.AgreementDisplay.from_assessment(
        material.assessment(), ax=ax
    ),
    "agreement": lambda ax=None: report.AgreementDisplay.from_comparison(
        material.comparison(), ax=ax
    ),
    "optimism": lambda ax=None: report.OptimismDisplay.from_assessment(
        material.assessment(), ax=ax
    ),
    "reference": lambda ax=None: report.ReferenceDisplay.from_assessment(
        material.assessment(), ax=ax
    ),
    "methods": lambda ax=None: report.ReferenceDisplay.from_comparison(
        material.comparison(), ax=ax
    ),
    "pareto": lambda ax=None: report.ParetoDisplay.from_comparison(material.comparison(), ax=ax),
    "ranking": lambda ax=None: report.RankingDisplay.from_selector(
        ranking(), material.NAMES, ax=ax
    ),
    "visits": visits,
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_picture_is_drawn_labelled_and_said(name):
    """A display draws on the axes it is given and on no others, names its axes, and says what it shows in a sentence."""
    ax = Figure(layout="constrained").subplots()
    before = pyplot.get_fignums()
    display = MAKERS[name](ax=ax)
    assert pyplot.get_fignums() == before
    assert display.ax_ is ax and display.figure_ is ax.figure
    assert ax.has_data()
    assert len(ax.get_xlabel()) > 3
    assert ax.get_ylabel() or name in VERTICAL_NAMES, (
        "an axis without a label has names or nothing at its ticks"
    )
    assert len(display.describe()) > 40 and "nan" not in display.describe()
    for texts in display.tips_.values():
        assert all(texts)
    svg = inline_svg(ax.figure, "p", display.tips_, display.describe())
    assert svg.count('class="point"') == sum(map(len, display.tips_.values())), (
        "every point can be pointed at"
    )


VERTICAL_NAMES = {"frequency", "folds", "reference", "methods", "ranking", "visits"}


def test_a_display_makes_its_own_figure():
    """Without axes a display opens a figure, as scikit-learn's displays do; plotting again opens another."""
    display = MAKERS["front"]()
    first = display.figure_
    assert display.plot().figure_ is not first
    pyplot.close("all")


def test_the_front_marks_the_one_standard_error_choice():
    """The smallest subset within one standard error of the best is the one by the rule; none without an error."""
    display = MAKERS["front"](Figure().subplots())
    assert display.one_se_size == 2  # 0.90 >= 0.92 - 0.03 > 0.80
    bare = [SelectedSubset(f.columns, f.quality, f.cost) for f in material.result().front]
    without = replace(material.result(), front=tuple(bare))
    assert report.FrontDisplay.from_result(without, ax=Figure().subplots()).one_se_size is None


def test_honest_points_are_those_of_the_folds():
    """Beside the front lie the folds' sizes and nested scores; those not known are left out."""
    a = material.assessment()
    nested = a.folds["nested"].copy()
    nested[3] = np.nan
    some = replace(a, folds={**a.folds, "nested": nested})
    display = report.FrontDisplay.from_result(material.result(), some, ax=Figure().subplots())
    np.testing.assert_array_equal(display.nested_scores, np.delete(nested, 3))
    np.testing.assert_array_equal(display.nested_sizes, np.delete(a.folds["size"], 3))


def test_the_anytime_curve_starts_with_the_best_restart_in_front():
    """Restarts are overlaid, the best drawn last, and its steps end where its evaluations did."""
    display = MAKERS["anytime"](Figure().subplots())
    assert display.best == 0
    last = display.ax_.lines[1]  # before the points
    assert last.get_color() == COLOURS["blue"]
    assert last.get_xdata()[-1] == 100 and last.get_ydata()[-1] == 0.92


def test_noise_level_by_simulation():
    """With a chance of about 95% no noise feature is selected in a larger share of the folds than the level."""
    rng = np.random.default_rng(0)
    for rate, n_folds, n_columns in ((0.05, 10, 200), (0.3, 20, 10), (0.001, 10, 2000)):
        level = noise_level(rate, n_folds, n_columns)
        most = rng.binomial(n_folds, rate, size=(2000, n_columns)).max(axis=1) / n_folds
        assert (most <= level).mean() >= 0.93
        assert (most <= level - 1 / n_folds).mean() < 0.97, "and no smaller level does"


def test_frequencies_keep_their_names():
    """Each bar has the frequency of the feature it names, the most frequent first, chosen ones marked."""
    a, display = material.assessment(), MAKERS["frequency"](Figure().subplots())
    assert (np.diff(display.frequency) <= 0).all()
    for name, share, chosen in zip(display.names, display.frequency, display.chosen):
        j = a.names.index(name)
        assert a.frequency[j] == share and chosen == (j in (0, 1))


def test_agreement_of_folds_is_jaccards():
    """The heat map of folds holds shared over joint features, one where both are empty."""
    supports = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]], dtype=bool)
    display = report.AgreementDisplay.from_assessment(
        replace(material.assessment(), supports=supports), ax=Figure().subplots()
    )
    np.testing.assert_allclose(
        display.values, [[1, 0.5, 0, 0], [0.5, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    )


def test_infinite_and_missing_scores_have_a_place():
    """In a ranking infinite scores stick out of the finite ones; columns without a score, which come last, are left out."""
    scores = np.array([np.inf, 2.0, 1.0, np.nan])
    display = report.RankingDisplay(list("abcd"), scores, scores > 1, np.zeros(0), "by hand").plot(
        Figure().subplots()
    )
    widths = sorted(bar.get_width() for bar in display.ax_.patches)
    np.testing.assert_allclose(widths, [1.0, 2.0, 2.2])
    assert "(the 3 best of 4)" in display.ax_.get_xlabel()


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_values_of_the_chosen_few(kind):
    """There is a panel per chosen feature, at most six, also from sparse tables and with missing values."""
    from scipy import sparse

    X, y = material.table()
    X, target = X.copy(), y if kind == "classification" else X[:, 0] * 2
    X[3, 0] = np.nan
    for table in (X, sparse.csr_array(X)):
        display = ValuesDisplay.from_data(table, target, [1, 0], names=material.NAMES, kind=kind)
        assert [ax.get_title() for ax in display.ax_] == ["a & b", "<script>alert(1)</script>"]
        assert "nan" not in display.describe()
    pyplot.close("all")
    if kind == "regression":
        assert "<script>alert(1)</script> +1.00" in display.describe()
    else:
        median = np.median(X[y == "yes", 1])
        assert (
            f"a & b {np.median(X[y == 'no', 1]):.4g} for no, {median:.4g} for yes"
            in display.describe()
        )


def test_the_map_counts_every_visit():
    """Visits add up to the evaluations; every subset seen has the quality that the criterion gives it; a walk's moves too."""
    X, y = material.table()
    display = visits(Figure().subplots())
    assert display.counts.sum() == 200
    assert sum(display.transitions.values()) <= 199
    from subsel.data.task import Task
    from subsel.space.candidates import Candidates
    from subsel.space.space import Space

    space = Space.of(4)
    evaluator = NearestNeighbours().bind(Task.of(X[:, :4], y), 0)
    asked = Candidates.of(space, [space.from_columns(np.array(s)) for s in display.subsets])
    np.testing.assert_allclose(display.qualities, evaluator.evaluate(asked))


def test_the_map_is_for_small_problems():
    """A table of more than eight columns is refused by name."""
    with pytest.raises(ValueError, match="at most 8 columns"):
        report.VisitsDisplay.from_search("sfs", NearestNeighbours(), np.zeros((4, 9)), [0, 0, 1, 1])


def test_colours_are_told_apart_without_colour():
    """The two colours that are set against each other differ in lightness too, so that grey print keeps them apart."""

    def lightness(h):
        parts = ((0.21, 1), (0.72, 3), (0.07, 5))  # weight and place of red, green and blue
        return sum(w * (int(h[i : i + 2], 16) / 255) ** 2.2 for w, i in parts)

    assert abs(lightness(COLOURS["blue"]) - lightness(COLOURS["grey"])) > 0.25
    assert len(set(COLOURS.values())) == len(COLOURS), (
        "each is replaced by its own variable in the page"
    )
