"""The smoothed error of a support vector machine on held-out rows, and how it changes with the kernel."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from subsel.embedded.svm.bounds import Bound
from subsel.embedded.svm.dual import hard_margin

__all__ = ["validation_error"]


def validation_error(
    K: np.ndarray, sign: np.ndarray, held: np.ndarray, steepness: float = 5.0
) -> Bound:
    r"""The share of held-out rows on the wrong side, smoothed by a sigmoid so that it has a derivative [1]_.

    .. math:: \frac1{|H|} \sum_{k \in H} \frac1{1 + \exp(a\, y_k f(x_k))}

    f is the machine without slack of the other rows; quadratic slack of price C is 1/C added to the diagonal of K. The
    derivative follows the multipliers as they solve the equations of the margin, and holds while the support vectors
    are the same.

    Parameters
    ----------
    K, sign : ndarray
        The kernel matrix of all rows, and -1 or 1 for each.
    held : ndarray of bool
        Which rows are held out.
    steepness : float
        a; the larger, the closer to the share of errors, and the rougher.

    References
    ----------
    .. [1] Chapelle, Vapnik, Bousquet and Mukherjee, *Choosing multiple parameters for support vector machines*, Machine
       Learning 46, 2002, sections 3.1 and 5; Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.3.1.

    Examples
    --------
    >>> x, sign = np.array([[-2.0], [-1.0], [1.0], [0.5]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> round(validation_error(x @ x.T, sign, np.array([False, False, False, True])).value, 4)  # 1 / (1 + exp(2.5))
    0.0759
    """
    train, test = np.flatnonzero(~held), np.flatnonzero(held)
    coef, intercept = hard_margin(K[np.ix_(train, train)], sign[train])
    used, coef = train[coef != 0], coef[coef != 0]
    outputs = K[np.ix_(test, used)] @ coef + intercept
    wrong = expit(-steepness * sign[test] * outputs)
    pull = -steepness * sign[test] * wrong * (1 - wrong) / len(test)  # of the error by each output
    bordered = np.ones((len(used) + 1, len(used) + 1))
    bordered[:-1, :-1], bordered[-1, -1] = K[np.ix_(used, used)], 0.0
    side = np.append(pull @ K[np.ix_(test, used)], pull.sum())
    moved = np.linalg.lstsq(bordered, side, rcond=None)[0][:-1]
    slope = np.zeros_like(K)
    slope[np.ix_(used, used)] = -(np.outer(moved, coef) + np.outer(coef, moved)) / 2
    slope[np.ix_(test, used)] = np.outer(pull, coef) / 2
    slope[np.ix_(used, test)] = np.outer(coef, pull) / 2
    return Bound(float(wrong.mean()), slope)
