"""Write or check the stored answers: ``python -m tests.golden --check [-k SUBSTRING]``,
``python -m tests.golden --write answers|texts [-k SUBSTRING]``; both read the table in `configurations`."""

from __future__ import annotations

import argparse
import os
import sys
from time import perf_counter

from tests.golden.configurations import CONFIGURATIONS
from tests.golden.record import ANSWERS, TEXTS, differences, load, record, store

FILES = {"answers": ANSWERS, "texts": TEXTS}
MOST = 5  # differences shown of one configuration


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", choices=[*FILES, "both"])
    what.add_argument("--check", action="store_true")
    parser.add_argument("-k", default="", metavar="SUBSTRING", help="only ids that contain it")
    parser.add_argument("--durations", action="store_true", help="print the slowest ten")
    given = parser.parse_args()
    kinds = list(FILES) if given.write in (None, "both") else [given.write]
    chosen = [key for key in CONFIGURATIONS if given.k in key]
    seconds, found = {}, {kind: {} for kind in FILES}
    for key in chosen:
        begin = perf_counter()
        try:
            answers, texts = record(CONFIGURATIONS[key])
        except Exception as error:
            if given.write:
                raise RuntimeError(f"{key} has no answer to write.") from error
            answers, texts = {"error": f"{type(error).__name__}: {error}"}, {}
        found["answers"][key], found["texts"][key] = answers, texts
        seconds[key] = perf_counter() - begin
    if given.durations:
        for key in sorted(seconds, key=seconds.__getitem__)[:-11:-1]:
            print(f"{seconds[key]:6.2f} s  {key}")
    differing = 0
    for kind in kinds:
        if given.write:
            differing += _write(kind, found[kind])
        else:
            differing += _check(kind, found[kind], given.k)
    print(f"{len(chosen)} configurations in {sum(seconds.values()):.0f} s, {differing} differ")
    return int(bool(differing) and given.check)


def _write(kind: str, found: dict) -> int:
    """Store what was found over what is stored of the same ids; ids that are no more are dropped."""
    stored = {key: one for key, one in load(FILES[kind]).items() if key in CONFIGURATIONS}
    store(FILES[kind], stored | found)
    return sum(stored.get(key) != one for key, one in found.items())


def _check(kind: str, found: dict, part: str) -> int:
    """Print how what was found differs from what is stored."""
    stored, n_differing = load(FILES[kind]), 0
    digits = int(os.environ.get("SUBSEL_GOLDEN_DIGITS", "8"))
    for key in sorted(found.keys() | {key for key in stored if part in key}):
        told = list(differences(stored.get(key), found.get(key), digits))
        if told:
            n_differing += 1
            print(f"{kind} of {key}: {len(told)} differences")
            for line in told[:MOST]:
                print(f"    {line[:300]}")
    return n_differing


if __name__ == "__main__":
    sys.exit(main())
