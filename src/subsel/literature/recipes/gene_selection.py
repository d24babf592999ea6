"""GSA and mo-GSA: subsets of genes evaluated by a support vector machine."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from subsel.search.walks.random_walk import RandomWalk
from subsel.selector.subset import SubsetSelector

__all__ = ["gsa", "mo_gsa"]


def gsa(
    kernel: Literal["linear", "rbf", "poly"] = "linear",
    C: float = 1.0,
    gamma: float | str = "scale",
    degree: int = 2,
) -> Pipeline:
    """The classifier whose accuracy scores a subset: a support vector machine on standardised columns [1]_.

    ``kernel`` is ``"linear"``, ``"rbf"`` (Gaussian) or ``"poly"`` (polynomial of a ``degree``, with a constant of 1); the
    paper gives neither C nor the width nor the degree.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, section 3.2.

    Examples
    --------
    >>> gsa("rbf")[-1].kernel
    'rbf'
    """
    constant = 1.0 if kernel == "poly" else 0.0
    return make_pipeline(
        StandardScaler(), SVC(kernel=kernel, C=C, gamma=gamma, degree=degree, coef0=constant)
    )


def mo_gsa(
    kernel: Literal["linear", "rbf", "poly"] = "linear",
    C: float = 1.0,
    gamma: float | str = "scale",
    degree: int = 2,
    c: float | None = None,
    **options: Any,
) -> SubsetSelector:
    """Search the genes by a random walk on the accuracy of :func:`gsa`.

    By default the accuracy is cross-validated. The paper scored its walk on the rows on which it then reported:
    ``cv=[(train, test)]`` repeats that, and what it finds on pure noise is selection bias.

    Parameters
    ----------
    kernel, C, gamma, degree : Any
        As in :func:`gsa`.
    c : float or None
        As in :class:`subsel.search.RandomWalk`.
    **options : Any
        Further parameters of :class:`subsel.SubsetSelector`.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*, International Journal of
       Foundations of Computer Science 26, 2015, sections 3.2 and 4.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = mo_gsa(cv=3, budget=40, random_state=0).fit(X, y)
    >>> selector.result_.best_quality > 0.97
    True
    """
    return SubsetSelector(
        gsa(kernel, C, gamma, degree), search=RandomWalk("metropolis", c=c), **options
    )
