"""Products of factors in place: complex numbers kept as separate real and imaginary parts, and a test of overflow."""

import numba
import numpy as np
from numpy.typing import NDArray

from bochner.compute.rows import check_rows, flat_rows


def multiply_complex(real: NDArray, imaginary: NDArray, factor_real: NDArray, factor_imaginary: NDArray) -> None:
    """Replace (real + i imaginary) by its product with (factor_real + i factor_imaginary), element by element.

    Parameters
    ----------
    real, imaginary : ndarray of shape (n, m)
        float32 or float64, with contiguous rows; overwritten.
    factor_real, factor_imaginary : ndarray of shape (n, m)
        Of the same dtype.

    Examples
    --------
    >>> import numpy as np
    >>> real, imaginary = np.array([[1.0]]), np.array([[2.0]])
    >>> multiply_complex(real, imaginary, np.array([[3.0]]), np.array([[1.0]]))
    >>> real, imaginary
    (array([[1.]]), array([[7.]]))
    """
    parts = (real, imaginary, factor_real, factor_imaginary)
    for name, part in zip(("real", "imaginary", "factor_real", "factor_imaginary"), parts):
        check_rows(name, part, real.shape, real.dtype)
    if real.size:
        flat = [piece for part in parts for piece in flat_rows(part)]
        _multiply_complex(real.shape, *flat)


@numba.njit(nogil=True, cache=True, fastmath={"contract"})
def _multiply_complex(shape, a, a_step, b, b_step, c, c_step, d, d_step):  # type: ignore[no-untyped-def]
    width = shape[1]
    for i in range(shape[0]):
        # Slices, because only then does the compiler know that the elements lie side by side, and vectorise.
        x, y = a[i * a_step : i * a_step + width], b[i * b_step : i * b_step + width]
        u, v = c[i * c_step : i * c_step + width], d[i * d_step : i * d_step + width]
        for j in range(width):
            real = x[j] * u[j] - y[j] * v[j]
            y[j] = x[j] * v[j] + y[j] * u[j]
            x[j] = real


def overflowed(values: NDArray) -> bool:
    """Whether a value is not finite; costs one sum of the values.

    A sum of finite numbers overflows only where they are near the limit themselves, so the sum is a test that
    never misses; the exact test runs only if it fails.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(not np.isfinite(values.sum())) and bool(not np.isfinite(values).all())
