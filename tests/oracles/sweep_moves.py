"""How a sweep moves, in numpy: what :mod:`subsel._loops.linear.moves` does number by number."""


def enter(j, rows, inside, coupling, pivot, target, sign):
    """Let column j enter; its rows (B, p) of the blocks become minus the shares of its residual."""
    s = len(inside)
    for b in range(len(rows)):
        row, couple, here, goal = rows[b], coupling[b, :s], pivot[b, j], target[b, j].copy()
        lost = couple[:, j].copy()
        if s:
            row -= row[inside] @ couple
            row[inside] = lost
        row /= -here
        row[j] = 0.0
        pivot[b] -= here * sign * row * row
        for t in range(len(goal)):
            target[b, :, t] += goal[t] * row
        pivot[b, j] = 1.0 / here
        target[b, j] = goal / here
        added = -row * sign
        added[j] = 1.0 / here
        for i in range(s):
            couple[i] -= lost[i] * added
        couple[:, j] = -lost / here
        coupling[b, s] = added


def leave(i, slot, inside, shares, coupling, pivot, target, sign):
    """Let column i leave its slot to the last of the ``inside``; ``shares`` are filled as above."""
    s = len(inside)
    for b in range(len(shares)):
        row, here, goal = coupling[b, slot].copy(), pivot[b, i], target[b, i].copy()
        coupling[b, slot] = coupling[b, s]
        couple, share = coupling[b, :s], row / here
        share[i] = 0.0
        pivot[b] += here * sign * share * share
        shares[b] = share * sign
        for t in range(len(goal)):
            target[b, :, t] += goal[t] * shares[b]
        pivot[b, i] = 1.0 / here
        target[b, i] = goal / here
        lost = share[inside]
        for k in range(s):
            couple[k] -= lost[k] * row
        couple[:, i] = -lost
