"""A symmetric matrix kept as one triangle: what it gives is what the whole matrix gives."""

import numpy as np
import pytest

from bochner.compute.triangle import SUMS, TILE, Triangle


def whole(n):
    root = np.random.default_rng(0).normal(size=(n, 5))
    return root @ root.T


def kept(matrix, threads=2):
    return Triangle(lambda here, there: matrix[here, there].copy(), len(matrix), threads)


@pytest.mark.parametrize("n", [1, 300, TILE, 2 * TILE + 77, (SUMS + 2) * TILE - 1])
def test_products_columns_and_trace_are_those_of_the_whole(n):
    matrix = whole(n)
    triangle = kept(matrix)
    vectors = np.random.default_rng(1).normal(size=(n, 3))
    np.testing.assert_allclose(triangle.product(vectors), matrix @ vectors, rtol=0, atol=1e-9 * n)
    for count in {1, min(n, TILE + 5), n}:
        np.testing.assert_array_equal(triangle.columns(count), matrix[:count])
    assert triangle.trace() == pytest.approx(np.trace(matrix))


def test_it_takes_half_the_memory_and_has_the_same_bits_for_any_number_of_threads():
    matrix = whole(4 * TILE + 10)
    triangle = kept(matrix)
    held = sum(tile.nbytes for row in triangle.tiles for tile in row)
    assert held <= Triangle.bytes(len(matrix), matrix.dtype) < 0.65 * matrix.nbytes
    vectors = np.random.default_rng(1).normal(size=(len(matrix), 2))
    np.testing.assert_array_equal(triangle.product(vectors), kept(matrix, threads=1).product(vectors))
