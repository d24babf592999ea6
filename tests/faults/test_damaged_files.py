"""Journals that were damaged, tampered with or linked elsewhere.

Named, kept, and never silently wrong.
"""

import json
import warnings

import pytest
from sklearn.datasets import load_wine

from subsel.cli import main
from subsel.engine.journal import journal as journal_module
from subsel.runtime.record_file import JournalDamaged, JournalError, RecordFile, read_header
from tests.engine.journal.journal_run import play, seal


@pytest.fixture
def run_file(tmp_path, monkeypatch):
    """The journal of a finished run, in many small records."""
    monkeypatch.setattr(journal_module, "FLUSH", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        play(tmp_path, "rmhc", 1, budget=50)
    (file,) = tmp_path.iterdir()
    return file


@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_a_flipped_bit_is_said_and_the_file_is_kept(share, run_file, tmp_path):
    """In the header or in a record.

    How much is lost, where the damaged file lies, and the same result.
    """
    whole = bytearray(run_file.read_bytes())
    whole[20 + int(share * (len(whole) - 20))] ^= 4
    run_file.write_bytes(whole)
    with pytest.warns(
        JournalDamaged, match=r"at most [\d,]+ evaluations, are computed again.*damaged-1"
    ):
        again = play(tmp_path, "rmhc", 1, budget=50)
    assert (tmp_path / f"{run_file.name}.damaged-1").read_bytes() == whole
    assert seal(again) == seal(play(None, "rmhc", 1, budget=50))
    with warnings.catch_warnings():
        warnings.simplefilter("error", JournalDamaged)
        assert play(tmp_path, "rmhc", 1, budget=50).n_replayed == again.n_evaluations


def test_a_link_is_not_followed(run_file, tmp_path):
    """A file may lead to anybody's; a linked directory is the user's own."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    target = elsewhere / "precious"
    target.write_bytes(run_file.read_bytes())
    run_file.unlink()
    run_file.symlink_to(target)
    before = target.read_bytes()
    for opening in (
        lambda: RecordFile(run_file, {}),
        lambda: read_header(run_file),
        lambda: play(tmp_path, "rmhc", 1),
    ):
        with pytest.raises(JournalError, match="symbolic link"):
            opening()
    assert target.read_bytes() == before
    (tmp_path / "linked").symlink_to(elsewhere)
    assert play(tmp_path / "linked", "rmhc", 1, budget=50).n_evaluations == 50


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A job with a journal, as the command line keeps it."""
    monkeypatch.chdir(tmp_path)
    load_wine(as_frame=True).data.assign(kind=load_wine().target).iloc[::4].to_csv(
        "wine.csv", index=False
    )
    job = [
        "select",
        "wine.csv",
        "--target",
        "kind",
        "--search",
        "sfs",
        "--estimator",
        "lda",
        "--n-features",
        "2",
    ]
    assert main([*job, "--no-assess", "--budget", "20", "--journal", "runs", "--quiet"]) == 0
    return tmp_path / "runs" / "command.json"


def resume(capsys, *more):
    """The exit code, and what was said: never a traceback."""
    code = main(["resume", "runs", "--quiet", *more])
    return code, capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"command": 3, "data": {}}',
        '{"command": {}, "data": {}}',
        "[" * 100_000,
        "\udcff",
    ],
    ids=["empty", "half", "list", "null", "nothing", "number", "no keys", "deep", "not text"],
)
def test_a_broken_command_is_named(text, kept, capsys):
    """In one line, with the file."""
    kept.write_bytes(text.encode("utf8", "surrogateescape"))
    code, said = resume(capsys)
    assert code == 1
    assert said.count("\n") == 1
    assert "command.json" in said


def test_every_key_of_a_command_may_be_missing_or_wrong(kept, capsys):
    """An error in one line, or a resumed job where the key has a default.

    What is no job is named.
    """
    record = json.loads(kept.read_text())
    for key in record["command"]:
        for wrong in (None, 7, "nonsense", {"a": [1]}):
            changed = {**record, "command": {**record["command"], key: wrong}}
            if wrong is None:
                del changed["command"][key]
            kept.write_text(json.dumps(changed))
            code, said = resume(capsys, "--out", "elsewhere")
            assert (code, said.count("\n")) in ((0, 0), (1, 1)), (key, wrong, said)
    kept.write_text(json.dumps({**record, "command": {**record["command"], "job": "erase"}}))
    assert "no job of ours" in resume(capsys)[1]


def test_resume_writes_beside_its_journal_only(kept, tmp_path, capsys, tmp_path_factory):
    """A tampered command cannot send files elsewhere; --out can."""
    outside = tmp_path_factory.mktemp("outside")
    record = json.loads(kept.read_text())
    record["command"]["output"]["folder"] = str(outside / "new")
    kept.write_text(json.dumps(record))
    code, said = resume(capsys)
    assert (code, "--out" in said) == (1, True)
    assert list(outside.iterdir()) == []
    assert resume(capsys, "--out", str(outside / "new")) == (0, "")
    assert (outside / "new" / "selection.json").exists()


def test_a_linked_command_is_not_followed(kept, tmp_path, capsys):
    """Neither read nor written."""
    kept.rename(tmp_path / "other.json")
    kept.symlink_to(tmp_path / "other.json")
    assert "symbolic link" in resume(capsys)[1]
    assert kept.is_symlink()
