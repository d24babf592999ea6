"""Decision trees on one column, grown best first: their leaves and their held-out errors."""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled
from subsel._loops.trees.split_value import deal

__all__ = ["Rows", "Spans", "held_out_errors", "held_out_hits", "write_leaves"]

# The lines of `Growth.leaves`: the first value of each leaf, its end, and its best cut.
BEGIN, END, CUT = range(3)


class Spans(NamedTuple):
    """The joint counts of all columns, one column after another.

    Column j has the values ``starts[j]`` to ``ends[j] - 1`` and, up to ``stops[j]``, the missing
    value, which is a leaf of its own.
    """

    counts: np.ndarray  # (values, classes) rows of each class with each value
    starts: np.ndarray  # (columns,) first value
    ends: np.ndarray  # (columns,) end of the known values
    stops: np.ndarray  # (columns,) end of all values


class Rows(NamedTuple):
    """A numeric target, its rows sorted by fold."""

    y: np.ndarray  # (n,) target
    weight: np.ndarray  # (n,) weights of rows
    bounds: np.ndarray  # (folds + 1,) first row of each fold, and the end


class Growth(NamedTuple):
    """Parameters of a tree, and room for its leaves, which `_grow` overwrites."""

    max_leaves: int  # most leaves of known values
    entropy: bool  # impurity by entropy, not by Gini
    leaves: np.ndarray  # (3, leaves + 1) lines BEGIN, END and CUT
    gains: np.ndarray  # (leaves + 1,) gain of the best cut of each leaf
    sides: np.ndarray  # (2, classes) class sums on both sides of a cut


@compiled
def _worth(sums, mass, entropy):
    """Return the purity of a leaf times its mass, by Gini or by entropy.

    `sums` (classes,) are the masses of the classes in the leaf. For a single sum, of a numeric
    target, differences of the Gini value are falls of the sum of squares.
    """
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
    """Return the first of the best places to cut the values ``begin:end`` in two, and its gain.

    `sums` (values, classes) and `mass` (values,) are those of each value. Gains up to `slack` are
    attributed to rounding and count as 0. Overwrites ``growth.sides``.
    """
    entropy, left, right = growth.entropy, growth.sides[0], growth.sides[1]
    for k in range(len(left)):
        left[k] = right[k] = 0.0
    n_left, n_right, last = 0.0, 0.0, begin
    for v in range(begin, end):
        if mass[v] > 0:  # both sides need mass, which rounded differences of sums would not show
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
    """Allocate room for a tree on the longest column, with a leaf for missing values and an end."""
    n = min(max_leaves, longest) + 2
    return Growth(
        max_leaves, entropy, np.empty((3, n), np.int64), np.empty(n), np.empty((2, n_sums))
    )


@compiled
def _grow(sums, mass, n_known, slack, growth):
    """Grow a tree on one column best first; overwrites ``growth.leaves`` and ``growth.gains``.

    Afterwards line BEGIN of the leaves holds the first value of each leaf, and the end. Values
    beyond the first `n_known` are a leaf of their own. A value without mass goes with the nearer
    neighbour by rank, the one below if both are equally near.

    Parameters
    ----------
    sums : ndarray of shape (values, classes)
        The masses of the classes at each value, or the weighted sums of a target.
    mass : ndarray of shape (values,)
        The mass of each value.
    n_known : int
        How many values are not missing.
    slack : float
        Gains up to this are attributed to rounding.
    growth : Growth
        Parameters and room.

    Returns
    -------
    int
        The number of leaves.
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
        heavy = begins[i]  # the value before has mass, since the first of equal cuts is taken
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
    """Return the number of values of the longest column, at least 1."""
    longest = 1
    for j in range(len(starts)):
        longest = max(longest, stops[j] - starts[j])
    return longest


@compiled
def _total(values):
    """Return the sum of the values, added from first to last."""
    total = 0.0
    for value in values:
        total += value
    return total


@compiled
def write_leaves(columns, max_leaves, entropy, slack, codes):
    """Fill `codes` with the leaf of each value in the tree of its column.

    Parameters
    ----------
    columns : Spans
        The joint counts.
    max_leaves : int
        Most leaves of a tree.
    entropy : bool
        Impurity by entropy, not by Gini.
    slack : float
        Gains up to this share of the mass of a column are attributed to rounding.
    codes : ndarray of shape (values,)
        Overwritten.
    """
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
    """Return the first class with most mass among the values ``begin:end``.

    Overwrites `sums` (classes,). `learnt` (values, classes) holds the masses; differences up to
    `tiny` are ties.
    """
    best = 0
    for k in range(len(sums)):
        sums[k] = 0.0
        for v in range(begin, end):
            sums[k] += learnt[v, k]
        if sums[k] > sums[best] + tiny:
            best = k
    return best


@compiled
def held_out_hits(columns, folds, max_leaves, slack):
    """Count, for each column, the held-out rows that trees of the other folds classify correctly.

    A leaf without rows in the other folds predicts the majority of all rows.

    Parameters
    ----------
    columns : Spans
        The joint counts.
    folds : subsel._loops.trees.split_value.Folds
        How many of the first rows of each class each fold gets, see `deal`.
    max_leaves : int
        Most leaves of a tree.
    slack : float
        Masses and gains up to this share of the mass of a column are attributed to rounding.

    Returns
    -------
    ndarray of shape (columns,)
        The mass of the rows that are classified correctly.
    """
    counts, starts, ends, stops = columns
    longest, n_classes = _longest(starts, stops), counts.shape[1]
    growth = _growth(longest, max_leaves, False, n_classes)
    held_out, learnt = np.empty((longest, n_classes)), np.empty((longest, n_classes))
    mass, sums, right = np.empty(longest), np.empty(n_classes), np.zeros(len(starts))
    for j in range(len(starts)):
        table, n = counts[starts[j] : stops[j]], stops[j] - starts[j]
        tiny = slack * table.sum()
        for fold in range(len(folds.dealt)):
            deal(table, folds.dealt[fold], folds.firsts, held_out)
            for v in range(n):
                mass[v] = 0.0
                for k in range(n_classes):
                    learnt[v, k] = table[v, k] - held_out[v, k]
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
                    right[j] += held_out[v, guess]
    return right


@compiled
def _number_values(x, order, place):
    """Fill `place` (n,) with the rank of each row's value among the distinct values of x.

    `order` (n,) sorts the rows by value, missing ones last. Returns how many values are known, and
    how many there are with the missing one.
    """
    n_values, n_known = 0, 0
    for i in range(len(order)):
        value, before = x[order[i]], x[order[max(i - 1, 0)]]
        n_values += i == 0 or (value != before and not np.isnan(before))
        n_known += (n_values - n_known) * (not np.isnan(value))
        place[order[i]] = n_values - 1
    return n_known, n_values


@compiled
def held_out_errors(X, order, rows, max_leaves, slack):
    """Sum, for each column, the squared errors on held-out rows of trees grown on the other folds.

    Missing values are a leaf of their own. A leaf without rows in the other folds predicts the mean
    of all rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The columns, rows sorted by fold.
    order : ndarray of shape (p, n)
        The rows sorted by the values of each column, missing ones last.
    rows : Rows
        The target.
    max_leaves : int
        Most leaves of a tree.
    slack : float
        Gains up to this share of the weighted squares of the target are attributed to rounding.

    Returns
    -------
    ndarray of shape (2, p)
        The weighted squared errors of the trees, and of the means of the other folds.
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
                leaf_mass = _total(mass[begin:end])
                for v in range(begin, end):
                    guess[v] = mean
                    if leaf_mass > 0:
                        guess[v] = _total(sums[begin:end, 0]) / leaf_mass
            for i in range(first, last):
                errors[0, j] += weight[i] * (y[i] - guess[place[i]]) ** 2
                errors[1, j] += weight[i] * (y[i] - mean) ** 2
    return errors
