"""
How good, and how steady
========================

The whole selection is repeated in outer folds: what it promised, what came of it, and what it chose.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import SubsetSelector, assess
from subsel.report import (
    AgreementDisplay,
    FrequencyDisplay,
    OptimismDisplay,
    ReferenceDisplay,
    ValuesDisplay,
)

X, y = load_wine(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(y), 7))
X = X.assign(**{f"noise {j}": noise[:, j] for j in range(7)})
model = make_pipeline(StandardScaler(), KNeighborsClassifier())
floating = SubsetSelector(model, search="sffs", choose="one-se", random_state=0)
nested = assess(floating, model, X, y, random_state=0)
chosen = floating.fit(X, y).get_support(indices=True)

# %%
# How often each feature was selected in the outer folds
# ------------------------------------------------------
#
# Noise should stay below, what matters above.

FrequencyDisplay.from_assessment(nested, chosen)

# %%
# What guided the search against what came of it
# ----------------------------------------------
#
# The quality that a search maximises is no estimate.

OptimismDisplay.from_assessment(nested)

# %%
# How alike the selections of the folds are
# -----------------------------------------
#
# One: always the same features; zero: as chance would have it.

AgreementDisplay.from_assessment(nested)

# %%
# Against simple alternatives on the same folds
# ---------------------------------------------
#
# Is selecting worth it?

ReferenceDisplay.from_assessment(nested)

# %%
# Values of the chosen few by class
# ---------------------------------
#
# What the model sees.

ValuesDisplay.from_data(X, y.to_numpy(), chosen[:4], names=list(X.columns), target="cultivar")
