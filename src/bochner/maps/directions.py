"""How frequencies are drawn: independent, orthogonal, structured or quasi-random directions, times radii."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import qmc

from ..kernels import RadialKernel, ShiftInvariantKernel
from ..kernels.length_scale import column_scales
from .projections import Array, DenseProjection, FastfoodProjection, HadamardProjection, Projection

Drawn = tuple[Projection, Array]  # the projection and one uniform phase (in turns) per frequency


def iid(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Independent frequencies from the kernel's spectrum: the map of Rahimi and Recht."""
    return DenseProjection(kernel.sample_frequencies(dim, n, rng), dtype), rng.random(n)


def orthogonal(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Orthogonal directions in independent blocks of d, times the kernel's own radii: unbiased, lower variance.

    Each block is Haar distributed: QR of a Gaussian matrix, with the signs of R's diagonal moved into Q
    (without that the law is not uniform).
    """
    radial = radial_or_refuse(kernel, "orthogonal")
    blocks = -(-n // dim)
    gaussians = rng.standard_normal((blocks, dim, dim))
    q, r = np.linalg.qr(gaussians)
    q *= np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
    directions = np.swapaxes(q, 1, 2).reshape(blocks * dim, dim)[:n]
    radii = radial.sample_radii(dim, n, rng)
    frequencies = directions * radii[:, None] / column_scales(radial.length_scale, dim)
    return DenseProjection(frequencies, dtype), rng.random(n)


def hadamard(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Structured orthogonal directions H D1 H D2 H D3 times the kernel's radii (SORF): O(D log d).

    BIASED, though little: the directions are not exactly uniform. For the Gaussian at ||Δ|| = 1.5 l the mean is too
    low by up to 0.06 at d = 4 (along an axis), 0.002 at d = 16, and not visibly at d = 64 and above.
    """
    radial = radial_or_refuse(kernel, "hadamard")
    size = padded(dim)
    blocks = -(-n // size)
    signs = rng.choice(np.array([-1.0, 1.0]), size=(blocks, 3, size))
    scales = radial.sample_radii(size, n, rng) / (size**1.5 * 2.0 * np.pi)
    inverse_scales = 1.0 / column_scales(radial.length_scale, dim)
    return HadamardProjection(signs, scales, inverse_scales, dtype), rng.random(n)


def fastfood(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Fastfood S H G P H B: O(D log d), exactly unbiased.

    Its variance depends on the direction of Δ, because the rows of a block share G: for the Gaussian at 1.5 length
    scales and d = 4 it is .042 along an axis and .171 along the diagonal, against .100 for independent draws.
    """
    radial = radial_or_refuse(kernel, "fastfood")
    size = padded(dim)
    blocks = -(-n // size)
    signs = rng.choice(np.array([-1.0, 1.0]), size=(blocks, size))
    permutations = np.argsort(rng.random((blocks, size)), axis=1)
    gaussians = rng.standard_normal((blocks, size))
    norms = np.repeat(np.linalg.norm(gaussians, axis=1), size)[:n]
    scales = radial.sample_radii(size, n, rng) / (norms * np.sqrt(size) * 2.0 * np.pi)
    inverse_scales = 1.0 / column_scales(radial.length_scale, dim)
    return FastfoodProjection(signs, permutations, gaussians, scales, inverse_scales, dtype), rng.random(n)


def sobol(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Scrambled Sobol points through the kernel's quantile functions; one more coordinate gives the phase."""
    columns = kernel.n_uniforms(dim) + 1
    if columns > qmc.Sobol.MAXDIM:
        raise ValueError(
            f"directions='sobol' serves at most {qmc.Sobol.MAXDIM - 2} columns, but the data have {dim}: use 'halton'."
        )
    # The sequence is balanced over powers of two only: draw the next power and keep the first n points.
    points = qmc.Sobol(columns, scramble=True, rng=rng).random_base2(max(0, (n - 1).bit_length()))[:n]
    return _quasi_random(kernel, dim, points, dtype)


def halton(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Scrambled Halton points through the kernel's quantile functions; one more coordinate gives the phase."""
    points = qmc.Halton(kernel.n_uniforms(dim) + 1, scramble=True, rng=rng).random(n)
    return _quasi_random(kernel, dim, points, dtype)


def _quasi_random(kernel: ShiftInvariantKernel, dim: int, points: Array, dtype: np.dtype) -> Drawn:
    inside = np.clip(points, 2.0**-54, 1 - 2.0**-53)  # quantile functions are infinite at 0 and 1
    return DenseProjection(kernel.frequencies(inside[:, :-1], dim), dtype), inside[:, -1]


def padded(dim: int) -> int:
    """The next power of two: zero columns change no inner product, and a radial law in more dimensions has the
    same marginal law in fewer.
    """
    return 1 << max(0, (dim - 1).bit_length())


def radial_or_refuse(kernel: ShiftInvariantKernel, directions: str) -> RadialKernel:
    """The kernel if it is radial, else one sentence."""
    if isinstance(kernel, RadialKernel):
        return kernel
    raise ValueError(
        f"directions={directions!r} need a radial kernel, and {type(kernel).__name__} is not: "
        "use directions='iid', 'sobol' or 'halton', or a radial kernel such as Matern(nu=0.5)."
    )


DRAWS: dict[str, Callable[[ShiftInvariantKernel, int, int, np.random.Generator, np.dtype], Drawn]] = {
    "iid": iid,
    "orthogonal": orthogonal,
    "hadamard": hadamard,
    "fastfood": fastfood,
    "sobol": sobol,
    "halton": halton,
}
