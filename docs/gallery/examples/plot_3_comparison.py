"""
Several searches on the same folds
==================================

Forward and floating selection, and all features, each assessed on the same outer folds.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import SubsetSelector, compare
from subsel.report import ParetoDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(y), 7))
X = X.assign(**{f"noise {j}": noise[:, j] for j in range(7)})
model = make_pipeline(StandardScaler(), KNeighborsClassifier())

# %%
# Error against number of features
# --------------------------------
#
# Down and to the left is better; bars are intervals.

several = [
    ("forward", SubsetSelector(model, search="sfs", n_features=5)),
    ("floating", SubsetSelector(model, search="sffs", choose="one-se", random_state=0)),
    ("all features", None),
]
ParetoDisplay.from_comparison(compare(several, model, X, y, random_state=0))
