"""
A search and what it found
==========================

The wine data with seven columns of noise beside it, searched by nearest neighbours without refitting.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from subsel import SubsetSelector
from subsel.report import AnytimeDisplay, FrontDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(y), 7))
X = X.assign(**{f"noise {j}": noise[:, j] for j in range(7)})
model = make_pipeline(StandardScaler(), KNeighborsClassifier())

# %%
# Four restarts of a random walk: the best so far
# -----------------------------------------------
#
# How soon each restart finds what it finds.

walk = SubsetSelector(model, search="rfs1", budget=1500, restarts=4, random_state=0).fit(X, y)
AnytimeDisplay.from_result(walk.result_)

# %%
# The best subset of each size
# ----------------------------
#
# Floating selection takes the smallest subset within one standard error of the best.

floating = SubsetSelector(model, search="sffs", choose="one-se", random_state=0).fit(X, y)
FrontDisplay.from_result(floating.result_)
