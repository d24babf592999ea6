"""Recipes for selection with error control."""

import numpy as np
import pytest

from subsel.recipes import fixed_x_knockoffs, knockoffs, randomised_lasso, stability_selection


@pytest.mark.parametrize(
    "selector",
    [
        stability_selection(n_samples=20, random_state=0),
        stability_selection(after="meinshausen-buhlmann", n_samples=20, random_state=0),
        randomised_lasso(n_samples=20, random_state=0),
        knockoffs(fdr=0.2, random_state=0),
        fixed_x_knockoffs(fdr=0.2, random_state=0),
    ],
    ids=["pairs", "halves", "randomised", "model-X", "fixed-X"],
)
@pytest.mark.slow
def test_recipes_find_strong_features(selector):
    """Five strong features of sixty are found, over a dozen draws with few others, and the selector says on what evidence."""
    shares = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((200, 60))
        y = X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(200)
        found = selector.fit(X, y).get_support()
        assert found[:5].sum() >= 4
        shares.append(found[5:].sum() / found.sum())
    assert np.mean(shares) <= 0.35  # three standard errors over the rate of 0.2
    assert "at most" in selector.evidence_


def test_an_unknown_paper_is_refused():
    """The message lists the two."""
    with pytest.raises(ValueError, match="shah-samworth"):
        stability_selection(after="nobody")
