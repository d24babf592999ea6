"""Numbers by 64-bit key, looked up and stored many at a time with array operations."""

from __future__ import annotations

import numpy as np

from subsel._loops.path import pays

__all__ = ["KeyTable", "first_of_each"]

_EMPTY = np.uint64(0)
_FIRST = 1 << 12  # slots to begin with
_AHEAD = 16  # slots for each number when more are needed
_LOOK = 2e-7  # seconds that numpy takes to look a key up and store it, about


class KeyTable:
    """A hash table of at most ``room`` numbers in two generations: once the younger is full the elder is forgotten.

    Keys are taken for random, as those of subsets are. Looking up and storing thousands at a time costs a few tens of
    nanoseconds each, where a dictionary costs several hundred.

    Parameters
    ----------
    room : int
        The most numbers held; between half of them and all are, once so many were stored.

    Examples
    --------
    >>> table = KeyTable(100)
    >>> table.store(np.array([7, 9], dtype=np.uint64), np.array([0.5, 0.25]))
    >>> table.find(np.array([9, 8, 7], dtype=np.uint64))
    array([0.25,  nan, 0.5 ])
    """

    def __init__(self, room: int) -> None:
        self._half, self._n_keys = max(1, room // 2), 0
        self._young, self._old = _Generation(self._half), _Generation(self._half)

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The number of each key, NaN where there is none."""
        self._n_keys += len(keys)
        found = np.full(len(keys), np.nan)
        for generation in (self._young, self._old) if self._old.n else (self._young,):
            generation.find(keys, found, self.in_loops)
        return found

    def first_of_each(self, keys: np.ndarray) -> np.ndarray:
        """For each key the first place that holds the same.

        >>> KeyTable(1).first_of_each(np.array([7, 3, 7, 3, 5], dtype=np.uint64))
        array([0, 1, 0, 1, 4])
        """
        if not self.in_loops:
            return first_of_each(keys)
        from subsel._loops.key_table import first_of_each_key

        same = np.empty(len(keys), dtype=np.int64)
        first_of_each_key(
            keys, np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int32), same
        )
        return same

    @property
    def in_loops(self) -> bool:
        """Whether compiled code is used, which finds the same."""
        return pays(_LOOK * self._n_keys)

    def store(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Keep the numbers of these keys, which are distinct."""
        for low in range(0, len(keys), self._half):
            part = slice(low, low + self._half)
            if self._young.n + len(keys[part]) > self._half:
                self._young, self._old = _Generation(self._half), self._young
            self._young.store(keys[part], values[part], self.in_loops)


class _Generation:
    """Open addressing with linear probing, at most half full; ``most`` says how many numbers there may ever be."""

    def __init__(self, most: int, n_slots: int = _FIRST) -> None:
        self.n, self._mask, self._most = 0, n_slots - 1, most
        self._keys, self._values = np.zeros(n_slots, dtype=np.uint64), np.empty(n_slots)

    def find(self, keys: np.ndarray, found: np.ndarray, in_loops: bool) -> None:
        """Look up what is not found yet."""
        if in_loops:
            from subsel._loops.key_table import find_keys

            find_keys(self._keys, self._values, keys, found)
            return
        left, keys = np.flatnonzero(np.isnan(found)), _named(keys)
        slots = (keys[left] & np.uint64(self._mask)).astype(np.int64)
        while len(left):
            held = self._keys[slots]
            hit = held == keys[left]
            found[left[hit]] = self._values[slots[hit]]
            on = np.flatnonzero(~hit & (held != _EMPTY))
            left, slots = left[on], (slots[on] + 1) & self._mask

    def store(self, keys: np.ndarray, values: np.ndarray, in_loops: bool) -> None:
        if 2 * (self.n + len(keys)) > self._mask:
            self._grow(self.n + len(keys), in_loops)
        if in_loops:
            from subsel._loops.key_table import store_keys

            self.n += store_keys(self._keys, self._values, keys, values)
            return
        keys = _named(keys)
        left, slots = np.arange(len(keys)), (keys & np.uint64(self._mask)).astype(np.int64)
        while len(left):
            held = self._keys[slots]
            free = np.flatnonzero(held == _EMPTY)
            self._keys[slots[free]] = keys[left[free]]  # of two that want one slot the last has it
            mine = self._keys[slots] == keys[left]
            self._values[slots[mine]] = values[left[mine]]
            self.n += int(mine[free].sum())
            on = np.flatnonzero(~mine)
            left, slots = left[on], (slots[on] + 1) & self._mask

    def _grow(self, n: int, in_loops: bool) -> None:
        """Make room for many more than n, since each number that is held must find a new place."""
        wanted = max(4 * n, min(_AHEAD * n, 2 * self._most))
        bigger = _Generation(self._most, 1 << int(wanted).bit_length())
        here = np.flatnonzero(self._keys != _EMPTY)
        if len(here):
            bigger.store(self._keys[here], self._values[here], in_loops)
        self._keys, self._values, self._mask = bigger._keys, bigger._values, bigger._mask


def first_of_each(keys: np.ndarray) -> np.ndarray:
    """For each key the first place that holds the same.

    >>> first_of_each(np.array([7, 3, 7, 3, 5]))
    array([0, 1, 0, 1, 4])
    """
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    head = np.ones(len(keys), dtype=bool)
    head[1:] = ordered[1:] != ordered[:-1]
    same = np.empty(len(keys), dtype=np.int64)
    same[order] = order[np.flatnonzero(head)[np.cumsum(head) - 1]]
    return same


def _named(keys: np.ndarray) -> np.ndarray:
    """Keys, none of which is the mark of an empty slot."""
    return np.where(keys == _EMPTY, np.uint64(1), keys)
