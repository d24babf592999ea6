"""Limits of memory: an error that tells what is needed, also from a worker."""

import pickle

from subsel.runtime.memory import NotEnoughMemory


def test_the_error_survives_pickling():
    """Pickled and read back, it has the same message and the same figures."""
    error = NotEnoughMemory("the table", 3e9, 1e9, "take fewer columns")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert (again.needed, again.limit) == (error.needed, error.limit)
