import numpy as np
import pytest
from scipy.linalg import hadamard

from bochner.compute import fastfood_turns, sorf_turns, walsh_hadamard

DTYPES = (np.float32, np.float64)
DIMENSIONS = [2**k for k in range(13)]


def tolerance(dtype, expected):
    """A few roundings per stage, relative to the largest entry: each transform adds numbers of one size."""
    return 40 * np.finfo(dtype).eps * np.abs(expected).max()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_walsh_hadamard_is_the_matrix(dtype, d):
    tile = np.random.default_rng(d).normal(size=(d, 11)).astype(dtype)
    expected = hadamard(d) @ tile.astype(float)
    walsh_hadamard(tile)
    np.testing.assert_allclose(tile, expected, rtol=0, atol=tolerance(dtype, expected))


def test_walsh_hadamard_twice_is_d_times_the_identity():
    tile = np.arange(64.0 * 5).reshape(64, 5)
    twice = tile.copy()
    walsh_hadamard(twice)
    walsh_hadamard(twice)
    np.testing.assert_array_equal(twice, 64 * tile)


def sorf_problem(dtype, n, d_in, d, n_columns):
    rng = np.random.default_rng([n, d_in, d, n_columns])
    n_blocks = -(-n_columns // d)
    X = rng.normal(size=(n, d_in)).astype(dtype)
    signs = rng.choice(np.array([-1, 1], dtype), size=(n_blocks, 3, d))
    scales = rng.normal(size=n_blocks * d).astype(dtype)
    return X, signs, scales


def dense_sorf(X, signs, scales, n_columns):
    d = signs.shape[2]
    padded = np.zeros((len(X), d))
    padded[:, : X.shape[1]] = X
    H = hadamard(d).astype(float)
    matrices = [H @ np.diag(one) @ H @ np.diag(two) @ H @ np.diag(three) for one, two, three in signs.astype(float)]
    return (padded @ np.vstack(matrices).T * scales)[:, :n_columns]


SHAPES = [
    # n, d_in, d, columns: less than a register, exactly one, ragged; padded; last block cut
    (1, 1, 1, 3),
    (5, 2, 2, 5),
    (9, 3, 4, 8),
    (8, 8, 8, 24),
    (17, 11, 16, 39),
    (16, 32, 32, 64),
    (23, 50, 64, 100),
    (11, 128, 128, 131),
    (19, 130, 256, 700),
    (10, 300, 512, 512),
    (9, 784, 1024, 1500),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "d_in", "d", "n_columns"), SHAPES)
def test_sorf_is_the_dense_product(dtype, n, d_in, d, n_columns):
    X, signs, scales = sorf_problem(dtype, n, d_in, d, n_columns)
    out = np.empty((n, n_columns), dtype)
    sorf_turns(X, signs, scales, out)
    expected = dense_sorf(X, signs, scales, n_columns)
    np.testing.assert_allclose(out, expected, rtol=0, atol=tolerance(dtype, expected))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "d_in", "d", "n_columns"), SHAPES)
def test_fastfood_is_the_dense_product(dtype, n, d_in, d, n_columns):
    X, signs, scales = sorf_problem(dtype, n, d_in, d, n_columns)
    rng = np.random.default_rng(1)
    B = np.ascontiguousarray(signs[:, 0])
    G = rng.normal(size=B.shape).astype(dtype)
    P = rng.permuted(np.tile(np.arange(d), (len(B), 1)), axis=1)
    out = np.empty((n, n_columns), dtype)
    fastfood_turns(X, B, P, G, scales, out)
    H = hadamard(d).astype(float)
    padded = np.zeros((n, d))
    padded[:, :d_in] = X
    matrices = [(H * g) @ np.eye(d)[p] @ (H * b) for b, p, g in zip(B, P, G.astype(float))]
    expected = (padded @ np.vstack(matrices).T * scales)[:, :n_columns]
    np.testing.assert_allclose(out, expected, rtol=0, atol=tolerance(dtype, expected))


@pytest.mark.parametrize("dtype", DTYPES)
def test_column_slices_are_read_and_written_and_nothing_else(dtype):
    X, signs, scales = sorf_problem(dtype, 21, 20, 32, 45)
    wide_rows = np.full((21, 33), np.nan, dtype)
    wide_rows[:, 6:26] = X
    wide = np.full((21, 60), 5.0, dtype)
    sorf_turns(wide_rows[:, 6:26], signs, scales, wide[:, 4:49])
    expected = dense_sorf(X, signs, scales, 45)
    np.testing.assert_allclose(wide[:, 4:49], expected, rtol=0, atol=tolerance(dtype, expected))
    assert (np.delete(wide, np.r_[4:49], axis=1) == 5.0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_does_not_depend_on_its_neighbours(dtype):
    """The same bits, however the rows are cut into chunks."""
    X, signs, scales = sorf_problem(dtype, 29, 40, 64, 100)
    whole, pieces = np.empty((29, 100), dtype), np.empty((29, 100), dtype)
    sorf_turns(X, signs, scales, whole)
    for start, stop in [(0, 1), (1, 10), (10, 29)]:
        sorf_turns(X[start:stop], signs, scales, pieces[start:stop])
    np.testing.assert_array_equal(pieces, whole)


def test_no_rows_and_no_columns():
    X, signs, scales = sorf_problem(np.float64, 4, 5, 8, 16)
    sorf_turns(X[:0], signs, scales, np.empty((0, 16)))
    sorf_turns(X, signs, scales, np.empty((4, 0)))
    walsh_hadamard(np.empty((8, 0)))


def test_refuses_what_it_cannot_project():
    X, signs, scales = sorf_problem(np.float64, 4, 5, 8, 16)
    out = np.empty((4, 16))
    with pytest.raises(ValueError, match="power of two"):
        walsh_hadamard(np.ones((6, 2)))
    with pytest.raises(ValueError, match="power of two"):
        sorf_turns(X, signs[:, :, :6], scales, out)
    with pytest.raises(ValueError, match="more than the 8"):
        sorf_turns(np.ones((4, 9)), signs, scales, out)
    with pytest.raises(ValueError, match="fewer columns"):
        sorf_turns(X, signs[:1], scales, out)
    with pytest.raises(ValueError, match="fewer columns"):
        sorf_turns(X, signs, scales[:15], out)
    with pytest.raises(ValueError, match="three diagonals"):
        sorf_turns(X, signs[:, :2], scales, out)
    with pytest.raises(ValueError, match="this dtype and shape"):
        sorf_turns(X, signs.astype(np.float32), scales, out)
    with pytest.raises(ValueError, match="this dtype and shape"):
        sorf_turns(X, signs, scales, out[:3])
    for outside in (np.full((2, 8), 8), np.full((2, 8), -1), np.zeros((1, 8), int)):
        with pytest.raises(ValueError, match="permutations"):
            fastfood_turns(X, signs[:, 0], outside, signs[:, 1], scales, out)
