"""A disk that is full after any byte.

An error that says so, whole records before it, and the same result later.
"""

import warnings

import numpy as np
import pytest

from subsel.engine.journal import journal as journal_module
from subsel.runtime import record_file
from subsel.runtime.record_file import JournalDamaged, JournalError
from tests.engine.journal.journal_run import play, seal
from tests.faults.injection import FullDisk


def survive(key, folder, rooms, monkeypatch):
    """Run out of room after each of so many bytes, then make room."""
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)
    plain = seal(play(None, key, 2, budget=60))
    for number, room in enumerate(rooms):
        with monkeypatch.context() as patch:
            patch.setattr(record_file.io, "FileIO", FullDisk)
            patch.setattr(FullDisk, "room", int(room))
            with pytest.raises(JournalError, match=r"cannot write the journal.*No space left"):
                play(folder / str(number), key, 2, budget=60)
        with warnings.catch_warnings():
            warnings.simplefilter("error", JournalDamaged)
            assert seal(play(folder / str(number), key, 2, budget=60)) == plain, room


def n_bytes(key, folder):
    """How much the whole run writes."""
    play(folder, key, 2, budget=60)
    return sum(file.stat().st_size for file in folder.iterdir())


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_disk_full_after_any_byte_loses_nothing(tmp_path, monkeypatch):
    """Four of them, drawn evenly."""
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)
    most = n_bytes("rmhc", tmp_path / "count")
    survive("rmhc", tmp_path, np.random.default_rng(6).integers(most - 100, size=4), monkeypatch)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("key", ["sffs", "rfe"])
def test_forty_full_disks_lose_nothing(key, tmp_path, monkeypatch):
    """Twenty of them."""
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)
    most = n_bytes(key, tmp_path / "count")
    survive(key, tmp_path, np.random.default_rng(7).integers(most - 100, size=20), monkeypatch)
