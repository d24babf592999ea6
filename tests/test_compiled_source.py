"""Machine code on disk follows the source of all that it was made of."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from subsel._loops import source

CALLER = "from subsel._loops import compiled\nfrom {callee} import inside\n\n@compiled\ndef around():\n    return inside()\n"
CALLEE = "from subsel._loops import inner\n\n@inner\ndef inside():\n    return {number}\n"


def load(file: Path) -> ModuleType:
    """A file as a module, by another name than any before."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def answer(monkeypatch, tmp_path):
    """What a loop answers that calls one of another file, which gives a number, when the source has this stamp."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "stale_caller.py").write_text(CALLER.format(callee="stale_callee"))

    def answer(number: int, stamp: str) -> int:
        source.forget_other.cache_clear()
        monkeypatch.setattr(source, "stamp", lambda: stamp)
        callee = tmp_path / "stale_callee.py"
        callee.write_text(CALLEE.format(number=number))
        with monkeypatch.context() as loaded:
            loaded.setitem(sys.modules, "stale_callee", load(callee))
            return load(tmp_path / "stale_caller.py").around()

    return answer


def test_a_changed_callee_is_compiled_anew(answer):
    """numba alone would go on with the callee that it knows."""
    assert answer(1, "first") == 1
    assert answer(22, "first") == 1, "numba notices by itself now: forget_other can go"
    assert answer(22, "second") == 22
    assert answer(22, "second") == 22


def test_other_files_are_left_alone(monkeypatch, tmp_path):
    """Indices go if they are of another source, and only then; a folder that is none does no harm."""
    (tmp_path / "loop.nbi").touch()
    (tmp_path / "subsel-1.compiled").touch()
    (tmp_path / "subsel.source").write_text(source.stamp())
    source.forget_other(str(tmp_path))
    assert (tmp_path / "loop.nbi").exists()
    (tmp_path / "subsel.source").write_text("another")
    source.forget_other.cache_clear()
    source.forget_other(str(tmp_path))
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "subsel-1.compiled",
        "subsel.source",
    ]
    source.forget_other(str(tmp_path / "nowhere" / "at all"))
    source.forget_other(None)
