"""A table as people have it.

A spreadsheet saved by a German Excel, with text, dates, gaps, wards and weights.
"""

import numpy as np
import pandas as pd
import pytest


def ward_table(n=120, seed=0):
    """Size and town decide, everything else is noise.

    13 columns of which 10 can be selected and 8 learnt from.
    """
    rng = np.random.default_rng(seed)
    size, town = rng.normal(40, 10, n).round(1), rng.choice(list("ABC"), n)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    frame = pd.DataFrame(
        {
            "id": np.arange(n) + 1,
            "größe": size,
            "town": town,
            "joined": days.strftime("%d.%m.%Y"),
            "smokes": rng.choice(["yes", "no"], n),
            "who": [f"p{i}" for i in range(n)],
            "ward": rng.integers(0, 12, n),
            "weight": rng.integers(1, 4, n),
            **{f"n{i}": rng.normal(size=n).round(3) for i in range(4)},
            "y": np.where(size + 14 * (town == "A") + rng.normal(0, 2, n) > 44, "ja", "nein"),
        }
    )
    frame.loc[rng.choice(n, 20, False), "größe"] = np.nan
    frame.loc[rng.choice(n, 12, False), "town"] = None
    return frame


@pytest.fixture(scope="session")
def wards():
    """The table as a frame."""
    return ward_table()


@pytest.fixture(scope="session")
def wards_file(wards, tmp_path_factory):
    """The table as a file."""
    path = tmp_path_factory.mktemp("wards") / "wards.csv"
    wards.to_csv(path, sep=";", decimal=",", index=False, encoding="cp1252")
    return str(path)
