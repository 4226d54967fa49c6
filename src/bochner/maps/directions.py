"""How frequencies are drawn: independent, orthogonal, structured or quasi-random directions, times radii."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import qmc

from ..compute.haar import haar_rows
from ..kernels import Kernel, RadialKernel, ShiftInvariantKernel
from ..kernels.shift_invariant import inside_unit
from .projections import Array, DenseProjection, FastfoodProjection, HadamardProjection, Projection

Drawn = tuple[Projection, Array]  # the projection and one uniform phase (in turns) per frequency

FEWEST_HADAMARD = 64  # columns, padded: with fewer the mean is wrong by more than .002 somewhere within 5 length scales


def iid(kernel: ShiftInvariantKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Independent frequencies from the kernel's spectrum: the map of Rahimi and Recht."""
    return DenseProjection(kernel.sample_frequencies(dim, n, rng), dtype), rng.random(n)


def orthogonal(kernel: RadialKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Orthogonal directions in independent blocks, times the kernel's own radii in strata: unbiased, lower variance.

    Blocks are of d directions, or of all n where these are fewer, so that memory is that of the frequencies themselves;
    where this would take long, blocks are smaller (`bochner.compute.haar.block_size`).
    """
    frequencies = haar_rows(dim, n, rng)
    frequencies *= stratified_radii(kernel, dim, n, rng)[:, None]
    return DenseProjection(kernel.split(dim)[0].frequencies(frequencies), dtype), rng.random(n)


def stratified_radii(kernel: RadialKernel, dim: int, n: int, rng: np.random.Generator) -> Array:
    """One radius from each of n parts of equal probability, in random order.

    Each has the kernel's own law, so that features stay unbiased, and together they hardly miss it: the variance of the
    mean of cos(w'Δ) falls by Var j_d(R ||Δ||) / n, which at one length scale leaves .42 (d = 4) to .63 (d = 16) of what
    orthogonal directions with independent radii have.
    """
    levels = (rng.permutation(n) + rng.random(n)) / n
    return kernel.radius_quantile(inside_unit(levels), dim)


def hadamard(kernel: RadialKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Structured orthogonal directions H D1 H D2 H D3 times the kernel's radii in strata (SORF): O(D log d).

    Their law is not uniform, since signs give finitely many directions. Few columns show it: at ||Δ|| = 5 l the
    Gaussian is 4e-6, but the mean of such features would be .477 along the diagonal of d = 2, .228 of d = 4, and .049
    between two axes of d = 16. So fewer than 64 columns (a power of two is made of them) get Haar blocks, which are
    exact and as fast there. From 64 on no bias is seen: a million frequencies put it below .002 at 1.5, 3 and 5 l.
    """
    size = padded(dim)
    if size < FEWEST_HADAMARD:
        return orthogonal(kernel, dim, n, rng, dtype)
    blocks = -(-n // size)
    signs = rng.choice(np.array([-1.0, 1.0]), size=(blocks, 3, size))
    scales = stratified_radii(kernel, size, n, rng) / (size**1.5 * 2.0 * np.pi)
    inverse_scales = kernel.split(dim)[0].steepness()
    return HadamardProjection(signs, scales, inverse_scales, dtype), rng.random(n)


def fastfood(kernel: RadialKernel, dim: int, n: int, rng: np.random.Generator, dtype: np.dtype) -> Drawn:
    """Fastfood S H G P H B: O(D log d), exactly unbiased.

    Its variance depends on the direction of Δ, because the rows of a block share G: for the Gaussian at 1.5 length
    scales and d = 4 it is .042 along an axis and .171 along the diagonal, against .100 for independent draws.
    """
    size = padded(dim)
    blocks = -(-n // size)
    signs = rng.choice(np.array([-1.0, 1.0]), size=(blocks, size))
    permutations = np.argsort(rng.random((blocks, size)), axis=1)
    gaussians = rng.standard_normal((blocks, size))
    norms = np.repeat(np.linalg.norm(gaussians, axis=1), size)[:n]
    scales = kernel.sample_radii(size, n, rng) / (norms * np.sqrt(size) * 2.0 * np.pi)
    inverse_scales = kernel.split(dim)[0].steepness()
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
    inside = inside_unit(points)
    return DenseProjection(kernel.frequencies(inside[:, :-1], dim), dtype), inside[:, -1]


def padded(dim: int) -> int:
    """The next power of two: zero columns change no inner product, and a radial law in more dimensions has the
    same marginal law in fewer.
    """
    return 1 << max(0, (dim - 1).bit_length())


def not_radial(kernel: Kernel, directions: str) -> str:
    """One sentence: these directions are for kernels that know none."""
    return (
        f"directions={directions!r} need a radial kernel, and {type(kernel).__name__} is not: "
        "use directions='iid', 'sobol' or 'halton', or a radial kernel such as Matern(nu=0.5)."
    )


RADIAL_DIRECTIONS = ("orthogonal", "hadamard", "fastfood")  # which are for kernels that know no direction

DRAWS: dict[str, Callable[[Any, int, int, np.random.Generator, np.dtype], Drawn]] = {
    "iid": iid,
    "orthogonal": orthogonal,
    "hadamard": hadamard,
    "fastfood": fastfood,
    "sobol": sobol,
    "halton": halton,
}
