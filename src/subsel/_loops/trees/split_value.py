"""Best splits by the separability split value, and one-feature trees grown and pruned by it.

The separability split value of a division is twice the number of separated pairs of rows of
different classes, less the number of divided rows: the sum over classes of the smaller part (W.
Duch, "Filter methods", in I. Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3; K.
Grabczewski and N. Jankowski, the same, chapter 23).
"""

from typing import NamedTuple

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["Columns", "Folds", "best_splits", "deal", "grow_and_prune"]

# The columns of `Tree.nodes`: a node's span of the order, where that is cut, its first child (0 for
# a leaf; the second child follows it) and its majority class.
BEGIN, END, CUT, CHILD, MAJORITY = range(5)


class Columns(NamedTuple):
    """The joint counts of all columns, one column after another.

    Column j has the values ``starts[j]`` to ``ends[j] - 1``.
    """

    counts: np.ndarray  # (values, classes) rows of each class with each value
    values: np.ndarray  # (values,) ascending within a column
    starts: np.ndarray  # (columns,) first value
    ends: np.ndarray  # (columns,) end of the values
    nominal: np.ndarray  # (columns,) whether values are names, without an order


class Folds(NamedTuple):
    """Which rows belong to each fold, see `deal`."""

    # (folds, rows + 2 per class): how many of the first t rows of a class belong to a fold
    dealt: np.ndarray
    firsts: np.ndarray  # (classes,) where each class begins in `dealt`, with t = 0


class Comparison(NamedTuple):
    """How splits are compared, and room for the masses of both sides, which is overwritten."""

    strict: bool  # compare separated pairs first, and divided rows only between equals
    slack: float  # the share of a sum that is attributed to rounding
    left: np.ndarray  # (classes,) masses on the left
    right: np.ndarray  # (classes,) masses on the right


class Runs(NamedTuple):
    """Room for the runs of values of one column; `_gather` overwrites it."""

    counts: np.ndarray  # (values, classes) rows of each class in each run
    bounds: np.ndarray  # (values, 2) first and last value of each run
    place: np.ndarray  # (values,) run of each value, -1 for none


class Tree(NamedTuple):
    """Room for the nodes of one tree, parents before children.

    `_grow` and `_find_critical` overwrite it.
    """

    nodes: np.ndarray  # (nodes, 5) columns BEGIN, END, CUT, CHILD and MAJORITY
    errors: np.ndarray  # (nodes,) rows outside the majority class
    critical: np.ndarray  # (nodes,) degree of pruning from which on the node is a leaf


@compiled
def _masses(counts, order, begin, end, masses):
    """Fill `masses` (classes,) with the rows of a span by class; return their sum and majority.

    The span is ``order[begin:end]``, a list of runs, whose rows are in `counts` (runs, classes).
    """
    total, majority = 0.0, 0
    for k in range(len(masses)):
        mass = 0.0
        for i in range(begin, end):
            mass += counts[order[i], k]
        masses[k] = mass
        total += mass
        if mass > masses[majority]:
            majority = k
    return total, majority


@compiled
def _keys(n_left, n_right, alike, divided, strict):
    """Return the two numbers by which splits are compared, the second where the first are equal.

    `n_left` and `n_right` are the masses of both sides, `alike` is the number of separated pairs of
    one class, and `divided` the sum over classes of the smaller part.
    """
    # The pairs of different classes are all separated pairs less those of one class.
    pairs = n_left * n_right - alike
    if strict:
        return 2 * pairs, -divided
    return 2 * pairs - divided, 0.0


@compiled
def _compare(first, second, best_first, best_second, slack):
    """Return whether a split is better than the best (1), equal (0) or worse (-1), to rounding."""
    if best_first == -np.inf:
        return 1
    if abs(first - best_first) > slack * abs(best_first):
        return 1 if first > best_first else -1
    if abs(second - best_second) > slack * abs(best_second):
        return 1 if second > best_second else -1
    return 0


@compiled
def _value(first, second, total, strict):
    """Return the value of a split as one number, in which `second` never outweighs `first`."""
    if strict:
        return first + second / (1 + total)
    return first


@compiled
def _middle(bounds, cut):
    """Return the threshold of a cut: the middle between its runs, whose `bounds` are (runs, 2)."""
    low, high = bounds[cut - 1, 1], bounds[cut, 0]
    return low + (high - low) / 2


@compiled
def _neighbours(bounds, first, last):
    """Return whether no other cut is possible between the cuts `first` and `last`.

    Runs of several values allow further cuts within them.
    """
    for i in range(first, last):  # noqa: SIM110
        if bounds[i, 0] != bounds[i, 1]:
            return False
    return True


@compiled
def _nearest_average(bounds, first, last):
    """Return, of neighbouring cuts, the one nearest to their average; the first in a tie."""
    start = _middle(bounds, first)
    average = 0.0
    for cut in range(first, last + 1):
        average += (_middle(bounds, cut) - start) / (last - first + 1)
    nearest, gap = first, np.inf
    for cut in range(first, last + 1):
        distance = abs(_middle(bounds, cut) - start - average)
        if distance < gap:
            nearest, gap = cut, distance
    return nearest


@compiled
def _best_cut(counts, bounds, begin, end, compare):
    """Return the best cut of the ordered runs ``begin:end``, and the value of the split.

    Overwrites ``compare.left`` and ``compare.right``, of which the latter must hold the masses of
    the span.

    Parameters
    ----------
    counts : ndarray of shape (runs, classes)
        The rows of each run: a value, or several neighbouring values of one class.
    bounds : ndarray of shape (runs, 2)
        The first and the last value of each run.
    begin, end : int
        The span of runs.
    compare : Comparison
        How splits are compared.
    """
    strict, slack, left, right = compare
    total, n_left = 0.0, 0.0
    for k in range(len(right)):
        left[k] = 0.0
        total += right[k]
    best_first, best_second = -np.inf, -np.inf
    earliest, latest, n_best = begin, begin, 0
    for cut in range(begin + 1, end):
        alike, divided = 0.0, 0.0
        for k in range(len(left)):
            mass = counts[cut - 1, k]
            left[k] += mass
            right[k] -= mass
            n_left += mass
            alike += left[k] * right[k]
            divided += min(left[k], right[k])
        first, second = _keys(n_left, total - n_left, alike, divided, strict)
        better = _compare(first, second, best_first, best_second, slack)
        if better > 0:
            best_first, best_second, earliest, n_best = first, second, cut, 0
        if better >= 0:
            latest = cut
            n_best += 1
    if n_best > 1 and latest - earliest + 1 == n_best and _neighbours(bounds, earliest, latest):
        earliest = _nearest_average(bounds, earliest, latest)
    return earliest, _value(best_first, best_second, total, strict)


@compiled
def _best_subset(counts, order, begin, end, compare):
    """Put the best subset of a span of named values first in `order`, in place.

    Overwrites the arrays of `compare`, whose `right` must hold the masses of the span. The last
    value stays on the right, since the two sides are interchangeable. Subsets are tried in the
    order of binary numbers, and the masses of each are those of a smaller subset and one value
    more.

    Parameters
    ----------
    counts : ndarray of shape (values, classes)
        The rows of each value.
    order : ndarray of shape (values,)
        The values, rearranged within the span.
    begin, end : int
        The span of the order.
    compare : Comparison
        How splits are compared.

    Returns
    -------
    cut : int
        Where the other values begin in the order.
    value : float
        The value of the split.
    """
    strict, slack, left, right = compare
    total, n_classes, last = right.sum(), len(right), end - begin - 1
    sums = np.zeros((1 << last, n_classes))
    best_first, best_second, best = -np.inf, -np.inf, 0
    for subset in range(1, 1 << last):
        lowest = 0
        while not subset >> lowest & 1:
            lowest += 1
        n_left, alike, divided = 0.0, 0.0, 0.0
        for k in range(n_classes):
            left[k] = sums[subset & (subset - 1), k] + counts[order[begin + lowest], k]
            sums[subset, k] = left[k]
            n_left += left[k]
            alike += left[k] * (right[k] - left[k])
            divided += min(left[k], right[k] - left[k])
        first, second = _keys(n_left, total - n_left, alike, divided, strict)
        if _compare(first, second, best_first, best_second, slack) > 0:
            best_first, best_second, best = first, second, subset
    span = order[begin:end].copy()
    place, cut = begin, begin
    for side in (1, 0):
        cut = place
        for i in range(len(span)):
            if best >> i & 1 == side:
                order[place] = span[i]
                place += 1
    return cut, _value(best_first, best_second, total, strict)


@compiled
def best_splits(columns, strict, slack):
    """Return the separability split value (columns,) of the best split of each of the `Columns`.

    It is 0 for a column with one value. `strict` and `slack` are those of `Comparison`.
    """
    n_classes = columns.counts.shape[1]
    values = np.zeros(len(columns.starts))
    compare = Comparison(strict, slack, np.empty(n_classes), np.empty(n_classes))
    for j in range(len(columns.starts)):
        start, end = columns.starts[j], columns.ends[j]
        n = end - start
        if n < 2:
            continue
        table, order = columns.counts[start:end], np.arange(n)
        _masses(table, order, 0, n, compare.right)
        if columns.nominal[j]:
            values[j] = _best_subset(table, order, 0, n, compare)[1]
        else:
            bounds = np.empty((n, 2))
            for v in range(n):
                bounds[v, 0] = bounds[v, 1] = columns.values[start + v]
            values[j] = _best_cut(table, bounds, 0, n, compare)[1]
    return values


@compiled
def _grow(runs, order, nominal, compare, tree):
    """Split spans of the order until each has one class or one value; overwrites `tree`.

    Also rearranges `order` where values are names, and overwrites the arrays of `compare`. Returns
    the number of nodes.
    """
    nodes, errors = tree.nodes, tree.errors
    n_nodes, i = 1, 0
    nodes[0, BEGIN], nodes[0, END] = 0, len(order)
    while i < n_nodes:
        begin, end = nodes[i, BEGIN], nodes[i, END]
        total, majority = _masses(runs.counts, order, begin, end, compare.right)
        nodes[i, MAJORITY], nodes[i, CHILD] = majority, 0
        errors[i] = total - compare.right[majority]
        if end - begin > 1 and errors[i] > compare.slack * total:
            if nominal:
                cut = _best_subset(runs.counts, order, begin, end, compare)[0]
            else:
                cut = _best_cut(runs.counts, runs.bounds, begin, end, compare)[0]
            nodes[i, CUT], nodes[i, CHILD] = cut, n_nodes
            nodes[n_nodes, BEGIN], nodes[n_nodes, END] = begin, cut
            nodes[n_nodes + 1, BEGIN], nodes[n_nodes + 1, END] = cut, end
            n_nodes += 2
        i += 1
    return n_nodes


@compiled
def _find_critical(tree, n_nodes, unit):
    """Fill ``tree.critical`` with the degree of pruning from which on each node is a leaf.

    A split is pruned once those below it are, and it saves no more errors than the degree. Errors
    that are sums of fractions are rounded to multiples of `unit`.
    """
    nodes, errors, critical = tree
    for i in range(n_nodes - 1, -1, -1):
        child = nodes[i, CHILD]
        critical[i] = 0.0
        if child > 0:
            saved = errors[i] - errors[child] - errors[child + 1]
            if unit > 0:
                saved = np.rint(saved / unit) * unit
            critical[i] = max(saved, critical[child], critical[child + 1])


@compiled
def deal(counts, dealt, firsts, held):
    """Fill `held` (values, classes) with the part of one fold of the counts (values, classes).

    Of the first t rows of class k in the order of values, ``dealt[firsts[k] + t]`` belong to the
    fold; between whole numbers of rows, with weights, this is interpolated.
    """
    for k in range(counts.shape[1]):
        rows, had = 0.0, 0.0
        for v in range(len(counts)):
            held[v, k] = 0.0
            if counts[v, k] > 0:
                rows += counts[v, k]
                whole = int(rows)
                at = firsts[k] + whole
                has = dealt[at] + (rows - whole) * (dealt[at + 1] - dealt[at])
                held[v, k] = has - had
                had = has


@compiled
def _only_class(row, tiny):
    """Return the only class that has more than `tiny` in a row of counts (classes,), else -1."""
    label = -1
    for k in range(len(row)):
        if row[k] > tiny:
            if label >= 0:
                return -1
            label = k
    return label


@compiled
def _gather(counts, held, values, nominal, slack, runs):
    """Fill `runs` with the runs of the rows that are not held out; return the number of runs.

    Neighbouring values of one and the same class make a run, unless rows have weights, where two
    cuts might be equally good, or values are names: then every value is a run. A number without
    rows goes with the neighbour on whose side of the middle it is; a name without rows has no run,
    -1.

    Parameters
    ----------
    counts, held : ndarray of shape (values, classes)
        All rows of each value, and those held out.
    values : ndarray of shape (values,)
        The values, ascending.
    nominal : bool
        Whether they are names.
    slack : float
        0 for whole rows, else the share of a sum that is attributed to rounding.
    runs : Runs
        Overwritten.
    """
    # As a cut moves through t rows of class c, n_left n_right and left_c right_c both change by t
    # (R - L) - t^2 with their own L and R, so that the separated pairs of different classes are
    # linear in t; the divided rows, a minimum of linear functions, are concave. The value is
    # therefore convex in t, and largest at an end of the run (the argument of U. Fayyad and K.
    # Irani, "On the handling of continuous-valued attributes in decision tree generation", Machine
    # Learning 8, 1992, for boundary points).
    merged, bounds, place = runs
    n, last, tiny = 0, -2, slack * counts.sum()
    row = np.empty(counts.shape[1])
    for v in range(len(counts)):
        mass = 0.0
        for k in range(len(row)):
            row[k] = counts[v, k] - held[v, k]
            mass += row[k]
        place[v] = -1
        if mass > tiny:
            label = -1
            if slack == 0 and not nominal:
                label = _only_class(row, tiny)
            if label >= 0 and label == last:
                merged[n - 1, label] += mass
            else:
                for k in range(len(row)):  # an assignment of arrays would take a second to compile
                    merged[n, k] = row[k]
                bounds[n, 0] = values[v]
                n += 1
            last = label
            bounds[n - 1, 1] = values[v]
            place[v] = n - 1
    if not nominal:
        run = 0
        for v in range(len(counts)):
            if place[v] >= 0:
                run = place[v]
            else:
                place[v] = run
                if (
                    values[v] > bounds[run, 1]
                    and run < n - 1
                    and values[v] > _middle(bounds, run + 1)
                ):
                    place[v] = run + 1
    return n


@compiled
def _count_errors(held, place, rank, tree, degrees, errors):
    """Add to `errors` (degrees,) the held-out rows a tree gets wrong at each degree of pruning.

    `held` (values, classes) are the held-out rows, `place` (values,) the run of each value, `rank`
    (runs,) the place of each run in the order, and `degrees` the ascending degrees.
    """
    nodes, n_degrees = tree.nodes, len(degrees)
    for v in range(len(held)):
        at = -1  # a name without rows is predicted by the root
        if place[v] >= 0:
            at = rank[place[v]]
        for k in range(held.shape[1]):
            if held[v, k] <= 0:
                continue
            stop, node = n_degrees, 0
            while stop > 0:
                first = 0
                if at >= 0:
                    first = np.searchsorted(degrees, tree.critical[node])
                if nodes[node, MAJORITY] != k:
                    for d in range(first, stop):
                        errors[d] += held[v, k]
                stop = min(stop, first)
                node = nodes[node, CHILD] + (at >= nodes[node, CUT])


@compiled
def _distinct(values):
    """Return the distinct values, ascending."""
    found, n = np.empty(len(values)), 0
    for value in values:
        at = np.searchsorted(found[:n], value)
        if at == n or found[at] != value:
            for i in range(n, at, -1):
                found[i] = found[i - 1]
            found[at] = value
            n += 1
    return found[:n]


@compiled
def _choose_degree(table, values, nominal, compare, folds, tree):
    """Return the largest degree of pruning within one standard error of the fewest held-out errors.

    Parameters
    ----------
    table : ndarray of shape (values, classes)
        The joint counts of one column.
    values : ndarray of shape (values,)
        Its values, ascending.
    nominal : bool
        Whether they are names.
    compare : Comparison
        How splits are compared; its arrays are overwritten.
    folds : Folds
        Which rows belong to each fold.
    tree : Tree
        That of all rows, whose critical degrees are compared.
    """
    # The rule of one standard error, that of a binomial count (L. Breiman et al., *Classification
    # and Regression Trees*, 1984, section 3.4.3).
    n, n_classes = table.shape
    unit = 1e3 * compare.slack * table.sum()
    degrees = _distinct(tree.critical)  # from 0, which leaves bring
    other = Tree(np.empty((2 * n, 5), np.int64), np.empty(2 * n), np.empty(2 * n))
    runs = Runs(np.empty((n, n_classes)), np.empty((n, 2)), np.empty(n, np.int64))
    held, rank = np.empty((n, n_classes)), np.empty(n, np.int64)
    errors, tested = np.zeros(len(degrees)), 0.0
    for fold in range(len(folds.dealt)):
        deal(table, folds.dealt[fold], folds.firsts, held)
        m = _gather(table, held, values, nominal, compare.slack, runs)
        if m == 0:
            continue
        order = np.arange(m)
        n_nodes = _grow(runs, order, nominal, compare, other)
        _find_critical(other, n_nodes, unit)
        for i in range(m):
            rank[order[i]] = i
        _count_errors(held, runs.place, rank, other, degrees, errors)
        tested += held.sum()
    fewest, spread, chosen = errors[0], 0.0, 0
    for d in range(len(errors)):
        fewest = min(fewest, errors[d])
    if tested > 0:
        spread = np.sqrt(fewest * max(tested - fewest, 0.0) / tested)
    for d in range(len(errors)):
        if errors[d] <= fewest + spread + unit:
            chosen = d
    return degrees[chosen]


@compiled
def _write_leaves(order, place, tree, degree, codes):
    """Fill `codes` (values,) with the leaf of each value; return the rows that leaves get wrong.

    `order` (runs,) are the runs in the order of the leaves, and `place` (values,) is the run of
    each value.
    """
    nodes, leaves, leaf, at, wrong = tree.nodes, np.empty(len(order), np.int64), 0, 0, 0.0
    while at < len(order):
        node = 0
        while tree.critical[node] > degree:
            node = nodes[node, CHILD] + (at >= nodes[node, CUT])
        for i in range(at, nodes[node, END]):
            leaves[order[i]] = leaf
        at = nodes[node, END]
        leaf += 1
        wrong += tree.errors[node]
    for v in range(len(codes)):
        codes[v] = leaves[place[v]]
    return wrong


@compiled
def grow_and_prune(columns, degree, folds, strict, slack, codes):
    """Grow and prune a tree on each of the `Columns`; fills `codes` with the leaf of every value.

    Parameters
    ----------
    columns : Columns
        The joint counts.
    degree : float
        The degree of pruning; where it is negative, it is chosen by cross-validation over `folds`.
    folds : Folds
        Which rows belong to each fold.
    strict : bool
        As in `Comparison`.
    slack : float
        The share of a sum that is attributed to rounding, 0 for whole rows.
    codes : ndarray of shape (values,)
        Overwritten.

    Returns
    -------
    ndarray of shape (columns,)
        How many rows the leaves classify correctly.
    """
    n_classes, longest = columns.counts.shape[1], 1
    for j in range(len(columns.starts)):
        longest = max(longest, columns.ends[j] - columns.starts[j])
    room = Tree(np.empty((2 * longest, 5), np.int64), np.empty(2 * longest), np.empty(2 * longest))
    none = np.zeros((longest, n_classes))
    runs = Runs(np.empty((longest, n_classes)), np.empty((longest, 2)), np.empty(longest, np.int64))
    compare = Comparison(strict, slack, np.empty(n_classes), np.empty(n_classes))
    correct = np.zeros(len(columns.starts))
    for j in range(len(columns.starts)):
        start, end, nominal = columns.starts[j], columns.ends[j], columns.nominal[j]
        table, numbers = columns.counts[start:end], columns.values[start:end]
        if len(table) == 0:
            continue
        total = table.sum()
        order = np.arange(_gather(table, none, numbers, nominal, slack, runs))
        n_nodes = _grow(runs, order, nominal, compare, room)
        _find_critical(room, n_nodes, 1e3 * slack * total)
        limit = degree
        if degree < 0:
            grown = Tree(room.nodes[:n_nodes], room.errors[:n_nodes], room.critical[:n_nodes])
            limit = _choose_degree(table, numbers, nominal, compare, folds, grown)
        correct[j] = total - _write_leaves(order, runs.place, room, limit, codes[start:end])
    return correct
