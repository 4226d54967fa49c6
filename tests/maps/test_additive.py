"""Features of additive kernels: equal to scikit-learn's where both exist, sparse where the data are."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import norm
from sklearn.kernel_approximation import AdditiveChi2Sampler

import bochner as bo
from bochner import theory
from tests.contracts.walk import name_of
from tests.helpers import assert_mean, assert_variance, estimates


def gaussian(log_ratio):
    return np.exp(-0.5 * np.square(log_ratio))


KERNELS = [
    bo.AdditiveChi2(),
    bo.Intersection(),
    bo.JensenShannon(),
    bo.Homogeneous(gaussian, exponent=0.8),
    bo.AdditiveChi2(exponent=1.0),
    bo.Hellinger(),
]


def histograms(n=40, dim=6):
    rows = np.random.default_rng(0).dirichlet(np.full(dim, 0.7), size=n)
    rows[rows < 0.05] = 0.0
    return rows


@pytest.mark.parametrize(("steps", "interval"), [(1, 0.8), (2, 0.5), (3, 0.4)])
def test_equal_to_scikit_learn(steps, interval):
    rows = histograms()
    ours = bo.AdditiveFeatures(order=steps - 1, window="uniform", interval=interval).fit_transform(rows)
    theirs = AdditiveChi2Sampler(sample_steps=steps).fit_transform(rows)
    np.testing.assert_allclose(ours, theirs, atol=1e-13)
    exact = {1: 0.3919183588, 2: 0.4171796180, 3: 0.4312862652}[steps]
    Z = bo.AdditiveFeatures(order=steps - 1, window="uniform", interval=interval).fit_transform([[0.3], [0.8]])
    assert Z[0] @ Z[1] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("window", ["rectangular", "uniform"])
@pytest.mark.parametrize("kernel", KERNELS, ids=name_of)
def test_the_error_falls_with_the_order(kernel, window):
    x = np.geomspace(0.1, 1.0, 30)[:, None]
    errors = []
    for order in (1, 3, 9):
        Z = bo.AdditiveFeatures(kernel, order, window=window).fit_transform(x)
        errors.append(np.abs(Z @ Z.T - kernel(x)).max())
    floor = 1e-12 if isinstance(kernel, bo.Hellinger) else 0
    assert errors[2] <= max(0.5 * errors[0], floor)
    assert errors[2] < (0.12 if isinstance(kernel, bo.Intersection) else 0.02)


@pytest.mark.parametrize("kernel", KERNELS[:5], ids=name_of)
def test_random_sampling_is_unbiased_with_its_variance(kernel):
    """Var = sum_j (x_j y_j)^{2a} [(1 + K(2o))/2 - K(o)²] / n for n frequencies, drawn afresh for each column."""
    x = np.array([[0.3, 0.1, 0.6], [0.9, 0.5, 0.2]])
    y = np.array([[0.8, 0.1, 0.1], [0.1, 0.3, 0.7]])
    o = np.log(y / x)
    variance = (
        (x * y) ** (2 * kernel.exponent) * ((1 + kernel.signature_at(2 * o)) / 2 - kernel.signature_at(o) ** 2)
    ).sum(axis=1)
    values = estimates(bo.AdditiveFeatures(kernel, 4, sampling="random"), (x, y), 600)
    assert_mean(values, kernel.rowwise(x, y), variance / 4)
    assert_variance(values, variance / 4)


@pytest.mark.parametrize("kernel", [*KERNELS, bo.AdditiveChi2() + 0.5 * bo.Intersection()], ids=name_of)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_in_sparse_out_and_zeros_stay_zero(kernel, dtype):
    rows = histograms().astype(dtype)
    fitted = bo.AdditiveFeatures(kernel, 2).fit(rows)
    dense, sparse = fitted.transform(rows), fitted.transform(sp.csr_array(rows))
    assert isinstance(dense, np.ndarray)
    assert sp.issparse(sparse)
    assert dense.dtype == sparse.dtype == dtype
    np.testing.assert_allclose(sparse.toarray(), dense, atol=1e-6 if dtype == np.float32 else 1e-13)
    groups = dense.shape[1] // rows.shape[1]
    assert (
        dense.reshape(len(rows), groups, -1)[:, :, :][np.broadcast_to((rows == 0)[:, None], (len(rows), groups, 6))]
        == 0
    ).all()
    assert sparse.nnz == groups * np.count_nonzero(rows)
    assert sp.issparse(fitted.features_.design(sp.csr_array(rows)).values)


def test_an_empty_sparse_row_and_a_stored_zero():
    rows = sp.csr_array(([0.0, 0.4], [1, 2], [0, 0, 2]), shape=(2, 3))
    Z = bo.AdditiveFeatures().fit_transform(rows)
    np.testing.assert_array_equal(Z.toarray()[0], 0)
    assert np.isfinite(Z.toarray()).all()


def test_bad_input_is_one_sentence():
    rows = histograms()
    cases = [
        (bo.AdditiveFeatures(), -rows, "Negative values in data"),
        (bo.AdditiveFeatures(), sp.csr_array(-rows), "entries >= 0"),
        (bo.AdditiveFeatures(order=-1), rows, "order"),
        (bo.AdditiveFeatures(order=0, sampling="random"), rows, "order"),
        (bo.AdditiveFeatures(sampling="iid"), rows, "sampling"),
        (bo.AdditiveFeatures(window="hann"), rows, "window"),
        (bo.AdditiveFeatures(interval=0.0), rows, "interval"),
        (bo.AdditiveFeatures(bo.Gaussian(1.0)), rows, "cannot serve the kernel Gaussian"),
        (bo.FourierFeatures(bo.AdditiveChi2()), rows, "use AdditiveFeatures"),
    ]
    for feature_map, data, message in cases:
        with pytest.raises(ValueError, match=message):
            feature_map.fit(data)
    with pytest.raises(ValueError, match="entries >= 0"):
        bo.AdditiveFeatures().fit(rows).transform(-rows)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [(bo.AdditiveChi2(exponent=1.0), 0.0020378127), (bo.Homogeneous(gaussian, exponent=1.0), 0.0109952140)],
    ids=name_of,
)
def test_variance_of_one_frequency(kernel, expected):
    x, y = np.array([[0.3]]), np.array([[0.8]])
    values = estimates(bo.AdditiveFeatures(kernel, 1, sampling="random"), (x, y), 20_000)
    assert_mean(values, kernel(x, y)[0], np.array([expected]))
    assert_variance(values, np.array([expected]))


def test_reference_values_of_regular_sampling():
    x, y = [[0.3]], [[0.8]]
    kernel = bo.Homogeneous(gaussian, spectrum=norm.pdf)
    for interval, order, expected in ((0.8, 3, 0.3047769399), (0.5, 6, 0.3032919570)):
        error = theory.additive_error(kernel, x, y, order, interval)[0]
        assert kernel(x, y)[0, 0] + error == pytest.approx(expected, abs=1e-10)
        o, i = np.log(0.8 / 0.3), np.arange(order + 1, 200) * interval
        copies = sum(gaussian(o + 2 * np.pi * m / interval) for m in range(-20, 21) if m)
        left_out = 2 * interval * np.sum(kernel.spectrum_at(i) * np.cos(i * o))
        assert error == pytest.approx(np.sqrt(0.24) * (copies - left_out), abs=1e-14)
    with pytest.raises(ValueError, match="for additive kernels"):
        theory.additive_error(bo.Gaussian(1.0), x, y, 1, 1.0)


@pytest.mark.parametrize("kernel", KERNELS[:5], ids=name_of)
def test_the_error_of_regular_sampling_is_known(kernel):
    rows = histograms()
    Z = bo.AdditiveFeatures(kernel, 3, window="uniform", interval=0.6).fit_transform(rows)
    X, Y = rows[:20], rows[20:]
    found = np.einsum("ij,ij->i", Z[:20], Z[20:]) - kernel.rowwise(X, Y)
    np.testing.assert_allclose(theory.additive_error(kernel, X, Y, 3, 0.6), found, atol=1e-13)


def test_the_interval_of_a_new_signature_is_the_best():
    """The largest error over |log(y/x)| <= 8: no other interval of a grid does better by a twentieth."""
    kernel, ones = bo.Homogeneous(gaussian, exponent=0.0), np.ones((1, 1))
    y = np.exp(np.linspace(0, 8, 200))[:, None]

    def largest(interval):
        return np.abs(theory.additive_error(kernel, np.ones_like(y), y, 4, interval)).max()

    fitted = bo.AdditiveFeatures(kernel, 4, window="uniform").fit(ones)
    chosen = largest(fitted.features_.frequencies[0, 0])
    assert all(chosen < 1.05 * largest(interval) for interval in np.geomspace(0.05, 3.0, 100))


def test_exponent_0_takes_ratios_only():
    rows = 0.1 + histograms()
    kernel = bo.AdditiveChi2(exponent=0.0)
    Z = bo.AdditiveFeatures(kernel, 9).fit_transform(rows)
    assert np.abs(Z @ Z.T - kernel(rows)).max() < 0.05
    for bad in (histograms(), sp.csr_array(histograms())):
        with pytest.raises(ValueError, match="exponent 0 sees ratios only"):
            bo.AdditiveFeatures(kernel).fit(bad)
    sparse = bo.AdditiveFeatures(kernel).fit(rows).transform(sp.csr_array(rows))
    np.testing.assert_allclose(sparse.toarray(), bo.AdditiveFeatures(kernel).fit_transform(rows), atol=1e-12)
