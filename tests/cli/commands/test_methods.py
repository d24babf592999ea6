"""``subsel methods``: a list, a search by word, and one method in full."""

import json

import pytest

from subsel.cli import main
from subsel.cli.commands.methods import KINDS, found_methods, method_page, method_table
from subsel.registry.synonyms import OTHER_NAMES
from subsel.search import find_search


def keys(capsys, *typed):
    assert main(["methods", *typed, "--json"]) == 0
    return [row["key"] for row in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("f_classif", "anova-f"),
        ("chi2", "chi-square"),
        ("mutual_info_classif", "neighbour-information"),
        ("forward", "sfs"),
        ("backward", "sbs"),
        ("rfe", "rfe"),
        ("RFECV", "rfe"),
        ("SequentialFeatureSelector", "sfs"),
        ("SelectKBest", "k"),
        ("lasso", "lasso"),
        ("relief", "relief"),
        ("simulated annealing", "annealing"),
    ],
)
def test_names_used_elsewhere_find_ours(name, key):
    """What scikit-learn and others call a method leads to the page of ours."""
    rows, exactly = found_methods(name)
    assert exactly and key in {row["key"] for row in rows}


def test_the_import_on_each_page_gives_the_method():
    """What is printed as code to use an embedded method or a recipe can be run as it is."""
    for row in method_table():
        if row["kind"] in ("embedded", "recipe"):
            page = method_page(row["kind"], row["key"])
            [line] = {line.strip() for line in page.splitlines() if "from subsel" in line[:15]}
            scope: dict = {}
            exec(line, scope)
            assert callable(scope[row["key"]])


def test_every_name_used_elsewhere_leads_somewhere():
    """No alias points to a method that is not there."""
    known = {row["key"] for row in method_table()}
    assert {name: key for name, key in OTHER_NAMES.items() if key not in known} == {}


def test_kinds_filter_and_words_search(capsys):
    """Each kind has methods; a word finds those that mention it, within the kind asked for."""
    assert {row["kind"] for row in method_table()} == set(KINDS)
    assert set(keys(capsys, "--kind", "cut")) >= {"fdr", "k", "gap"}
    assert "relieff" in keys(capsys, "nearest", "--kind", "ranking")
    assert set(keys(capsys, "boruta")) == {"Boruta"}


def test_a_page_tells_one_method_in_full(capsys):
    """What it is, formula, parameters, source, use and an example, without marks of markup."""
    assert main(["methods", "relieff"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("relieff (ranking)\n")
    for part in (
        "formula:",
        "parameters:",
        "source:",
        "use:",
        "example:",
        "--score relieff",
        ">>> ",
    ):
        assert part in page, part
    assert ":class:" not in page and "[1]_" not in page


def test_every_method_has_a_page():
    """None of them is empty, and each says how to use it."""
    for row in method_table():
        page = method_page(row["kind"], row["key"])
        assert "use:" in page and len(page.splitlines()) >= 5, row["key"]


def test_a_word_that_nothing_mentions_is_said(capsys):
    """One line, exit code 1."""
    assert main(["methods", "xylophone"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_help_shows_the_python_side(capsys):
    """The help of methods names AutoSelector, write_report and the Displays."""
    with pytest.raises(SystemExit):
        main(["methods", "--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("AutoSelector", "write_report", "Display"))


def test_a_name_of_another_library_is_told_ours():
    """Asking for a search by scikit-learn's name says what it is called here."""
    with pytest.raises(ValueError, match=r"'forward'\. It is called sfs here"):
        find_search("forward")
