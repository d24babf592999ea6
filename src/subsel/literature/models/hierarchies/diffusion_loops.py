"""A sweep of small moves over a Dirichlet diffusion tree, from the top downwards, each at a cost that no tree's size changes.

What lies outside a subtree reaches it as one message at the beginning of the edge that leads there. While the moves below
that edge are made nothing else changes, neither for the table nor for the prior, so that a move looks at three nodes and the
message alone. Trees, messages and settings are those of the moves that climb to the top.
"""

import numpy as np

from subsel._loops.compiler import compiled

__all__ = ["column_value", "refresh_all", "sweep_near", "sweep_places", "total_value", "upwards"]


@compiled
def entered(node, outside, tree, messages, settings):
    """The log density of the message of a node where it meets what lies outside."""
    lasting = tree[2][node] - start_of(node, tree)
    total = 0.0
    for j in range(messages[0].shape[1]):
        v = messages[1][node, j] + settings[0][j] * lasting + outside[1][node, j]
        gap = messages[0][node, j] - outside[0][node, j]
        total += -0.5 * (LOG_2_PI + np.log(v) + gap * gap / v)
    return total


@compiled
def at_one(top, outside, tree, messages, settings):
    """Join a node, and give what depends on its time."""
    join(top, tree, messages, settings)
    value = (
        edge(top, tree, settings)
        + meeting(top, messages)
        + entered(top, outside, tree, messages, settings)
    )
    return value + edge(tree[1][top, 0], tree, settings) + edge(tree[1][top, 1], tree, settings)


@compiled
def at_two(top, joint, outside, tree, messages, settings):
    """Join a node and one below it, and give what depends on both."""
    join(joint, tree, messages, settings)
    value = meeting(joint, messages) + at_one(top, outside, tree, messages, settings)
    return value + edge(tree[1][joint, 0], tree, settings) + edge(tree[1][joint, 1], tree, settings)


@compiled
def take_over(old, new, outside):
    """What lies outside is the same for the node that comes to the head of an edge."""
    for j in range(outside[0].shape[1]):
        outside[0][new, j], outside[1][new, j] = outside[0][old, j], outside[1][old, j]


@compiled
def turn(node, other, joint, tree):
    """Hang a subtree, with the node it hangs on, above a node that is below or above it."""
    replace_below(tree[0][joint], joint, sibling(node, tree), tree)
    replace_below(tree[0][other], other, joint, tree)
    tree[0][other] = joint
    tree[1][joint, 0], tree[1][joint, 1] = node, other


@compiled
def nearby(top, tree, kind, first, second):
    """Two subtrees below the head of an edge, one to be hung above the other, and the lengths here and there.

    The other is the uncle (0), the grandparent, which is the head (1), or a nephew (2). No node where there is none.
    """
    child, time = tree[1], tree[2]
    if kind == 2:
        node, joint = child[top, first], top
        above = child[top, 1 - first]
        if child[above, 0] < 0:
            return -1, -1, 0.0, 0.0
        other = child[above, second]
        here, there = time[above] - start_of(top, tree), min(time[node], time[other]) - time[above]
        return node, other, here, there
    joint = child[top, first]
    if child[joint, 0] < 0:
        return -1, -1, 0.0, 0.0
    node = child[joint, second]
    here = min(time[node], time[child[joint, 1 - second]]) - time[top]
    if kind == 0:
        uncle = child[top, 1 - first]
        return node, uncle, here, min(time[node], time[uncle]) - time[top]
    return node, top, here, time[top] - start_of(top, tree)


@compiled
def try_place(top, outside, tree, messages, settings, draws):
    """Propose to hang a subtree elsewhere near the head of an edge; gives the node at its head then."""
    parent, time = tree[0], tree[2]
    node, other, here, there = nearby(
        top, tree, int(3 * draws[0]), int(2 * draws[1]), int(2 * draws[2])
    )
    if node < 0 or here <= 0 or there <= 0:
        return top
    begin = start_of(other, tree)
    new = begin + draws[3] * there
    if not begin < new < begin + there:  # no number lies between
        return top
    joint, old = parent[node], sibling(node, tree)
    lower = joint if joint != top else parent[other]
    before = at_two(top, lower, outside, tree, messages, settings)
    when = time[joint]
    turn(node, other, joint, tree)
    time[joint] = new
    head = top
    if other == top:
        head = joint
    elif joint == top:
        head = lower
    take_over(top, head, outside)
    below = joint if head != joint else top
    after = at_two(head, below, outside, tree, messages, settings)
    if np.log(draws[4]) < after - before + np.log(there) - np.log(here):
        return head
    turn(node, old, joint, tree)
    time[joint] = when
    at_two(top, lower, outside, tree, messages, settings)
    return top


@compiled
def draw_time(top, outside, tree, messages, settings, draws):
    """Draw the time of a node between its neighbours' by slices.

    The first draw sets the level, each further one tries a time in an interval that shrinks towards the old one; where all
    fail the old time stays.
    """
    time = tree[2]
    old, low = time[top], start_of(top, tree)
    high = min(time[tree[1][top, 0]], time[tree[1][top, 1]])
    level = at_one(top, outside, tree, messages, settings) + np.log(draws[0])
    for draw in draws[1:]:
        time[top] = low + draw * (high - low)
        if low < time[top] < high and at_one(top, outside, tree, messages, settings) > level:
            return
        if time[top] < old:
            low = time[top]
        else:
            high = time[top]
    time[top] = old
    join(top, tree, messages, settings)


@compiled
def send_down(node, outside, tree, messages, settings):
    """The message of all that lies outside a node: what lies outside the one above it, and that one's other side."""
    above, other, time = tree[0][node], sibling(node, tree), tree[2]
    for j in range(outside[0].shape[1]):
        va = outside[1][above, j] + settings[0][j] * (time[above] - start_of(above, tree))
        vb = messages[1][other, j] + settings[0][j] * (time[other] - time[above])
        outside[0][node, j] = (outside[0][above, j] * vb + messages[0][other, j] * va) / (va + vb)
        outside[1][node, j] = va * vb / (va + vb)


@compiled
def sweep_near(tree, messages, settings, places, times, sides):
    """Propose places for subtrees and draw a time at the head of every edge, from the top downwards.

    An edge keeps its leaves while moves are made below it, so that no move changes what is visited before or besides. At an
    edge one row of draws of each kind is used: places have any number of proposals, times none or at least two draws, and
    the last decides which side of a node comes first.
    """
    parent, child = tree[0], tree[1]
    outside = np.zeros_like(messages[0]), np.zeros_like(messages[1])
    waiting = np.zeros(len(parent), np.int64)
    stage, later = np.zeros_like(waiting), np.zeros_like(waiting)
    while parent[waiting[0]] >= 0:
        waiting[0] = parent[waiting[0]]
    place = done = 0
    while place >= 0:
        node = waiting[place]
        if child[node, 0] < 0:
            place -= 1
        elif stage[place] == 2:
            join(node, tree, messages, settings)
            place -= 1
        else:
            if stage[place] == 0:
                for i in range(places.shape[1]):
                    node = try_place(node, outside, tree, messages, settings, places[done, i])
                if times.shape[1]:
                    draw_time(node, outside, tree, messages, settings, times[done])
                waiting[place], later[place] = node, child[node, int(2 * sides[done])]
                done += 1
            goal = later[place]
            if stage[place] == 0:
                goal = sibling(goal, tree)
            stage[place] += 1
            send_down(goal, outside, tree, messages, settings)
            place += 1
            waiting[place], stage[place] = goal, 0


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
def leaving(n_before, n_paths, settings):
    """The rate, times 1 - t, at which one of so many paths leaves the way of those before them."""
    return settings[2] * (settings[3][n_before + n_paths - 1] - settings[3][n_before - 1])


@compiled
def first_side(above, n_paths, tree, settings):
    """The probability that paths which take the same side at a node take the first."""
    factorial = settings[4]
    a, b = tree[3][tree[1][above, 0]], tree[3][tree[1][above, 1]]
    odds = (
        factorial[b + n_paths - 1]
        - factorial[b - 1]
        - factorial[a + n_paths - 1]
        + factorial[a - 1]
    )
    return 1 / (1 + np.exp(odds))


@compiled
def followed(n_paths, top, tree, settings, amount, sides):
    """A place where so many paths leave the others together, by the process itself: one path by the prior.

    They leave when the integral of their rate reaches an exponential amount; one even draw decides all sides.
    """
    child, time, size = tree[1], tree[2], tree[3]
    other, start = top, 0.0
    while True:
        rate = leaving(size[other], n_paths, settings)
        if child[other, 0] < 0 or amount < rate * (np.log1p(-start) - np.log1p(-time[other])):
            return other, min(1 - (1 - start) * np.exp(-amount / rate), 1 - 1.2e-16)
        amount -= rate * (np.log1p(-start) - np.log1p(-time[other]))
        start, share = time[other], first_side(other, n_paths, tree, settings)
        if sides < share:
            other, sides = child[other, 0], sides / share
        else:
            other, sides = child[other, 1], (sides - share) / (1 - share)


@compiled
def followed_density(n_paths, other, when, tree, settings):
    """The log density of a place above a node, as it is drawn."""
    parent, child, time, size = tree
    rate = leaving(size[other], n_paths, settings)
    value = np.log(rate / (1 - when)) - rate * (np.log1p(-start_of(other, tree)) - np.log1p(-when))
    above = parent[other]
    while above >= 0:
        share = first_side(above, n_paths, tree, settings)
        value += np.log(share if child[above, 0] == other else 1 - share)
        rate = leaving(size[above], n_paths, settings)
        value -= rate * (np.log1p(-start_of(above, tree)) - np.log1p(-time[above]))
        other, above = above, parent[above]
    return value


@compiled
def sweep_places(tree, messages, settings, draws):
    """Propose a new place by the process for so many subtrees as there are rows of draws."""
    n = len(tree[0])
    for i in range(len(draws)):
        node = int(draws[i, 0] * n)
        joint = tree[0][node]
        if joint < 0:
            continue
        old, when, n_paths = sibling(node, tree), tree[2][joint], tree[3][node]
        change = cut_off(node, tree, messages, settings)
        top = old
        while tree[0][top] >= 0:
            top = tree[0][top]
        other, new = followed(n_paths, top, tree, settings, -np.log1p(-draws[i, 1]), draws[i, 2])
        if (
            not start_of(other, tree) < new < tree[2][node]
        ):  # beyond the subtree's own beginning, or by rounding
            hang(node, old, when, tree, messages, settings)
            continue
        ratio = followed_density(n_paths, old, when, tree, settings)
        ratio -= followed_density(n_paths, other, new, tree, settings)
        change += hang(node, other, new, tree, messages, settings)
        if not np.log(draws[i, 3]) < change + ratio:
            cut_off(node, tree, messages, settings)
            hang(node, old, when, tree, messages, settings)


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
