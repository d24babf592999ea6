"""Bayesian networks over bits: learnt from rows of them, and sampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Network", "learn_marginals", "learn_network", "learn_tree"]


@dataclass(frozen=True)
class Network:
    """A Bayesian network over bits: parents of each, and its chance of a one given them.

    Parameters
    ----------
    parents : list of list of int
        The parents of each bit.
    tables : list of ndarray
        The chance of a one. Bit i of the index into ``tables[child]`` is the value of the i-th
        parent.
    order : list of int
        The bits with parents, parents before children.

    Examples
    --------
    The second bit copies the first.

    >>> network = Network([[], [0]], [np.array([0.5]), np.array([0.0, 1.0])], [1])
    >>> bits = network.sample(50, np.random.default_rng(0))
    >>> bool((bits[:, 0] == bits[:, 1]).all())
    True
    """

    parents: list[list[int]]
    tables: list[np.ndarray]
    order: list[int]

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows of bits, parents before children (probabilistic logic sampling)."""
        alone = np.array([table[0] if len(table) == 1 else 0.5 for table in self.tables])
        bits = (rng.random((n, len(alone))) < alone).astype(np.uint8)
        for child in self.order:
            chance = self.tables[child][_settings(bits, self.parents[child])]
            bits[:, child] = rng.random(n) < chance
        return bits


def learn_marginals(bits: np.ndarray) -> Network:
    """Each bit on its own.

    Examples
    --------
    >>> learn_marginals(np.array([[0, 1], [1, 1]])).tables
    [array([0.5]), array([0.75])]
    """
    chances = (bits.sum(axis=0) + 1.0) / (len(bits) + 2.0)
    return Network([[]] * bits.shape[1], list(chances[:, None]), [])


def learn_tree(bits: np.ndarray) -> Network:
    """The tree with the most mutual information between neighbours, rooted at the first bit [1]_.

    References
    ----------
    .. [1] Chow and Liu, *Approximating discrete probability distributions with dependence trees*,
       IEEE Transactions on Information Theory 14, 1968.

    Examples
    --------
    >>> learn_tree(np.array([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]])).parents[1]
    [0]
    """
    n_bits = bits.shape[1]
    information = _mutual_information(bits)
    parents: list[list[int]] = [[] for _ in range(n_bits)]
    nearest, order = np.zeros(n_bits, dtype=np.int64), []
    closeness = information[0].copy() if n_bits else np.empty(0)
    closeness[:1] = -np.inf
    for _ in range(n_bits - 1):
        child = int(np.argmax(closeness))
        parents[child] = [int(nearest[child])]
        order.append(child)
        closer = (information[child] > closeness) & (closeness > -np.inf)
        nearest[closer], closeness[closer] = child, information[child][closer]
        closeness[child] = -np.inf
    return Network(parents, _tables(bits, parents), order)


def learn_network(bits: np.ndarray, max_parents: int = 3) -> Network:
    """Add the arc that raises BIC most, until none does (algorithm B of [1]_).

    References
    ----------
    .. [1] Buntine, *Theory refinement on Bayesian networks*, Uncertainty in Artificial
       Intelligence, 1991.

    Examples
    --------
    >>> bits = np.tile([[0, 0], [1, 1]], (10, 1))
    >>> learn_network(bits).parents
    [[1], []]
    """
    # BIC is the log likelihood less log(n) / 2 per parameter. A first parent raises the former by n
    # times the mutual information in nats, and doubles the parameters of the child from one to two;
    # a further one adds 2^k parameters where there are k parents.
    n_bits = bits.shape[1]
    penalty = 0.5 * np.log(len(bits))
    parents: list[list[int]] = [[] for _ in range(n_bits)]
    gains = len(bits) * _mutual_information(bits) - penalty  # row: child, column: parent
    ancestors = np.eye(n_bits, dtype=bool)  # row: bit, column: the bit itself and those above it
    gains[ancestors] = -np.inf
    best = gains.max(axis=1, initial=-np.inf)
    while best.size and best.max() > 1e-9:
        child = int(np.argmax(best))
        parent = int(np.argmax(gains[child]))
        parents[child].append(parent)
        if len(parents[child]) < max_parents:
            gains[child] = _gains(bits, child, parents[child]) - penalty * 2 ** len(parents[child])
            gains[child, parents[child]] = -np.inf
        else:
            gains[child] = -np.inf
        below, above = ancestors[:, child].copy(), ancestors[parent].copy()
        ancestors[below] |= above
        gains[np.ix_(above, below)] = -np.inf  # an arc from a bit's descendant would close a circle
        gains[child, below] = -np.inf
        above[child] = True
        best[above] = gains[above].max(axis=1)
    order = np.argsort(ancestors.sum(axis=1), kind="stable").tolist()
    return Network(parents, _tables(bits, parents), [bit for bit in order if parents[bit]])


def _gains(bits: np.ndarray, child: int, parents: list[int]) -> np.ndarray:
    """By how much each further parent would raise the log likelihood of a child."""
    group = 2 * _settings(bits, parents) + bits[:, child]
    member = np.zeros((2 ** (len(parents) + 1), len(bits)))
    member[group, np.arange(len(bits))] = 1.0
    ones = (member @ bits).reshape(
        -1, 2, bits.shape[1]
    )  # setting, value of the child, value 1 of the candidate
    zeros = member.sum(axis=1).reshape(-1, 2, 1) - ones
    likelihood = sum(
        _likelihood(counts[:, 0], counts[:, 1]).sum(axis=0) for counts in (ones, zeros)
    )
    total = ones + zeros
    gains: np.ndarray = likelihood - _likelihood(total[:, 0], total[:, 1]).sum(axis=0)
    return gains


def _likelihood(zeros: np.ndarray, ones: np.ndarray) -> np.ndarray:
    """The log likelihood of so many zeros and ones under their own frequencies."""
    likelihoods: np.ndarray = _x_log_x(zeros) + _x_log_x(ones) - _x_log_x(zeros + ones)
    return likelihoods


def _x_log_x(counts: np.ndarray) -> np.ndarray:
    products: np.ndarray = counts * np.log(np.maximum(counts, 1.0))
    return products


def _mutual_information(bits: np.ndarray) -> np.ndarray:
    """Between all pairs of bits, in nats."""
    rows, values = len(bits), bits.astype(float)
    both, ones = values.T @ values, values.sum(axis=0)
    only = ones[:, None] - both
    counts = [both, only, only.T, rows - both - only - only.T]
    edges = _x_log_x(ones) + _x_log_x(rows - ones)
    joint = sum(map(_x_log_x, counts)) - edges[:, None] - edges
    information: np.ndarray = (joint + _x_log_x(np.array(float(rows)))) / rows
    return information


def _settings(bits: np.ndarray, parents: list[int]) -> np.ndarray:
    """Each row's setting of the parents, as a number."""
    return bits[:, parents].astype(np.int64) @ (1 << np.arange(len(parents)))


def _tables(bits: np.ndarray, parents: list[list[int]]) -> list[np.ndarray]:
    """Estimate the chance of a one given the parents, with one extra observation per value."""
    tables = []
    for child, above in enumerate(parents):
        setting = _settings(bits, above)
        seen = np.bincount(setting, minlength=2 ** len(above))
        ones = np.bincount(setting, weights=bits[:, child], minlength=2 ** len(above))
        tables.append((ones + 1.0) / (seen + 2.0))
    return tables
