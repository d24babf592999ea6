"""
A ranking and where noise ends
==============================

Every column is scored by itself or in the company of the others; probes that know nothing show what chance reaches.
"""

import numpy as np
from sklearn.datasets import load_wine

from subsel import RankingSelector
from subsel.report import RankingDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
noise = np.random.default_rng(0).normal(size=(len(y), 7))
X = X.assign(**{f"noise {j}": noise[:, j] for j in range(7)})

# %%
# ReliefF with the cut that probes support
# ----------------------------------------
#
# Columns beyond what probes reach are kept.

ranking = RankingSelector("relieff", cut="probes:0.1", random_state=0).fit(X, y)
RankingDisplay.from_selector(ranking, list(X.columns))
