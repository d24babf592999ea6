"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout."""
    if not DATA.is_dir():
        pytest.skip(f"real data not found at {DATA}")
    return DATA
