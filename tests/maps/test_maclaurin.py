"""Random Maclaurin features: unbiased, with the variance of the theory, for every law of degrees and projections."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import factorial

import bochner as bo
from bochner import theory
from bochner.maps.degrees import geometric_law, optimal_law, proportional_law, truncated_series
from bochner.maps.factor_laws import law_for
from tests.helpers import assert_mean, assert_variance, estimates
from tests.maps.test_scalars import Unknown
from tests.theory.reference import VALUES

X = np.array([[0.5, -0.3, 0.4]])
Y = np.array([[0.2, 0.1, 0.6]])
SAMPLES = 100_000


def pairs_in(dim):
    """Three pairs of rows inside the unit ball: oblique, nearly parallel, nearly opposite."""
    rng = np.random.default_rng(dim)
    x, y = rng.normal(size=(2, 3, dim))
    y[1], y[2] = x[1] + 0.2 * y[1], -x[2] + 0.3 * y[2]
    norm = lambda z, r: z / np.linalg.norm(z, axis=1, keepdims=True) * np.array(r)[:, None]  # noqa: E731
    return norm(x, (0.9, 0.6, 0.8)), norm(y, (0.7, 0.8, 0.5))


def single_features(feature_map, x, y, n=SAMPLES, complex_pairs=False):
    """The products D z_i(x) z_i(y) of each feature of one wide map: independent estimates of k(x, y)."""
    both = np.concatenate([x, y])
    Z = feature_map.set_params(n_components=n, random_state=5).fit(both).transform(both)
    products = Z.shape[1] * (Z[: len(x)] * Z[len(x) :]).T
    return (products[: n // 2] + products[n // 2 :]) / 2 if complex_pairs else products


def law_of(feature_map, x, y, first=0):
    """Coefficients and degree probabilities that a map uses on these rows."""
    both = np.concatenate([x, y])
    kernel = feature_map.kernel
    series = truncated_series(kernel, both, feature_map.max_degree)
    if feature_map.degrees == "geometric":
        return series.coefficients, geometric_law(series, first, feature_map.p)
    if feature_map.degrees == "proportional":
        return series.coefficients, proportional_law(series, first)
    raise AssertionError


@pytest.mark.parametrize("dim", [1, 3, 10])
@pytest.mark.parametrize("projection", ["rademacher", "gaussian", "complex"])
@pytest.mark.parametrize(
    "kernel",
    [bo.ExponentialDot(), bo.Polynomial(3, offset=0.5, scale=0.8), bo.Polynomial(2, offset=0.0), bo.Vovk(4)],
    ids=repr,
)
def test_unbiased_with_the_exact_variance(kernel, projection, dim):
    x, y = pairs_in(dim)
    feature_map = bo.MaclaurinFeatures(kernel, p=2.5, allocation="independent", projection=projection)
    values = single_features(feature_map, x, y, complex_pairs=projection == "complex")
    a, law = law_of(feature_map, x, y)
    variance = theory.maclaurin_variance(a, law, x, y, 1, projection=projection)
    if projection == "complex":
        variance = variance / 2  # the theory counts columns, and each value is a pair of them
    assert_mean(values, kernel.rowwise(x, y), variance)
    assert_variance(values, variance)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0, 4.0])
def test_every_p_is_normalised(p):
    """P = 1/p^{n+1}, as printed by Kar and Karnick, is a law for p = 2 only: their mean is (p - 1) times too large."""
    feature_map = bo.MaclaurinFeatures(bo.ExponentialDot(), p=p, allocation="independent")
    values = single_features(feature_map, X, Y)
    a, law = law_of(feature_map, X, Y)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert_mean(values, np.exp(0.31), theory.maclaurin_variance(a, law, X, Y, 1))


def test_reference_variances():
    """The laws that maps use give the tabled variances, up to the renormalisation of the truncated tail."""
    both = np.concatenate([X, Y])
    series = truncated_series(bo.ExponentialDot(), both, 60)
    table = VALUES["rm x=(.5,-.3,.4) y=(.2,.1,.6)"]
    moments = law_for(bo.ExponentialDot().base, "rademacher").moments(X, Y, False)
    assert moments[0][1].item() == pytest.approx(table["m_rademacher"])
    laws = {f"var_exp_p{name}": geometric_law(series, 0, p) for name, p in (("1_5", 1.5), ("2", 2.0), ("3", 3.0))}
    laws["var_exp_optimal"] = optimal_law(series, 0, moments, np.array([0.31]), 0.0)
    for name, law in laws.items():
        variance = theory.maclaurin_variance(series.coefficients, law, X, Y, 1)
        assert variance.item() == pytest.approx(table[name], rel=1e-8)
    law = geometric_law(series, 2, 2.0)
    variance = theory.maclaurin_variance(series.coefficients, law, X, Y, 1, start=2)
    assert variance.item() == pytest.approx(table["var_exp_H01_p2"], rel=1e-8)


def test_proportional_law_bounds_every_feature():
    """|Z| <= sqrt(f(R²)) |prod w'x / R|, and with one column |w'x| = |x|: every product is at most f(R²)."""
    x = np.array([[0.9], [-0.4]])
    Z = bo.MaclaurinFeatures(bo.ExponentialDot(), 500, degrees="proportional", allocation="independent").fit_transform(
        x
    )
    assert (Z**2).max() * 500 <= np.exp(0.81) * (1 + 1e-9)


def test_h01_is_unbiased_with_its_variance():
    """Exact terms without their scales, or N not conditioned on N >= 2, give 2.6734 instead of 1.3634 here."""
    feature_map = bo.MaclaurinFeatures(bo.ExponentialDot(), h01=True, allocation="independent")
    both = np.concatenate([X, Y])
    Z = feature_map.set_params(n_components=SAMPLES + 4, random_state=5).fit(both).transform(both)
    assert Z[0, :4] @ Z[1, :4] == pytest.approx(1 + 0.31)
    values = SAMPLES * (Z[:1, 4:] * Z[1:, 4:]).T
    a, law = law_of(feature_map, X, Y, first=2)
    assert law[:3] == pytest.approx([0, 0, 0.5], abs=1e-3)
    variance = theory.maclaurin_variance(a, law, X, Y, 1, start=2)
    assert_mean(values, np.exp(0.31) - 1.31, variance)
    assert_variance(values, variance)


@pytest.mark.parametrize("kernel", [bo.ExponentialDot(), bo.Polynomial(3)], ids=repr)
def test_h01_lowers_the_error_at_equal_width(kernel):
    rows = np.random.default_rng(0).normal(size=(60, 5)) / 4
    error = {}
    for h01 in (False, True):
        maps = [bo.MaclaurinFeatures(kernel, 200, h01=h01, random_state=seed).fit(rows) for seed in range(5)]
        error[h01] = np.mean([np.mean((Z @ Z.T - kernel(rows)) ** 2) for Z in (m.transform(rows) for m in maps)])
    assert error[True] < 0.5 * error[False]


def test_complex_projections_lower_the_variance_at_high_degree():
    """D Var = m_C^p + m_P^p - 2t^{2p}: 1.604e-4 against 3.096e-4 for p = 6 at the pair of the reference values."""
    kernel = bo.Polynomial(6, offset=0.0)
    variance = {}
    for projection, expected in (("complex", 1.604e-4), ("rademacher", 3.096e-4)):
        is_complex = projection == "complex"
        values = single_features(bo.MaclaurinFeatures(kernel, projection=projection), X, Y, complex_pairs=is_complex)
        variance[projection] = values.var() * (2 if is_complex else 1)
        exact = theory.maclaurin_variance(kernel.coefficients(7), np.eye(7)[6], X, Y, 1, projection=projection)
        assert exact.item() == pytest.approx(expected, rel=1e-3)
        assert_variance(values, exact / 2 if is_complex else exact)
    assert variance["complex"] < 0.7 * variance["rademacher"]


def stratified_variance(a, law, n, x, y):
    """Exact variance of n features of stratified degree: within degrees, plus that of the rounding of the counts."""
    moment = law_for(bo.ExponentialDot().base, "rademacher").moments(x, y, False)[0][1].item()
    t = (x @ y.T).item()
    degree = np.arange(len(a))
    drawn = law > 0
    within = np.sum((a**2 * (moment**degree - t ** (2 * degree)))[drawn] / (n * law[drawn]))
    shifts = (np.arange(20_000) + 0.5) / 20_000
    degrees = np.searchsorted(np.cumsum(law) / law.sum(), (shifts[:, None] + np.arange(n)) / n, side="right")
    terms = np.divide(a * t**degree, n * law, out=np.zeros(len(a)), where=drawn)
    return within + terms[degrees].sum(axis=1).var()


@pytest.mark.parametrize(("n", "degrees"), [(1, "geometric"), (6, "geometric"), (25, "proportional")])
def test_stratified_degrees_are_unbiased_and_better(n, degrees):
    kernel, both = bo.ExponentialDot(), np.concatenate([X, Y])
    feature_map = bo.MaclaurinFeatures(kernel, n, degrees=degrees)
    feature_map._check_words()
    rng = np.random.default_rng(3)
    values = np.empty((800, 1))
    for repeat in range(len(values)):
        z, w = feature_map.draw(kernel, both, n, rng)(both)
        values[repeat] = z @ w
    first = 0 if n == 1 else 1  # the constant takes one exact column
    a, law = law_of(feature_map, X, Y, first=first)
    variance = np.array([stratified_variance(a, law, n - first, X, Y)])
    assert_mean(values, np.exp(0.31), variance)
    assert_variance(values, variance)
    if n > 1:
        a, law = law_of(feature_map, X, Y)
        assert variance < theory.maclaurin_variance(a, law, X, Y, n)


@pytest.mark.parametrize("allocation", ["independent", "stratified"])
def test_optimal_degrees_have_the_least_mean_variance_on_data(allocation):
    x, y = np.random.default_rng(1).normal(size=(2, 80, 6)) / 3
    series = truncated_series(bo.ExponentialDot(), np.concatenate([x, y]), None)
    moments = law_for(bo.ExponentialDot().base, "rademacher").moments(x, y, False)
    within = 1.0 if allocation == "stratified" else 0.0

    def error(law):
        return theory.maclaurin_variance(series.coefficients, law, x, y, 1, start=1, allocation=allocation).mean()

    optimal = optimal_law(series, 1, moments, (x * y).sum(axis=1), within)
    assert error(optimal) < 0.97 * error(geometric_law(series, 1, 2.0))
    assert error(optimal) < 0.97 * error(proportional_law(series, 1))
    rng = np.random.default_rng(2)
    for _ in range(20):
        other = optimal * np.exp(0.1 * rng.normal(size=len(optimal)))
        assert error(optimal) <= error(other / other.sum())


COMPOSED = {
    "gaussian inner": bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0)),
    "sum inner": bo.Composed(bo.ExponentialDot(), 0.6 * bo.Gaussian(0.7) + 0.3 * bo.Laplace(1.0)),
    "polynomial outer": bo.Composed(bo.Polynomial(2, offset=0.3), bo.Matern(1.0, nu=1.5)),
}


@pytest.mark.parametrize("projection", ["rademacher", "complex"])
@pytest.mark.parametrize("name", COMPOSED)
def test_compositions_have_fresh_inner_draws(name, projection):
    """A factor used twice would estimate E W^4 instead of (E W²)²: far outside five standard errors."""
    kernel = COMPOSED[name]
    x, y = pairs_in(3)
    feature_map = bo.MaclaurinFeatures(kernel, allocation="independent", projection=projection)
    is_complex = projection == "complex"
    values = single_features(feature_map, x, y, complex_pairs=is_complex)
    a, law = law_of(feature_map, x, y)
    inner = kernel.inner.rowwise(x, y)
    total = sum(weight for weight, _ in kernel.inner.terms())
    doubled = kernel.inner.rowwise(2 * x, 2 * y) * total
    real = [theory.composed_variance(a, law, inner, m, 1) for m in (np.full(3, total**2), doubled)]
    variance = (
        (real[0] + real[1]) / 2 if is_complex else theory.composed_variance(a, law, inner, total**2 + doubled / 2, 1)
    )
    assert_mean(values, kernel.rowwise(x, y), variance)
    assert_variance(values, variance)


def test_complex_factors_of_shift_invariant_kernels_have_no_error_on_the_diagonal_within_a_degree():
    """|exp(i w'x)| = 1 exactly, so every row has the same norm."""
    rows = np.random.default_rng(0).normal(size=(20, 3))
    kernel = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
    Z = bo.MaclaurinFeatures(kernel, 64, projection="complex", allocation="independent", random_state=0).fit_transform(
        rows
    )
    np.testing.assert_allclose((Z**2).sum(axis=1), (Z[0] ** 2).sum(), rtol=1e-12)


@pytest.mark.parametrize("order", [0, 1])
def test_arc_cosine_is_a_series_of_directions(order):
    x, y = pairs_in(3)
    x, y = 2.0 * x, 0.5 * y
    feature_map = bo.MaclaurinFeatures(bo.ArcCosine(order), max_degree=6, p=1.5, allocation="independent")
    values = single_features(feature_map, x, y)
    a, law = law_of(feature_map, x, y)
    u, v = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (x, y))
    norms = (np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)) ** order
    variance = norms**2 * theory.maclaurin_variance(a, law, u, v, 1)
    expected = norms * np.polynomial.polynomial.polyval((u * v).sum(axis=1), a)
    assert_mean(values, expected, variance)
    assert_variance(values, variance)
    assert (np.abs(expected - bo.ArcCosine(order).rowwise(x, y)) <= norms * feature_map.truncation_error_).all()


@pytest.mark.parametrize("order", [0, 1])
def test_arc_cosine_inside_a_composition(order):
    x, y = pairs_in(3)
    inner = bo.ArcCosine(order)
    kernel = bo.Composed(bo.Polynomial(2), inner)
    feature_map = bo.MaclaurinFeatures(kernel, allocation="independent")
    values = single_features(feature_map, x, y)
    moment = law_for(inner, "rademacher").moments(x, y, False)[0][1]
    variance = theory.composed_variance(*law_of(feature_map, x, y), inner.rowwise(x, y), moment, 1)
    assert_mean(values, kernel.rowwise(x, y), variance)
    assert_variance(values, variance)


@pytest.mark.parametrize("kernel", [bo.Polynomial(2) + 0.5 * bo.Vovk(3), bo.Polynomial(2) * bo.ExponentialDot()])
def test_sums_products_and_scalings_of_dot_products(kernel):
    values = estimates(bo.MaclaurinFeatures(kernel, 400), pairs_in(3), 100)
    error = np.abs(values.mean(axis=0) - kernel.rowwise(*pairs_in(3)))
    assert (error <= 5 * values.std(axis=0) / 10).all()
    assert (values.std(axis=0) < 0.3).all()


def test_truncation_error_is_stated():
    rows = np.array([[1.0, 0.0], [0.0, 0.5]])
    fitted = bo.MaclaurinFeatures(bo.ExponentialDot(), max_degree=5).fit(rows)
    assert fitted.truncation_error_ == pytest.approx(0.0016151618, abs=1e-10)
    assert bo.MaclaurinFeatures(bo.ExponentialDot()).fit(rows).truncation_error_ < 1e-11
    assert bo.MaclaurinFeatures(bo.Polynomial(4)).fit(1e-3 * rows).truncation_error_ == 0
    series = truncated_series(bo.ExponentialDot(), rows, 5)
    np.testing.assert_allclose(series.coefficients, 1 / factorial(np.arange(6)))


def test_float32_and_sparse_rows_agree():
    rows = np.random.default_rng(0).normal(size=(300, 20)) / 5
    rows[rows < 0.1] = 0
    for projection in ("rademacher", "complex"):
        fitted = bo.MaclaurinFeatures(bo.ExponentialDot(), 101, projection=projection, random_state=0).fit(rows)
        np.testing.assert_allclose(fitted.transform(sp.csr_array(rows)), fitted.transform(rows), atol=1e-13)
        narrow = bo.MaclaurinFeatures(bo.ExponentialDot(), 101, projection=projection, random_state=0)
        Z = narrow.fit(rows.astype(np.float32)).transform(rows.astype(np.float32))
        assert Z.dtype == np.float32
        np.testing.assert_allclose(Z, fitted.transform(rows), atol=2e-5)


def test_overflow_is_reported_and_never_written():
    rows = np.full((4, 3), 30.0)
    with pytest.raises(ValueError, match="overflow"):
        bo.MaclaurinFeatures(bo.ExponentialDot(), 50, random_state=0).fit(rows)
    fitted = bo.MaclaurinFeatures(bo.Polynomial(30), 50, random_state=0).fit(rows.astype(np.float32) / 30)
    with pytest.raises(ValueError, match=r"overflow float32 .* norm"):
        fitted.transform(1e6 * rows.astype(np.float32))
    assert np.isfinite(fitted.transform(rows.astype(np.float32) / 3)).all()
    with pytest.raises(ValueError, match="scale the data"):
        bo.MaclaurinFeatures(bo.Polynomial(400, scale=1e3), 50).fit(rows)


def test_rows_outside_the_domain_are_refused_in_transform_too():
    fitted = bo.MaclaurinFeatures(bo.Vovk(), 50, random_state=0).fit(0.3 * np.eye(3))
    with pytest.raises(ValueError, match="smaller than 1"):
        fitted.transform(1.1 * np.eye(3))
    with pytest.raises(ValueError, match="smaller than 1"):
        bo.MaclaurinFeatures(bo.Vovk()).fit(np.eye(3))


def test_kernels_and_words_that_do_not_fit_are_refused_in_one_sentence():
    rows = np.eye(3) / 2
    cases = [
        (bo.MaclaurinFeatures(bo.Gaussian(1.0)), "cannot serve the kernel Gaussian.*use FourierFeatures"),
        (bo.FourierFeatures(bo.Polynomial()), "cannot serve the kernel Polynomial.*MaclaurinFeatures or TensorSketch"),
        (bo.MaclaurinFeatures(bo.Composed(bo.Vovk(3), bo.Gaussian(1.0) + Unknown())), "Unknown.*no unbiased"),
        (bo.MaclaurinFeatures(bo.Composed(bo.Vovk(3), bo.Gaussian(1.0)), h01=True), "h01"),
        (bo.MaclaurinFeatures(h01=True, n_components=4), "at least 5"),
        (bo.MaclaurinFeatures(p=1.0), "p must be"),
        (bo.MaclaurinFeatures(degrees="uniform"), "degrees"),
        (bo.MaclaurinFeatures(projection="uniform"), "projection"),
        (bo.MaclaurinFeatures(allocation="uniform"), "allocation"),
        (bo.MaclaurinFeatures(max_degree=0), "max_degree"),
        (bo.MaclaurinFeatures(bo.Polynomial(0)), "degree"),
    ]
    for feature_map, message in cases:
        with pytest.raises(ValueError, match=message):
            feature_map.fit(rows)


def test_fit_changes_no_parameter():
    """A published map overwrites n_components in fit, so that fitting again changes the model."""
    feature_map = bo.MaclaurinFeatures(bo.ExponentialDot("norm"), 33, h01=True, random_state=0)
    before = repr(feature_map.get_params())
    feature_map.fit(np.eye(3))
    assert repr(feature_map.get_params()) == before
