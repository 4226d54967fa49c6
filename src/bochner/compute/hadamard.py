"""Fast Walsh-Hadamard transforms and the structured projections made of them.

The Walsh-Hadamard matrix is H_1 = (1), H_2d = [[H_d, H_d], [H_d, -H_d]]; H_d x costs d log2(d) additions.
Two projections of R^d replace a dense matrix with d x d entries:

    SORF      H D_1 H D_2 H D_3,   D_k diagonal of random signs,
    Fastfood  S H G P H B,         B diagonal of signs, P a permutation, G diagonal and Gaussian, S a scaling.

Everything is unnormalised here: the caller folds the powers of d, the radii of the kernel and 1 / (2 pi) into
one scale per output column. Work goes by tiles of as many rows of the data as a vector register has lanes,
held transposed in a scratch that stays in cache.
"""

import numpy as np
from numpy.typing import NDArray

from bochner.compute.compiled import compiled
from bochner.compute.rows import check_rows, flat_rows
from bochner.compute.vectors import (
    REGISTER_BYTES,
    butterfly_2,
    butterfly_4,
    butterfly_8,
    butterfly_16,
    copy_row,
    transpose,
    weighted_butterfly_2,
    weighted_butterfly_4,
    weighted_butterfly_8,
)

_jit = compiled()
_CACHED_ROWS = 64  # of a tile, 2 kB: at home in any first-level cache


def walsh_hadamard(tile: NDArray) -> None:
    """Replace every column x of `tile` by H x, in place, without normalisation.

    Parameters
    ----------
    tile : ndarray of shape (d, n_columns)
        C-ordered array of float32 or float64; d is a power of two.

    Examples
    --------
    >>> import numpy as np
    >>> tile = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> walsh_hadamard(tile)
    >>> tile.ravel()
    array([10., -2., -4.,  0.])
    """
    check_rows("tile", tile, tile.shape, tile.dtype)
    _check_power_of_two(len(tile))
    if tile.size:
        _walsh_hadamard(*flat_rows(tile), tile.shape, np.ones(len(tile), tile.dtype))


def sorf_turns(X: NDArray, signs: NDArray, scales: NDArray, out: NDArray) -> None:
    """Project the rows of X by blocks of ``H D_1 H D_2 H D_3`` and scale the columns.

    Block b writes ``out[:, b d : (b + 1) d] = (H D_1 H D_2 H D_3 x) * scales[b d : (b + 1) d]`` for every row
    x, padded with zeros to d columns.

    Parameters
    ----------
    X : ndarray of shape (n, d_in)
        Rows, float32 or float64, d_in <= d.
    signs : ndarray of shape (n_blocks, 3, d)
        Diagonals D_1, D_2, D_3 of each block, of the dtype of X; d is a power of two.
    scales : ndarray of shape (n_columns,) or longer
        Factor of each output column.
    out : ndarray of shape (n, n_columns)
        Output, n_columns <= n_blocks d: the last block may be cut short.
    """
    n_blocks, n_diagonals, d = signs.shape
    if n_diagonals != 3:
        raise ValueError(f"signs has shape {signs.shape}; give three diagonals to each block.")
    _check_projection(X, d, n_blocks, scales, out)
    check_rows("signs", signs.reshape(-1), (n_blocks * 3 * d,), X.dtype)
    if out.size:
        _sorf(
            *flat_rows(X),
            X.shape,
            np.ascontiguousarray(signs),
            np.ascontiguousarray(scales),
            *flat_rows(out),
            out.shape[1],
        )


def fastfood_turns(
    X: NDArray, signs: NDArray, permutations: NDArray, gaussians: NDArray, scales: NDArray, out: NDArray
) -> None:
    """Project the rows of X by blocks of ``H G P H B`` and scale the columns.

    Block b writes ``out[:, b d : (b + 1) d] = (H G P H B x) * scales[b d : (b + 1) d]`` for every row x,
    padded with zeros to d columns, where ``(P v)[i] = v[permutations[b, i]]``.

    Parameters
    ----------
    X : ndarray of shape (n, d_in)
        Rows, float32 or float64, d_in <= d.
    signs, gaussians : ndarray of shape (n_blocks, d)
        Diagonals B and G of each block, of the dtype of X; d is a power of two.
    permutations : integer ndarray of shape (n_blocks, d)
        A permutation of 0, ..., d - 1 for each block.
    scales : ndarray of shape (n_columns,) or longer
        Factor of each output column.
    out : ndarray of shape (n, n_columns)
        Output, n_columns <= n_blocks d: the last block may be cut short.
    """
    n_blocks, d = signs.shape
    _check_projection(X, d, n_blocks, scales, out)
    for name, array in (("signs", signs), ("gaussians", gaussians)):
        check_rows(name, array, (n_blocks, d), X.dtype)
    if permutations.shape != (n_blocks, d) or permutations.min() < 0 or permutations.max() >= d:
        raise ValueError(f"permutations does not hold {n_blocks} rows that permute 0, ..., {d - 1}; make it so.")
    if out.size:
        diagonals = np.ascontiguousarray(signs), np.ascontiguousarray(gaussians)
        order = np.ascontiguousarray(permutations, dtype=np.intp)
        _fastfood(
            *flat_rows(X),
            X.shape,
            *diagonals,
            order,
            np.ascontiguousarray(scales),
            *flat_rows(out),
            out.shape[1],
        )


def _check_power_of_two(d: int) -> None:
    if d < 1 or d & (d - 1):
        raise ValueError(f"A Walsh-Hadamard transform of length {d} does not exist; pad to a power of two.")


def _check_projection(X: NDArray, d: int, n_blocks: int, scales: NDArray, out: NDArray) -> None:
    _check_power_of_two(d)
    check_rows("X", X, X.shape, X.dtype)
    check_rows("out", out, (len(X), out.shape[1]), X.dtype)
    check_rows("scales", scales, scales.shape, X.dtype)
    if X.shape[1] > d:
        raise ValueError(f"X has {X.shape[1]} columns, more than the {d} of a block; use larger blocks.")
    if out.shape[1] > min(n_blocks * d, len(scales)):
        raise ValueError(
            f"out has {out.shape[1]} columns for {n_blocks} blocks of {d} and {len(scales)} scales; "
            "give more blocks and scales, or fewer columns."
        )


@_jit
def _transform(source: NDArray, weights: NDArray, target: NDArray, d: int) -> None:
    """Write H diag(weights) source into the target, which may be the source; both are tiles of d rows.

    The first sweep takes the longest strides; what remains are parts small enough for the first-level cache,
    each of them finished before the next is begun.
    """
    if d == 1:
        copy_row(source, 0, target, 0)
        for lane in range(target.size):
            target[lane] *= weights[0]
        return
    if d == 2:
        part = 1
        weighted_butterfly_2(source, weights, target, 0, 1)
    elif d == 4 or d == 16:
        part = d // 4
        for row in range(part):
            weighted_butterfly_4(source, weights, target, row, part)
    else:
        part = d // 8
        for row in range(part):
            weighted_butterfly_8(source, weights, target, row, part)
    group = min(d, max(part, _CACHED_ROWS))
    for start in range(0, d, group):
        _finish(target, start, start + group, part)


@_jit
def _finish(tile: NDArray, start: int, stop: int, size: int) -> None:
    """Transform each run of `size` rows between `start` and `stop`, in place, in as few sweeps as may be.

    A sweep does up to four stages, since sixteen rows are what the registers hold.
    """
    while size > 1:
        stages = 0
        while size >> (stages + 1):
            stages += 1
        n_sweeps = (stages + 3) // 4
        radix = 1 << ((stages + n_sweeps - 1) // n_sweeps)
        step = size // radix
        for block in range(start, stop, size):
            for row in range(block, block + step):
                if radix == 16:
                    butterfly_16(tile, row, step)
                elif radix == 8:
                    butterfly_8(tile, row, step)
                elif radix == 4:
                    butterfly_4(tile, row, step)
                else:
                    butterfly_2(tile, row, step)
        size = step


@_jit
def _read(X: NDArray, offset: int, step: int, n_rows: int, n_columns: int, ones: NDArray, tile: NDArray) -> None:
    """Transpose up to `lanes` rows of X into the first n_columns rows of the tile; the rest of it stays."""
    lanes = REGISTER_BYTES // X.itemsize
    whole = n_columns - n_columns % lanes if n_rows == lanes else 0
    for column in range(0, whole, lanes):
        transpose(X, offset + column, step, ones, 0, tile, column * lanes, lanes)
    for column in range(whole, n_columns):
        for row in range(n_rows):
            tile[column * lanes + row] = X[offset + row * step + column]


@_jit
def _write(
    tile: NDArray,
    scales: NDArray,
    first: int,
    out: NDArray,
    offset: int,
    step: int,
    n_rows: int,
    n_columns: int,
) -> None:
    """Transpose the first n_columns rows of the tile, scaled, into n_rows rows of the output."""
    lanes = REGISTER_BYTES // tile.itemsize
    whole = n_columns - n_columns % lanes if n_rows == lanes else 0
    for column in range(0, whole, lanes):
        transpose(tile, column * lanes, lanes, scales, first + column, out, offset + column, step)
    for row in range(n_rows):
        for column in range(whole, n_columns):
            out[offset + row * step + column] = tile[column * lanes + row] * scales[first + column]


@_jit
def _walsh_hadamard(flat: NDArray, step: int, shape: tuple[int, int], ones: NDArray) -> None:
    d, n_columns = shape
    lanes = REGISTER_BYTES // flat.itemsize
    tile = np.zeros(d * lanes, flat.dtype)
    for start in range(0, n_columns, lanes):
        width = min(lanes, n_columns - start)
        for row in range(d):
            for lane in range(width):
                tile[row * lanes + lane] = flat[row * step + start + lane]
        _transform(tile, ones, tile, d)
        for row in range(d):
            for lane in range(width):
                flat[row * step + start + lane] = tile[row * lanes + lane]


@_jit
def _sorf(
    X: NDArray,
    X_step: int,
    shape: tuple[int, int],
    signs: NDArray,
    scales: NDArray,
    out: NDArray,
    out_step: int,
    n_columns: int,
) -> None:
    d = signs.shape[2]
    lanes = REGISTER_BYTES // X.itemsize
    ones = np.ones(lanes, X.dtype)
    tile, scratch = np.zeros(d * lanes, X.dtype), np.empty(d * lanes, X.dtype)
    for start in range(0, shape[0], lanes):
        n_rows = min(lanes, shape[0] - start)
        _read(X, start * X_step, X_step, n_rows, shape[1], ones, tile)
        for first in range(0, n_columns, d):
            diagonals = signs[first // d]
            _transform(tile, diagonals[2], scratch, d)
            _transform(scratch, diagonals[1], scratch, d)
            _transform(scratch, diagonals[0], scratch, d)
            width = min(d, n_columns - first)
            _write(scratch, scales, first, out, start * out_step + first, out_step, n_rows, width)


@_jit
def _fastfood(
    X: NDArray,
    X_step: int,
    shape: tuple[int, int],
    signs: NDArray,
    gaussians: NDArray,
    permutations: NDArray,
    scales: NDArray,
    out: NDArray,
    out_step: int,
    n_columns: int,
) -> None:
    d = signs.shape[1]
    lanes = REGISTER_BYTES // X.itemsize
    ones = np.ones(lanes, X.dtype)
    tile, scratch = np.zeros(d * lanes, X.dtype), np.empty(d * lanes, X.dtype)
    permuted = np.empty(d * lanes, X.dtype)
    for start in range(0, shape[0], lanes):
        n_rows = min(lanes, shape[0] - start)
        _read(X, start * X_step, X_step, n_rows, shape[1], ones, tile)
        for first in range(0, n_columns, d):
            block = first // d
            _transform(tile, signs[block], scratch, d)
            for row in range(d):
                copy_row(scratch, permutations[block, row], permuted, row)
            _transform(permuted, gaussians[block], permuted, d)
            width = min(d, n_columns - first)
            _write(permuted, scales, first, out, start * out_step + first, out_step, n_rows, width)
