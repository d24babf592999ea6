"""Persons and their records with errors."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from subsel.literature.linkage.near_values import NICKNAMES
from subsel.literature.linkage.persons import ATTRIBUTES, ERRORS, misspell, persons

pytest.importorskip("pandas")


def test_records_differ_only_where_an_error_is_noted():
    """A cell differs from the person's true value exactly where the truth says so; swapped names are both there."""
    made = persons(400, records=(1, 3), error_rate=0.2, swap_rate=0.1, random_state=0)
    clean = persons(400, records=(1, 3), error_rate=0.0, swap_rate=0.0, random_state=0)
    assert_array_equal(made.person, clean.person)
    for row, true, errors in zip(made.records.to_numpy(), clean.records.to_numpy(), made.errors):
        row = row[[1, 0, 2, 3, 4]] if ("names", "swap") in errors else row
        wrong = {attribute for attribute, kind in errors if kind != "swap"}
        assert {name for name, a, b in zip(ATTRIBUTES, row, true) if a != b} == wrong


def test_all_kinds_of_error_occur_at_the_asked_rate():
    """Every kind of error is made, and cells are wrong as often as asked."""
    made = persons(3_000, records=(2, 2), error_rate=0.1, swap_rate=0.1, random_state=1)
    kinds = [kind for errors in made.errors for _, kind in errors]
    assert set(kinds) == {*ERRORS, "swap"}
    n_cells = len(made.person) * 5
    n_wrong = sum(kind != "swap" for kind in kinds)
    assert abs(n_wrong - 0.1 * n_cells) < 4 * np.sqrt(0.1 * 0.9 * n_cells)
    assert abs(kinds.count("swap") - 0.1 * len(made.person)) < 4 * np.sqrt(
        0.1 * 0.9 * len(made.person)
    )


def test_rates_by_attribute():
    """An attribute without a rate has no errors; an unknown one is refused."""
    made = persons(500, error_rate={"zip": 1.0}, swap_rate=0, random_state=2)
    assert all([a for a, _ in errors] == ["zip"] for errors in made.errors)
    with pytest.raises(ValueError, match="postcode"):
        persons(3, error_rate={"postcode": 0.1})


def test_the_same_seed_makes_the_same_records():
    """The records are a function of the seed."""
    first, second, other = (persons(50, random_state=seed).records for seed in (3, 3, 4))
    assert first.equals(second)
    assert not first.equals(other)


@pytest.mark.parametrize("kind", ERRORS)
def test_a_misspelling_always_differs(kind):
    """An error changes the value."""
    rng = np.random.default_rng(0)
    values = [*NICKNAMES] if kind == "nickname" else ["philip", "mississippi"]
    values += ["06269", "19990101", "f"] if kind == "typing" else []
    for _ in range(200):
        value = values[rng.integers(len(values))]
        assert misspell(value, kind, rng) != value


def test_first_names_tell_the_sex():
    """Without errors every first name goes with one sex only."""
    records = persons(2_000, error_rate=0, swap_rate=0, random_state=5).records
    assert records.groupby("first_name")["sex"].nunique().max() == 1
