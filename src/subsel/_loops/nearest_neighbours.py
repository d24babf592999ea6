"""Inner loops of the nearest-neighbour judges: distances that add over columns, and scans for the nearest rows.

A *query* is a held-out row together with the rows that may answer it; ``hi[q, r]`` is the distance (squared if
Euclidean) of query q to row r over the columns of the state, ``FAR`` where r is not in the training part. ``lo``
holds what rounding took from ``hi``, so that a column can be taken out again without loss. Columns come as
rows of an array (m, n); ``scale[q, j]`` multiplies differences in column j. Votes have one channel per class (or
one for the target) and a last one for the sum of the weights.
"""

import numpy as np

from subsel._loops import compiled

__all__ = [
    "FAR",
    "WIDTH",
    "accumulate",
    "list_nearest",
    "scan_block",
    "scan_lines",
    "scan_removals",
    "scan_rows",
    "scan_wide",
]

FAR = 1e300
TIE = 1e-12  # distances that agree to this share are tied
FAINT = 1e-14  # what is left of a taken-out term, under which the pair is summed afresh
WIDTH = 32  # candidates scanned side by side: a multiple of every vector width
BUCKETS = 256
SAMPLE = 32  # distances from which a quantile is guessed
LANES = 64  # running minima that bound the k-th smallest


@compiled(forceinline=True)
def term(difference, absolute):
    """What one column adds to a distance."""
    return abs(difference) if absolute else difference * difference


@compiled(forceinline=True)
def weight(d, by_distance):
    """The weight of a neighbour: 1, or one over its distance (1: of the square root, 2: as it is)."""
    if by_distance == 0:
        return 1.0
    distance = np.sqrt(d) if by_distance == 1 else d
    return 1.0 / distance if distance > 0.0 else np.inf


@compiled
def pair(a, b, X, scale, skip, absolute):
    """The distance of two rows over all the columns but one."""
    total = 0.0
    for j in range(X.shape[0]):
        if j != skip:
            total += term(scale[j] * (X[j, a] - X[j, b]), absolute)
    return total


@compiled
def accumulate(hi, lo, rows, X, scale, sign, rest, rest_scale, absolute):
    """Add (or take out, sign -1) columns to the distances, keeping the rounding errors in ``lo`` if it is given.

    A pair that keeps less than a thousandth of a taken-out term is summed afresh over ``rest``, the columns that
    remain: its rounding errors could no longer be told from its distance.
    """
    exact = lo.shape[0] > 0
    for q in range(hi.shape[0]):
        for j in range(X.shape[0]):
            x, w = X[j, rows[q]], scale[q, j]
            if not exact:
                for r in range(X.shape[1]):
                    hi[q, r] += term(w * (x - X[j, r]), absolute)
                continue
            for r in range(X.shape[1]):
                a, t = hi[q, r], sign * term(w * (x - X[j, r]), absolute)
                s = a + t
                part = s - a
                e = ((a - (s - part)) + (t - part)) + lo[q, r]
                total = s + e
                lo[q, r] = e - (total - s)
                hi[q, r] = total
            if sign < 0:
                for r in range(X.shape[1]):
                    if hi[q, r] < 1e-3 * term(w * (x - X[j, r]), absolute):
                        hi[q, r] = pair(rows[q], r, rest, rest_scale[q], -1, absolute)
                        lo[q, r] = 0.0


@compiled
def list_nearest(hi, share, order, base, count, edge):
    """List for each query the rows nearest by ``hi``, sorted: all those under ``edge``, about a ``share`` of the rows."""
    n = hi.shape[1]
    sample = np.empty(SAMPLE)
    index = np.empty(n + 1, np.int32)
    key = np.empty(n, np.int32)
    start = np.empty(BUCKETS + 1, np.int32)
    for q in range(hi.shape[0]):
        top = quantile(hi, q, share, sample)
        found = 0
        for r in range(n):
            index[found] = r
            found += hi[q, r] < top
        count[q], edge[q] = sort_row(hi, q, index, found, top, key, start, order, base)


@compiled
def quantile(hi, q, share, sample):
    """About the given quantile of a row of distances, from a sample."""
    n, m = hi.shape[1], 0
    step = max(1, n // SAMPLE)
    for r in range(q % step, n, step):
        if m < SAMPLE:
            value, j = hi[q, r], m
            while j > 0 and sample[j - 1] > value:
                sample[j] = sample[j - 1]
                j -= 1
            sample[j] = value
            m += 1
    return sample[min(m - 1, int(m * share) + 1)]


@compiled
def sort_row(hi, q, index, found, top, key, start, order, base):
    """Sort the rows found under ``top`` by bucket, then by insertion; give how many were kept and what they lie under."""
    low = top
    for i in range(found):
        low = min(low, hi[q, index[i]])
    scale = (BUCKETS - 1) ** 2 / (top - low) if top > low else 0.0
    start[:] = 0
    for i in range(found):
        key[i] = np.int32(np.sqrt((hi[q, index[i]] - low) * scale))  # finer where rows are near
        start[key[i] + 1] += 1
    whole = 0  # buckets that fit into the list as a whole
    for b in range(BUCKETS):
        start[b + 1] += start[b]
        whole += start[b + 1] <= order.shape[1]
    kept = start[whole]
    for i in range(found):
        if key[i] >= whole:
            top = min(top, hi[q, index[i]])
            continue
        place = start[key[i]]
        start[key[i]] = place + 1
        order[q, place] = index[i]
        base[q, place] = hi[q, index[i]]
    for i in range(1, kept):
        value, row, j = base[q, i], order[q, i], i
        while j > 0 and base[q, j - 1] > value:
            base[q, j] = base[q, j - 1]
            order[q, j] = order[q, j - 1]
            j -= 1
        base[q, j] = value
        order[q, j] = row
    return kept, top


@compiled
def settle(distance, index, m, k, codes, values, by_distance, votes, c):
    """Vote with the k nearest of m rows, ties at the k-th going to the lowest rows; give the k-th and whether tied."""
    best = np.full(k, np.inf)
    for i in range(m):
        insert(distance[i], best)
    bottom, top = best[k - 1] * (1 - TIE), best[k - 1] * (1 + TIE)
    below, tied = 0, 0
    for i in range(m):
        below += distance[i] < bottom
        tied += distance[i] >= bottom and distance[i] <= top
    first = np.full(k - below, float(len(codes)))
    for i in range(m):
        if distance[i] >= bottom and distance[i] <= top:
            insert(float(index[i]), first)
    last = votes.shape[0] - 1
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    only_zero = by_distance > 0 and best[0] == 0.0
    for i in range(m):
        d = distance[i]
        if d < bottom or (d <= top and index[i] <= first[-1]):
            w = (1.0 if d == 0.0 else 0.0) if only_zero else weight(d, by_distance)
            votes[codes[index[i]], c] += w * values[index[i]]
            votes[last, c] += w
    return best[k - 1], tied > k - below


@compiled(forceinline=True)
def insert(value, best):
    """Put a value into a sorted list of the smallest ones."""
    j = len(best) - 1
    if value < best[j]:
        while j > 0 and best[j - 1] > value:
            best[j] = best[j - 1]
            j -= 1
        best[j] = value


@compiled(forceinline=True)
def reach_of(best):
    """How far from a query, by ``hi``, a row can lie and still be among the nearest of some candidate."""
    reach, k = 0.0, best.shape[0]
    for c in range(best.shape[1]):
        reach = max(reach, best[k - 1, c])
    return reach * (1 + 2 * TIE)


@compiled(forceinline=True)
def four_distances(i, m, seen, at, rest, x, w, block, d0, d1, d2, d3, absolute):
    """Distances to four of the m seen rows, for all candidates side by side; infinite where there are fewer than four.

    Terms are added or, given the rounding errors ``rest`` of the seen rows, taken out.
    Four at a time, because the compiler guards every inner loop against overlapping arrays.
    """
    i1, i2, i3 = min(i + 1, m - 1), min(i + 2, m - 1), min(i + 3, m - 1)
    r0, r1, r2, r3, b0 = seen[i], seen[i1], seen[i2], seen[i3], at[i]
    b1 = at[i1] if i + 1 < m else np.inf
    b2 = at[i2] if i + 2 < m else np.inf
    b3 = at[i3] if i + 3 < m else np.inf
    if len(rest) > 0:
        l0, l1, l2, l3 = rest[i], rest[i1], rest[i2], rest[i3]
        for c in range(len(x)):
            d0[c] = (b0 - term(w[c] * (x[c] - block[r0, c]), absolute)) + l0
            d1[c] = (b1 - term(w[c] * (x[c] - block[r1, c]), absolute)) + l1
            d2[c] = (b2 - term(w[c] * (x[c] - block[r2, c]), absolute)) + l2
            d3[c] = (b3 - term(w[c] * (x[c] - block[r3, c]), absolute)) + l3
    elif absolute:
        for c in range(len(x)):
            d0[c] = b0 + abs(w[c] * (x[c] - block[r0, c]))
            d1[c] = b1 + abs(w[c] * (x[c] - block[r1, c]))
            d2[c] = b2 + abs(w[c] * (x[c] - block[r2, c]))
            d3[c] = b3 + abs(w[c] * (x[c] - block[r3, c]))
    else:
        for c in range(len(x)):
            t0, t1 = w[c] * (x[c] - block[r0, c]), w[c] * (x[c] - block[r1, c])
            t2, t3 = w[c] * (x[c] - block[r2, c]), w[c] * (x[c] - block[r3, c])
            d0[c] = b0 + t0 * t0
            d1[c] = b1 + t1 * t1
            d2[c] = b2 + t2 * t2
            d3[c] = b3 + t3 * t3


@compiled(forceinline=True)
def take_in(d0, d1, d2, d3, best):
    """Put four distances per candidate into its sorted list of the smallest: each level keeps the least and hands on."""
    for j in range(best.shape[0]):
        for c in range(len(d0)):
            u, v = best[j, c], d0[c]
            d0[c] = v if u < v else u
            u = u if u < v else v
            v = d1[c]
            d1[c] = v if u < v else u
            u = u if u < v else v
            v = d2[c]
            d2[c] = v if u < v else u
            u = u if u < v else v
            v = d3[c]
            d3[c] = v if u < v else u
            best[j, c] = u if u < v else v


@compiled(forceinline=True)
def find_nearest(q, hi, order, base, count, edge, rest, x, w, block, d0, d1, d2, d3, best, seen, at, absolute):
    """See the listed rows in order until none can count any more, and those beyond the list if it runs out."""
    best[:] = np.inf
    m, listed = 0, count[q]
    while m < listed:
        stop = min(m + 4, listed)
        for i in range(m, stop):
            seen[i], at[i] = order[q, i], base[q, i]
        four_distances(m, stop, seen, at, rest, x, w, block, d0, d1, d2, d3, absolute)
        take_in(d0, d1, d2, d3, best)
        m = stop
        if (base[q, m] if m < listed else edge[q]) > reach_of(best):
            return m
    reach = reach_of(best)
    for r in range(hi.shape[1]):
        if hi[q, r] >= edge[q] and hi[q, r] <= reach:
            seen[m], at[m] = r, hi[q, r]
            m += 1
    for i in range(listed, m, 4):
        four_distances(i, m, seen, at, rest, x, w, block, d0, d1, d2, d3, absolute)
        take_in(d0, d1, d2, d3, best)
    return m


@compiled(forceinline=True)
def vote_block(m, rest, x, w, block, d0, d1, d2, d3, top, seen, at, codes, values, by_distance, absolute, tally, near):
    """Votes of the seen rows that lie within the k-th distance, and how many they are, for each candidate."""
    last = tally.shape[0] - 1
    tally[:] = 0.0
    near[:] = 0.0
    for i in range(0, m, 4):
        four_distances(i, m, seen, at, rest, x, w, block, d0, d1, d2, d3, absolute)
        for c in range(len(x)):
            t = top[c]
            near[c] += ((1.0 if d0[c] <= t else 0.0) + (1.0 if d1[c] <= t else 0.0)) + (
                (1.0 if d2[c] <= t else 0.0) + (1.0 if d3[c] <= t else 0.0)
            )
        for c in range(len(x)):
            t = top[c]
            d0[c] = weight(d0[c], by_distance) if d0[c] <= t else 0.0
            d1[c] = weight(d1[c], by_distance) if d1[c] <= t else 0.0
            d2[c] = weight(d2[c], by_distance) if d2[c] <= t else 0.0
            d3[c] = weight(d3[c], by_distance) if d3[c] <= t else 0.0
        r0, r1, r2, r3 = seen[i], seen[min(i + 1, m - 1)], seen[min(i + 2, m - 1)], seen[min(i + 3, m - 1)]
        for channel in range(last):
            v0 = values[r0] if codes[r0] == channel else 0.0
            v1 = values[r1] if codes[r1] == channel else 0.0
            v2 = values[r2] if codes[r2] == channel else 0.0
            v3 = values[r3] if codes[r3] == channel else 0.0
            for c in range(len(x)):
                tally[channel, c] += (v0 * d0[c] + v1 * d1[c]) + (v2 * d2[c] + v3 * d3[c])
        if by_distance > 0:
            for c in range(len(x)):
                tally[last, c] += (d0[c] + d1[c]) + (d2[c] + d3[c])
    if by_distance == 0:
        tally[last] = near


@compiled
def scan_block(
    hi, order, base, count, edge, rows, block, scale, chosen, k, codes, values, by_distance, absolute, votes, kth
):
    """Votes of the k nearest rows for a block (n, WIDTH) of columns, each added to those of the state.

    Rows come in order of ``hi``, and as added terms are not negative the scan stops when ``hi`` alone exceeds
    the k-th best. The first ``chosen`` columns are candidates, the others fill the block. Returns how many queries
    were tied.
    """
    n, width, voting, ties = hi.shape[1], block.shape[1], votes.shape[1] > 1, 0
    best, tally = np.empty((k, width)), np.empty(votes.shape[1:])
    x, w, top, near = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    d0, d1, d2, d3 = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    seen, at, distance, rest = np.empty(n, np.int32), np.empty(n), np.empty(n), np.empty(0)
    for q in range(hi.shape[0]):
        for c in range(width):
            x[c] = block[rows[q], c]
            w[c] = scale[q, c]
        m = find_nearest(q, hi, order, base, count, edge, rest, x, w, block, d0, d1, d2, d3, best, seen, at, absolute)
        for c in range(width):
            top[c] = best[k - 1, c] * (1 + TIE)
            kth[q, c] = best[k - 1, c]
        if voting:
            vote_block(
                m, rest, x, w, block, d0, d1, d2, d3, top, seen, at, codes, values, by_distance, absolute, tally, near
            )
            for c in range(chosen):
                if near[c] != k or (by_distance > 0 and best[0, c] == 0.0):
                    for i in range(m):
                        distance[i] = at[i] + term(w[c] * (x[c] - block[seen[i], c]), absolute)
                    kth[q, c], tied = settle(distance, seen, m, k, codes, values, by_distance, tally, c)
                    ties += tied
            votes[q] = tally
    return ties


@compiled
def scan_wide(hi, rows, X, scale, order, k, codes, values, by_distance, absolute, votes, kth):
    """Votes of the k nearest rows for columns that outweigh the state: rows come in the order of the column itself.

    ``order`` sorts each column. From the query's own value outwards, the scan stops when the added term alone
    exceeds the k-th best. Returns how many queries were tied.
    """
    n, ties = hi.shape[1], 0
    place, best = np.empty(X.shape, np.int32), np.empty(k)
    distance, index = np.empty(n), np.empty(n, np.int32)
    for c in range(X.shape[0]):
        for i in range(n):
            place[c, order[c, i]] = i
    for q in range(len(rows)):
        for c in range(X.shape[0]):
            x, w, m = X[c, rows[q]], scale[q, c], 0
            left = place[c, rows[q]]
            right = left + 1
            best[:] = np.inf
            while left >= 0 or right < n:
                low = term(w * (x - X[c, order[c, left]]), absolute) if left >= 0 else np.inf
                high = term(w * (x - X[c, order[c, right]]), absolute) if right < n else np.inf
                t, r = (low, order[c, left]) if low <= high else (high, order[c, right])
                if t > best[k - 1] * (1 + 2 * TIE):
                    break
                left, right = (left - 1, right) if low <= high else (left, right + 1)
                if hi[q, r] + t <= best[k - 1] * (1 + 2 * TIE):
                    index[m], distance[m] = r, hi[q, r] + t
                    insert(distance[m], best)
                    m += 1
            kth[q, c], tied = settle(distance, index, m, k, codes, values, by_distance, votes[q], c)
            ties += tied
    return ties


@compiled
def scan_removals(
    hi,
    lo,
    order,
    base,
    count,
    edge,
    rows,
    block,
    scale,
    R,
    spans,
    skip,
    S,
    S_scale,
    k,
    codes,
    values,
    by_distance,
    absolute,
    votes,
    kth,
):
    """Votes of the k nearest rows with each column of a block (n, WIDTH), the rows of R, taken out of the state.

    The listed rows suffice where ``edge`` less the widest possible term, the column having the range ``spans[c]``,
    exceeds the k-th best of them; elsewhere all rows are scanned. ``skip[c]`` is the place of R[c] in S, the columns of
    the state; pairs that lose all but FAINT of the term are summed afresh over the rest.
    """
    n, width, last, ties = hi.shape[1], block.shape[1], votes.shape[1] - 1, 0
    best, tally, least = np.empty((k, width)), np.zeros((last + 1, width)), np.empty(k)
    x, w, top, near = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    d0, d1, d2, d3 = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    seen, at, rest, distance = np.empty(n, np.int32), np.empty(n), np.empty(n), np.empty(n)
    low, short, kept = np.empty(min(LANES, n)), np.empty(n), np.empty(n, np.int32)
    for q in range(len(rows)):
        row, m = rows[q], count[q]
        for i in range(m):
            seen[i], at[i], rest[i] = order[q, i], base[q, i], lo[q, order[q, i]]
        for c in range(width):
            x[c] = block[row, c]
            w[c] = scale[q, c]
        best[:] = np.inf
        for i in range(0, m, 4):
            four_distances(i, m, seen, at, rest, x, w, block, d0, d1, d2, d3, absolute)
            take_in(d0, d1, d2, d3, best)
        for c in range(width):
            top[c] = best[k - 1, c] * (1 + TIE)
        vote_block(
            m, rest, x, w, block, d0, d1, d2, d3, top, seen, at, codes, values, by_distance, absolute, tally, near
        )
        for c in range(R.shape[0]):
            widest = term(w[c] * max(x[c] - spans[c, 0], spans[c, 1] - x[c]), absolute)
            enough = edge[q] * (1 - 1e-12) - widest > best[k - 1, c] * (1 + 2 * TIE)
            kth[q, c] = best[k - 1, c]
            if enough and near[c] == k and best[0, c] > 100 * FAINT * widest:
                for channel in range(last + 1):
                    votes[q, channel, c] = tally[channel, c]
            else:
                found = full_row(
                    q, row, hi, lo, R[c], w[c], S, S_scale, skip[c], distance, low, least, kept, short, absolute
                )
                kth[q, c], tied = settle(short, kept, found, k, codes, values, by_distance, votes[q], c)
                ties += tied
    return ties


@compiled
def full_row(q, row, hi, lo, column, w, S, S_scale, skip, distance, low, least, kept, short, absolute):
    """The distances that may be among the k smallest with a column taken out, from all rows; gives how many."""
    x = column[row]
    if absolute:
        for r in range(len(column)):
            distance[r] = (hi[q, r] - abs(w * (x - column[r]))) + lo[q, r]
    else:
        for r in range(len(column)):
            t = w * (x - column[r])
            distance[r] = (hi[q, r] - t * t) + lo[q, r]
    m = shortlist(distance, low, least, kept, short)
    if faint(kept, short, m, row, column, w, absolute):
        for r in range(len(column)):
            if distance[r] < 100 * FAINT * term(w * (x - column[r]), absolute):
                distance[r] = pair(row, r, S, S_scale[q], skip, absolute)
        m = shortlist(distance, low, least, kept, short)
    return m


@compiled
def faint(index, short, m, row, column, w, absolute):
    """How many of the smallest distances have little more than rounding left; only then can any others be so faint."""
    count = 0
    for i in range(m):
        count += short[i] < 100 * FAINT * term(w * (column[row] - column[index[i]]), absolute)
    return count


@compiled
def restore(distance, row, R, R_scale, S, S_scale, absolute):
    """Sum afresh, over S, the distances that have lost nearly all to the columns R."""
    for r in range(len(distance)):
        if distance[r] < 100 * FAINT * pair(row, r, R, R_scale, -1, absolute):
            distance[r] = pair(row, r, S, S_scale, -1, absolute)


@compiled
def scan_rows(
    start,
    lo,
    which,
    alone,
    rows,
    A,
    A_scale,
    R,
    R_scale,
    S,
    S_scale,
    k,
    codes,
    values,
    by_distance,
    absolute,
    votes,
    kth,
):
    """Votes of the k nearest rows for one subset S: distances ``start[which[q]]`` plus columns A less columns R.

    ``alone`` says that a query's own row must be left out. Returns how many queries were tied.
    """
    n, ties = start.shape[1], 0
    distance, low, least = np.empty(n), np.empty(min(LANES, n)), np.empty(k)
    index, short = np.empty(n, np.int32), np.empty(n)
    for q in range(len(rows)):
        row = rows[q]
        distance[:] = start[which[q]]
        for j in range(A.shape[0]):
            x, w = A[j, row], A_scale[q, j]
            for r in range(n):
                distance[r] += term(w * (x - A[j, r]), absolute)
        for j in range(R.shape[0]):
            x, w = R[j, row], R_scale[q, j]
            for r in range(n):
                distance[r] -= term(w * (x - R[j, r]), absolute)
        if R.shape[0]:
            distance += lo[q]
        if alone:
            distance[row] = FAR
        m = shortlist(distance, low, least, index, short)
        few = 0
        for i in range(m):
            few += short[i] < 100 * FAINT * pair(row, index[i], R, R_scale[q], -1, absolute)
        if few:
            restore(distance, row, R, R_scale[q], S, S_scale[q], absolute)
            m = shortlist(distance, low, least, index, short)
        kth[q, 0], tied = settle(short, index, m, k, codes, values, by_distance, votes[q], 0)
        ties += tied
    return ties


@compiled
def shortlist(distance, low, least, index, short):
    """The rows that may be among the k smallest: the k-th smallest of many minima bounds them."""
    n, lanes = len(distance), len(low)
    for c in range(lanes):
        low[c] = distance[c]
    i = lanes
    while i + 4 * lanes <= n:
        for c in range(lanes):
            u, v = distance[i + c], distance[i + lanes + c]
            u = u if u < v else v
            v, t = distance[i + 2 * lanes + c], distance[i + 3 * lanes + c]
            v = v if v < t else t
            u = u if u < v else v
            t = low[c]
            low[c] = u if u < t else t
        i += 4 * lanes
    while i < n:
        for c in range(min(lanes, n - i)):
            low[c] = min(low[c], distance[i + c])
        i += lanes
    least[:] = np.inf
    for c in range(lanes):
        insert(low[c], least)
    top, m = least[-1] * (1 + 2 * TIE), 0
    for c in range(lanes):
        if low[c] <= top:
            for r in range(c, n, lanes):
                if distance[r] <= top:
                    index[m], short[m] = r, distance[r]
                    m += 1
    return m


@compiled
def scan_lines(X, order, scale, train, query, alone, k, codes, values, by_distance, absolute, votes, kth):
    """Votes of the k nearest rows in each single column, sorted by ``order``, by two pointers.

    ``train[f, r]`` says whether row r may answer in part f, ``query[f, r]`` which query it is there (-1: none).
    """
    n, ties = X.shape[1], 0
    v, ids = np.empty(n), np.empty(n, np.int32)
    distance, index = np.empty(n), np.empty(n, np.int32)
    for c in range(X.shape[0]):
        for f in range(len(train)):
            m = 0
            for i in range(n):
                if train[f, order[c, i]]:
                    ids[m] = order[c, i]
                    v[m] = X[c, ids[m]]
                    m += 1
            before = 0
            for i in range(n):
                row = order[c, i]
                q = query[f, row]
                if q >= 0:
                    own = alone and train[f, row]
                    left, right, b, tied = window(v, m, X[c, row], before, own, k, scale[q, c], absolute)
                    if tied or by_distance > 0:
                        kept = 0
                        for j in range(left + 1, right):
                            if not (alone and ids[j] == row):
                                index[kept] = ids[j]
                                distance[kept] = term(scale[q, c] * (X[c, row] - v[j]), absolute)
                                kept += 1
                        b, tied = settle(distance, index, kept, k, codes, values, by_distance, votes[q], c)
                        ties += tied
                    else:
                        vote_window(left, right, ids, row, alone, codes, values, votes[q], c)
                    kth[q, c] = b
                before += train[f, row]
    return ties


@compiled
def window(v, m, x, before, alone, k, scale, absolute):
    """The k nearest of sorted values as an open interval of places, widened by what is tied with the k-th."""
    left, right = before - 1, before + alone
    for _ in range(k):
        on_left = x - v[left] if left >= 0 else np.inf
        on_right = v[right] - x if right < m else np.inf
        if on_left <= on_right:
            left -= 1
        else:
            right += 1
    b = max(term(scale * (x - v[left + 1]), absolute), term(scale * (v[right - 1] - x), absolute))
    top, wide = b * (1 + TIE), right - left
    while left >= 0 and term(scale * (x - v[left]), absolute) <= top:
        left -= 1
    while right < m and term(scale * (v[right] - x), absolute) <= top:
        right += 1
    return left, right, b, right - left > wide


@compiled
def vote_window(left, right, ids, row, alone, codes, values, votes, c):
    """Votes of a window without ties."""
    last = votes.shape[0] - 1
    for channel in range(last + 1):
        votes[channel, c] = 0.0
    for j in range(left + 1, right):
        if not (alone and ids[j] == row):
            votes[codes[ids[j]], c] += values[ids[j]]
            votes[last, c] += 1.0
