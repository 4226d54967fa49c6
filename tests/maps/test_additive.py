"""Features of additive kernels: equal to scikit-learn's where both exist, sparse where the data are."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import AdditiveChi2Sampler

import bochner as bo
from tests.helpers import assert_mean, assert_variance, estimates

KERNELS = [bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon(), bo.Hellinger()]


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
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_error_falls_with_the_order(kernel, window):
    x = np.geomspace(0.1, 1.0, 30)[:, None]
    errors = []
    for order in (1, 3, 9):
        Z = bo.AdditiveFeatures(kernel, order, window=window).fit_transform(x)
        errors.append(np.abs(Z @ Z.T - kernel(x)).max())
    floor = 1e-12 if isinstance(kernel, bo.Hellinger) else 0
    assert errors[2] <= max(0.5 * errors[0], floor)
    assert errors[2] < (0.12 if isinstance(kernel, bo.Intersection) else 0.02)


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=repr)
def test_random_sampling_is_unbiased_with_its_variance(kernel):
    """Var = sum_j x_j y_j [(1 + K(2o))/2 - K(o)²] / n for n frequencies, drawn afresh for each column."""
    x = np.array([[0.3, 0.1, 0.6], [0.9, 0.5, 0.2]])
    y = np.array([[0.8, 0.1, 0.1], [0.1, 0.3, 0.7]])
    o = np.log(y / x)
    variance = (x * y * ((1 + kernel.signature(2 * o)) / 2 - kernel.signature(o) ** 2)).sum(axis=1)
    values = estimates(bo.AdditiveFeatures(kernel, 4, sampling="random"), (x, y), 600)
    assert_mean(values, kernel.rowwise(x, y), variance / 4)
    assert_variance(values, variance / 4)


@pytest.mark.parametrize("kernel", [*KERNELS, bo.AdditiveChi2() + 0.5 * bo.Intersection()], ids=repr)
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
        (bo.AdditiveFeatures(bo.Gaussian()), rows, "cannot serve the kernel Gaussian"),
        (bo.FourierFeatures(bo.AdditiveChi2()), rows, "use AdditiveFeatures"),
    ]
    for feature_map, data, message in cases:
        with pytest.raises(ValueError, match=message):
            feature_map.fit(data)
    with pytest.raises(ValueError, match="entries >= 0"):
        bo.AdditiveFeatures().fit(rows).transform(-rows)
