"""How far the output of a kernel machine can move when its kernel is off by at most eps."""

from __future__ import annotations

import numpy as np

from .checks import count, positive


def ridge_perturbation(
    *,
    alpha: float,
    n_rows: int,
    eps: float | None = None,
    target_rms: float = 1.0,
    spectral: float | None = None,
    row_error: float | None = None,
    dual_norm: float | None = None,
    largest_diagonal: float = 1.0,
) -> float:
    """Bound |h^(x) - h(x)| of kernel ridge regression without intercept, whose approximate kernel is z(x)'z(y).

    With a = (K + alpha I)^{-1} y the exact machine's dual coefficients and κ >= ||z(x)||²,

        h^(x) - h(x) = (k^_x - k_x)'a - k^_x'(K^ + alpha I)^{-1} (K^ - K) a,
        |h^(x) - h(x)| <= ||a|| [ ||k_x - k^_x|| + η min(sqrt(κ) / (2 sqrt(alpha)), κ sqrt(n) / alpha) ],

    η = ||K - K^||_2 on the training rows, for s / (s² + alpha) <= 1 / (2 sqrt(alpha)) for every singular value s of Z.
    What is not given is bounded: ||a|| <= sqrt(n) sigma_y / alpha, ||k_x - k^_x|| <= sqrt(n) eps, η <= n eps, where eps
    bounds the error of every kernel value among the training rows and x and sigma_y² is the mean of y². With
    λ = alpha/n that makes sigma_y eps [1/λ + sqrt(κ) / (2 λ^{3/2})].

    Parameters
    ----------
    alpha : float
        The regularisation of ``KernelRidge``: it minimises sum of squares + alpha ||w||².
    n_rows : int
    eps : float, default=None
        Needed unless both ``spectral`` and ``row_error`` are given.
    target_rms : float, default=1.0
    spectral : float, default=None
        η, which sees errors cancel: far below n eps.
    row_error : float, default=None
        ||k_x - k^_x||, the errors between x and the training rows.
    dual_norm : float, default=None
        ||a||, in place of ``target_rms``.
    largest_diagonal : float, default=1.0
        κ: 1 for paired Fourier features, up to 2 for shifted ones.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.ridge_perturbation(eps=0.01, alpha=100.0, n_rows=1000), 10)
    0.258113883
    """
    n, alpha = count(n_rows, "n_rows"), positive(alpha, "alpha")
    if eps is None and (spectral is None or row_error is None):
        raise ValueError("Give eps, the largest error of a kernel value, or both spectral and row_error.")
    norm = float(np.sqrt(n)) * positive(target_rms, "target_rms") / alpha if dual_norm is None else dual_norm
    row = float(np.sqrt(n)) * positive(eps, "eps") if row_error is None else row_error
    eta = n * positive(eps, "eps") if spectral is None else spectral
    kappa = positive(largest_diagonal, "largest_diagonal")
    reach = min(np.sqrt(kappa / alpha) / 2.0, kappa * np.sqrt(n) / alpha)
    return float(norm * (row + eta * reach))


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


def mmd_concentration(*, excess: float, n_components: int, squared: float | None = None) -> float:
    """Bound Pr(|MMD²(k^) - MMD²(k)| >= excess), both biased, k^ of paired Fourier features, independent frequencies.

    MMD²(k^) is a mean of D/2 independent terms |mean e^{iw'x} - mean e^{iw'y}|² between 0 and 4, of mean MMD²(k), so
    no largest error of kernel values is needed:

        2 exp(-D t²/16) (Hoeffding),   2 exp(-D t² / (16 (MMD² + t/3))) (Bernstein), whichever is smaller.

    Parameters
    ----------
    excess : float
    n_components : int
        Even: cosines and sines.
    squared : float, default=None
        MMD²(k), or anything above it, for Bernstein's inequality.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.mmd_concentration(excess=0.2429, n_components=1000), 3)
    0.05
    >>> round(bo.theory.mmd_concentration(excess=0.1222, n_components=1000, squared=0.2121616895), 3)
    0.05
    """
    excess, width = positive(excess, "excess"), count(n_components, "n_components")
    scale = 1.0 if squared is None else min(1.0, positive(squared, "squared") + excess / 3.0)
    return float(2.0 * np.exp(-width * excess**2 / (16.0 * scale)))
