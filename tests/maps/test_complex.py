"""Complex Fourier features, their variance, and machines as networks of complex waves."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import bochner as bo
from bochner.kernels.shift_invariant import ShiftInvariantKernel


class TwoWaves(ShiftInvariantKernel):
    """k(Δ) = [cos(.3 Δ) + cos(1.2 Δ)] / 2, drawn without chance where two frequencies are asked for."""

    def at(self, difference):
        return 0.5 * (np.cos(0.3 * difference[:, 0]) + np.cos(1.2 * difference[:, 0]))

    def __call__(self, X, Y=None):
        X = np.asarray(X)
        Y = X if Y is None else np.asarray(Y)
        return self.at((X[:, None] - Y[None]).reshape(-1, 1)).reshape(len(X), len(Y))

    def rowwise(self, X, Y):
        return self.at(X - Y)

    def diagonal(self, X):
        return np.ones(len(X))

    def sample_frequencies(self, dim, n, rng):
        return np.resize([0.3, -1.2], n)[:, None]

    def frequency_second_moment(self, dim):
        return (0.3**2 + 1.2**2) / 2

    def n_uniforms(self, dim):
        raise NotImplementedError

    def frequencies(self, uniforms, dim):
        raise NotImplementedError


X, Y = np.array([[0.0], [1.0], [2.5]]), np.array([1.0, -1.0, 2.0])


def test_the_real_part_is_the_paired_estimate():
    rows = np.random.default_rng(0).normal(size=(50, 3))
    for kernel in (bo.Gaussian(1.0), bo.Gaussian(1.0) + 0.5 * bo.Laplace(2.0), bo.Gaussian(bo.Metric(np.ones((2, 3))))):
        settings = {"directions": "iid", "random_state": 0}
        Z = bo.FourierFeatures(kernel, 40, embedding="complex", **settings).fit(rows).transform(rows)
        V = bo.FourierFeatures(kernel, 80, **settings).fit(rows).transform(rows)
        assert Z.shape == (50, 40)
        if isinstance(kernel, bo.Gaussian):
            np.testing.assert_allclose((Z @ Z.conj().T).real, V @ V.T, atol=1e-12)
        np.testing.assert_allclose(np.diag(Z @ Z.conj().T), kernel.diagonal(rows), atol=1e-12)


@pytest.mark.parametrize(("real", "complex_"), [(np.float32, np.complex64), (np.float64, np.complex128)])
def test_types_rows_sparse_and_threads(real, complex_):
    rows = np.random.default_rng(0).normal(size=(3000, 3)).astype(real)
    fitted = bo.FourierFeatures(bo.Gaussian(1.0), 300, embedding="complex", random_state=0).fit(rows)
    Z = fitted.transform(rows)
    assert Z.dtype == complex_
    np.testing.assert_allclose(fitted.transform(rows[7:60]), Z[7:60], atol=1e-6)
    np.testing.assert_allclose(fitted.transform(sp.csr_array(rows)), Z, atol=1e-5)
    threads = clone(fitted).set_params(n_jobs=2).fit(rows).transform(rows)
    np.testing.assert_array_equal(threads, Z)


@pytest.mark.parametrize(
    ("distance", "real", "imaginary"),
    [
        (0.5, 0.0244645468, 0.1967346701),
        (1.0, 0.1997882004, 0.4323323584),
        (2.0, 0.4818520924, 0.4998322687),
        (0.0, 0.0, 0.0),
    ],
)
def test_variances_are_those_of_the_formula(distance, real, imaginary):
    found = bo.theory.complex_variance(bo.Gaussian(1.0), [distance], 1)
    np.testing.assert_allclose(np.ravel(found), [real, imaginary], atol=1e-10)
    assert sum(found)[0] == pytest.approx(1 - np.exp(-(distance**2)))
    rows = np.array([[0.0], [distance]])
    fitted = bo.FourierFeatures(bo.Gaussian(1.0), 200_000, embedding="complex", directions="iid", random_state=1).fit(
        rows
    )
    Z = fitted.transform(rows) * np.sqrt(200_000)
    draws = Z[1] * Z[0].conj()
    for part, variance, mean in ((draws.real, real, np.exp(-(distance**2) / 2)), (draws.imag, imaginary, 0.0)):
        assert abs(part.mean() - mean) <= 5 * np.sqrt(variance / len(part)) + 1e-12
        spread = np.square(part - part.mean())
        assert abs(spread.mean() - variance) <= 5 * spread.std() / np.sqrt(len(part)) + 1e-12


def test_a_tolerance_and_the_largest_error():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    fitted = bo.FourierFeatures(bo.Gaussian(2.0), eps=0.05, embedding="complex", random_state=0).fit(rows)
    Z = fitted.transform(rows)
    error = Z @ Z.conj().T - bo.Gaussian(2.0)(rows)
    upper = np.triu_indices(len(rows), 1)
    assert np.sqrt(np.mean(error.real[upper] ** 2)) < 0.06
    assert bo.max_error(fitted, rows).value == pytest.approx(np.abs(error).max())
    with pytest.raises(ValueError, match="embedding='paired' has the same error"):
        bo.error_report(fitted, rows)


def test_learners_name_the_paired_embedding(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 2))
    feature_map = bo.FourierFeatures(bo.Gaussian(1.0), 20, embedding="complex", random_state=0)
    for kernel in (bo.Gaussian(1.0), bo.Gaussian(1.0) + bo.Laplace(1.0)):
        given = clone(feature_map).set_params(kernel=kernel)
        for learner in (bo.KernelRidge(given), bo.KernelSVC(given), bo.KernelPCA(feature_map=given)):
            with pytest.raises(ValueError, match="embedding='paired', which is the same machine"):
                learner.fit(rows, rows[:, 0] > 0)
        with pytest.raises(ValueError, match="embedding='paired', which is the same machine"):
            bo.mmd_test(rows, rows, feature_map=given)
    fitted = feature_map.fit(rows)
    bo.save(fitted, tmp_path / "map")
    np.testing.assert_array_equal(bo.load(tmp_path / "map").transform(rows), fitted.transform(rows))
    with pytest.raises(ValueError, match="no complex numbers; use embedding='paired'"):
        bo.to_onnx(fitted, tmp_path / "map.onnx")


def test_a_network_of_two_waves_by_hand():
    """Ridge regression on theta with the penalty m ||theta||²; complex least squares is another machine (.0711)."""
    given = bo.FourierFeatures(TwoWaves(), 4, directions="iid", random_state=0)
    model = bo.KernelRidge(given, alpha=0.5, fit_intercept=False).fit(X, Y)
    network = bo.fourier_network(model)
    np.testing.assert_allclose(network.frequencies[:, 0], [0.3, -1.2])
    np.testing.assert_allclose(network.theta[:, 0], [0.63642706 - 0.37372414j, -0.44550835 - 0.70573591j], atol=1e-8)
    assert network([[0.7]])[0] == pytest.approx(-0.1225298191, abs=1e-9)
    assert network.norm[0] == pytest.approx(np.sqrt(2.0) * np.linalg.norm(network.theta))


@pytest.mark.filterwarnings("ignore:n_components")
@pytest.mark.parametrize("embedding", ["paired", "shifted"])
@pytest.mark.parametrize("width", [1, 2, 40, 41])
def test_networks_say_what_machines_say(embedding, width):
    rows = np.random.default_rng(0).normal(size=(80, 3))
    target = np.sin(rows[:, 0])
    labels = np.digitize(target, [-0.4, 0.4])
    for kernel in (
        bo.Matern(1.3),
        bo.Gaussian(1.0) + 2.0 * bo.Laplace(1.0),
        bo.Gaussian(bo.Metric(np.eye(3)[:2] * 0.7)),
    ):
        given = bo.FourierFeatures(kernel, max(width, 2), embedding=embedding, random_state=0)
        machines = (
            (bo.KernelRidge(given, alpha=0.1).fit(rows, target), "predict"),
            (bo.KernelRidge(given, alpha=0.1).fit(rows, rows), "predict"),
            (bo.GaussianProcessRegressor(given, noise=0.1, amplitude=1.0).fit(rows, target), "predict"),
            (bo.KernelSVC(given).fit(rows, labels), "decision_function"),
        )
        for model, method in machines:
            network = bo.fourier_network(model)
            np.testing.assert_allclose(network(rows), getattr(model, method)(rows), atol=1e-9)
            np.testing.assert_allclose(network.norm, np.linalg.norm(np.atleast_2d(model.coef_), axis=1))
    if embedding == "shifted" and width > 1:
        model = bo.KernelRidge(given.set_params(kernel=bo.Gaussian(1.0)), alpha=0.1).fit(rows, target)
        network = bo.fourier_network(model)
        assert network.norm[0] == pytest.approx(np.sqrt(width / 2) * np.linalg.norm(network.theta))


def test_other_machines_are_refused():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(TypeError, match="its features are not waves"):
        bo.fourier_network(bo.KernelRidge(bo.NystroemFeatures(bo.Gaussian(1.0), 9)).fit(rows, rows[:, 0]))
    with pytest.raises(TypeError, match="a fitted machine of bochner, not str"):
        bo.fourier_network("ridge")
