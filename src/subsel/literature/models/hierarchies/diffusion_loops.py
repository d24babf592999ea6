"""Compiled Metropolis-Hastings moves and slice updates for Dirichlet diffusion trees.

`sweep_places` proposes places anywhere in the tree; one proposal costs time proportional to the
depth of the tree. `sweep_near` visits the edges from the root downwards and proposes places nearby;
one proposal costs the same for a tree of any size, because all rows outside a subtree are
summarised by one Gaussian message at the beginning of the edge above it, which does not change
while the subtree below that edge is altered.

All functions take the same states, `TreeArrays`, `Messages`, `Outside` and `Settings` of
`diffusion_tree`, and nodes as integers: leaf i is row i of the table, the root has no parent.
Functions that are verbs write into the states they are given.
"""

import numpy as np

from subsel._loops.compiler import compiled
from subsel.literature.models.hierarchies.diffusion_tree import Outside

__all__ = ["column_value", "refresh_all", "sweep_near", "sweep_places", "total_value", "upwards"]


@compiled
def entry_density(node, outside, tree, messages, settings):
    """Return the term of the log likelihood where the message of a node meets that from outside."""
    # the integral of the product of two normal densities: N(m - m'; 0, v + v')
    length = tree.time[node] - start_time(node, tree)
    total = 0.0
    for j in range(messages.mean.shape[1]):
        v = messages.variance[node, j] + settings.diffusion[j] * length + outside.variance[node, j]
        gap = messages.mean[node, j] - outside.mean[node, j]
        total += -0.5 * (LOG_2_PI + np.log(v) + gap * gap / v)
    return total


@compiled
def value_at_node(top, outside, tree, messages, settings):
    """Update the messages of a node, and return the terms that depend on its time."""
    join(top, tree, messages, settings)
    value = (
        edge_prior(top, tree, settings)
        + meeting_density(top, messages)
        + entry_density(top, outside, tree, messages, settings)
    )
    return (
        value
        + edge_prior(tree.child[top, 0], tree, settings)
        + edge_prior(tree.child[top, 1], tree, settings)
    )


@compiled
def value_at_pair(top, joint, outside, tree, messages, settings):
    """Update a node and its child `joint`, and return the terms that depend on their times."""
    join(joint, tree, messages, settings)
    value = meeting_density(joint, messages) + value_at_node(top, outside, tree, messages, settings)
    return (
        value
        + edge_prior(tree.child[joint, 0], tree, settings)
        + edge_prior(tree.child[joint, 1], tree, settings)
    )


@compiled
def copy_outside(old, new, outside):
    """Copy the message of `old` to the node that replaces it; updates `outside`."""
    for j in range(outside.mean.shape[1]):
        outside.mean[new, j], outside.variance[new, j] = (
            outside.mean[old, j],
            outside.variance[old, j],
        )


@compiled
def rehang(node, other, joint, tree):
    """Move a subtree and its parent `joint` onto the edge above `other`; updates `tree`."""
    replace_below(tree.parent[joint], joint, sibling(node, tree), tree)
    replace_below(tree.parent[other], other, joint, tree)
    tree.parent[other] = joint
    tree.child[joint, 0], tree.child[joint, 1] = node, other


@compiled
def neighbouring_place(top, tree, kind, first, second):
    """Return a subtree near `top`, a node above which it may move, and two lengths.

    That node is the uncle of the subtree (``kind`` 0), its grandparent, which is `top` (1), or a
    nephew (2); ``first`` and ``second`` choose sides, 0 or 1. The lengths are those of the time
    intervals in which the parent of the subtree may lie now and after the move. Both nodes are -1
    where there is no such place.
    """
    child, time = tree.child, tree.time
    if kind == 2:
        node, joint = child[top, first], top
        above = child[top, 1 - first]
        if child[above, 0] < 0:
            return -1, -1, 0.0, 0.0
        other = child[above, second]
        here, there = (
            time[above] - start_time(top, tree),
            min(time[node], time[other]) - time[above],
        )
        return node, other, here, there
    joint = child[top, first]
    if child[joint, 0] < 0:
        return -1, -1, 0.0, 0.0
    node = child[joint, second]
    here = min(time[node], time[child[joint, 1 - second]]) - time[top]
    if kind == 0:
        uncle = child[top, 1 - first]
        return node, uncle, here, min(time[node], time[uncle]) - time[top]
    return node, top, here, time[top] - start_time(top, tree)


@compiled
def try_place(top, outside, tree, messages, settings, draws):
    """Propose to move a subtree near `top`, and return the node that is then in the place of `top`.

    Updates the tree, the messages and `outside`, and restores them if the move is refused.
    ``draws`` holds five uniform numbers: kind, two sides, new time, acceptance.
    """
    # Metropolis-Hastings (Hastings, "Monte Carlo sampling methods using Markov chains", Biometrika
    # 57, 1970). The new time is uniform on an interval of length `there`, the time of the reverse
    # move on one of length `here`; moves to an uncle reverse themselves, moves to a grandparent and
    # to a nephew each other, and the three kinds are equally probable: the ratio of the proposal
    # densities is there / here.
    parent, time = tree.parent, tree.time
    node, other, here, there = neighbouring_place(
        top, tree, int(3 * draws[0]), int(2 * draws[1]), int(2 * draws[2])
    )
    if node < 0 or here <= 0 or there <= 0:
        return top
    begin = start_time(other, tree)
    new_time = begin + draws[3] * there
    if not begin < new_time < begin + there:  # no floating-point number lies between the ends
        return top
    joint, old = parent[node], sibling(node, tree)
    lower = joint if joint != top else parent[other]
    before = value_at_pair(top, lower, outside, tree, messages, settings)
    old_time = time[joint]
    rehang(node, other, joint, tree)
    time[joint] = new_time
    head = top
    if other == top:
        head = joint
    elif joint == top:
        head = lower
    copy_outside(top, head, outside)
    below = joint if head != joint else top
    after = value_at_pair(head, below, outside, tree, messages, settings)
    if np.log(draws[4]) < after - before + np.log(there) - np.log(here):
        return head
    rehang(node, old, joint, tree)
    time[joint] = old_time
    value_at_pair(top, lower, outside, tree, messages, settings)
    return top


@compiled
def draw_time(top, outside, tree, messages, settings, draws):
    """Draw the time of a node between those of its neighbours; updates the tree and the messages.

    The first of the uniform ``draws`` sets the level of the slice, each further one tries a time;
    if none of them lies in the slice, the old time stays.
    """
    # slice sampling with shrinkage: the interval starts at its natural bounds and every refused
    # time becomes a bound on its side of the old one (Neal, "Slice sampling", Annals of Statistics
    # 31, 2003, section 4.2); a limited number of tries leaves the distribution invariant too, since
    # the refused times are refused alike from either end of a transition
    time = tree.time
    old, low = time[top], start_time(top, tree)
    high = min(time[tree.child[top, 0]], time[tree.child[top, 1]])
    level = value_at_node(top, outside, tree, messages, settings) + np.log(draws[0])
    for draw in draws[1:]:
        time[top] = low + draw * (high - low)
        if low < time[top] < high and value_at_node(top, outside, tree, messages, settings) > level:
            return
        if time[top] < old:
            low = time[top]
        else:
            high = time[top]
    time[top] = old
    join(top, tree, messages, settings)


@compiled
def send_down(node, outside, tree, messages, settings):
    """Compute the message from all rows outside a node; updates its entry of `outside`."""
    # the product of two normal densities at the parent, from the rows outside the parent and from
    # the sibling's subtree: precisions add (belief propagation on a tree; Pearl, "Probabilistic
    # reasoning in intelligent systems", 1988, chapter 4 and, for Gaussian variables, section 7.2)
    above, other, time = tree.parent[node], sibling(node, tree), tree.time
    for j in range(outside.mean.shape[1]):
        va = outside.variance[above, j] + settings.diffusion[j] * (
            time[above] - start_time(above, tree)
        )
        vb = messages.variance[other, j] + settings.diffusion[j] * (time[other] - time[above])
        outside.mean[node, j] = (outside.mean[above, j] * vb + messages.mean[other, j] * va) / (
            va + vb
        )
        outside.variance[node, j] = va * vb / (va + vb)


@compiled
def sweep_near(tree, messages, settings, places, times, sides):
    """Propose places for subtrees and draw a time at every edge, from the root downwards.

    Updates the tree and the messages. An edge keeps its leaves while the subtree below it is
    altered, so that no move changes which edges were visited before it or are visited next to it.

    Parameters
    ----------
    tree, messages, settings : TreeArrays, Messages, Settings
        The state, with up-to-date messages.
    places : ndarray of shape (n_leaves - 1, n_proposals, 5)
        Uniform draws of `try_place`; there may be no proposals.
    times : ndarray of shape (n_leaves - 1, n_tries)
        Uniform draws of `draw_time`; none, or at least two.
    sides : ndarray of shape (n_leaves - 1,)
        Uniform draws that decide which child of a node is visited first.
    """
    # a depth-first walk with its own stack: waiting[:place + 1] are the nodes from the root down,
    # stage the number of their children visited, later the child to be visited second
    parent, child = tree.parent, tree.child
    outside = Outside(np.zeros_like(messages.mean), np.zeros_like(messages.variance))
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
    """Update the number of leaves below a node and its message from those of its children."""
    # Two Gaussian messages meet: N(x; ma, va) N(x; mb, vb) = N(ma - mb; 0, va + vb) N(x; m, v) with
    # m = (ma vb + mb va) / (va + vb) and v = va vb / (va + vb). This is the pruning recursion for
    # Brownian motion on a tree (Felsenstein, "Maximum-likelihood estimation of evolutionary trees
    # from continuous characters", American Journal of Human Genetics 25, 1973).
    child, time, size = tree.child, tree.time, tree.size
    mean, variance, density = messages.mean, messages.variance, messages.meeting
    a, b = child[node, 0], child[node, 1]
    size[node] = size[a] + size[b]
    for j in range(mean.shape[1]):
        va = variance[a, j] + settings.diffusion[j] * (time[a] - time[node])
        vb = variance[b, j] + settings.diffusion[j] * (time[b] - time[node])
        both = va + vb
        gap = mean[a, j] - mean[b, j]
        density[node, j] = -0.5 * (LOG_2_PI + np.log(both) + gap * gap / both)
        mean[node, j] = (mean[a, j] * vb + mean[b, j] * va) / both
        variance[node, j] = va * vb / both


@compiled
def climb(node, tree, messages, settings):
    """Update the messages of a node and of all its ancestors."""
    while node >= 0:
        join(node, tree, messages, settings)
        node = tree.parent[node]


@compiled
def edge_prior(node, tree, settings):
    """Return the factor of the log prior that belongs to a node; 0 for leaves.

    The formula is that of `diffusion_prior`.
    """
    parent, child, time, size = tree.parent, tree.child, tree.time, tree.size
    if child[node, 0] < 0:
        return 0.0
    rate, harmonic, factorial = settings.rate, settings.harmonic, settings.log_factorial
    start = time[parent[node]] if parent[node] >= 0 else 0.0
    l, r = size[child[node, 0]], size[child[node, 1]]
    value = np.log(rate / (1 - time[node]))
    value += rate * harmonic[l + r - 1] * (np.log1p(-time[node]) - np.log1p(-start))
    return value + factorial[l - 1] + factorial[r - 1] - factorial[l + r - 1]


@compiled
def meeting_density(node, messages):
    """Return the term of the log likelihood from a node at which two messages meet."""
    total = 0.0
    for j in range(messages.meeting.shape[1]):
        total += messages.meeting[node, j]
    return total


@compiled
def root_density(node, tree, messages, settings):
    """Return the log density of the message of the root, whose path starts at 0 at time 0."""
    total = 0.0
    for j in range(messages.mean.shape[1]):
        v = messages.variance[node, j] + settings.diffusion[j] * tree.time[node]
        total += -0.5 * (LOG_2_PI + np.log(v) + messages.mean[node, j] ** 2 / v)
    return total


@compiled
def value_above(node, tree, messages, settings):
    """Return the terms of the log posterior from the edge of a node and all its ancestors."""
    value = edge_prior(node, tree, settings)
    above = tree.parent[node]
    while above >= 0:
        node = above
        value += edge_prior(node, tree, settings) + meeting_density(node, messages)
        above = tree.parent[node]
    return value + root_density(node, tree, messages, settings)


@compiled
def total_value(tree, messages, settings):
    """Return the log prior of the tree plus the log likelihood of the table."""
    m = (len(tree.parent) + 1) // 2
    value, top = 0.0, 0
    for node in range(m, len(tree.parent)):
        value += edge_prior(node, tree, settings) + meeting_density(node, messages)
        if tree.parent[node] < 0:
            top = node
    return value + root_density(top, tree, messages, settings)


@compiled
def upwards(tree):
    """Return the inner nodes, each after the nodes below it."""
    m = (len(tree.parent) + 1) // 2
    order, waiting = np.empty(m - 1, np.int64), np.empty(m, np.int64)
    top = 0
    while tree.parent[top] >= 0:
        top = tree.parent[top]
    waiting[0], n_waiting, place = top, 1, m - 2
    while n_waiting:
        n_waiting -= 1
        node = waiting[n_waiting]
        order[place] = node
        place -= 1
        for side in range(2):
            below = tree.child[node, side]
            if below >= m:
                waiting[n_waiting] = below
                n_waiting += 1
    return order


@compiled
def refresh_all(tree, messages, settings, X):
    """Compute all messages and sizes from the table; updates `tree` and `messages`."""
    m = len(X)
    for row in range(m):
        tree.size[row] = 1
        for j in range(X.shape[1]):
            messages.mean[row, j], messages.variance[row, j] = X[row, j], settings.noise[j]
    for node in upwards(tree):
        join(node, tree, messages, settings)


@compiled
def sibling(node, tree):
    """Return the other child of the same parent."""
    pair = tree.child[tree.parent[node]]
    return pair[1] if pair[0] == node else pair[0]


@compiled
def replace_below(above, old, new, tree):
    """Replace the child `old` of `above` (-1: the root) by `new`; updates `tree`."""
    tree.parent[new] = above
    if above >= 0:
        side = 0 if tree.child[above, 0] == old else 1
        tree.child[above, side] = new


@compiled
def cut_off(node, tree, messages, settings):
    """Remove a subtree and its parent from the tree, and return the change of the log posterior.

    Updates the tree and the messages.
    """
    joint, other = tree.parent[node], sibling(node, tree)
    before = value_above(joint, tree, messages, settings) + meeting_density(joint, messages)
    before += edge_prior(node, tree, settings) + edge_prior(other, tree, settings)
    above = tree.parent[joint]
    replace_below(above, joint, other, tree)
    climb(above, tree, messages, settings)
    return value_above(other, tree, messages, settings) - before


@compiled
def hang(node, other, joint_time, tree, messages, settings):
    """Insert a subtree on the edge above `other`, and return the change of the log posterior.

    Its parent, removed with it by `cut_off`, is placed at ``joint_time``. Updates the tree and the
    messages.
    """
    joint = tree.parent[node]
    before = value_above(other, tree, messages, settings)
    replace_below(tree.parent[other], other, joint, tree)
    tree.parent[other] = joint
    tree.child[joint, 0], tree.child[joint, 1] = node, other
    tree.time[joint] = joint_time
    climb(joint, tree, messages, settings)
    after = value_above(joint, tree, messages, settings) + meeting_density(joint, messages)
    return after + edge_prior(node, tree, settings) + edge_prior(other, tree, settings) - before


@compiled
def start_time(node, tree):
    """Return the time of the parent of a node, 0 for the root."""
    return tree.time[tree.parent[node]] if tree.parent[node] >= 0 else 0.0


@compiled
def leaving_rate(n_before, n_paths, settings):
    """Return the rate, times 1 - t, at which one of `n_paths` new paths leaves an edge.

    `n_before` paths follow the edge already.
    """
    # path i of the new ones has n_before + i paths before it and leaves at rate c / (n_before + i)
    # (Neal 2003); the sum over i is a difference of harmonic numbers
    return settings.rate * (
        settings.harmonic[n_before + n_paths - 1] - settings.harmonic[n_before - 1]
    )


@compiled
def first_side_probability(above, n_paths, tree, settings):
    """Return the probability that new paths which take one side at a node take the first side."""
    # a Polya urn: k paths all join a paths with probability proportional to a (a + 1) ... (a + k -
    # 1)
    factorial = settings.log_factorial
    a, b = tree.size[tree.child[above, 0]], tree.size[tree.child[above, 1]]
    log_odds = (
        factorial[b + n_paths - 1]
        - factorial[b - 1]
        - factorial[a + n_paths - 1]
        + factorial[a - 1]
    )
    return 1 / (1 + np.exp(log_odds))


@compiled
def draw_place(n_paths, top, tree, settings, amount, sides):
    """Draw a place for a subtree of `n_paths` leaves: the node below it, and its time.

    For a single leaf this is a draw from the prior. `amount` is an exponential draw, `sides` a
    uniform one.
    """
    # inversion of the cumulative rate: the paths leave where its integral reaches `amount`. Given
    # that `sides` < share, sides / share is uniform again, so that one draw decides all sides.
    child, time, size = tree.child, tree.time, tree.size
    other, start = top, 0.0
    while True:
        rate = leaving_rate(size[other], n_paths, settings)
        if child[other, 0] < 0 or amount < rate * (np.log1p(-start) - np.log1p(-time[other])):
            return other, min(1 - (1 - start) * np.exp(-amount / rate), 1 - 1.2e-16)
        amount -= rate * (np.log1p(-start) - np.log1p(-time[other]))
        start, share = time[other], first_side_probability(other, n_paths, tree, settings)
        if sides < share:
            other, sides = child[other, 0], sides / share
        else:
            other, sides = child[other, 1], (sides - share) / (1 - share)


@compiled
def place_density(n_paths, other, joint_time, tree, settings):
    """Return the log density with which `draw_place` draws a time on the edge above a node."""
    parent, child, time, size = tree.parent, tree.child, tree.time, tree.size
    rate = leaving_rate(size[other], n_paths, settings)
    value = np.log(rate / (1 - joint_time))
    value -= rate * (np.log1p(-start_time(other, tree)) - np.log1p(-joint_time))
    above = parent[other]
    while above >= 0:
        share = first_side_probability(above, n_paths, tree, settings)
        value += np.log(share if child[above, 0] == other else 1 - share)
        rate = leaving_rate(size[above], n_paths, settings)
        value -= rate * (np.log1p(-start_time(above, tree)) - np.log1p(-time[above]))
        other, above = above, parent[above]
    return value


@compiled
def sweep_places(tree, messages, settings, draws):
    """Propose a new place, drawn by `draw_place`, for one random subtree per row of `draws`.

    Updates the tree and the messages. ``draws`` has shape (n_proposals, 4) and is uniform: subtree,
    amount, sides, acceptance.
    """
    # Metropolis-Hastings: the proposal densities of the old and the new place are those of
    # `place_density` in the tree without the subtree
    n = len(tree.parent)
    for i in range(len(draws)):
        node = int(draws[i, 0] * n)
        joint = tree.parent[node]
        if joint < 0:
            continue
        old, old_time, n_paths = sibling(node, tree), tree.time[joint], tree.size[node]
        change = cut_off(node, tree, messages, settings)
        top = old
        while tree.parent[top] >= 0:
            top = tree.parent[top]
        amount = -np.log1p(-draws[i, 1])
        other, new_time = draw_place(n_paths, top, tree, settings, amount, draws[i, 2])
        # a time after the first split of the subtree has no density; rounding may leave none
        # between
        if not start_time(other, tree) < new_time < tree.time[node]:
            hang(node, old, old_time, tree, messages, settings)
            continue
        log_ratio = place_density(n_paths, old, old_time, tree, settings)
        log_ratio -= place_density(n_paths, other, new_time, tree, settings)
        change += hang(node, other, new_time, tree, messages, settings)
        if not np.log(draws[i, 3]) < change + log_ratio:
            cut_off(node, tree, messages, settings)
            hang(node, old, old_time, tree, messages, settings)


@compiled
def column_value(j, diffusion, noise, order, tree, X):
    """Return the log density of column j for given variances; `order` is that of `upwards`.

    The messages are computed in arrays of its own, by the recursion of `join`.
    """
    child, time = tree.child, tree.time
    n = len(tree.parent)
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
