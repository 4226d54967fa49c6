"""Laws of every kernel in the library, found by walking its classes."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad
from scipy.stats import multivariate_normal
from sklearn.base import clone

import bochner as bo
from bochner import kernels
from bochner.kernels import (
    BinningKernel,
    HomogeneousKernel,
    Kernel,
    Metric,
    RadialKernel,
    ShiftInvariantKernel,
    ShiftInvariantProduct,
)
from bochner.kernels.composed_frequencies import GeneralComposition, RadialComposition, degree_law
from bochner.kernels.power_series import PowerSeriesKernel
from tests.contracts.walk import examples, name_of


def is_convex(kernel):
    """Whether the profile of a kernel of one column is convex on a grid of distances."""
    values = kernel.profile(np.linspace(1e-6, 8.0, 4001))
    return (np.diff(values, 2) > -1e-9).all()


ALL = examples(Kernel)
SHIFT_INVARIANT = [kernel for kernel in ALL if isinstance(kernel, ShiftInvariantKernel)]
RADIAL = [kernel for kernel in ALL if isinstance(kernel, RadialKernel)]
BY_COLUMNS = [kernel for kernel in ALL if not isinstance(getattr(kernel, "length_scale", None), Metric)]
CONVEX = [kernel for kernel in BY_COLUMNS if isinstance(kernel, BinningKernel) and is_convex(kernel)]
NOT_CONVEX = [kernel for kernel in ALL if isinstance(kernel, BinningKernel) and not is_convex(kernel)]
SERIES = [kernel for kernel in ALL if isinstance(kernel, PowerSeriesKernel)]
HOMOGENEOUS = [kernel for kernel in ALL if isinstance(kernel, HomogeneousKernel)]
SCALED = [kernel for kernel in ALL if "length_scale" in kernel.get_params(deep=False)]
DISTANCES = (0.0, 0.3, 1.0, 2.5)


@pytest.fixture
def rows():
    # Positive rows inside the unit ball: in the domain of every kernel, additive and Vovk's included.
    rows = np.random.default_rng(0).uniform(0.05, 0.55, size=(30, 3))
    assert (np.linalg.norm(rows, axis=1) < 1).all()
    return rows


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_matrix_rows_and_diagonal_agree(kernel, rows):
    K = kernel(rows)
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(rows), np.diag(K), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(
        kernel.rowwise(rows[:10], rows[10:20]), np.diag(kernel(rows[:10], rows[10:20])), rtol=1e-7
    )
    np.testing.assert_allclose(kernel(sp.csr_array(rows)), K, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_single_precision_is_near(kernel, rows):
    single = kernel.single(rows.astype(np.float32), rows[:5].astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, kernel(rows, rows[:5]), rtol=2e-4, atol=1e-5)


OF_DIFFERENCES = [
    *SHIFT_INVARIANT,
    kernels.Gaussian(1.0) + 0.5 * kernels.Laplace(2.0),
    kernels.Gaussian(kernels.Metric([[0.8, 0.3, 0.0], [-0.2, 0.5, 0.4], [0.1, 0.0, 0.6]])),
]


@pytest.mark.parametrize("kernel", OF_DIFFERENCES, ids=name_of)
def test_kernels_of_differences_do_not_see_how_far_from_zero_rows_are(kernel, rows):
    rows = np.round(rows * 2.0**12) / 2.0**12  # so that shifted rows are exact
    left, right = rows[:20], rows[20:]
    np.testing.assert_allclose(kernel(left + 2.0**18, right + 2.0**18), kernel(left, right), rtol=1e-9)  # 1e6 spreads
    left, right = left.astype(np.float32), right.astype(np.float32)
    far = np.float32(256.0)  # 1e3 spreads
    np.testing.assert_allclose(kernel.single(left + far, right + far), kernel.single(left, right), rtol=1e-6)
    np.testing.assert_allclose(kernel(left + far, right + far), kernel(left, right), rtol=1e-12)
    part = kernel(left[:3], right)  # a value does not depend on the other rows beyond the rounding of products
    np.testing.assert_allclose(part, kernel(left, right)[:3], rtol=1e-13)


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_positive_semidefinite(kernel, rows):
    smallest = np.linalg.eigvalsh(kernel(rows)).min()
    assert smallest > -1e-10 * len(rows)


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_clones_with_equal_values(kernel, rows):
    np.testing.assert_array_equal(clone(kernel)(rows), kernel(rows))
    assert repr(clone(kernel)) == repr(kernel)


@pytest.mark.parametrize("kernel", ALL, ids=name_of)
def test_algebra(kernel, rows):
    K = kernel(rows)
    np.testing.assert_allclose((kernel + kernel)(rows), 2 * K)
    np.testing.assert_allclose((kernel * kernel)(rows), K * K)
    np.testing.assert_allclose((0.25 * kernel)(rows), K / 4)
    terms = (2.0 * kernel + kernel * kernel).terms()
    np.testing.assert_allclose(sum(weight * term(rows) for weight, term in terms), 2 * K + K * K)


def columns_of(kernel):
    """Three, or as many as the kernel serves."""
    return int(min(3, kernel.largest_dim))


def has_density(kernel):
    """Whether frequencies have a density that is known: not those of a sampler, nor of sums of a random number."""
    if isinstance(kernel, RadialComposition):
        return degree_law(kernel.kernel)[0] == 0
    return not isinstance(kernel, bo.Spectral | GeneralComposition)


@pytest.mark.parametrize("kernel", SHIFT_INVARIANT, ids=name_of)
def test_densities_are_those_of_the_draws(kernel):
    """E g(w) / p(w) = 1 for any density g, here a narrow normal one off the centre; and p is even."""
    dim = columns_of(kernel)
    if not has_density(kernel):
        with pytest.raises(ValueError, match="does not know the density"):
            kernel.spectral_density(np.zeros(dim))
        return
    n = 2_000 if isinstance(kernel, ShiftInvariantProduct) else 40_000  # whose density is a mean over many
    frequencies = kernel.sample_frequencies(dim, n, np.random.default_rng(3))
    density = kernel.spectral_density(frequencies)
    narrow = multivariate_normal(np.full(dim, 0.3), 0.25**2 * np.eye(dim)).pdf(frequencies)
    ratio = narrow / density
    assert abs(ratio.mean() - 1.0) < 5 * ratio.std() / np.sqrt(n)
    np.testing.assert_allclose(kernel.spectral_density(-frequencies[:50]), density[:50], rtol=1e-2)
    assert kernel.spectral_density(frequencies[0]).shape == (1,)


@pytest.mark.parametrize("kernel", SHIFT_INVARIANT, ids=name_of)
def test_frequencies_have_the_kernel_as_characteristic_function(kernel):
    """k(Δ) = E cos(w'Δ), at five standard errors, for four distances in an oblique direction and along an axis."""
    rng = np.random.default_rng(7)
    dim = columns_of(kernel)
    frequencies = kernel.sample_frequencies(dim, 200_000, rng)
    oblique = np.array([2.0, -1.0, 2.0])[:dim] / 3
    for direction in (oblique, np.eye(dim)[1]):
        delta = np.outer(DISTANCES, direction)
        cosines = np.cos(frequencies @ delta.T)
        exact = kernel.at(delta)
        variance = np.maximum((1 + kernel.at(2 * delta)) / 2 - exact**2, 0)
        assert (np.abs(cosines.mean(axis=0) - exact) <= 5 * np.sqrt(variance / len(cosines)) + 1e-4).all()


@pytest.mark.parametrize("kernel", SHIFT_INVARIANT, ids=name_of)
def test_second_moment_is_minus_the_laplacian(kernel):
    """E||w||² = -sum_j d²k/dΔ_j² at 0; where it is infinite the difference quotient grows as the step shrinks."""
    dim = columns_of(kernel)

    def quotient(step):
        return sum(2 * (1 - kernel.at(step * np.eye(dim)[[j]]).item()) / step**2 for j in range(dim))

    moment = kernel.frequency_second_moment(dim)
    if np.isinf(moment):
        # A slope of the quotient against 1/step that a logarithm (Matern nu = 1) would still show.
        assert quotient(1e-4) > 1.1 * quotient(1e-3) > 1.2 * quotient(1e-2)
    else:
        assert quotient(1e-3) == pytest.approx(moment, rel=5e-3)


@pytest.mark.parametrize("kernel", RADIAL, ids=name_of)
def test_radii_are_lengths_of_frequencies(kernel):
    """The radii times Haar directions reproduce k: E of the spherical mean, d = 3: sin(t)/t with t = radius * r."""
    rng = np.random.default_rng(3)
    radii = kernel.sample_radii(3, 200_000, rng)
    for r in (0.5, 1.5):
        mean = np.sinc(radii * r / np.pi)
        assert abs(mean.mean() - kernel.profile(np.array([r])).item()) < 5 * mean.std() / np.sqrt(len(radii)) + 1e-4


@pytest.mark.parametrize("kernel", RADIAL, ids=name_of)
def test_radius_quantiles_are_those_of_frequency_lengths(kernel):
    """P(||w|| <= Q(u)) = u at five standard errors, for lengths of frequencies that are drawn without Q."""
    rng, levels = np.random.default_rng(5), np.array([0.02, 0.1, 0.5, 0.9, 0.98])
    for dim in (1, 3, 20):
        uniforms = rng.uniform(2.0**-54, 1 - 2.0**-53, size=(20_000, kernel.unit_uniforms(dim)))
        lengths = np.linalg.norm(kernel.unit_frequencies(uniforms, dim), axis=1)
        share = (lengths[:, None] <= kernel.radius_quantile(levels, dim)).mean(axis=0)
        at_least = np.maximum(levels, np.mean(lengths == 0.0))  # below the probability of 0 the quantile is 0
        assert (np.abs(share - at_least) < 5 * np.sqrt(levels * (1 - levels) / len(lengths)) + 1e-12).all()


@pytest.mark.parametrize("kernel", RADIAL, ids=name_of)
def test_radius_quantiles_increase_and_stay_finite(kernel):
    levels = np.concatenate([2.0 ** -np.arange(54.0, 1.0, -1.0), 1.0 - 2.0 ** -np.arange(1.0, 54.0)])
    for dim in (1, 2, 9):
        radii = kernel.radius_quantile(levels, dim)
        assert np.isfinite(radii).all()
        assert (radii >= 0).all()
        assert (np.diff(radii) >= 0).all()


@pytest.mark.parametrize("kernel", SCALED, ids=name_of)
def test_a_length_scale_divides_the_columns(kernel, rows):
    dim = columns_of(kernel)
    rows, unit = rows[:, :dim], clone(kernel).set_params(length_scale=1.0)
    scale = kernel.length_scale
    seen = rows @ (scale.matrix.T if isinstance(scale, Metric) else np.diag(1.0 / np.broadcast_to(scale, dim)))
    np.testing.assert_allclose(kernel(rows), unit(seen), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(kernel.rowwise(rows[:15], rows[15:]), unit.rowwise(seen[:15], seen[15:]), rtol=1e-9)


@pytest.mark.parametrize("word", ["median", "auto"])
@pytest.mark.parametrize("kernel", SCALED, ids=name_of)
def test_words_follow_the_unit_of_the_rows(kernel, word, rows):
    rows = rows[:, : columns_of(kernel)]
    found = clone(kernel).set_params(length_scale=word)
    here, there = found.resolve(rows), found.resolve(1e3 * rows)
    np.testing.assert_allclose(there(1e3 * rows), here(rows), rtol=1e-9, atol=1e-12)
    assert 0.02 < np.median(here(rows)) < 0.98


@pytest.mark.parametrize("draw", ["sample_pitches", "stratified_pitches"])
@pytest.mark.parametrize("kernel", CONVEX, ids=name_of)
def test_grids_of_the_pitch_law_put_rows_together_with_probability_k(kernel, draw):
    """E prod_j (1 - |Δ_j| / δ_j)_+ = k(Δ), at five standard errors of independent pitches, which strata lower."""
    pitches = getattr(kernel, draw)(3, 200_000, np.random.default_rng(11))
    for delta in np.outer((0.1, 0.7, 2.5), [1.0, -0.5, 0.25]):
        together = np.maximum(0.0, 1.0 - np.abs(delta) / pitches).prod(axis=1)
        expected = kernel.at(delta).item()
        assert abs(together.mean() - expected) < 5 * together.std() / np.sqrt(len(pitches)) + 1e-6


@pytest.mark.parametrize("kernel", NOT_CONVEX, ids=name_of)
def test_profiles_that_are_not_convex_have_no_pitch_law(kernel):
    with pytest.raises(ValueError, match=r"no pitch law: it is not convex .* use FourierFeatures"):
        kernel.sample_pitches(3, 10, np.random.default_rng(0))


@pytest.mark.parametrize("kernel", CONVEX, ids=name_of)
def test_strata_of_pitches_have_one_grid_each(kernel):
    """In each column the ranks of the pitches are those of n parts of equal probability: F(δ) fills every one."""
    n = 64
    edges = kernel.pitches(np.repeat((np.arange(1, n) / n)[:, None], 3, axis=1))
    drawn = kernel.stratified_pitches(3, n, np.random.default_rng(2))
    for column in range(3):
        np.testing.assert_array_equal(np.sort(np.searchsorted(edges[:, column], drawn[:, column])), np.arange(n))
    assert abs(np.corrcoef(drawn[:, 0].argsort().argsort(), drawn[:, 1].argsort().argsort())[0, 1]) < 0.6


@pytest.mark.parametrize("kernel", SERIES, ids=name_of)
def test_coefficients_sum_to_the_profile(kernel):
    """f(t) = sum_n a_n t^n with a_n >= 0; fewer terms are the first of more; k = g(x) g(y) f(b(x, y))."""
    t = np.array([-0.5, -0.1, 0.0, 0.2, 0.31, 0.5])
    a = kernel.coefficients(200)
    assert a.shape == (200,)
    assert (a >= 0).all()
    np.testing.assert_allclose(np.polynomial.polynomial.polyval(t, a), kernel.profile(t), rtol=1e-12, atol=1e-14)
    for n_terms in (1, 2, 3, 7):
        np.testing.assert_allclose(kernel.coefficients(n_terms), a[:n_terms], rtol=1e-12)
    rows = np.random.default_rng(0).uniform(0.05, 0.55, size=(6, 3))
    size = kernel.amplitude(rows)
    np.testing.assert_allclose(kernel(rows), np.outer(size, size) * kernel.profile(kernel.base(rows)), rtol=1e-12)


@pytest.mark.parametrize("kernel", HOMOGENEOUS, ids=name_of)
def test_signatures_are_kernels_of_ratios_and_transforms_of_spectra(kernel):
    """k(x, y) = sum (x y)^a K(log(y / x)), K(o) = E cos(l o) for l from the spectrum, a density that sums to 1."""
    x, y = np.random.default_rng(0).uniform(0.01, 5, size=(2, 50))
    np.testing.assert_allclose(
        (x * y) ** kernel.exponent * kernel.signature_at(np.log(y / x)), kernel.entrywise(x, y), rtol=1e-12
    )
    assert np.isfinite(kernel.signature_at(np.array([-700.0, 700.0]))).all()
    o = np.array([0.3, 1.0, 3.0])
    drawn = kernel.sample_spectrum(200_000, np.random.default_rng(0))
    variance = (1 + kernel.signature_at(2 * o)) / 2 - kernel.signature_at(o) ** 2
    error = np.abs(np.cos(np.outer(o, drawn)).mean(axis=1) - kernel.signature_at(o))
    assert (error <= 5 * np.sqrt(variance / len(drawn))).all()
    if np.isinf(kernel.spectrum_at(np.zeros(1))).all():  # a point mass at 0
        assert (drawn == 0).all()
        return
    end = 9.0 if isinstance(kernel, bo.Homogeneous) else np.inf  # whose law is a table, here of normal numbers
    assert 2 * quad(kernel.spectrum_at, 0, end, limit=200)[0] == pytest.approx(1.0, abs=1e-8)
    transform = [2 * quad(kernel.spectrum_at, 0, end, weight="cos", wvar=one)[0] for one in o]
    np.testing.assert_allclose(transform, kernel.signature_at(o), atol=1e-6)
