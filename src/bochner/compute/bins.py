"""The hot loops of random binning: bins of rows by hashing, and sums over the bins of each grid.

A grid puts column j of a row into the bin floor(x / pitch + offset), and the bins of all columns are combined by the
multilinear hash h = start + sum_j multiplier_j * bin_j (mod 2^32). With uniform random multipliers and start, the
hashes of two different bins are independent and uniform (Carter and Wegman; Dietzfelbinger), so the top bits of h are
all that is needed: no further mixing.
"""

import numpy as np

from .compiled import compiled

L1_FLOATS = 7_000  # a tile of columns that leaves room in a 32 KB L1 cache
MANY_ROWS = 1 << 14
FARTHEST = 2.0**30  # pitches from the centre; beyond it bins would not fit 32 bits


@compiled()
def fill_tile(X, start, width, columns, units, tile) -> None:  # type: ignore[no-untyped-def]
    """Columns of some rows as (x - centre) * inverse, clipped, one contiguous row of the tile for each column."""
    centre, inverse, farthest = units
    for row in range(width):
        for j in range(columns.shape[0]):
            value = (np.float64(X[start + row, columns[j]]) - centre[j]) * inverse[j]
            tile[j, row] = np.float32(min(max(value, -farthest[j]), farthest[j]))


@compiled()
def add_hashes(tile, width, slope, offset, multiplier, hashes) -> None:  # type: ignore[no-untyped-def]
    """Add multiplier_j * floor(x_j * slope_j + offset_j) over the columns of a tile, four columns at a time."""
    n_columns = slope.shape[0]
    quads = n_columns - n_columns % 4
    for j in range(0, quads, 4):
        x0, x1, x2, x3 = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
        s0, s1, s2, s3 = slope[j], slope[j + 1], slope[j + 2], slope[j + 3]
        o0, o1, o2, o3 = offset[j], offset[j + 1], offset[j + 2], offset[j + 3]
        m0, m1, m2, m3 = multiplier[j], multiplier[j + 1], multiplier[j + 2], multiplier[j + 3]
        for i in range(width):
            hashes[i] = np.uint32(
                hashes[i]
                + np.uint32(np.int32(np.floor(x0[i] * s0 + o0))) * m0
                + np.uint32(np.int32(np.floor(x1[i] * s1 + o1))) * m1
                + np.uint32(np.int32(np.floor(x2[i] * s2 + o2))) * m2
                + np.uint32(np.int32(np.floor(x3[i] * s3 + o3))) * m3
            )
    for j in range(quads, n_columns):
        x0, s0, o0, m0 = tile[j], slope[j], offset[j], multiplier[j]
        for i in range(width):
            hashes[i] = np.uint32(hashes[i] + np.uint32(np.int32(np.floor(x0[i] * s0 + o0))) * m0)


@compiled()
def dense_codes(X, columns, units, grids, ranges, codes) -> None:  # type: ignore[no-untyped-def]
    """Codes (grids, rows) of the rows of X: the hash of each grid brought down to 0 ... ranges[grid] - 1.

    units = (centre, inverse unit, farthest) of each column; grids = (slope, offset, multiplier) of shape (grids,
    columns), and start.
    """
    slope, offset, multiplier, start = grids
    n_rows = X.shape[0]
    n_grids, n_columns = slope.shape
    height = min(max(1, n_rows), max(32, min(512, L1_FLOATS // max(1, n_columns) // 8 * 8)))
    tile = np.empty((n_columns, height), dtype=np.float32)
    hashes = np.empty(height, dtype=np.uint32)
    for first in range(0, n_rows, height):
        width = min(height, n_rows - first)
        fill_tile(X, first, width, columns, units, tile)
        for grid in range(n_grids):
            hashes[:width] = start[grid]
            add_hashes(tile, width, slope[grid], offset[grid], multiplier[grid], hashes)
            size = ranges[grid]
            out = codes[grid]
            for i in range(width):
                out[first + i] = (np.uint64(hashes[i]) * size) >> np.uint64(32)


@compiled()
def sparse_codes(rows, place, units, grids, ranges, codes) -> None:  # type: ignore[no-untyped-def]
    """The codes that ``dense_codes`` would give, in time proportional to the entries that are not zero.

    rows = (data, indices, indptr); ``place[column]`` is the place of the column in ``units``, or -1 for a column that
    does not count; grids = (slope, offset, multiplier, bin of 0) of shape (columns, grids), and the hash of zeros.
    """
    data, indices, indptr = rows
    centre, inverse, farthest = units
    slope, offset, multiplier, at_zero, start = grids
    n_grids = start.shape[0]
    hashes = np.empty(n_grids, dtype=np.uint32)
    for row in range(indptr.shape[0] - 1):
        hashes[:] = start
        for entry in range(indptr[row], indptr[row + 1]):
            j = place[indices[entry]]
            if j >= 0:
                value = (np.float64(data[entry]) - centre[j]) * inverse[j]
                x = np.float32(min(max(value, -farthest[j]), farthest[j]))
                s, o, m, z = slope[j], offset[j], multiplier[j], at_zero[j]
                for g in range(n_grids):
                    hashes[g] = np.uint32(hashes[g] + np.uint32(np.int32(np.floor(x * s[g] + o[g])) - z[g]) * m[g])
        for g in range(n_grids):
            codes[g, row] = (np.uint64(hashes[g]) * ranges[g]) >> np.uint64(32)


PLAIN, SIGNED, PARTIAL, UNSIGNED = 0, 1, 2, 3
"""How codes are read: as bins; as 2 * bin + sign; as bins with codes past the last bin counting nothing; as SIGNED
with the signs left out."""


@compiled()
def gather(codes, edges, scales, mode, table, first, last, out) -> None:  # type: ignore[no-untyped-def]
    """Add to out[row] the sum over grids of scale * sign * table[edge + bin], grid by grid, for a range of rows."""
    for grid in range(codes.shape[0]):
        part = table[edges[grid] : edges[grid + 1]]
        scale = scales[grid]
        row = codes[grid]
        if mode == SIGNED:
            signs = np.array([scale, -scale])  # looked up: a branch on a random bit would cost more than the rest
            for i in range(first, last):
                code = np.int64(row[i])
                out[i] += part[code >> 1] * signs[code & 1]
        elif mode == PARTIAL:
            for i in range(first, last):
                if row[i] < part.shape[0]:
                    out[i] += part[row[i]] * scale
        else:
            for i in range(first, last):
                out[i] += part[row[i]] * scale


@compiled()
def add_to_bins(row, scale, mode, values, part) -> None:  # type: ignore[no-untyped-def]
    """Add scale * sign * values[i] to the bin of row i, in one grid."""
    if mode == SIGNED:
        signs = np.array([scale, -scale])
        for i in range(row.shape[0]):
            code = np.int64(row[i])
            part[code >> 1] += values[i] * signs[code & 1]
    elif mode == UNSIGNED:
        for i in range(row.shape[0]):
            part[row[i] >> 1] += values[i] * scale
    elif mode == PARTIAL:
        for i in range(row.shape[0]):
            if row[i] < part.shape[0]:
                part[row[i]] += values[i] * scale
    else:
        for i in range(row.shape[0]):
            part[row[i]] += values[i] * scale


@compiled()
def scatter(codes, edges, scales, mode, values, first, last, table) -> None:  # type: ignore[no-untyped-def]
    """Add scale * sign * values[row] to table[edge + bin] for a range of grids: the adjoint of ``gather``.

    A bin of a coarse grid may hold most of the rows: sums of many float32 are made in float64.
    """
    for grid in range(first, last):
        part = table[edges[grid] : edges[grid + 1]]
        if table.itemsize == 4 and codes.shape[1] > MANY_ROWS:
            sums = np.zeros(part.shape[0], dtype=np.float64)
            add_to_bins(codes[grid], np.float64(scales[grid]), mode, values, sums)
            for place in range(part.shape[0]):
                part[place] += np.float32(sums[place])
        else:
            add_to_bins(codes[grid], scales[grid], mode, values, part)


@compiled()
def gather_rows(codes, edges, scales, mode, table, rows, first, last, out) -> None:  # type: ignore[no-untyped-def]
    """``gather`` for some rows: add to out[i] what belongs to row rows[i], for a range of i."""
    for grid in range(codes.shape[0]):
        part = table[edges[grid] : edges[grid + 1]]
        scale = scales[grid]
        row = codes[grid]
        if mode == SIGNED:
            signs = np.array([scale, -scale])
            for i in range(first, last):
                code = np.int64(row[rows[i]])
                out[i] += part[code >> 1] * signs[code & 1]
        elif mode == PARTIAL:
            for i in range(first, last):
                if row[rows[i]] < part.shape[0]:
                    out[i] += part[row[rows[i]]] * scale
        else:
            for i in range(first, last):
                out[i] += part[row[rows[i]]] * scale


@compiled()
def add_rows_to_bins(row, scale, mode, values, rows, part) -> None:  # type: ignore[no-untyped-def]
    """``add_to_bins`` for some rows."""
    if mode == SIGNED:
        signs = np.array([scale, -scale])
        for i in range(rows.shape[0]):
            code = np.int64(row[rows[i]])
            part[code >> 1] += values[i] * signs[code & 1]
    elif mode == PARTIAL:
        for i in range(rows.shape[0]):
            if row[rows[i]] < part.shape[0]:
                part[row[rows[i]]] += values[i] * scale
    else:
        for i in range(rows.shape[0]):
            part[row[rows[i]]] += values[i] * scale


@compiled()
def scatter_rows(codes, edges, scales, mode, values, rows, first, last, table) -> None:  # type: ignore[no-untyped-def]
    """``scatter`` for some rows: the bits of scattering zeros for all others."""
    for grid in range(first, last):
        part = table[edges[grid] : edges[grid + 1]]
        if table.itemsize == 4 and codes.shape[1] > MANY_ROWS:
            sums = np.zeros(part.shape[0], dtype=np.float64)
            add_rows_to_bins(codes[grid], np.float64(scales[grid]), mode, values, rows, sums)
            for place in range(part.shape[0]):
                part[place] += np.float32(sums[place])
        else:
            add_rows_to_bins(codes[grid], scales[grid], mode, values, rows, part)


@compiled()
def place_and_sign(code, size, mode):  # type: ignore[no-untyped-def]
    """Bin and sign of a code; bin -1 where there is none."""
    if mode == SIGNED:
        return code >> 1, 1 - 2 * (code & 1)
    if mode == UNSIGNED:
        return code >> 1, 1
    return (code if code < size else -1), 1


@compiled()
def gather_columns(codes, edges, scales, mode, table, first, last, out) -> None:  # type: ignore[no-untyped-def]
    """``gather`` for several outputs: a row of the table for each bin."""
    for grid in range(codes.shape[0]):
        edge = edges[grid]
        for i in range(first, last):
            place, sign = place_and_sign(np.int64(codes[grid, i]), edges[grid + 1] - edge, mode)
            if place >= 0:
                factor = scales[grid] * sign
                for output in range(table.shape[1]):
                    out[i, output] += factor * table[edge + place, output]


@compiled()
def scatter_columns(codes, edges, scales, mode, values, first, last, table) -> None:  # type: ignore[no-untyped-def]
    """``scatter`` for several outputs."""
    for grid in range(first, last):
        edge = edges[grid]
        for i in range(codes.shape[1]):
            place, sign = place_and_sign(np.int64(codes[grid, i]), edges[grid + 1] - edge, mode)
            if place >= 0:
                factor = scales[grid] * sign
                for output in range(table.shape[1]):
                    table[edge + place, output] += factor * values[i, output]


@compiled()
def renumber(codes, edges, new_edges, places, mode, out) -> None:  # type: ignore[no-untyped-def]
    """Codes with places[edge + bin] for the bin; a code past the last bin stays one past the last."""
    for grid in range(codes.shape[0]):
        part = places[edges[grid] : edges[grid + 1]]
        last = new_edges[grid + 1] - new_edges[grid]
        for i in range(codes.shape[1]):
            code = np.int64(codes[grid, i])
            if mode == SIGNED:
                out[grid, i] = 2 * np.int64(part[code >> 1]) + (code & 1)
            elif mode == PARTIAL and code >= part.shape[0]:
                out[grid, i] = last
            else:
                out[grid, i] = part[code]


@compiled()
def fill_entries(codes, edges, scales, mode, indices, data) -> None:  # type: ignore[no-untyped-def]
    """Columns and values of the entries, (rows, grids); column -1 where a row has no bin."""
    for i in range(codes.shape[1]):
        for grid in range(codes.shape[0]):
            place, sign = place_and_sign(np.int64(codes[grid, i]), edges[grid + 1] - edges[grid], mode)
            indices[i, grid] = edges[grid] + place if place >= 0 else -1
            data[i, grid] = scales[grid] * sign
