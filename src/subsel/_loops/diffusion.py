"""Moves of a Dirichlet diffusion tree whose messages are kept: a move costs the path from where it happens to the top.

A tree is a tuple: parents, two children a node (-1 for leaves), times, and leaves below; leaves come first. Messages are
a tuple: mean and variance of every column at each node, and the log density that meeting there adds. Both change in place.
Settings are a tuple: variance of diffusion and of noise of each column, the rate, harmonic numbers, and log factorials.
"""

import numpy as np

from subsel._loops import compiled

__all__ = ["column_value", "refresh_all", "sweep_places", "sweep_times", "total_value", "upwards"]

LOG_2_PI = np.log(2 * np.pi)


@compiled
def join(node, tree, messages, settings):
    """Count the leaves below a node and join the messages of its children."""
    child, time, size = tree[1], tree[2], tree[3]
    mean, variance, part = messages
    a, b = child[node, 0], child[node, 1]
    size[node] = size[a] + size[b]
    for j in range(mean.shape[1]):
        va = variance[a, j] + settings[0][j] * (time[a] - time[node])
        vb = variance[b, j] + settings[0][j] * (time[b] - time[node])
        both = va + vb
        gap = mean[a, j] - mean[b, j]
        part[node, j] = -0.5 * (LOG_2_PI + np.log(both) + gap * gap / both)
        mean[node, j] = (mean[a, j] * vb + mean[b, j] * va) / both
        variance[node, j] = va * vb / both


@compiled
def climb(node, tree, messages, settings):
    """Join the messages of a node and of all above it."""
    while node >= 0:
        join(node, tree, messages, settings)
        node = tree[0][node]


@compiled
def edge(node, tree, settings):
    """The log prior of a node at its time, below the one above it; 0 for leaves."""
    parent, child, time, size = tree
    if child[node, 0] < 0:
        return 0.0
    rate, harmonic, factorial = settings[2], settings[3], settings[4]
    late = time[parent[node]] if parent[node] >= 0 else 0.0
    l, r = size[child[node, 0]], size[child[node, 1]]
    value = np.log(rate / (1 - time[node]))
    value += rate * harmonic[l + r - 1] * (np.log1p(-time[node]) - np.log1p(-late))
    return value + factorial[l - 1] + factorial[r - 1] - factorial[l + r - 1]


@compiled
def meeting(node, messages):
    """The log density that meeting at a node adds."""
    total = 0.0
    for j in range(messages[2].shape[1]):
        total += messages[2][node, j]
    return total


@compiled
def at_top(node, tree, messages, settings):
    """The log density of the message at the top, which began at 0."""
    total = 0.0
    for j in range(messages[0].shape[1]):
        v = messages[1][node, j] + settings[0][j] * tree[2][node]
        total += -0.5 * (LOG_2_PI + np.log(v) + messages[0][node, j] ** 2 / v)
    return total


@compiled
def above_value(node, tree, messages, settings):
    """What the edge of a node and everything above it contribute."""
    value = edge(node, tree, settings)
    above = tree[0][node]
    while above >= 0:
        node = above
        value += edge(node, tree, settings) + meeting(node, messages)
        above = tree[0][node]
    return value + at_top(node, tree, messages, settings)


@compiled
def total_value(tree, messages, settings):
    """The log prior of the tree and the log density of the table."""
    m = (len(tree[0]) + 1) // 2
    value, top = 0.0, 0
    for node in range(m, len(tree[0])):
        value += edge(node, tree, settings) + meeting(node, messages)
        if tree[0][node] < 0:
            top = node
    return value + at_top(top, tree, messages, settings)


@compiled
def upwards(tree):
    """The nodes that are no leaves, each after those below it."""
    m = (len(tree[0]) + 1) // 2
    order, waiting = np.empty(m - 1, np.int64), np.empty(m, np.int64)
    top = 0
    while tree[0][top] >= 0:
        top = tree[0][top]
    waiting[0], n_waiting, place = top, 1, m - 2
    while n_waiting:
        n_waiting -= 1
        node = waiting[n_waiting]
        order[place] = node
        place -= 1
        for side in range(2):
            below = tree[1][node, side]
            if below >= m:
                waiting[n_waiting] = below
                n_waiting += 1
    return order


@compiled
def refresh_all(tree, messages, settings, X):
    """Join all messages anew."""
    m = len(X)
    for row in range(m):
        tree[3][row] = 1
        for j in range(X.shape[1]):
            messages[0][row, j], messages[1][row, j] = X[row, j], settings[1][j]
    for node in upwards(tree):
        join(node, tree, messages, settings)


@compiled
def sibling(node, tree):
    """The other node below the same one."""
    pair = tree[1][tree[0][node]]
    return pair[1] if pair[0] == node else pair[0]


@compiled
def replace_below(above, old, new, tree):
    """Put a node in the place of another below one, or at the top."""
    tree[0][new] = above
    if above >= 0:
        side = 0 if tree[1][above, 0] == old else 1
        tree[1][above, side] = new


@compiled
def cut_off(node, tree, messages, settings):
    """Take a subtree and the node it hangs on out of the tree; gives the change of the value."""
    joint, other = tree[0][node], sibling(node, tree)
    before = above_value(joint, tree, messages, settings) + meeting(joint, messages)
    before += edge(node, tree, settings) + edge(other, tree, settings)
    above = tree[0][joint]
    replace_below(above, joint, other, tree)
    climb(above, tree, messages, settings)
    return above_value(other, tree, messages, settings) - before


@compiled
def hang(node, other, when, tree, messages, settings):
    """Hang a subtree, with the node it hangs on, between a node and the one above it; gives the change of the value."""
    joint = tree[0][node]
    before = above_value(other, tree, messages, settings)
    replace_below(tree[0][other], other, joint, tree)
    tree[0][other] = joint
    tree[1][joint, 0], tree[1][joint, 1] = node, other
    tree[2][joint] = when
    climb(joint, tree, messages, settings)
    after = above_value(joint, tree, messages, settings) + meeting(joint, messages)
    return after + edge(node, tree, settings) + edge(other, tree, settings) - before


@compiled
def start_of(node, tree):
    """The time of the node above, 0 for the top."""
    return tree[2][tree[0][node]] if tree[0][node] >= 0 else 0.0


@compiled
def anywhere(node, tree, inside, draw):
    """A place drawn evenly over the tree without a subtree that is cut off, before the subtree begins."""
    parent, child, time, _ = tree
    joint, n = parent[node], len(parent)
    inside[:] = False
    waiting = [node]
    while len(waiting):
        one = waiting.pop()
        inside[one] = True
        if child[one, 0] >= 0:
            waiting.append(child[one, 0])
            waiting.append(child[one, 1])
    inside[joint] = True
    total = 0.0
    for other in range(n):
        if not inside[other]:
            total += max(0.0, min(time[other], time[node]) - start_of(other, tree))
    left = draw * total
    last = -1
    for other in range(n):
        if not inside[other]:
            length = max(0.0, min(time[other], time[node]) - start_of(other, tree))
            if length > 0:
                last = other
                if left < length:
                    return other, start_of(other, tree) + left
                left -= length
    return last, start_of(last, tree)


@compiled
def nearby(node, tree, kind, side, draw):
    """A place beside the old one: at the uncle's edge, over the grandparent's, or under the sibling.

    Gives the node to hang over, the time, and the log ratio of the ways back and forth; no node where there is no such place.
    """
    parent, child, time, _ = tree
    joint, other = parent[node], sibling(node, tree)
    above = parent[joint]
    if kind < 2 and above < 0:
        return -1, 0.0, 0.0
    if kind == 0:
        uncle = sibling(joint, tree)
        here = min(time[node], time[other]) - time[above]
        there = min(time[node], time[uncle]) - time[above]
        if here <= 0 or there <= 0:
            return -1, 0.0, 0.0
        return uncle, time[above] + draw * there, np.log(there) - np.log(here)
    if kind == 1:
        here = min(time[node], time[other]) - time[above]
        there = time[above] - start_of(above, tree)
        if here <= 0 or there <= 0:
            return -1, 0.0, 0.0
        return above, start_of(above, tree) + draw * there, np.log(there) - np.log(2 * here)
    if child[other, 0] < 0 or time[node] <= time[other]:
        return -1, 0.0, 0.0
    below = child[other, side]
    here = time[other] - start_of(joint, tree)
    there = min(time[node], time[below]) - time[other]
    if here <= 0 or there <= 0:
        return -1, 0.0, 0.0
    return below, time[other] + draw * there, np.log(2 * there) - np.log(here)


@compiled
def sweep_places(tree, messages, settings, local, draws):
    """Propose a new place for so many subtrees as there are rows of draws, near the old one or anywhere."""
    n = len(tree[0])
    inside = np.zeros(n, np.bool_)
    for i in range(len(draws)):
        node = int(draws[i, 0] * n)
        joint = tree[0][node]
        if joint < 0:
            continue
        old, when = sibling(node, tree), tree[2][joint]
        ratio = 0.0
        if local:
            other, new, ratio = nearby(node, tree, int(3 * draws[i, 1]), int(2 * draws[i, 2]), draws[i, 3])
            if other < 0:
                continue
            change = cut_off(node, tree, messages, settings)
        else:
            change = cut_off(node, tree, messages, settings)
            other, new = anywhere(node, tree, inside, draws[i, 3])
        change += hang(node, other, new, tree, messages, settings)
        if not np.log(draws[i, 4]) < change + ratio:
            cut_off(node, tree, messages, settings)
            hang(node, old, when, tree, messages, settings)


@compiled
def around(node, tree, messages, settings):
    """What changes with the time of a node: its edge, those below it, and everything above."""
    value = above_value(node, tree, messages, settings) + meeting(node, messages)
    return value + edge(tree[1][node, 0], tree, settings) + edge(tree[1][node, 1], tree, settings)


@compiled
def sweep_times(tree, messages, settings, draws):
    """Draw a time between its neighbours' for every node that is no leaf, by slices.

    The first draw sets the level, each further one tries a time in an interval that shrinks towards the old one; where all
    fail the old time stays.
    """
    m = (len(tree[0]) + 1) // 2
    for i in range(m - 1):
        node = m + i
        old, low = tree[2][node], start_of(node, tree)
        high = min(tree[2][tree[1][node, 0]], tree[2][tree[1][node, 1]])
        level = around(node, tree, messages, settings) + np.log(draws[i, 0])
        found = False
        for draw in draws[i, 1:]:
            new = low + draw * (high - low)
            tree[2][node] = new
            climb(node, tree, messages, settings)
            found = around(node, tree, messages, settings) > level
            if found:
                break
            if new < old:
                low = new
            else:
                high = new
        if not found:
            tree[2][node] = old
            climb(node, tree, messages, settings)


@compiled
def column_value(j, diffusion, noise, order, tree, X):
    """The log density of one column, with messages of its own."""
    child, time = tree[1], tree[2]
    n = len(tree[0])
    mean, variance = np.empty(n), np.empty(n)
    for row in range(len(X)):
        mean[row], variance[row] = X[row, j], noise
    total = 0.0
    for node in order:
        a, b = child[node, 0], child[node, 1]
        va = variance[a] + diffusion * (time[a] - time[node])
        vb = variance[b] + diffusion * (time[b] - time[node])
        both = va + vb
        gap = mean[a] - mean[b]
        total -= 0.5 * (LOG_2_PI + np.log(both) + gap * gap / both)
        mean[node], variance[node] = (mean[a] * vb + mean[b] * va) / both, va * vb / both
    top = order[-1]
    v = variance[top] + diffusion * time[top]
    return total - 0.5 * (LOG_2_PI + np.log(v) + mean[top] ** 2 / v)
