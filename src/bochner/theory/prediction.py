"""How far predictions move when the kernel is replaced by Fourier features: to first order, on given data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from .checks import Array, count, positive, shift_invariant

WAVES_AT_ONCE = 256


def prediction_deviation(
    kernel: Any,
    X: Any,
    y: Any,
    X_new: Any,
    *,
    alpha: float,
    n_components: int,
    n_waves: int = 2000,
    random_state: Any = 0,
) -> Array:
    """Standard deviation of ridge predictions over draws of paired Fourier features, to first order.

    Ridge regression with the kernel itself predicts f(x) = k_x'a, a = (K + alpha I)^{-1} y, without an intercept. With
    m = n_components / 2 independent frequencies w it predicts f(x) plus, to first order in the error of the kernel,

        the mean over the frequencies of Re[rho_w(x) conj(A(w))], less its expectation,
        A(w) = sum_j a_j exp(i w'x_j),
        rho_w(x) = exp(i w'x) - sum_i h_i(x) exp(i w'x_i),    h = (K + alpha I)^{-1} k_x.

    rho is what ridge regression leaves of the wave itself, and waves that the rows determine are left little of: this
    is why predictions need far fewer features than kernel values. The deviation is sqrt(Var_w / m), its variance
    taken over ``n_waves`` draws. Few waves matter much, so 2,000 draws give it to about a tenth. Terms of second order
    are left out; they fall as 1/m.

    Parameters
    ----------
    kernel : shift-invariant kernel
    X, y : arrays of shape (n, dim) and (n,)
        Training rows and targets; take the mean off y if the machine does.
    X_new : array of shape (n_new, dim)
    alpha : float > 0
    n_components : int
        Real output columns of ``FourierFeatures(embedding="paired", directions="iid")``.
    n_waves : int, default=2000
    random_state : int, Generator or None, default=0

    Returns
    -------
    array of shape (n_new,)

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.linspace(-1.0, 1.0, 50)[:, None]
    >>> deviation = bo.theory.prediction_deviation(
    ...     bo.Gaussian(1.0), X, np.sin(2.0 * X[:, 0]), X, alpha=0.1, n_components=100
    ... )
    >>> error_of_kernel_values = np.sqrt(bo.theory.variance(bo.Gaussian(1.0), X[:25] - X[25:], 100))
    >>> bool(deviation.mean() < 0.5 * error_of_kernel_values.mean())
    True
    """
    kernel = shift_invariant(kernel)
    alpha, width = positive(alpha, "alpha"), count(n_components, "n_components")
    waves = count(n_waves, "n_waves")
    X, X_new = (np.asarray(rows, dtype=np.float64) for rows in (X, X_new))
    if X.ndim != 2 or X_new.ndim != 2 or X.shape[1] != X_new.shape[1]:
        raise ValueError("X and X_new must be tables of rows with equally many columns.")
    y = np.asarray(y, dtype=np.float64)
    if y.shape != (len(X),):
        raise ValueError(f"y must have one number for each of the {len(X)} rows of X, but its shape is {y.shape}.")
    gram = kernel(X)
    gram.flat[:: len(gram) + 1] += alpha
    factor = cho_factor(gram, overwrite_a=True, check_finite=False)
    dual = cho_solve(factor, y)
    smoother = cho_solve(factor, kernel(X, X_new))
    frequencies = kernel.sample_frequencies(X.shape[1], waves, np.random.default_rng(random_state))
    parts = []
    for start in range(0, waves, WAVES_AT_ONCE):
        some = frequencies[start : start + WAVES_AT_ONCE].T
        seen = np.exp(1j * (X @ some))
        left = np.exp(1j * (X_new @ some)) - smoother.T @ seen
        parts.append((left * np.conj(dual @ seen)).real)
    return np.concatenate(parts, axis=1).std(axis=1, ddof=1) / np.sqrt(0.5 * width)
