"""The challenge's kept results: one file, from which every submission can be read again."""

import json

import numpy as np
import pytest

from subsel.literature.challenge import Submission

challenge_kept = pytest.importorskip(
    "benchmarks.challenge_kept", reason="tests of the kept results need the repository"
)
kept_folder, pack, unpack = (challenge_kept.kept_folder, challenge_kept.pack, challenge_kept.unpack)


def test_what_is_packed_is_unpacked(tmp_path):
    """Columns, confidences of validation rows, classes of training rows and texts are the same."""
    folder, file = tmp_path / "runs", tmp_path / "kept.npz"
    for name, features in (("one", [0, 3, 9]), ("two", [0, 3, 9]), ("three", [])):
        given = Submission(
            name,
            "tiny",
            np.array([0.5, -2.0, 3.0]),
            np.array([1e-9, -0.25]),
            np.array(features, dtype=int),
            1.5,
            name == "two",
        )
        given.save(folder / "submissions" / "tiny" / f"{name}.npz")
    (folder / "note.txt").write_text("größer\n", encoding="utf8")
    pack(folder, file)
    again = kept_folder(tmp_path / "again", file)
    for path in folder.rglob("*.npz"):
        old, new = Submission.load(path), Submission.load(again / path.relative_to(folder))
        assert old.fingerprint == new.fingerprint and old.entry == new.entry
        np.testing.assert_array_equal(new.valid, old.valid)
        np.testing.assert_array_equal(new.train, np.sign(old.train))
        assert (new.seconds, new.transductive) == (old.seconds, old.transductive)
    assert (again / "note.txt").read_text(encoding="utf8") == "größer\n"
    first = file.read_bytes()
    pack(again, file)
    assert file.read_bytes() == first


def test_every_kept_submission_is_on_record(tmp_path):
    """Each submission of the first date has its opening of the labels in the kept record."""
    unpack(tmp_path)
    lines = (tmp_path / "openings.jsonl").read_text(encoding="utf8").splitlines()
    record = {(r["entry"], r["problem"], r["fingerprint"]) for r in map(json.loads, lines)}
    kept = [
        Submission.load(path)
        for part in ("first_opening", "submissions")
        for path in sorted((tmp_path / part).rglob("*.npz"))
    ]
    assert len(kept) > 100
    assert {(one.entry, one.problem, one.fingerprint) for one in kept} <= record
