"""The tables: those looked at while the job was designed, and those kept for the final table."""

import gzip
import itertools
import re
from collections import Counter
from csv import DictReader
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets
from tests.real_tables import given_folder, table_if_here

from subsel.criteria.scoring.measures import default_scoring
from subsel.data.task import Task

__all__ = ["DESIGN", "FINAL", "Problem", "load"]

WITH_SKLEARN = {
    "breast cancer": "breast_cancer",
    "wine": "wine",
    "digits": "digits",
    "diabetes": "diabetes",
}

DESIGN = (
    "colon",
    "lymphoma",
    "srbct",
    "leukemia",
    "sonar",
    "wine",
    "diabetes",
    "digits",
    "waveform40",
    "madelon",
    "spambase",
    "breast cancer",
    "polymer chains",
    "monks1",
)
"""Looked at while procedures, costs and tolerances were chosen."""

FINAL = (
    "arcene",
    "dexter",
    "gisette (validation part)",
    "dorothea",
    "prostate",
    "seldi",
    "ionosphere",
    "soybean",
    "vote",
    "mushroom",
    "waveform21",
    "monks2",
    "monks3",
    "parity5+5",
    "corral",
    "polymer Egb",
    "polymer Xc",
    "polymer Eat",
    "polymer eps",
    "polymer Ei",
    "polymer Eea",
)
"""Looked at only for the final table. Named before the first run of either."""

_FILES = {
    "colon": "colon_alon",
    "lymphoma": "lymphoma_alizadeh",
    "srbct": "srbct_khan",
    "leukemia": "leukemia_golub",
    "prostate": "prostate_singh",
    "seldi": "seldi_imac_camassclass",
    "gisette (validation part)": "gisette_valid_only",
    "polymer chains": "polymer_bandgap_chain_tokens",
    "parity5+5": "parity5_5",
}
_UCI = (
    "sonar",
    "waveform40",
    "waveform21",
    "spambase",
    "ionosphere",
    "soybean",
    "vote",
    "mushroom",
    "monks1",
    "monks2",
)
_CODED = (
    "soybean",
    "vote",
    "mushroom",
)  # columns of unordered codes, which become one column per value


@dataclass(frozen=True)
class Problem:
    """A table, its target, and rows that belong together."""

    name: str
    X: Any
    y: np.ndarray
    regression: bool
    groups: np.ndarray | None = None

    @property
    def scoring(self) -> str:
        """R2, accuracy, or balanced accuracy for skewed classes; of all procedures."""
        return default_scoring(
            Task.of(self.X, self.y, "regression" if self.regression else "classification")
        )

    @property
    def weights(self) -> dict[str, str]:
        """Of classes, for models that take them: alike where classes are skewed."""
        return {"class_weight": "balanced"} if self.scoring == "balanced_accuracy" else {}


def load(name: str) -> Problem | None:
    """A table by its name, or None where its file is not here."""
    if name in WITH_SKLEARN:
        X, y = getattr(datasets, f"load_{WITH_SKLEARN[name]}")(return_X_y=True)
        return Problem(name, X, y, regression=name == "diabetes")
    if name.startswith("polymer ") and name != "polymer chains":
        return _polymers(name)
    stem = f"uci_{name}" if name in (*_UCI, "monks3") else _FILES.get(name, name)
    path = table_if_here(f"{stem}.npz", given_folder())
    if path is None:
        return None
    held = np.load(path)
    if "data" in held:
        parts = held["data"].astype(float), held["indices"], held["indptr"]
        X: Any = sparse.csr_matrix(parts, shape=tuple(held["shape"]))
        X = X if name == "dorothea" else X.toarray()
    else:
        X = held["X"].astype(float)
    if name in _CODED:
        X = np.hstack([(column[:, None] == np.unique(column)).astype(float) for column in X.T])
    return Problem(name, X, held["y"], name == "polymer chains", held.get("patient", None))


def _polymers(name: str) -> Problem | None:
    """A property of polymers from counts of the tokens, and pairs of tokens, of their formulas."""
    path = table_if_here("polymer/khazana_multitask.csv.gz", given_folder())
    if path is None:
        return None
    with gzip.open(path, "rt") as lines:
        rows = [
            (row["smiles"], float(row["value"]))
            for row in DictReader(lines)
            if row["property"] == name[8:]
        ]
    tokens = [
        re.findall(r"\[[^\]]*\]|Br|Cl|%\d\d|.", re.sub(r"\d", "R", smiles)) for smiles, _ in rows
    ]
    counts = [Counter([*found, *map("".join, itertools.pairwise(found))]) for found in tokens]
    seen = Counter(token for count in counts for token in count)
    kept = sorted(token for token, times in seen.items() if times >= 5)
    X = np.array([[count[token] for token in kept] for count in counts], dtype=float)
    return Problem(name, X, np.array([value for _, value in rows]), regression=True)
