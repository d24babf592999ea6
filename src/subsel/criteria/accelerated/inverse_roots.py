"""The roots of the inverses of many matrices at once, on a device."""

from __future__ import annotations

from typing import Any

__all__ = ["inverse_roots"]

_LEAF = 64  # rows of matrices that are factored as they are


def inverse_roots(torch: Any, K: Any) -> Any:
    """The lower triangles R (C, n, n) with ``R'R`` the inverses of matrices; the last entry is NaN where one is not definite.

    By halves, as :func:`~subsel.criteria.kernels.inverse_root.inverse_root`: nearly all the work is products of matrices, which take
    a device a fraction of what factors and triangular systems do.
    """
    n = K.shape[1]
    if n <= _LEAF:
        factor, info = torch.linalg.cholesky_ex(K)
        root = torch.linalg.solve_triangular(
            factor, torch.eye(n, dtype=K.dtype, device=K.device), upper=False
        )
        return torch.where((info == 0)[:, None, None], root, float("nan"))
    half = n // 2
    first = inverse_roots(torch, K[:, :half, :half])
    below = K[:, half:, :half] @ first.mT  # of the factor
    last = inverse_roots(torch, torch.baddbmm(K[:, half:, half:], below, below.mT, alpha=-1))
    root = torch.zeros_like(K)
    root[:, :half, :half], root[:, half:, half:] = first, last
    root[:, half:, :half] = -last @ (below @ first)
    return root
