"""Fuzzy sets, rules, neurons and networks.

They are compared with axioms, the chapter's examples, and finite differences.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.models import (
    FuzzyRules,
    composition,
    fuzzy_neuron,
    hybrid_gradient,
    indicator_network,
    membership,
)
from subsel.literature.models.networks.fuzzy_neurons import (
    NORMS,
    fuzzy_and,
    fuzzy_not,
    fuzzy_or,
    hybrid_output,
)
from subsel.literature.models.networks.fuzzy_rules import rule_output

DEGREES = st.floats(0, 1).map(lambda value: round(value, 6))


@parametrize_with_checks([FuzzyRules()])
def test_scikit_learn_contract(estimator, check):
    """Every check of scikit-learn passes."""
    check(estimator)


@pytest.mark.parametrize("name", NORMS)
@settings(max_examples=40)
@given(a=DEGREES, b=DEGREES, c=DEGREES)
def test_norms_keep_their_axioms(name, a, b, c):
    """Both norms are commutative and associative, and 1 and 0 are neutral.

    De Morgan's law turns one into the other, and T is monotone.
    """
    T, S = lambda *x: fuzzy_and(*x, norm=name), lambda *x: fuzzy_or(*x, norm=name)
    for norm, neutral in ((T, 1), (S, 0)):
        assert norm(a, b) == pytest.approx(norm(b, a))
        assert norm(norm(a, b), c) == pytest.approx(norm(a, norm(b, c)), abs=1e-12)
        assert norm(a, b, c) == pytest.approx(norm(norm(a, b), c), abs=1e-12)
        assert norm(a, neutral) == pytest.approx(a)
        assert norm(a, min(b, c)) <= norm(a, max(b, c)) + 1e-12
    assert T(a, b) == pytest.approx(1 - S(fuzzy_not(a), fuzzy_not(b)), abs=1e-12)


def test_the_example_of_the_chapter():
    """Its two sets have the printed intersection, union and complement."""
    A, B = [0.5, 0.9, 0.7, 0.6, 1.0], [0.7, 1.0, 0.8, 0.5, 0.0]
    assert_array_equal(fuzzy_and(A, B), [0.5, 0.9, 0.7, 0.5, 0.0])
    assert_array_equal(fuzzy_or(A, B), [0.7, 1.0, 0.8, 0.6, 1.0])
    assert_allclose(fuzzy_not(A), [0.5, 0.1, 0.3, 0.4, 0.0])
    assert_allclose(fuzzy_or(A, B, norm="product-sum"), np.add(A, B) - np.multiply(A, B))


def test_memberships():
    """Corners, tops and halves stand where the parameters say."""
    assert_allclose(membership("triangle", [0, 1, 2, 2.5, 3, 9], 1, 2, 3), [0, 0, 1, 0.5, 0, 0])
    assert_allclose(
        membership("trapezoid", [0, 0.5, 1, 2, 2.5, 3], 0, 1, 2, 3), [0, 0.5, 1, 1, 0.5, 0]
    )
    assert_allclose(
        membership("sine", [0.0, np.pi / 4, np.pi / 2, 2.0], 2, 0), [0, 1, 0, 0], atol=1e-12
    )
    assert_allclose(membership("gaussian", [3.0, 5.0], 3, 2), [1, np.exp(-1)])
    assert_allclose(membership("bell", [3.0, 5.0, 1.0], 2, 3, 3), [1, 0.5, 0.5])
    assert_allclose(membership("sigmoid", [1.0, 1 + np.log(3) / 2], 2, 1), [0.5, 0.75])


@pytest.mark.parametrize("name", NORMS)
def test_composition_by_its_definition(name):
    """Each entry is the S norm over middle elements of the T norm of two degrees."""
    rng = np.random.default_rng(0)
    R, S = rng.random((3, 4)), rng.random((4, 2))
    found = composition(R, S, name)
    for i in range(3):
        for k in range(2):
            terms = [fuzzy_and(R[i, j], S[j, k], norm=name) for j in range(4)]
            assert found[i, k] == pytest.approx(float(fuzzy_or(*terms, norm=name)))


def test_rules_are_a_normalised_radial_basis_network():
    """One rule is a constant; outputs lie between conclusions.

    Equal widths give normalised Gaussian units.
    """
    rng = np.random.default_rng(0)
    X, centres, c = rng.normal(size=(9, 3)), rng.normal(size=(4, 3)), rng.normal(size=4)
    assert_allclose(rule_output(X, centres[:1], np.ones((1, 3)), [7.0]), 7.0)
    found = rule_output(X, centres, np.full((4, 3), 0.7), c)
    units = np.exp(-((X[:, None] - centres) ** 2).sum(axis=2) / 0.49)
    assert_allclose(found, units @ c / units.sum(axis=1))
    assert ((found >= c.min()) & (found <= c.max())).all()
    least = np.exp(-((X[:, None] - centres) ** 2).max(axis=2) / 0.49)
    assert_allclose(
        rule_output(X, centres, np.full((4, 3), 0.7), c, "min"), least @ c / least.sum(axis=1)
    )
    assert np.isfinite(rule_output(1e6 * X, centres, np.ones((4, 3)), c)).all()


@pytest.mark.parametrize("name", NORMS)
def test_weights_are_gates(name):
    """A weight of 0 removes the input of an OR-AND neuron, one of 1 that of an AND-OR neuron."""
    rng = np.random.default_rng(0)
    X, w = rng.random((8, 4)), rng.random(4)
    for kind, shut in (("or-and", 0.0), ("and-or", 1.0)):
        gated = w.copy()
        gated[2] = shut
        kept = [0, 1, 3]
        assert_allclose(
            fuzzy_neuron(X, gated, kind, name), fuzzy_neuron(X[:, kept], w[kept], kind, name)
        )


def test_neurons_by_their_formulas():
    """The three OR-AND activations of the chapter's table, the second by its recursion."""
    rng = np.random.default_rng(1)
    X, w = rng.random((6, 3)), rng.random(3)
    assert_allclose(fuzzy_neuron(X, w), np.minimum(X, w).max(axis=1))
    v = np.zeros(6)
    for i in range(3):
        v = w[i] * X[:, i] + v - w[i] * X[:, i] * v
    assert_allclose(fuzzy_neuron(X, w, norm="product-sum"), v)
    assert_allclose(
        fuzzy_neuron(X, w, norm="bounded"), np.minimum(np.maximum(w + X - 1, 0).sum(axis=1), 1)
    )


def test_the_gradient_of_fuzzy_back_propagation():
    """Finite differences agree for all weights of both layers, and a step down lowers the error."""
    rng = np.random.default_rng(0)
    X, y = rng.random((7, 3)), rng.random((7, 2))
    first, second = rng.random((4, 3)), rng.random((2, 4))

    def loss(a, b):
        return ((hybrid_output(X, a, b) - y) ** 2).sum() / 2

    found = hybrid_gradient(X, y, first, second)
    assert found.loss == pytest.approx(loss(first, second))
    by_first = approx_fprime(first.ravel(), lambda a: loss(a.reshape(4, 3), second), 1e-7)
    by_second = approx_fprime(second.ravel(), lambda b: loss(first, b.reshape(2, 4)), 1e-7)
    assert_allclose(found.first.ravel(), by_first, atol=1e-5)
    assert_allclose(found.second.ravel(), by_second, atol=1e-5)
    stepped = [
        np.clip(w - 0.01 * slope, 0, 1)
        for w, slope in ((first, found.first), (second, found.second))
    ]
    assert loss(*stepped) < found.loss


def test_cells_approximate_a_function_and_differences_make_exclusive_or():
    """Fine cells follow a square; the chapter's two units reproduce exclusive or."""
    centres = np.linspace(0, 1, 41)[:, None]
    X = np.random.default_rng(0).random((50, 1))
    found = indicator_network(X, centres, centres[:, 0] ** 2, 0.013**2)
    assert np.abs(found - X[:, 0] ** 2).max() < 0.03
    assert_array_equal(indicator_network([[0.0]], [[0.0], [1.0]], [2.0, 3.0], 0.5, far=True), [3.0])
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert_array_equal(
        hybrid_output(corners, [[1, 0], [0, 1]], [[1, 1]], False, 1)[:, 0], [0, 1, 1, 0]
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: membership("round", [1.0]), "kind must be one of triangle"),
        (lambda: fuzzy_and([1.0], norm="mean"), "norm must be one of min-max"),
        (lambda: fuzzy_neuron([[0.5]], [0.5], "xor"), "kind must be"),
        (lambda: fuzzy_neuron([[0.5]], [1.5]), "between 0 and 1"),
        (lambda: rule_output([[0.5]], [[0.5]], [[1.0]], [1.0], "max"), "inference must be"),
        (lambda: FuzzyRules(0).fit([[1.0], [2.0]], [1.0, 2.0]), "n_rules and width"),
    ],
)
def test_bad_arguments_are_named(call, words):
    """An argument out of its domain is named with the value received."""
    with pytest.raises(ValueError, match=words):
        call()
