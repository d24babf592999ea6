"""Machine code on disk is found by the contents of the source.

Copies share it, changes are compiled, and no user is refused.
"""

import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import subsel
from subsel._loops import machine_code
from subsel._loops import machine_code as source
from subsel._loops.compiler import compiled, seconds_compiling

CALLER = (
    "from subsel._loops.compiler import compiled\nfrom {callee} import inside\n\n"
    "@compiled\ndef around():\n    return inside()\n"
)
CALLEE = "from subsel._loops.compiler import inner\n\n@inner\ndef inside():\n    return {number}\n"


def load(file: Path) -> ModuleType:
    """A file as a module, by another name than any before."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def answer(monkeypatch, tmp_path):
    """A function that compiles a loop which calls one of another file, and returns its result.

    It takes the number that the other loop returns, and the stamp of the source.
    """
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "stale_caller.py").write_text(CALLER.format(callee="stale_callee"))

    def answer(number: int, stamp: str) -> int:
        monkeypatch.setattr(machine_code, "stamp", lambda *folders: stamp)
        callee = tmp_path / "stale_callee.py"
        callee.write_text(CALLEE.format(number=number))
        with monkeypatch.context() as loaded:
            loaded.setitem(sys.modules, "stale_callee", load(callee))
            return load(tmp_path / "stale_caller.py").around()

    return answer


def test_a_changed_callee_is_compiled_again(answer):
    """numba alone would go on with the callee that it knows."""
    assert answer(1, "first") == 1
    assert answer(22, "first") == 1, "numba notices by itself now: the stamp can go"
    assert answer(22, "second") == 22
    assert answer(22, "second") == 22


def test_an_index_that_names_a_module_that_is_gone_is_written_again(answer, tmp_path):
    """Files that an older version left on disk do not stop a loop.

    It is compiled, and found the next time.
    """
    assert answer(1, "first") == 1
    [index] = (tmp_path / "cache").rglob("*around*.nbi")
    head, gone = (
        index.read_bytes(),
        b"csubsel.gone\nGone\n.",
    )  # the pickle of a class of a module that is not there
    with index.open("wb") as file:
        pickle.dump(pickle.loads(head), file)  # numba's version, which comes first
        file.write(gone)
    assert answer(1, "first") == 1
    assert gone not in index.read_bytes()


def test_the_stamp_is_of_names_and_contents(monkeypatch, tmp_path):
    """A copy has the same stamp, whatever the times of its files.

    A changed or renamed file gives another stamp.
    """
    copy = shutil.copytree(Path(source.__file__).parent, tmp_path / "loops")
    for number, file in enumerate(copy.glob("*.py")):
        os.utime(file, (number, number))
    monkeypatch.setattr(source, "__file__", str(copy / "source.py"))
    stamp = source.stamp.__wrapped__
    assert stamp() == source.stamp()
    (copy / "walks.py").rename(copy / "steps.py")
    assert stamp() != source.stamp()
    (copy / "steps.py").rename(copy / "walks.py")
    (copy / "walks.py").write_text((copy / "walks.py").read_text() + "#")
    assert stamp() != source.stamp()


WALK = """
import numpy as np
from subsel._loops.compiler import listeners

compiled = []
listeners.append(compiled.append)
from subsel.search.walks.walkers import ArrayWalkers
from subsel.space.space import Space

ArrayWalkers(Space.of(6), np.random.default_rng(0), 3).step(np.random.default_rng(1))
print(compiled)
"""


def walked(folder: Path, **settings: str) -> str:
    """What a process compiles for a step of a few walks, with the package as it is in a folder."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    paths = {"PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "of the user")}
    run = subprocess.run(
        [sys.executable, "-c", WALK],
        env={**kept, **paths, **settings},
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return run.stdout.strip()


def installed(folder: Path, writable: bool = True) -> Path:
    """A folder with a copy of the package where nothing can be written.

    A file in the place of ``__pycache__`` refuses any writer, root included.
    """
    without = shutil.ignore_patterns("__pycache__")
    package = shutil.copytree(Path(subsel.__file__).parent, folder / "subsel", ignore=without)
    for file in package.rglob("*.py"):
        os.utime(file, (1e9 + len(str(folder)), 1e9 + len(str(folder))))
    if not writable:
        (package / "_loops" / "__pycache__").touch()
    return folder


def test_a_copy_of_the_package_compiles_nothing_again(tmp_path):
    """With one cache directory for both, whatever the paths and the times of their files."""
    cache = str(tmp_path / "cache")
    one, other = installed(tmp_path / "one"), installed(tmp_path / "another")
    assert walked(one, NUMBA_CACHE_DIR=cache) == "['walks']"
    assert walked(other, NUMBA_CACHE_DIR=cache) == "[]"


def test_an_install_that_cannot_be_written_uses_the_directory_of_the_user(tmp_path):
    """And where that cannot be written either, each process compiles for itself."""
    folder = installed(tmp_path, writable=False)
    assert [walked(folder), walked(folder)] == ["['walks']", "[]"]
    (tmp_path / "nothing").touch()
    assert walked(folder, XDG_CACHE_HOME=str(tmp_path / "nothing" / "at all")) == "[]"


def test_seconds_of_compiling_are_added_up(tmp_path, monkeypatch):
    """A loop without machine code adds to them, once; one that is there does not."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def double(x):
        return 2 * x

    loop, before = compiled(double), seconds_compiling()
    assert loop(1.0) == 2.0 and seconds_compiling() > before
    first = seconds_compiling()
    assert loop(2.0) == 4.0 and seconds_compiling() == first
