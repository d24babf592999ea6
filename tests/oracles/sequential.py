"""Sequential searches written plainly: Python sets, a table of qualities, every request in order.

Each gives the list of sets it asked for. ``f`` maps a frozenset of 0..n-1 to a quality; of equals
the first is taken.
"""

from itertools import combinations

import numpy as np


def drive(search, space, function, seed=0):
    """Run a search to its own end.

    Returns the requests (subsets in lists or batches), the sets of columns in order, and what the
    search returned.
    """
    steps = search.steps(space, np.random.default_rng(seed))
    requests, asked, answer = [], [], None
    while True:
        try:
            request = steps.send(answer)
        except StopIteration as stop:
            return requests, asked, stop.value
        one = not hasattr(request, "__len__")
        requests.append([request] if one else request)
        assert len(requests[-1]), "an empty request"
        columns = [frozenset(space.columns(s).tolist()) for s in requests[-1]]
        asked += columns
        answer = function(columns[0]) if one else np.array([function(c) for c in columns])


def more(s, n, g=1):
    """All ways to add g."""
    return [s | frozenset(c) for c in combinations(sorted(set(range(n)) - s), g)]


def fewer(s, g=1):
    """All ways to drop g, never everything."""
    return [s - frozenset(c) for c in combinations(sorted(s), g) if len(s) > g]


def best(f, sets):
    """The first of the best."""
    return max(sets, key=f)


def everything(n, low=1, high=None):
    """All subsets of eligible size."""
    return [frozenset(c) for k in range(low, (high or n) + 1) for c in combinations(range(n), k)]


def forward(f, n, d, g=1, start=frozenset()):
    """GSFS(g) to size d, its last step smaller where g does not divide."""
    s, asked = start, []
    while len(s) < d:
        tries = more(s, n, min(g, d - len(s)))
        asked += tries
        s = best(f, tries)
    return asked


def backward(f, n, d, g=1):
    """GSBS(g) from the full set to size d."""
    s = frozenset(range(n))
    asked = [s]
    while len(s) > d:
        tries = fewer(s, min(g, len(s) - d))
        asked += tries
        s = best(f, tries)
    return asked


def plus_take_away(f, n, d, plus, minus):
    """GPTA with parts, forward; it ends after the round that reaches d.

    It also ends within a round that cannot be completed.
    """
    s, asked = frozenset(), []
    while len(s) < d:
        for part in plus:
            room = min(n, d + sum(minus)) - len(s)
            if room == 0:
                return asked
            tries = more(s, n, min(part, room))
            asked += tries
            s = best(f, tries)
            if part > room:
                return asked
        for part in minus:
            tries = fewer(s, part)
            asked += tries
            s = best(f, tries)
    return asked


def sffs(f, n, d):
    """Floating forward selection with Somol's correction, as published.

    Qualities are larger-is-better.
    """
    s, k, kept, asked = frozenset(), 0, {}, []
    while k < d:
        tries = more(s, n)
        asked += tries
        step = best(f, tries)
        k += 1
        if k in kept and f(step) <= f(kept[k]):
            s = kept[k]
            continue
        s = kept[k] = step
        while k > 2:
            tries = fewer(s)
            asked += tries
            step = best(f, tries)
            if f(step) <= f(kept[k - 1]):
                break
            k -= 1
            s = kept[k] = step
    return asked, kept


def sbfs(f, n, d):
    """The mirror image of :func:`sffs`."""
    s = frozenset(range(n))
    k, kept, asked = n, {n: s}, [s]
    while k > d:
        tries = fewer(s)
        asked += tries
        step = best(f, tries)
        k -= 1
        if k in kept and f(step) <= f(kept[k]):
            s = kept[k]
            continue
        s = kept[k] = step
        while k < n - 2:
            tries = more(s, n)
            asked += tries
            step = best(f, tries)
            if f(step) <= f(kept[k + 1]):
                break
            k += 1
            s = kept[k] = step
    return asked, kept


def asffs(f, n, d, r_max, b):
    """Adaptive floating forward selection: 1, 2, ... r units until something is better.

    r depends on the distance to d.
    """
    s, kept, asked = frozenset(), {}, []

    def step(s, ways, r):
        for o in range(1, r + 1):
            tries = ways(s, o)
            if not tries:
                break
            asked.extend(tries)
            t = best(f, tries)
            if len(t) not in kept or f(t) > f(kept[len(t)]):
                kept[len(t)] = t
                return t
        return None

    def reach(s):
        distance = abs(len(s) - d)
        return r_max if distance <= b else max(1, r_max - (distance - b))

    while len(s) < d:
        t = step(s, lambda s, o: more(s, n, o) if len(s) + o <= d else [], reach(s))
        if t is None:
            s = kept[len(s) + 1]
            continue
        while t is not None:
            s = t
            t = step(s, fewer, min(reach(s), len(s) - 2))
    return asked


def beam(f, n, d, width):
    """Search with one queue, as published, without requesting the same set twice."""
    queue, asked = [frozenset()], []
    while queue:
        s = queue.pop(0)
        if len(s) == d:
            continue
        for t in more(s, n):
            if t in asked:
                continue
            asked.append(t)
            queue.append(t)
            queue.sort(key=lambda q: -f(q))
            queue = queue[:width]
    return asked


def beam_by_size(f, n, d, width):
    """A queue per size."""
    level, asked = [frozenset()], []
    for _ in range(d):
        grown = []
        for s in level:
            grown += [t for t in more(s, n) if t not in grown]
        asked += grown
        level = sorted(grown, key=lambda s: -f(s))[:width]
    return asked


def best_first(f, n, ways, start, stale, eligible=lambda s: True):
    """Expand the best unexpanded set until ``stale`` expansions bring no better eligible one."""
    asked, waiting, idle = [], [start], 0
    top = f(start) if start else -np.inf
    if start:
        asked.append(start)
    while waiting and idle < stale:
        s = max(waiting, key=lambda t: f(t) if t else np.inf)
        waiting.remove(s)
        idle += 1
        for t in ways(s):
            if t not in asked and t != start:
                asked.append(t)
                waiting.append(t)
                if eligible(t) and f(t) > top:
                    top, idle = f(t), 0
    return asked


def oscillating(f, n, d, depth):
    """Swings from the forward set of size d; gives the requests and the sets it stood at."""
    asked = forward(f, n, d)
    s = best(f, [t for t in asked if len(t) == d])
    stood, o, fails, down = [s], 1, 0, True
    while o <= min(depth, d, n - d):
        t = s
        for grow in [not down] * o + [down] * o:
            tries = more(t, n) if grow else fewer(t)
            if not tries:
                t = None
                break
            asked += tries
            t = best(f, tries)
        if t is not None and f(t) > f(s):
            s, o, fails = t, 1, 0
            stood.append(s)
        else:
            fails += 1
        if fails == 2:
            o, fails = o + 1, 0
        down = not down
    return asked, stood


def compound(f, n, low=1):
    """SBS-C."""
    s = frozenset(range(n))
    asked = [s]
    while len(s) > low:
        tries = fewer(s)
        asked += tries
        ranked = sorted(tries, key=lambda t: -f(t))
        whole, s = s, ranked[0]
        for t in ranked[1:]:
            if len(s) == low:
                break
            further = s - (whole - t)
            asked.append(further)
            if f(further) < f(s):
                break
            s = further
    return asked
