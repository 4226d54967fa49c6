import mpmath
import numpy as np
import pytest

from bochner.compute import cosine_sine, shifted_cosine

DTYPES = (np.float32, np.float64)
TOLERANCE = {np.float32: 1e-6, np.float64: 1e-14}


def angles(dtype):
    """Arguments where the reduction or the fold can go wrong, their neighbours, random ones of all sizes."""
    rng = np.random.default_rng(0)
    quarters = np.arange(-24, 25) / 4
    eighths = np.arange(-17, 18, 2) / 8
    large = np.array([1e4, 1e4 + 0.5, 1e4 + 0.25, 9999.75, 4095.5, 8191.875])
    special = np.concatenate([quarters, eighths, large, -large]).astype(dtype)
    beside = [np.nextafter(special, dtype(np.inf)), np.nextafter(special, dtype(-np.inf))]
    tiny = np.array([1e-30, -1e-30, 1e-8, -1e-8], dtype=dtype)
    random = [rng.uniform(-size, size, 2000).astype(dtype) for size in (0.5, 3.0, 100.0, 1e4)]
    return np.concatenate([special, *beside, tiny, *random])[None, :]


def exact(turns, phase=0.0):
    """Cosine and sine of the very floats given, with 40 digits, rounded once to float64."""
    with mpmath.workdps(40):
        pairs = zip(turns.ravel(), np.broadcast_to(phase, turns.shape).ravel())
        whole = [2 * (mpmath.mpf(float(t)) + mpmath.mpf(float(p))) for t, p in pairs]
        cosine = np.array([float(mpmath.cospi(t)) for t in whole]).reshape(turns.shape)
        sine = np.array([float(mpmath.sinpi(t)) for t in whole]).reshape(turns.shape)
    return cosine, sine


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1.0, -0.37, 0.015625])
def test_cosine_sine_is_accurate(dtype, scale):
    turns = angles(dtype)
    cosine, sine = np.empty_like(turns), np.empty_like(turns)
    cosine_sine(turns, scale, cosine, sine)
    expected_cosine, expected_sine = exact(turns)
    assert np.abs(cosine - scale * expected_cosine).max() <= TOLERANCE[dtype] * abs(scale)
    assert np.abs(sine - scale * expected_sine).max() <= TOLERANCE[dtype] * abs(scale)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1.0, -0.37])
def test_shifted_cosine_is_accurate(dtype, scale):
    turns = angles(dtype)
    phase = np.random.default_rng(1).uniform(-2.0, 2.0, turns.shape[1]).astype(dtype)
    phase[:8] = [0.0, 0.25, 0.5, 0.75, 1.0, -0.5, 1e-9, -0.25]
    out = np.empty_like(turns)
    shifted_cosine(turns, phase, scale, out)
    assert np.abs(out - scale * exact(turns, phase)[0]).max() <= TOLERANCE[dtype] * abs(scale)


@pytest.mark.parametrize("dtype", DTYPES)
def test_column_slices_are_written_and_nothing_else(dtype):
    turns = np.random.default_rng(2).normal(size=(7, 40)).astype(dtype)[:, 3:24]
    wide = np.full((7, 60), 5.0, dtype=dtype)
    cosine_sine(turns, 1.0, wide[:, 2:23], wide[:, 30:51])
    shifted = np.full((7, 60), 5.0, dtype=dtype)
    shifted_cosine(turns, np.full(21, 0.125, dtype=dtype), 1.0, shifted[:, 2:23])
    expected_cosine, expected_sine = exact(turns)
    np.testing.assert_allclose(wide[:, 2:23], expected_cosine, rtol=0, atol=TOLERANCE[dtype])
    np.testing.assert_allclose(wide[:, 30:51], expected_sine, rtol=0, atol=TOLERANCE[dtype])
    np.testing.assert_allclose(shifted[:, 2:23], exact(turns, 0.125)[0], rtol=0, atol=TOLERANCE[dtype])
    assert (np.delete(wide, np.r_[2:23, 30:51], axis=1) == 5.0).all()
    assert (np.delete(shifted, np.r_[2:23], axis=1) == 5.0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place_gives_the_same_bits(dtype):
    turns = np.random.default_rng(3).normal(scale=20, size=(9, 37)).astype(dtype)
    phase = np.random.default_rng(4).uniform(size=37).astype(dtype)
    apart, features = np.empty((9, 74), dtype), np.empty((9, 74), dtype)
    cosine_sine(turns, 0.5, apart[:, :37], apart[:, 37:])
    features[:, :37] = turns
    cosine_sine(features[:, :37], 0.5, features[:, :37], features[:, 37:])
    np.testing.assert_array_equal(features, apart)
    out = np.empty_like(turns)
    shifted_cosine(turns, phase, 0.5, out)
    shifted_cosine(turns, phase, 0.5, turns)
    np.testing.assert_array_equal(turns, out)


@pytest.mark.parametrize("dtype", DTYPES)
def test_not_a_number_is_not_hidden(dtype):
    turns = np.zeros((1, 32), dtype=dtype)
    turns[0, [3, 9, 30]] = np.nan, np.inf, -np.inf
    cosine, sine = np.empty_like(turns), np.empty_like(turns)
    cosine_sine(turns, 1.0, cosine, sine)
    for values in (cosine, sine):
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(values)), [3, 9, 30])
    shifted_cosine(turns, np.zeros(32, dtype), 1.0, turns)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(turns)), [3, 9, 30])


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (1, 1), (3, 1)])
def test_small_shapes(shape):
    turns = np.full(shape, 0.5)
    cosine, sine = np.empty(shape), np.empty(shape)
    cosine_sine(turns, 1.0, cosine, sine)
    shifted_cosine(turns, np.zeros(shape[1]), 1.0, turns)
    np.testing.assert_allclose(cosine, np.full(shape, -1.0), rtol=0, atol=1e-14)
    np.testing.assert_allclose(sine, np.zeros(shape), rtol=0, atol=1e-14)
    np.testing.assert_allclose(turns, np.full(shape, -1.0), rtol=0, atol=1e-14)


def test_refuses_what_it_cannot_write():
    turns = np.zeros((4, 6))
    with pytest.raises(ValueError, match="float32 or float64"):
        shifted_cosine(turns.astype(int), np.zeros(6), 1.0, turns)
    with pytest.raises(ValueError, match="this dtype and shape"):
        cosine_sine(turns, 1.0, np.zeros((4, 5)), np.zeros((4, 6)))
    with pytest.raises(ValueError, match="this dtype and shape"):
        shifted_cosine(turns, np.zeros(6), 1.0, np.zeros((4, 6), np.float32))
    with pytest.raises(ValueError, match="not contiguous"):
        shifted_cosine(turns, np.zeros(6), 1.0, np.zeros((6, 4)).T)
    with pytest.raises(ValueError, match="overlap or run backwards"):
        shifted_cosine(turns, np.zeros(6), 1.0, np.zeros((4, 6))[::-1])
    with pytest.raises(ValueError, match="one phase per column"):
        shifted_cosine(turns, np.zeros(5), 1.0, turns)
