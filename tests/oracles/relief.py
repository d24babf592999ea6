"""The Relief family and the margin of the nearest neighbour, as loops."""

import numpy as np


def scaled(X, nominal):
    """Numeric columns divided by their range."""
    X = np.array(X, dtype=float)
    for f in range(X.shape[1]):
        width = np.nanmax(X[:, f]) - np.nanmin(X[:, f])
        if f not in nominal and width > 0:
            X[:, f] = (X[:, f] - np.nanmin(X[:, f])) / width
    return X


def gap(u, v, is_nominal):
    return float(u != v) if is_nominal else abs(u - v)


def difference(X, codes, nominal, i, j, f):
    """The difference of two rows in one feature.

    Where a value is missing it is expected over the known values of the class.
    """

    def candidates(row):
        if not np.isnan(X[row, f]):
            return [X[row, f]]
        known = [k for k in range(len(X)) if not np.isnan(X[k, f])]
        return (
            [X[k, f] for k in known if codes[k] == codes[row]] or [X[k, f] for k in known] or [0.0]
        )

    return np.mean([gap(u, v, f in nominal) for u in candidates(i) for v in candidates(j)])


def all_differences(X, codes, nominal=()):
    """Differences as an array rows x rows x features."""
    X = scaled(X, nominal)
    n, p = X.shape
    return np.array(
        [
            [[difference(X, codes, nominal, i, j, f) for f in range(p)] for j in range(n)]
            for i in range(n)
        ]
    )


def all_distances(differences, metric="manhattan"):
    """Distances of all pairs, zero from a row to itself."""
    power = 1 if metric == "manhattan" else 2
    distances = (differences**power).sum(axis=2) ** (1 / power)
    np.fill_diagonal(distances, 0.0)
    return distances


def k_nearest(distances, i, candidates, k):
    """The k candidates nearest to row i, ties to the lower index."""
    return sorted((j for j in candidates if j != i), key=lambda j: (distances[i, j], j))[:k]


def relief(differences, distances, y, drawn, power=1):
    n = len(y)
    total = np.zeros(differences.shape[2])
    for i in drawn:
        hits = k_nearest(distances, i, [j for j in range(n) if y[j] == y[i]], 1)
        misses = k_nearest(distances, i, [j for j in range(n) if y[j] != y[i]], 1)
        if hits:
            total += differences[i, misses[0]] ** power - differences[i, hits[0]] ** power
    return total / len(drawn)


def ratio_relief(differences, distances, y, k):
    n = len(y)
    hits, misses = [], []
    for i in range(n):
        hits += [
            differences[i, j]
            for j in k_nearest(distances, i, [j for j in range(n) if y[j] == y[i]], k)
        ]
        misses += [
            differences[i, j]
            for j in k_nearest(distances, i, [j for j in range(n) if y[j] != y[i]], k)
        ]
    return np.mean(misses, axis=0) / np.mean(hits, axis=0)


def class_contribution(
    differences, y, i, neighbours, misses="observed", alike=None, likeness=False
):
    """What the neighbours of one row add to each feature."""
    total = np.zeros(differences.shape[2])
    value = (lambda j: 1 - differences[i, j]) if likeness else (lambda j: differences[i, j])
    if alike is not None:  # numeric target
        for sign, side in (
            (-1, [j for j in neighbours if alike[i, j]]),
            (1, [j for j in neighbours if not alike[i, j]]),
        ):
            if side:
                total += sign * np.mean([value(j) for j in side], axis=0)
        return total
    labels = np.unique(y)
    n_misses = sum(y[j] != y[i] for j in neighbours)
    for label in labels:
        side = [j for j in neighbours if y[j] == label]
        if not side:
            continue
        mean = np.mean([value(j) for j in side], axis=0)
        if label == y[i]:
            total -= mean
        elif misses == "prior":
            total += np.mean(y == label) / (1 - np.mean(y == y[i])) * mean
        else:
            total += (len(labels) - 1) * (len(side) / n_misses) ** 2 * mean
    return total


def relieff(differences, distances, y, k, misses="prior"):
    n = len(y)
    total = np.zeros(differences.shape[2])
    for i in range(n):
        neighbours = []
        for label in np.unique(y):
            neighbours += k_nearest(distances, i, [j for j in range(n) if y[j] == label], k)
        total += class_contribution(differences, y, i, neighbours, misses)
    return total / n


def surf_family(name, differences, distances, y, misses="observed", regression=False):
    """SURF, SURF*, MultiSURF and MultiSURF* by their definitions."""
    n = len(y)
    alike = np.abs(y[:, None] - y) < np.std(y, ddof=1) if regression else None
    total = np.zeros(differences.shape[2])
    for i in range(n):
        others = [j for j in range(n) if j != i]
        if name.startswith("multi"):
            mean, half = np.mean(distances[i, others]), np.std(distances[i, others]) / 2
        else:
            mean, half = distances.mean(), 0.0
        near = [j for j in others if distances[i, j] < mean - half]
        far = [j for j in others if distances[i, j] > mean + half]
        total += class_contribution(differences, y, i, near, misses, alike)
        if name == "surf_star":
            total -= class_contribution(differences, y, i, far, misses, alike)
        if name == "multisurf_star":
            total += class_contribution(differences, y, i, far, misses, alike, likeness=True)
    return total / n


def rrelieff(differences, distances, y, k):
    """Figure 3 of Robnik-Sikonja and Kononenko, with equal weights of the neighbours."""
    n = len(y)
    n_dy, n_dx, n_both = 0.0, np.zeros(differences.shape[2]), np.zeros(differences.shape[2])
    for i in range(n):
        neighbours = k_nearest(distances, i, range(n), k)
        for j in neighbours:
            dy = abs(y[i] - y[j]) / (max(y) - min(y))
            n_dy += dy / len(neighbours)
            n_dx += differences[i, j] / len(neighbours)
            n_both += dy * differences[i, j] / len(neighbours)
    return n_both / n_dy - (n_dx - n_both) / (n - n_dy)


def relief_x(x, y):
    """The probability that x differs between classes less that within, both ways.

    Over all ordered pairs of rows.
    """

    def one_way(a, b):
        pairs = [(i, j) for i in range(len(a)) for j in range(len(a))]
        across = np.mean([a[i] != a[j] for i, j in pairs if b[i] != b[j]])
        return across - np.mean([a[i] != a[j] for i, j in pairs if b[i] == b[j]])

    return (one_way(x, y) + one_way(y, x)) / 2


def margins(X, y, weights):
    """Half of the distance to the nearest miss less that to the nearest hit.

    Rows without a hit are left out.
    """
    found = []
    for i in range(len(X)):
        d = [np.sqrt(np.sum((weights * (X[i] - X[j])) ** 2)) for j in range(len(X))]
        hits = [d[j] for j in range(len(X)) if j != i and y[j] == y[i]]
        misses = [d[j] for j in range(len(X)) if y[j] != y[i]]
        if hits:
            found.append((min(misses) - min(hits)) / 2)
    return np.array(found)


def simba_pass(X, y, order, weights, slope):
    """One pass of Simba over rows in this order; ``slope`` is the derivative of the utility."""
    w = np.array(weights, dtype=float)
    for i in order:
        d = np.array([np.sqrt(np.sum((w * (X[i] - X[j])) ** 2)) for j in range(len(X))])
        hits = [j for j in range(len(X)) if j != i and y[j] == y[i]]
        misses = [j for j in range(len(X)) if y[j] != y[i]]
        if not hits:
            continue
        hit, miss = min(hits, key=lambda j: (d[j], j)), min(misses, key=lambda j: (d[j], j))
        pull = np.zeros(len(w))
        if d[miss] > 0:
            pull += (X[i] - X[miss]) ** 2 / d[miss]
        if d[hit] > 0:
            pull -= (X[i] - X[hit]) ** 2 / d[hit]
        w += slope((d[miss] - d[hit]) / 2) * pull * w / 2
    return w
