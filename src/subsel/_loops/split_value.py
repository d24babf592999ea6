"""The best cut or subset of values by the separability split value, and one-feature trees grown and pruned by it."""

import numpy as np

from subsel._loops import compiled

__all__ = ["best_splits", "deal", "trees"]

# What a node keeps: its span of the order, where that is cut, its first child (0 for a leaf) and likeliest class.
BEGIN, END, CUT, CHILD, MAJORITY = range(5)


@compiled
def _masses(counts, order, begin, end, masses):
    """Add up the rows of a span by class; give their sum and the class of most."""
    total, majority = 0.0, 0
    for k in range(len(masses)):
        mass = 0.0
        for i in range(begin, end):
            mass += counts[order[i], k]
        masses[k] = mass
        total += mass
        majority = k if mass > masses[majority] else majority
    return total, majority


@compiled
def _keys(n_left, n_right, alike, divided, strict):
    """What a split is to have much of, first, and among equals: separated pairs of unlike rows, few divided rows."""
    pairs = n_left * n_right - alike
    return (2 * pairs, -divided) if strict else (2 * pairs - divided, 0.0)


@compiled
def _compare(first, second, best_first, best_second, slack):
    """Whether a split is better than the best (1), as good (0) or worse (-1), last digits of sums aside."""
    if best_first == -np.inf:
        return 1
    if abs(first - best_first) > slack * abs(best_first):
        return 1 if first > best_first else -1
    if abs(second - best_second) > slack * abs(best_second):
        return 1 if second > best_second else -1
    return 0


@compiled
def _value(first, second, total, strict):
    return first + second / (1 + total) if strict else first


@compiled
def _middle(bounds, cut):
    low, high = bounds[cut - 1, 1], bounds[cut, 0]
    return low + (high - low) / 2


@compiled
def _neighbours(bounds, first, last):
    """Whether no other cut lies between the first and the last: none within a run of values."""
    for i in range(first, last):  # noqa: SIM110
        if bounds[i, 0] != bounds[i, 1]:
            return False
    return True


@compiled
def _nearest_average(bounds, first, last):
    """Of neighbouring cuts the one nearest to their average, the first of two that are."""
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
def _best_cut(counts, bounds, begin, end, left, right, strict, slack):
    """Give the best place to cut a span of ordered runs in two, and what it separates; `right` holds its masses.

    A run is a value, or several neighbouring ones of one class, from the first of its `bounds` to the second.
    """
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
def _best_subset(counts, order, begin, end, left, right, strict, slack):
    """Put the best subset of a span of named values first in the order; give its end and what it separates.

    The last value stays on the right, since both sides are alike. Subsets come in the order of the binary numbers.
    """
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
def best_splits(counts, values, starts, ends, nominal, strict, slack):
    """What the best split of each column separates, 0 for a column of one value.

    Column j has the values ``starts[j]`` to ``ends[j] - 1``, rows of `counts`; they are names where `nominal` says so.
    """
    n_classes = counts.shape[1]
    found = np.zeros(len(starts))
    left, right = np.empty(n_classes), np.empty(n_classes)
    for j in range(len(starts)):
        n = ends[j] - starts[j]
        if n < 2:
            continue
        table, order = counts[starts[j] : ends[j]], np.arange(n)
        _masses(table, order, 0, n, right)
        if nominal[j]:
            found[j] = _best_subset(table, order, 0, n, left, right, strict, slack)[1]
        else:
            bounds = np.empty((n, 2))
            bounds[:, 0] = bounds[:, 1] = values[starts[j] : ends[j]]
            found[j] = _best_cut(table, bounds, 0, n, left, right, strict, slack)[1]
    return found


@compiled
def _grow(counts, bounds, order, nominal, strict, slack, nodes, errors, left, right):
    """Split spans of the order until they are pure or of one value; give the number of nodes, parents before children."""
    n_nodes, i = 1, 0
    nodes[0, BEGIN], nodes[0, END] = 0, len(order)
    while i < n_nodes:
        begin, end = nodes[i, BEGIN], nodes[i, END]
        total, majority = _masses(counts, order, begin, end, right)
        nodes[i, MAJORITY], nodes[i, CHILD] = majority, 0
        errors[i] = total - right[majority]
        if end - begin > 1 and errors[i] > slack * total:
            if nominal:
                cut = _best_subset(counts, order, begin, end, left, right, strict, slack)[0]
            else:
                cut = _best_cut(counts, bounds, begin, end, left, right, strict, slack)[0]
            nodes[i, CUT], nodes[i, CHILD] = cut, n_nodes
            nodes[n_nodes, BEGIN], nodes[n_nodes, END] = begin, cut
            nodes[n_nodes + 1, BEGIN], nodes[n_nodes + 1, END] = cut, end
            n_nodes += 2
        i += 1
    return n_nodes


@compiled
def _find_critical(nodes, errors, n_nodes, unit, critical):
    """Write the degree of pruning from which on each node is a leaf.

    A split goes when those below it are gone and it saves no more errors than the degree. Sums of fractions are rounded
    to the unit.
    """
    for i in range(n_nodes - 1, -1, -1):
        child = nodes[i, CHILD]
        critical[i] = 0.0
        if child > 0:
            saved = errors[i] - errors[child] - errors[child + 1]
            saved = np.rint(saved / unit) * unit if unit > 0 else saved
            critical[i] = max(saved, critical[child], critical[child + 1])


@compiled
def deal(counts, dealt, firsts, held):
    """Write the part of one fold: of the first rows of class k in the order of values, t go to ``dealt[firsts[k] + t]``."""
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
    """The class of a value that meets one class, else -1."""
    label = -1
    for k in range(len(row)):
        if row[k] > tiny:
            if label >= 0:
                return -1
            label = k
    return label


@compiled
def _gather(counts, held, values, nominal, slack, runs, bounds, place):
    """Write the runs of the rows that are not held out and the run of every value; give the number of runs.

    Neighbouring values of one and the same class make a run: as a cut moves through it the pairs change linearly and the
    penalty is concave, so that the best cut is at an end. That two cuts are as good is excluded only for whole rows;
    otherwise, and for names, every value is a run. A number that does not occur goes with the neighbour on whose side of
    the middle it lies; a name that does not occur has no run, -1.
    """
    n, last, tiny = 0, -2, slack * counts.sum()
    row = np.empty(counts.shape[1])
    for v in range(len(counts)):
        mass = 0.0
        for k in range(len(row)):
            row[k] = counts[v, k] - held[v, k]
            mass += row[k]
        place[v] = -1
        if mass > tiny:
            label = _only_class(row, tiny) if slack == 0 and not nominal else -1
            if label >= 0 and label == last:
                runs[n - 1, label] += mass
            else:
                runs[n] = row
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
def _count_errors(held, place, rank, nodes, critical, degrees, errors):
    """Add the rows held out that a tree gets wrong to the errors of each degree of pruning."""
    n_degrees = len(degrees)
    for v in range(len(held)):
        for k in range(held.shape[1]):
            if held[v, k] <= 0:
                continue
            at, stop, node = -1 if place[v] < 0 else rank[place[v]], n_degrees, 0
            while stop > 0:
                first = 0 if at < 0 else np.searchsorted(degrees, critical[node])
                if nodes[node, MAJORITY] != k:
                    errors[first:stop] += held[v, k]
                stop = min(stop, first)
                node = nodes[node, CHILD] + (at >= nodes[node, CUT])


@compiled
def _choose_degree(
    table, values, nominal, strict, slack, unit, degrees, dealt, firsts, nodes, wrong, critical
):
    """Give the largest degree of pruning whose errors on rows held out are within a standard error of the fewest."""
    n, n_classes = table.shape
    held, runs, bounds = np.empty((n, n_classes)), np.empty((n, n_classes)), np.empty((n, 2))
    place, rank = np.empty(n, np.int64), np.empty(n, np.int64)
    left, right, errors, tested = (
        np.empty(n_classes),
        np.empty(n_classes),
        np.zeros(len(degrees)),
        0.0,
    )
    for fold in range(len(dealt)):
        deal(table, dealt[fold], firsts, held)
        m = _gather(table, held, values, nominal, slack, runs, bounds, place)
        if m == 0:
            continue
        order = np.arange(m)
        n_nodes = _grow(runs, bounds, order, nominal, strict, slack, nodes, wrong, left, right)
        _find_critical(nodes, wrong, n_nodes, unit, critical)
        for i in range(m):
            rank[order[i]] = i
        _count_errors(held, place, rank, nodes, critical, degrees, errors)
        tested += held.sum()
    fewest = errors.min()
    spread = np.sqrt(fewest * max(tested - fewest, 0.0) / tested) if tested > 0 else 0.0
    return degrees[np.flatnonzero(errors <= fewest + spread + unit)[-1]]


@compiled
def _write_leaves(order, place, nodes, critical, errors, degree, codes):
    """Number the leaves of a pruned tree in their order and write the leaf of each value; give the rows they get wrong."""
    leaves, leaf, at, wrong = np.empty(len(order), np.int64), 0, 0, 0.0
    while at < len(order):
        node = 0
        while critical[node] > degree:
            node = nodes[node, CHILD] + (at >= nodes[node, CUT])
        for i in range(at, nodes[node, END]):
            leaves[order[i]] = leaf
        at = nodes[node, END]
        leaf += 1
        wrong += errors[node]
    for v in range(len(codes)):
        codes[v] = leaves[place[v]]
    return wrong


@compiled
def trees(counts, values, starts, ends, nominal, degree, dealt, firsts, strict, slack, codes):
    """Grow and prune a tree on each column; write the leaf of every value and give the rows that leaves get right.

    Columns as in `best_splits`. A negative degree of pruning is chosen by cross-validation. Line f of `dealt` says how
    many of the first rows of each class the fold f gets (see `deal`).
    """
    n_classes, longest = counts.shape[1], 1
    for j in range(len(starts)):
        longest = max(longest, ends[j] - starts[j])
    nodes, fold_nodes = np.empty((2 * longest, 5), np.int64), np.empty((2 * longest, 5), np.int64)
    wrong, critical = np.empty(2 * longest), np.empty(2 * longest)
    fold_wrong, fold_critical = np.empty(2 * longest), np.empty(2 * longest)
    none, runs, bounds = (
        np.zeros((longest, n_classes)),
        np.empty((longest, n_classes)),
        np.empty((longest, 2)),
    )
    place, left, right = np.empty(longest, np.int64), np.empty(n_classes), np.empty(n_classes)
    correct = np.zeros(len(starts))
    for j in range(len(starts)):
        span = slice(starts[j], ends[j])
        table, numbers = counts[span], values[span]
        if len(table) == 0:
            continue
        total = table.sum()
        unit = 1e3 * slack * total
        order = np.arange(_gather(table, none, numbers, nominal[j], slack, runs, bounds, place))
        n_nodes = _grow(runs, bounds, order, nominal[j], strict, slack, nodes, wrong, left, right)
        _find_critical(nodes, wrong, n_nodes, unit, critical)
        limit = degree
        if degree < 0:
            degrees = np.unique(critical[:n_nodes])  # from 0, which leaves bring
            scratch = (fold_nodes, fold_wrong, fold_critical)
            limit = _choose_degree(
                table, numbers, nominal[j], strict, slack, unit, degrees, dealt, firsts, *scratch
            )
        correct[j] = total - _write_leaves(order, place, nodes, critical, wrong, limit, codes[span])
    return correct
