"""Kernels behind a scaling: what they are equal to, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import bochner as bo
from bochner.kernels import Columns, ProductFormKernel, RadialKernel, ScaledKernel
from tests.contracts.test_kernels import columns_of
from tests.contracts.walk import examples, name_of

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(25, 3))
OBLIQUE = np.array([[0.8, 0.3, -0.4], [-0.2, 0.5, 0.9]])
RADIAL = [bo.Gaussian, bo.Matern, bo.RationalQuadratic, bo.PoweredExponential]
SCALED = examples(ScaledKernel)


def unit(kernel):
    return kernel.with_length_scale(1.0)


@pytest.mark.parametrize("kernel", SCALED, ids=name_of)
@pytest.mark.parametrize("scale", [0.7, [0.7, 1.9, 3.1], bo.Metric(OBLIQUE)], ids=["number", "vector", "metric"])
def test_a_kernel_is_the_unit_kernel_at_scaled_rows(kernel, scale):
    """k(x, y) = unit(s(x), s(y)), written out."""
    dim = columns_of(kernel)
    if isinstance(scale, bo.Metric):
        scale, A = bo.Metric(OBLIQUE[:, :dim]), OBLIQUE[:, :dim]
    else:
        scale = scale if np.ndim(scale) == 0 else scale[:dim]
        A = np.diag(1.0 / np.broadcast_to(scale, (dim,)))
    rows, others = X[:, :dim], Y[:, :dim]
    given, plain = kernel.with_length_scale(scale), unit(kernel)
    np.testing.assert_allclose(given(rows, others), plain(rows @ A.T, others @ A.T), rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(given(rows), plain(rows @ A.T), rtol=1e-10, atol=1e-14)
    expected = plain.rowwise(rows[:25] @ A.T, others @ A.T)
    np.testing.assert_allclose(given.rowwise(rows[:25], others), expected, rtol=1e-10, atol=1e-14)
    scaling, behind = given.split(dim)
    np.testing.assert_allclose(behind(scaling(rows), scaling(others)), given(rows, others), rtol=1e-10, atol=1e-14)
    shorter = given.scaled(0.5)
    np.testing.assert_allclose(shorter(rows, others), plain(2 * rows @ A.T, 2 * others @ A.T), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("kernel", SCALED, ids=name_of)
def test_auto_does_not_see_the_units_of_columns(kernel):
    """A change of units, and of where 0 is, changes no value."""
    dim = columns_of(kernel)
    rows, units, shift = X[:, :dim], np.array([1e-3, 1.0, 40.0])[:dim], np.array([5.0, -3.0, 0.0])[:dim]
    auto = kernel.with_length_scale("auto")
    plain, other = auto.resolve(rows), auto.resolve(rows * units + shift)
    np.testing.assert_allclose(other.length_scale, plain.length_scale * units, rtol=1e-9)
    np.testing.assert_allclose(other(rows * units + shift), plain(rows), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("kernel", [k for k in SCALED if isinstance(k, RadialKernel | ProductFormKernel)], ids=name_of)
def test_the_slope_is_minus_the_derivative_over_the_distance(kernel):
    """By a difference of fourth order with a step of its own."""
    r, step = np.array([0.05, 0.3, 1.0, 2.5, 6.0]), 1e-4
    p = kernel.profile
    h = step * r
    derivative = (8 * (p(r + h) - p(r - h)) - (p(r + 2 * h) - p(r - 2 * h))) / (12 * h)
    np.testing.assert_allclose(kernel.slope(r, p(r)), -derivative / r, rtol=1e-6, atol=1e-9)
    assert np.isfinite(kernel.slope(np.zeros(1), p(np.zeros(1)))).all()


@pytest.mark.parametrize("cls", RADIAL, ids=lambda cls: cls.__name__)
def test_radial_kernels_do_not_see_a_rotation(cls):
    rotation = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    turned, plain = cls(bo.Metric(rotation / 1.3)), cls(1.3)
    np.testing.assert_allclose(turned(X, Y), plain(X, Y), rtol=1e-12)
    np.testing.assert_allclose(turned.rowwise(X[:25], Y), plain.rowwise(X[:25], Y), rtol=1e-12)


def test_radial_kernels_are_profiles_of_the_metric():
    """sqrt((x - y)'M(x - y)) with M = A'A, written out."""
    delta = X[:25] - Y
    distance = np.sqrt(np.einsum("ij,jk,ik->i", delta, OBLIQUE.T @ OBLIQUE, delta))
    kernel = bo.Matern(bo.Metric(OBLIQUE), 1.5)
    np.testing.assert_allclose(kernel.rowwise(X[:25], Y), kernel.profile(distance), rtol=1e-12)


def test_what_theory_reads_off_a_scaling():
    """tr A'A, the largest stretch and the steps of columns: by the singular values and columns of the matrix."""
    scales = np.array([0.5, 2.0, 4.0])
    for scaling, A in ((Columns(scales), np.diag(1 / scales)), (bo.Metric(OBLIQUE), OBLIQUE)):
        assert scaling.trace() == pytest.approx(np.trace(A.T @ A))
        assert scaling.stretch() == pytest.approx(np.linalg.svd(A, compute_uv=False)[0])
        np.testing.assert_allclose(scaling.steepness(), np.sqrt(np.diag(A.T @ A)))
        v = RNG.normal(size=(5, len(A)))
        np.testing.assert_allclose(scaling.frequencies(v), v @ A, rtol=1e-13)
        np.testing.assert_allclose(scaling.linear(X), X @ A.T, rtol=1e-13)
        far = scaling.around(X + 1e9)
        np.testing.assert_allclose(far(X + 1e9) - far(X[:1] + 1e9), (X - X[:1]) @ A.T, atol=1e-5)
        np.testing.assert_allclose(scaling.times(2.0)(X), X @ A.T / 2, rtol=1e-13)


def test_an_origin_keeps_the_digits_of_single_precision():
    """Rows of spread 1 at 10^4: float32 has 3 digits of differences left, unless an origin is subtracted first."""
    exact = np.round(X * 2.0**9) / 2.0**9 + 2.0**13
    single = exact.astype(np.float32)
    assert (single == exact).all()
    for scale in (0.8, [0.7, 1.9, 3.1], bo.Metric(OBLIQUE)):
        kernel = bo.Gaussian(scale)
        scaling, behind = kernel.split(3)
        rows = scaling.around(single)(single, np.float32)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(behind(rows), kernel(exact), rtol=2e-5)
        assert np.abs(behind(scaling(single, np.float32)) - kernel(exact)).max() > 1e-4  # from the origin 0


def test_sparse_rows_stay_sparse_under_length_scales_and_have_the_same_values():
    rows = X * (X > 0)
    for kind in (sp.csr_matrix, sp.csr_array):
        for scale in (0.8, [0.5, 2.0, 4.0], bo.Metric(OBLIQUE)):
            kernel = bo.Gaussian(scale)
            np.testing.assert_allclose(kernel(kind(rows), kind(Y)), kernel(rows, Y), rtol=1e-12)
            np.testing.assert_allclose(kernel.diagonal(kind(rows)), np.ones(len(rows)))
            scaling = kernel.split(3)[0].around(kind(rows))
            assert scaling.origin is None
            assert sp.issparse(scaling(kind(rows))) == (not isinstance(scale, bo.Metric))
    landmarks = bo.Gaussian(0.8).split(3)[0].around(Y)  # dense ones: sparse rows are measured from the same origin
    np.testing.assert_allclose(landmarks(sp.csr_array(rows)), landmarks(rows))


def test_a_kernel_with_a_metric_is_cloned_printed_compared_and_set():
    kernel = bo.Gaussian(bo.Metric(OBLIQUE))
    copy = clone(kernel)
    assert copy.length_scale == kernel.length_scale
    assert copy.length_scale != bo.Metric(2 * OBLIQUE)
    assert hash(copy.length_scale) == hash(kernel.length_scale)
    assert repr(kernel).startswith("Gaussian(length_scale=Metric([[ 0.8")
    np.testing.assert_array_equal(clone(kernel).set_params(length_scale=3.0)(X), bo.Gaussian(3.0)(X))


@pytest.mark.parametrize(
    "matrix", [[1.0, 2.0, 3.0], [[np.nan, 1.0, 2.0]], [[]], [["a", "b", "c"]], [[1], [2, 3]], None]
)
def test_matrices_that_are_no_tables_of_numbers_get_a_sentence(matrix):
    with pytest.raises(ValueError, match=r"^matrix must be a table of finite numbers, a row for each direction\.$"):
        bo.Metric(matrix)


def test_scales_for_other_data_get_a_sentence():
    with pytest.raises(ValueError, match=r"^matrix has 2 columns but the data have 3: give one each\.$"):
        bo.Gaussian(bo.Metric([[1.0, 2.0]]))(X)
    with pytest.raises(ValueError, match=r"^length_scale has shape \(2,\) but the data have 3 columns"):
        bo.Gaussian([1.0, 2.0])(X)
    with pytest.raises(ValueError, match=r"^The kernel is for 3 columns but the data have shape \(25, 2\)\.$"):
        bo.Gaussian(1.0)(X, Y[:, :2])


def test_a_bare_matrix_is_refused_by_a_sentence_that_names_metric():
    for use in (lambda k: k(X), lambda k: k.resolve(X), lambda k: bo.FourierFeatures(k).fit(X)):
        with pytest.raises(
            ValueError, match=r"a matrix multiplies rows where length scales divide.*bo\.Metric\(matrix"
        ):
            use(bo.Gaussian(np.eye(3)))


def test_words_outside_a_fit_get_a_sentence():
    for kernel in (bo.Gaussian(), bo.Laplace(), bo.Matern(), bo.Cauchy(), bo.RadialProfile(np.cos)):
        assert kernel.length_scale == "auto"
        with pytest.raises(ValueError, match=r"^length_scale='auto' is resolved from data: fit a feature map"):
            kernel(X)
    with pytest.raises(ValueError, match=r"'median', 'std', 'auto' or a bo\.Metric, not 'mean'"):
        bo.Gaussian("mean").resolve(X)


def test_what_is_gone_says_what_to_write():
    with pytest.raises(AttributeError, match=r"bo\.Gaussian\(bo\.Metric\(matrix\)\)"):
        bo.Projected  # noqa: B018
    with pytest.raises(AttributeError, match=r"bo\.RadialProfile\(f\)"):
        bo.ShiftInvariant  # noqa: B018
