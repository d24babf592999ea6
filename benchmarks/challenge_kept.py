"""What is kept of the runs of challenge entries: one file, unpacked to be read and packed again.

``python -m benchmarks.challenge_kept`` unpacks ``benchmarks/results/challenge.npz`` into
``build/challenge``, the folder that ``subsel challenge --out build/challenge`` goes on with;
``--pack`` writes the folder back into the file, and ``--folder`` names another folder. For each
entry and problem the file holds the columns used, the confidence of each validation row, the
predicted class of each training row (not its confidence), the seconds, and the text files beside
them: the record of openings, our front, what explains each miss, and the errors of 72 machines.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table import RESULTS
from subsel.data.files.npz import read_arrays
from subsel.literature.challenge import Submission

FILE = RESULTS / "challenge.npz"
FOLDER = RESULTS.parents[1] / "build" / "challenge"


def kept_folder(folder: Path = FOLDER, file: Path = FILE) -> Path:
    """The unpacked folder; one that is there already is taken as it is."""
    if not folder.exists():
        unpack(folder, file)
    return folder


def pack(folder: Path = FOLDER, file: Path = FILE) -> None:
    """Write a folder of submissions and texts into one file; nothing in it is a pickle."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    given = {
        path.relative_to(folder).as_posix(): Submission.load(path)
        for path in paths
        if path.suffix == ".npz"
    }
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf8")
        for path in paths
        if path.suffix != ".npz"
    }
    sets: dict[bytes, int] = {}
    for one in given.values():
        sets.setdefault(_bits(one.features), len(sets))
    rows = [
        {
            "path": name,
            "entry": one.entry,
            "problem": one.problem,
            "rows": [len(one.train), len(one.valid)],
            "set": sets[_bits(one.features)],
            "seconds": one.seconds,
            "transductive": one.transductive,
        }
        for name, one in given.items()
    ]
    np.savez_compressed(
        file,
        submissions=_text(rows),
        texts=_text(texts),
        bytes_of_sets=np.array([len(bits) for bits in sets], dtype=np.int32),
        sets=np.frombuffer(b"".join(sets), dtype=np.uint8),
        train=np.packbits(np.concatenate([one.train > 0 for one in given.values()])),
        valid=np.concatenate([one.valid for one in given.values()]),
    )


def unpack(folder: Path = FOLDER, file: Path = FILE) -> None:
    """Write the submissions and texts of the file into a folder, as they are used."""
    held = read_arrays(file)
    ends = np.cumsum(held["bytes_of_sets"])[:-1]
    sets = [np.flatnonzero(np.unpackbits(bits)) for bits in np.split(held["sets"], ends)]
    said = np.where(np.unpackbits(held["train"]), 1.0, -1.0)
    n_train = n_valid = 0
    for row in _read(held["submissions"]):
        train, valid = row["rows"]
        Submission(
            row["entry"],
            row["problem"],
            said[n_train : n_train + train],
            held["valid"][n_valid : n_valid + valid],
            sets[row["set"]],
            row["seconds"],
            row["transductive"],
        ).save(folder / row["path"])
        n_train, n_valid = n_train + train, n_valid + valid
    for name, text in _read(held["texts"]).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")


def _bits(features: np.ndarray) -> bytes:
    """A set of columns as bits."""
    return np.packbits(np.isin(np.arange(features.max(initial=-1) + 1), features)).tobytes()


def _text(value: Any) -> np.ndarray:
    return np.frombuffer(json.dumps(value).encode("utf8"), dtype=np.uint8)


def _read(text: np.ndarray) -> Any:
    return json.loads(text.tobytes().decode("utf8"))


def main() -> None:
    """Unpack, or pack again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--pack", action="store_true", help="write the folder into the file")
    given = parser.parse_args()
    if given.pack:
        pack(given.folder)
    else:
        unpack(given.folder)
    print(given.folder)


if __name__ == "__main__":
    main()
