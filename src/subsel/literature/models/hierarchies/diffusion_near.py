"""A sweep of small moves over a Dirichlet diffusion tree, from the top downwards, each at a cost that no tree's size changes.

What lies outside a subtree reaches it as one message at the beginning of the edge that leads there. While the moves below
that edge are made nothing else changes, neither for the table nor for the prior, so that a move looks at three nodes and the
message alone. Trees, messages and settings are those of the moves that climb to the top.
"""

import numpy as np

from subsel._loops.compiler import compiled
from subsel.literature.models.hierarchies.diffusion import (
    LOG_2_PI,
    edge,
    join,
    meeting,
    replace_below,
    sibling,
    start_of,
)

__all__ = ["sweep_near"]


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
