"""Decision trees on one column, grown best first: their leaves, and how they do on rows held out."""

import numpy as np

from subsel._loops import compiled
from subsel._loops.split_value import deal

__all__ = ["errors_held_out", "right_held_out", "write_leaves"]

# What is kept of leaves, a line each: the first values, the ends, the best cuts.
BEGIN, END, CUT = range(3)


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
def _best_cut(sums, mass, begin, end, entropy, slack, sides):
    """Give the first of the best places to cut a span of values in two, and the gain, 0 if it is within the slack."""
    left, right = sides[0], sides[1]
    left[:], right[:], n_left, n_right, last = 0.0, 0.0, 0.0, 0.0, begin
    for v in range(begin, end):
        last = (
            v if mass[v] > 0 else last
        )  # both sides are to have mass, which a difference of sums need not tell
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
def _room(longest, max_leaves, n_sums):
    """Make room for the leaves of the longest column, a missing one and an end, gains, and the sides of a cut."""
    n = min(max_leaves, longest)
    return np.empty((3, n + 2), np.int64), np.empty(n + 2), np.empty((2, n_sums))


@compiled
def _grow(sums, mass, n_known, max_leaves, entropy, slack, room):
    """Cut the leaf that gains most, again and again; write where leaves begin, and an end, and give their number.

    What comes after the known values is a leaf of its own. Values of no mass go with the neighbour that is nearer by
    rank, the one below if both are.
    """
    leaves, gains, sides = room
    n = min(1, n_known)
    leaves[BEGIN, 0], leaves[END, 0] = 0, n_known
    leaves[CUT, 0], gains[0] = _best_cut(sums, mass, 0, n_known, entropy, slack, sides)
    while 0 < n < min(max_leaves, n_known):
        leaf = 0
        for i in range(1, n):
            leaf = i if gains[i] > gains[leaf] + slack else leaf
        if gains[leaf] <= 0:
            break
        leaves[BEGIN, n], leaves[END, n], leaves[END, leaf] = (
            leaves[CUT, leaf],
            leaves[END, leaf],
            leaves[CUT, leaf],
        )
        for i in (leaf, n):
            begin, end = leaves[BEGIN, i], leaves[END, i]
            leaves[CUT, i], gains[i] = _best_cut(sums, mass, begin, end, entropy, slack, sides)
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
def write_leaves(counts, starts, ends, stops, max_leaves, entropy, slack, codes):
    """Write the leaf of every value.

    Column j has the values ``starts[j]`` to ``ends[j] - 1`` and, up to ``stops[j]``, the missing one, a leaf of its
    own.
    """
    room = _room(_longest(starts, stops), max_leaves, counts.shape[1])
    for j in range(len(starts)):
        table = counts[starts[j] : stops[j]]
        mass, code = table.sum(axis=1), codes[starts[j] : stops[j]]
        n = _grow(table, mass, ends[j] - starts[j], max_leaves, entropy, slack * mass.sum(), room)
        for leaf in range(n):
            code[room[0][BEGIN, leaf] : room[0][BEGIN, leaf + 1]] = leaf


@compiled
def _majority(learnt, begin, end, tiny, sums):
    """The class of most rows in a span, the first of equals."""
    best = 0
    for k in range(len(sums)):
        sums[k] = 0.0
        for v in range(begin, end):
            sums[k] += learnt[v, k]
        best = k if sums[k] > sums[best] + tiny else best
    return best


@compiled
def right_held_out(counts, starts, ends, stops, dealt, firsts, max_leaves, slack):
    """Count, for each column, the rows that trees grown without their fold get right.

    Columns as in `write_leaves`. Line f of `dealt` says how many of the first rows of each class the fold f gets (see
    `deal`). A leaf that no other fold has rows in guesses the majority of all.
    """
    longest, n_classes = _longest(starts, stops), counts.shape[1]
    room = _room(longest, max_leaves, n_classes)
    held, learnt, mass = (
        np.empty((longest, n_classes)),
        np.empty((longest, n_classes)),
        np.empty(longest),
    )
    sums, right = np.empty(n_classes), np.zeros(len(starts))
    for j in range(len(starts)):
        table, n = counts[starts[j] : stops[j]], stops[j] - starts[j]
        tiny = slack * table.sum()
        for fold in range(len(dealt)):
            deal(table, dealt[fold], firsts, held)
            for v in range(n):
                mass[v] = 0.0
                for k in range(n_classes):
                    left = table[v, k] - held[v, k]
                    learnt[v, k] = (
                        left if left > tiny else 0.0
                    )  # a difference of fractions need not be exactly 0
                    mass[v] += learnt[v, k]
            n_leaves = _grow(learnt, mass[:n], ends[j] - starts[j], max_leaves, False, tiny, room)
            for leaf in range(n_leaves):
                begin, end = room[0][BEGIN, leaf], room[0][BEGIN, leaf + 1]
                empty = mass[begin:end].sum() <= 0
                guess = _majority(learnt, 0 if empty else begin, n if empty else end, tiny, sums)
                right[j] += held[begin:end, guess].sum()
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
def errors_held_out(X, order, y, weight, bounds, max_leaves, slack):
    """Add up, for each column, the squared errors on every fold of trees grown on the others, and of their means.

    Fold f has the rows from ``bounds[f]`` up to ``bounds[f + 1]``. Line j of `order` has the rows in the order of the
    values of column j, missing ones last; these are a leaf of their own. A leaf that no other fold has rows in
    guesses the mean of all.
    """
    n, p = X.shape
    errors, scale = np.zeros((2, p)), slack * (weight * y * y).sum()
    place, sums, mass, guess = np.empty(n, np.int64), np.empty((n, 1)), np.empty(n), np.empty(n)
    room = _room(n, max_leaves, 1)
    for j in range(p):
        n_known, n_values = _number_values(X[:, j], order[j], place)
        for fold in range(len(bounds) - 1):
            first, last = bounds[fold], bounds[fold + 1]
            sums[:n_values], mass[:n_values] = 0.0, 0.0
            for begin, end in ((0, first), (last, n)):
                for i in range(begin, end):
                    sums[place[i], 0] += weight[i] * y[i]
                    mass[place[i]] += weight[i]
            mean = sums[:n_values].sum() / mass[:n_values].sum()
            for leaf in range(
                _grow(sums, mass[:n_values], n_known, max_leaves, False, scale, room)
            ):
                begin, end = room[0][BEGIN, leaf], room[0][BEGIN, leaf + 1]
                there = mass[begin:end].sum()
                guess[begin:end] = sums[begin:end].sum() / there if there > 0 else mean
            for i in range(first, last):
                errors[0, j] += weight[i] * (y[i] - guess[place[i]]) ** 2
                errors[1, j] += weight[i] * (y[i] - mean) ** 2
    return errors
