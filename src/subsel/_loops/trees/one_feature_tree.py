"""Decision trees on one column, grown best first: their leaves, and how they do on rows held out."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled
from subsel._loops.trees.split_value import deal

__all__ = ["Rows", "Spans", "errors_held_out", "right_held_out", "write_leaves"]

# What is kept of leaves, a line each: the first values, the ends, the best cuts.
BEGIN, END, CUT = range(3)


class Spans(NamedTuple):
    """The tables of the columns, one after the other.

    Column j has the values ``starts[j]`` to ``ends[j] - 1`` and, up to ``stops[j]``, the missing one, a leaf of its own.
    """

    counts: np.ndarray  # (values, classes) rows of each class with each value
    starts: np.ndarray  # (columns,)
    ends: np.ndarray  # (columns,)
    stops: np.ndarray  # (columns,)


class Rows(NamedTuple):
    """A quantity of rows that lie fold after fold."""

    y: np.ndarray  # (n,)
    weight: np.ndarray  # (n,)
    bounds: np.ndarray  # (folds + 1,) where each fold begins, and the end


class Growth(NamedTuple):
    """How a tree grows, and room for its leaves, overwritten by `_grow`."""

    max_leaves: int
    entropy: bool  # impurity by entropy, not by Gini
    leaves: np.ndarray  # (3, leaves + 1) see BEGIN, END and CUT
    gains: np.ndarray  # (leaves + 1,) of the best cut of each
    sides: np.ndarray  # (2, sums) of a cut


@compiled
def _worth(sums, mass, entropy):
    """How pure a leaf is, times its mass: by Gini, which for one sum of numbers is their variance, or by entropy."""
    worth = 0.0
    if mass > 0:
        for k in range(len(sums)):
            if not entropy:
                worth += sums[k] * sums[k] / mass
            elif sums[k] > 0:
                worth += sums[k] * np.log(sums[k] / mass)
    return worth


@compiled
def _best_cut(sums, mass, begin, end, slack, growth):
    """Give the first of the best places to cut a span of values in two, and the gain, 0 if it is within the slack."""
    entropy, left, right = growth.entropy, growth.sides[0], growth.sides[1]
    for k in range(len(left)):
        left[k] = right[k] = 0.0
    n_left, n_right, last = 0.0, 0.0, begin
    for v in range(begin, end):
        if mass[v] > 0:  # both sides are to have mass, which a difference of sums need not tell
            last = v
        for k in range(len(right)):
            right[k] += sums[v, k]
        n_right += mass[v]
    whole, best, best_gain = _worth(right, n_right, entropy), begin, 0.0
    for cut in range(begin + 1, last + 1):
        for k in range(len(left)):
            left[k] += sums[cut - 1, k]
            right[k] -= sums[cut - 1, k]
        n_left += mass[cut - 1]
        n_right -= mass[cut - 1]
        gain = _worth(left, n_left, entropy) + _worth(right, n_right, entropy) - whole
        if gain > best_gain + slack:
            best, best_gain = cut, gain
    return best, best_gain


@compiled
def _growth(longest, max_leaves, entropy, n_sums):
    """Make room for the leaves of the longest column, a missing one and an end, gains, and the sides of a cut."""
    n = min(max_leaves, longest) + 2
    return Growth(
        max_leaves, entropy, np.empty((3, n), np.int64), np.empty(n), np.empty((2, n_sums))
    )


@compiled
def _grow(sums, mass, n_known, slack, growth):
    """Cut the leaf that gains most, again and again; write where leaves begin, and an end, and give their number.

    What comes after the known values is a leaf of its own. Values of no mass go with the neighbour that is nearer by
    rank, the one below if both are.
    """
    leaves, gains = growth.leaves, growth.gains
    n = min(1, n_known)
    leaves[BEGIN, 0], leaves[END, 0] = 0, n_known
    leaves[CUT, 0], gains[0] = _best_cut(sums, mass, 0, n_known, slack, growth)
    while 0 < n < min(growth.max_leaves, n_known):
        leaf = 0
        for i in range(1, n):
            if gains[i] > gains[leaf] + slack:
                leaf = i
        if gains[leaf] <= 0:
            break
        leaves[BEGIN, n], leaves[END, n] = leaves[CUT, leaf], leaves[END, leaf]
        leaves[END, leaf] = leaves[CUT, leaf]
        for i in (leaf, n):
            begin, end = leaves[BEGIN, i], leaves[END, i]
            leaves[CUT, i], gains[i] = _best_cut(sums, mass, begin, end, slack, growth)
        n += 1
    begins = leaves[BEGIN]
    begins[:n].sort()
    for i in range(1, n):
        heavy = begins[i]  # the value before it has mass: of equal cuts the first is taken
        while mass[heavy] <= 0:
            heavy += 1
        begins[i] = (begins[i] - 1 + heavy) // 2 + 1
    if n_known < len(mass):
        begins[n] = n_known
        n += 1
    begins[n] = len(mass)
    return n


@compiled
def _longest(starts, stops):
    longest = 1
    for j in range(len(starts)):
        longest = max(longest, stops[j] - starts[j])
    return longest


@compiled
def _total(values):
    total = 0.0
    for value in values:
        total += value
    return total


@compiled
def write_leaves(columns, max_leaves, entropy, slack, codes):
    """Write the leaf of every value of the `Spans`."""
    counts, starts, ends, stops = columns
    n_classes = counts.shape[1]
    longest = _longest(starts, stops)
    growth, mass = _growth(longest, max_leaves, entropy, n_classes), np.empty(longest)
    for j in range(len(starts)):
        table, code = counts[starts[j] : stops[j]], codes[starts[j] : stops[j]]
        for v in range(len(table)):
            mass[v] = _total(table[v])
        known = mass[: len(table)]
        n = _grow(table, known, ends[j] - starts[j], slack * _total(known), growth)
        for leaf in range(n):
            for v in range(growth.leaves[BEGIN, leaf], growth.leaves[BEGIN, leaf + 1]):
                code[v] = leaf


@compiled
def _majority(learnt, begin, end, tiny, sums):
    """The class of most rows in a span, the first of equals."""
    best = 0
    for k in range(len(sums)):
        sums[k] = 0.0
        for v in range(begin, end):
            sums[k] += learnt[v, k]
        if sums[k] > sums[best] + tiny:
            best = k
    return best


@compiled
def right_held_out(columns, folds, max_leaves, slack):
    """Count, for each column of the `Spans`, the rows that trees grown without their fold get right.

    ``folds`` say how many of the first rows of each class a fold gets (see `deal`). A leaf that no other fold has rows in
    guesses the majority of all.
    """
    counts, starts, ends, stops = columns
    longest, n_classes = _longest(starts, stops), counts.shape[1]
    growth = _growth(longest, max_leaves, False, n_classes)
    held, learnt = np.empty((longest, n_classes)), np.empty((longest, n_classes))
    mass, sums, right = np.empty(longest), np.empty(n_classes), np.zeros(len(starts))
    for j in range(len(starts)):
        table, n = counts[starts[j] : stops[j]], stops[j] - starts[j]
        tiny = slack * table.sum()
        for fold in range(len(folds.dealt)):
            deal(table, folds.dealt[fold], folds.firsts, held)
            for v in range(n):
                mass[v] = 0.0
                for k in range(n_classes):
                    learnt[v, k] = table[v, k] - held[v, k]
                    if learnt[v, k] <= tiny:  # a difference of fractions need not be exactly 0
                        learnt[v, k] = 0.0
                    mass[v] += learnt[v, k]
            n_leaves = _grow(learnt, mass[:n], ends[j] - starts[j], tiny, growth)
            for leaf in range(n_leaves):
                begin, end = growth.leaves[BEGIN, leaf], growth.leaves[BEGIN, leaf + 1]
                if _total(mass[begin:end]) > 0:
                    guess = _majority(learnt, begin, end, tiny, sums)
                else:
                    guess = _majority(learnt, 0, n, tiny, sums)
                for v in range(begin, end):
                    right[j] += held[v, guess]
    return right


@compiled
def _number_values(x, order, place):
    """Write the number of each row's value in order, the missing one last; give how many are known, and how many."""
    n_values, n_known = 0, 0
    for i in range(len(order)):
        value, before = x[order[i]], x[order[max(i - 1, 0)]]
        n_values += i == 0 or (value != before and not np.isnan(before))
        n_known += (n_values - n_known) * (not np.isnan(value))
        place[order[i]] = n_values - 1
    return n_known, n_values


@compiled
def errors_held_out(X, order, rows, max_leaves, slack):
    """Add up, for each column, the squared errors on every fold of trees grown on the others, and of their means.

    Line j of `order` has the `Rows` in the order of the values of column j, missing ones last; these are a leaf of their
    own. A leaf that no other fold has rows in guesses the mean of all.
    """
    y, weight, bounds = rows
    n, p = X.shape
    errors, scale = np.zeros((2, p)), 0.0
    for i in range(n):
        scale += slack * weight[i] * y[i] * y[i]
    place, sums, mass, guess = np.empty(n, np.int64), np.empty((n, 1)), np.empty(n), np.empty(n)
    growth = _growth(n, max_leaves, False, 1)
    for j in range(p):
        n_known, n_values = _number_values(X[:, j], order[j], place)
        for fold in range(len(bounds) - 1):
            first, last = bounds[fold], bounds[fold + 1]
            for v in range(n_values):
                sums[v, 0] = mass[v] = 0.0
            for begin, end in ((0, first), (last, n)):
                for i in range(begin, end):
                    sums[place[i], 0] += weight[i] * y[i]
                    mass[place[i]] += weight[i]
            mean = _total(sums[:n_values, 0]) / _total(mass[:n_values])
            for leaf in range(_grow(sums, mass[:n_values], n_known, scale, growth)):
                begin, end = growth.leaves[BEGIN, leaf], growth.leaves[BEGIN, leaf + 1]
                there = _total(mass[begin:end])
                for v in range(begin, end):
                    guess[v] = mean
                    if there > 0:
                        guess[v] = _total(sums[begin:end, 0]) / there
            for i in range(first, last):
                errors[0, j] += weight[i] * (y[i] - guess[place[i]]) ** 2
                errors[1, j] += weight[i] * (y[i] - mean) ** 2
    return errors
