"""A ranking that is interrupted at any line writes all of its files or none."""

import numpy as np
import pytest

from subsel.cli import main
from tests.faults.injection import fault_at, n_lines


def rank(folder):
    return main(
        ["rank", "t.csv", "--target", "y", "--score", "anova-f", "--out", str(folder), "--quiet"]
    )


def survive(folder, count, seed):
    """Interrupt so many rankings; the exit code says it."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.normal(size=(20, 3)), np.arange(20) % 2])
    np.savetxt(folder / "t.csv", rows, delimiter=",", header="a,b,c,y", comments="", fmt="%.4f")
    total = n_lines(lambda: rank(folder / "plain"))
    plain = (folder / "plain" / "ranking.csv").read_bytes()
    codes = []
    for number, line in enumerate(rng.integers(total, size=count)):
        place = folder / str(number)
        with fault_at(line):
            try:
                codes.append(rank(place))
            except KeyboardInterrupt:  # before or after the command
                codes.append(130)
        found = {file.name for file in place.iterdir()} if place.exists() else set()
        assert found in (set(), {"ranking.csv", "ranking.json", "ranking.png"}), line
        assert not found or (place / "ranking.csv").read_bytes() == plain
        assert (codes[-1], bool(found)) in ((130, False), (130, True), (0, True)), line
    return codes


def test_an_interrupted_ranking_is_whole_or_not_there(tmp_path, monkeypatch):
    """Three lines, drawn evenly."""
    monkeypatch.chdir(tmp_path)
    assert 130 in survive(tmp_path, 3, 8)


@pytest.mark.slow
def test_twenty_interrupted_rankings_are_whole_or_not_there(tmp_path, monkeypatch):
    """Twenty lines."""
    monkeypatch.chdir(tmp_path)
    assert 130 in survive(tmp_path, 20, 9)
