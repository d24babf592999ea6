"""Orders of features by definition: everything counted afresh, in plain Python, at every step."""

from collections import Counter
from itertools import combinations
from math import log, sqrt

import numpy as np


def entropy(*columns):
    """The entropy of the joint values of some columns, in nats."""
    counts = Counter(zip(*(np.asarray(column).tolist() for column in columns)))
    n = len(columns[0])
    return -sum(count / n * log(count / n) for count in counts.values())


def information(a, b, given=None):
    """I(a; b | given) from joint entropies; a and b are lists of columns."""
    given = [] if given is None else [given]
    last = entropy(*given) if given else 0.0
    return entropy(*a, *given) + entropy(*b, *given) - entropy(*a, *b, *given) - last


def uncertainty(a, b):
    """Symmetrical uncertainty."""
    total = entropy(a) + entropy(b)
    return 2 * information([a], [b]) / total if total > 0 else 0.0


def mifs(k, taken, X, y, beta=0.7):
    return information([X[k]], [y]) - beta * sum(information([X[k]], [X[j]]) for j in taken)


def mifs_max(k, taken, X, y):
    return information([X[k]], [y]) - max(information([X[k]], [X[j]]) for j in taken)


def mrmr_difference(k, taken, X, y):
    return information([X[k]], [y]) - np.mean([information([X[k]], [X[j]]) for j in taken])


def mrmr_quotient(k, taken, X, y):
    return information([X[k]], [y]) / (np.mean([information([X[k]], [X[j]]) for j in taken]) + 0.01)


def jmi(k, taken, X, y):
    return sum(information([X[k], X[j]], [y]) for j in taken)


def disr(k, taken, X, y):
    return sum(information([X[k], X[j]], [y]) / entropy(X[k], X[j], y) for j in taken)


def cmim(k, taken, X, y):
    return min(information([X[k]], [y], given=X[j]) for j in taken)


def greedy(criterion, X, y, n_features):
    """Select by a criterion ``(k, selected, columns, y)``, first the most informative column."""
    columns = list(np.asarray(X).T)
    taken, scores = [], []
    for _ in range(n_features):
        left = [k for k in range(len(columns)) if k not in taken]
        values = [
            criterion(k, taken, columns, y) if taken else information([columns[k]], [y])
            for k in left
        ]
        rounded = [round(value, 9) for value in values]
        best = rounded.index(max(rounded))
        taken.append(left[best])
        scores.append(values[best])
    return np.array(taken), np.array(scores)


def fcbf(X, y, threshold=0.0):
    """Yu and Liu's pseudocode, line by line, on a list of features."""
    columns = list(np.asarray(X).T)
    with_class = [round(uncertainty(column, y), 10) for column in columns]
    ranked = sorted(
        (k for k in range(len(columns)) if with_class[k] > threshold), key=lambda k: -with_class[k]
    )
    p = ranked[0] if ranked else None
    while p is not None:
        later = ranked[ranked.index(p) + 1 :]
        for q in later:
            if round(uncertainty(columns[p], columns[q]), 10) >= with_class[q]:
                ranked.remove(q)
        later = ranked[ranked.index(p) + 1 :]
        p = later[0] if later else None
    return ranked


def merit(subset, with_class, among):
    """Hall's merit of a subset from tables of associations."""
    k = len(subset)
    pairs = [among[i][j] for i, j in combinations(subset, 2)]
    mean = np.mean(pairs) if pairs else 0.0
    return k * np.mean([with_class[j] for j in subset]) / sqrt(k + k * (k - 1) * mean)


def best_first(with_class, among, patience):
    """Best-first search over subsets with plain lists; gives the best subset."""
    p = len(with_class)
    opened, closed = [(0.0, ())], set()
    best, best_merit, stale = (), 0.0, 0
    while opened and stale < patience:
        opened.sort(key=lambda node: -node[0])  # stable: the one found first goes first
        _, group = opened.pop(0)
        if frozenset(group) in closed:
            continue
        closed.add(frozenset(group))
        children = [(*group, j) for j in range(p) if j not in group]
        merits = [round(merit(child, with_class, among), 12) for child in children]
        opened += zip(merits, children)
        if merits and max(merits) > best_merit:
            best, best_merit, stale = children[merits.index(max(merits))], max(merits), 0
        else:
            stale += 1
    return best, best_merit


def residual_sum_of_squares(X, y):
    """Least squares with intercept, solved afresh."""
    design = np.column_stack((np.ones(len(y)), X))
    return float(np.sum((y - design @ np.linalg.lstsq(design, y)[0]) ** 2))


def leave_one_out(X, y):
    """The mean squared error of n models that each lack the row they are asked for."""
    errors = []
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        design = np.column_stack((np.ones(rest.sum()), X[rest]))
        weights = np.linalg.lstsq(design, y[rest])[0]
        errors.append(y[i] - weights[0] - X[i] @ weights[1:])
    return float(np.mean(np.square(errors)))


def forward_least_squares(X, y, n_features):
    """Add the column whose model has the smallest residual, refitting every candidate."""
    taken = []
    for _ in range(n_features):
        left = [j for j in range(X.shape[1]) if j not in taken]
        taken.append(min(left, key=lambda j: residual_sum_of_squares(X[:, [*taken, j]], y)))
    return taken
