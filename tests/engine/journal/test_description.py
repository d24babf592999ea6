"""Descriptions: equal settings are described as equal, and whatever changes a quality
changes the description.
"""

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import make_scorer

from subsel.engine.journal.description import describe, opaque_parts

PRICE = 0.0


def penal(price):
    return lambda model, X, y: model.score(X, y) - price * X.shape[1]


def by_default(price):
    def scorer(model, X, y, price=price):
        return model.score(X, y) - price * X.shape[1]

    return scorer


def by_keyword(price):
    def scorer(model, X, y, *, price=price):
        return model.score(X, y) - price * X.shape[1]

    return scorer


def plain(model, X, y, price=0.0):
    return model.score(X, y) - price * X.shape[1]


class Slotted:
    __slots__ = ("price",)

    def __init__(self, price):
        self.price = price

    def __call__(self, model, X, y):
        return plain(model, X, y, self.price)


class Inheriting(Slotted):
    __slots__ = ()


class Plain:
    def __init__(self, price):
        self.price = price

    def score(self, model, X, y):
        return plain(model, X, y, self.price)


def of_global(price):
    space = {"PRICE": price}
    exec("def scorer(model, X, y):\n    return model.score(X, y) - PRICE * X.shape[1]", space)
    return space["scorer"]


def of_global_of_global(price):
    space = {"PRICE": price}
    exec(
        "def cost(X):\n    return PRICE\n\n"
        "def scorer(model, X, y):\n    return [cost(x) for x in X]",
        space,
    )
    return space["scorer"]


MAKERS = {
    "closure": penal,
    "closure of a closure": lambda price: (lambda inner: lambda *a: inner(*a))(penal(price)),
    "default": by_default,
    "keyword default": by_keyword,
    "partial": lambda price: partial(plain, price=price),
    "partial argument": lambda price: partial(lambda p, *a: p, price),
    "slots": Slotted,
    "inherited slots": Inheriting,
    "bound method": lambda price: Plain(price).score,
    "compiled method": lambda price: [price].__contains__,
    "global": of_global,
    "global of a global": of_global_of_global,
    "scorer": lambda price: make_scorer(partial(lambda y, p, price: price, price=price)),
    "in a list": lambda price: [1, {"a": penal(price)}],
    "in a set": lambda price: {penal(price), penal(price)},
    "array": lambda price: penal(np.array([price, 1.0])),
}


@pytest.mark.parametrize("name", MAKERS)
def test_whatever_a_callable_holds_is_described(name):
    """Made twice alike it is described alike; made with another price it is not."""
    make = MAKERS[name]
    assert describe(make(0.0)) == describe(make(0.0))
    assert describe(make(0.0)) != describe(make(0.05))
    assert list(opaque_parts(describe(make(0.0)))) == []


@pytest.mark.parametrize(
    "change",
    ["y.max()", "y.mean()", "y.mean() + 1", "(lambda z: z + 1)(y)", "(lambda z: z + 2)(y)"],
)
def test_other_code_is_another_function(change):
    """Names of methods, constants, and functions within."""
    made = {}
    for text in ("y.min()", change):
        space = {}
        exec(f"def scorer(model, X, y):\n    return {text}", space)
        made[text] = describe(space["scorer"])
    assert made["y.min()"] != made[change]


def test_circles_end():
    """A list in itself, functions that call each other, an object that holds itself."""
    ring = [1]
    ring.append(ring)
    space = {}
    exec(
        "def even(n):\n    return n == 0 or odd(n - 1)\n\n"
        "def odd(n):\n    return n != 0 and even(n - 1)",
        space,
    )
    thing = Plain(0.0)
    thing.me = thing
    for value in (ring, space["even"], thing):
        assert describe(value) == describe(value)


@pytest.mark.parametrize("value", [iter([1]), (i for i in range(3)), object(), lambda: iter([1])])
def test_what_cannot_be_described_is_named(value):
    """Things that say only where they lie; not functions that make such things."""
    assert bool(list(opaque_parts(describe([value])))) == (not callable(value))
    assert list(opaque_parts(describe({"journal_key": "mine 1", "cv": value}))) == []


def test_descriptions_are_equal_in_every_process():
    """Addresses, hashes of text and the order of sets play no part."""
    code = "import json; from subsel.engine.journal.description import describe; "
    code += "from tests.engine.journal.test_description import MAKERS, Plain; "
    code += "parts = [describe(m(0.5)) for m in MAKERS.values()]; "
    code += "print(json.dumps(parts + [describe({'b', 'a', 'c'})], sort_keys=True))"
    home = Path(__file__).parents[3]
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], cwd=home, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
