"""Products of factors in place, complex numbers kept as separate parts, and a test of overflow."""

import numpy as np
from numpy.typing import NDArray

from bochner.compute.rows import check_rows, flat_rows

from .compiled import compiled


def multiply_factors(values: NDArray, layout: NDArray, n_pairs: int, begin: bool, out: NDArray) -> None:
    """Multiply features by several factors at once; complex features are pairs of columns.

    Parameters
    ----------
    values : ndarray of shape (n, width)
        The factors side by side, each as its real parts, its imaginary parts, then its real factors; C-contiguous.
    layout : ndarray of int64 of shape (n_factors, 2)
        How many pairs and how many single columns each factor has: those of the first features of either kind.
    n_pairs : int
        Columns of ``out``: real parts of the pairs, their imaginary parts, then the single features.
    begin : bool
        Whether the first factor is written, instead of multiplied.
    out : ndarray of shape (n, n_components)
        float32 or float64, with contiguous rows; overwritten.

    Examples
    --------
    >>> import numpy as np
    >>> out = np.array([[1.0, 2.0, 5.0]])
    >>> multiply_factors(np.array([[3.0, 1.0, 2.0]]), np.array([[1, 1]]), 1, False, out)
    >>> out
    array([[ 1.,  7., 10.]])
    """
    width = int(2 * layout[:, 0].sum() + layout[:, 1].sum())
    check_rows("out", out, out.shape, values.dtype)
    check_rows("values", values, (out.shape[0], width), out.dtype)
    if 2 * n_pairs > out.shape[1] or (len(layout) and (layout > [n_pairs, out.shape[1] - 2 * n_pairs]).any()):
        raise ValueError(f"The factors {layout.tolist()} are wider than the {out.shape[1]} features.")
    if values.size:
        _multiply_factors(*flat_rows(values), layout, n_pairs, begin, out.shape[0], *flat_rows(out))


@compiled(fastmath={"contract"})
def _multiply_factors(values, width, layout, n_pairs, begin, n_rows, out, step):  # type: ignore[no-untyped-def]
    for i in range(n_rows):
        start, row = i * width, i * step
        for k in range(len(layout)):
            pairs, singles = layout[k, 0], layout[k, 1]
            # Slices, because only then does the compiler know that the elements lie side by side, and vectorise.
            x, y = out[row : row + pairs], out[row + n_pairs : row + n_pairs + pairs]
            z = out[row + 2 * n_pairs : row + 2 * n_pairs + singles]
            u, v = values[start : start + pairs], values[start + pairs : start + 2 * pairs]
            w = values[start + 2 * pairs : start + 2 * pairs + singles]
            if begin and k == 0:
                x[:], y[:], z[:] = u, v, w
            else:
                for j in range(pairs):
                    real = x[j] * u[j] - y[j] * v[j]
                    y[j] = x[j] * v[j] + y[j] * u[j]
                    x[j] = real
                for j in range(singles):
                    z[j] *= w[j]
            start += 2 * pairs + singles


def overflowed(values: NDArray) -> bool:
    """Whether a value is not finite; costs one sum of the values.

    A sum of finite numbers overflows only where they are near the limit themselves, so the sum is a test that
    never misses; the exact test runs only if it fails.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(not np.isfinite(values.sum())) and bool(not np.isfinite(values).all())
