"""The chapter's recipe for many columns and few rows of one class."""

from __future__ import annotations

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from subsel.construct.latent.base import LossName
from subsel.construct.latent.linear import LatentFeatures

__all__ = ["latent_svm"]


def latent_svm(n_components: int = 15, loss: LossName = "logistic", C: float = 1.0) -> Pipeline:
    """Give a linear support vector machine on scaled latent features of weighted classes [1]_.

    Parameters
    ----------
    n_components : int
        5 or 15 in the chapter.
    loss : str
        Of the latent features; the chapter prefers logistic loss to squared loss.
    C : float
        Price of a row inside the margin.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in *Feature Extraction:
       Foundations and Applications*, 2006, section 28.8.2.

    Examples
    --------
    >>> latent_svm(5).fit([[0, 1], [1, 0], [2, 1], [3, 0]], [0, 0, 1, 1]).predict([[0, 0], [3, 3]]).tolist()
    [0, 1]
    """
    features = LatentFeatures(n_components, loss, class_weight="balanced", scaled=True)
    return make_pipeline(features, LinearSVC(C=C, class_weight="balanced"))
