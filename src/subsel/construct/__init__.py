"""New columns from existing ones."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "HiddenUnits": "inputs.hidden_units",
    "KernelLatentFeatures": "latent.kernel",
    "KernelPLS": "latent.kernel",
    "LatentFeatures": "latent.linear",
    "LatentFeaturesCV": "latent.components",
    "MeanNormScaler": "inputs.normalisation",
    "Monomials": "inputs.monomials",
    "PowerChoice": "inputs.power",
    "RareCounts": "inputs.rare_counts",
    "RowColumnScaling": "inputs.row_column",
    "SearchedMonomials": "inputs.monomial_search",
    "StabilisedScaler": "inputs.normalisation",
    "anyboost": "latent.anyboost",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
