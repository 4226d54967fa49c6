"""How far the output of a kernel machine can move when its kernel is off by at most eps."""

from __future__ import annotations

import numpy as np

from .checks import count, positive


def ridge_perturbation(*, eps: float, alpha: float, n_rows: int, target_rms: float = 1.0) -> float:
    """Bound |h^(x) - h(x)| of kernel ridge regression without intercept, for a kernel with |k| <= 1.

        (λ + 1) / λ² * sigma_y * eps,   λ = alpha / n_rows,   sigma_y² = mean of y²,

    where eps bounds the error of every kernel value among the training rows and x.

    Parameters
    ----------
    eps : float
    alpha : float
        The regularisation of ``KernelRidge``: it minimises sum of squares + alpha ||w||².
    n_rows : int
    target_rms : float, default=1.0

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.ridge_perturbation(eps=0.01, alpha=100.0, n_rows=1000), 2)
    1.1
    """
    share = positive(alpha, "alpha") / count(n_rows, "n_rows")
    return (share + 1.0) / share**2 * positive(target_rms, "target_rms") * positive(eps, "eps")


def svm_perturbation(
    *, C: float, n_rows: int, eps: float | None = None, spectral: float | None = None, largest_diagonal: float = 1.0
) -> float:
    """Bound |h^(x) - h(x)| of a support vector machine without intercept, (1/2)||w||² + C sum of hinge losses.

        sqrt(2) C_0 κ^{3/4} η^{1/4} [1 + (η / 4κ)^{1/4}],   C_0 = C n_rows,

    η bounds ||K - K^||_2 on the training rows and x together, at most (n + 1) eps.

    Parameters
    ----------
    C : float
    n_rows : int
    eps : float, default=None
        Largest error of a kernel value; or give ``spectral``, η itself.
    spectral : float, default=None
    largest_diagonal : float, default=1.0
        κ, the largest k(x, x) of both kernels: 1 for paired Fourier features, up to 2 for shifted ones.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.svm_perturbation(C=0.01, n_rows=100, spectral=0.5), 3)
    1.896
    """
    n, kappa = count(n_rows, "n_rows"), positive(largest_diagonal, "largest_diagonal")
    if (eps is None) == (spectral is None):
        raise ValueError("Give one of eps (the largest error of a kernel value) and spectral (the norm of K - K^).")
    eta = (n + 1) * positive(eps, "eps") if spectral is None else positive(spectral, "spectral")
    strength = positive(C, "C") * n
    return float(np.sqrt(2.0) * strength * kappa**0.75 * eta**0.25 * (1.0 + (eta / (4.0 * kappa)) ** 0.25))


def mmd_perturbation(*, eps: float, squared: bool = True) -> float:
    """Bound the change of the (biased) maximum mean discrepancy: 4 eps for MMD², 2 sqrt(eps) for MMD.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.mmd_perturbation(eps=0.01)
    0.04
    """
    eps = positive(eps, "eps")
    return 4.0 * eps if squared else float(2.0 * np.sqrt(eps))
