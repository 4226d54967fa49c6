"""Rows far from zero: machines of kernels of differences learn what they learn near it, in files and graphs too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo

# Offsets in spreads of the data; and rounding times the condition number of the penalised systems, about 1e4.
FAR = {np.float32: (1000.0, 1e-3), np.float64: (1e6, 1e-8)}


def data(dtype, offset=0.0):
    """Rows on a grid so coarse that their shifts are exact in either precision."""
    X = np.round(np.random.default_rng(0).uniform(-1, 1, size=(400, 2)) * 2.0**10) / 2.0**10
    y = np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1])
    return (X + offset).astype(dtype), y.astype(dtype)


METRIC = [[1.0, 0.5], [-0.3, 0.8]]
KERNELS = [None, bo.Gaussian(0.7), bo.Matern(1.0, 2.5), bo.Laplace(1.0), bo.Gaussian(bo.Metric(METRIC))]


def machines(kernel):
    landmarks = bo.NystroemFeatures(kernel, 60, random_state=0)
    return [
        bo.ExactKernelRidge(kernel, 1e-3, random_state=0),
        bo.ExactKernelRidge(kernel, random_state=0),
        bo.KernelRidge(landmarks, 1e-4),
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_predictions_do_not_depend_on_the_offset(kernel, dtype):
    offset, tolerance = FAR[dtype]
    (near, y), (far, _) = data(dtype), data(dtype, offset)
    for at_zero, away in zip(machines(kernel), machines(kernel)):
        expected = at_zero.fit(near[:300], y[:300]).predict(near[300:])
        assert 1 - np.square(expected - y[300:]).mean() / y.var() > 0.95
        # Without noise "auto" finds the least alpha of all, a thousandth of that given: conditions of 1e8.
        allowed = max(tolerance, 1e-4) if away.alpha == "auto" else tolerance
        np.testing.assert_allclose(away.fit(far[:300], y[:300]).predict(far[300:]), expected, rtol=0, atol=allowed)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_classifiers_do_not_see_any_offset(first, second):
    X, y = data(np.float32)
    labels = np.where(y > 0, "above", "below")
    far = X + np.array([first, second], dtype=np.float32)
    near = bo.ExactKernelRidgeClassifier(random_state=0).fit(X[:300], labels[:300])
    away = bo.ExactKernelRidgeClassifier(random_state=0).fit(far[:300], labels[:300])
    np.testing.assert_allclose(away.decision_function(far[300:]), near.decision_function(X[300:]), rtol=0, atol=1e-3)


@pytest.mark.parametrize("landmarks", ["uniform", "kmeans++", "leverage"])
def test_landmarks_far_from_zero_are_no_worse(landmarks):
    errors = []
    for offset in (0.0, 2.0**13, 2.0**20):
        X, _ = data(np.float64, offset)
        feature_map = bo.NystroemFeatures(bo.Gaussian(2.0), 100, landmarks=landmarks, random_state=0).fit(X)
        Z = feature_map.transform(X)
        errors.append(np.abs(Z @ Z.T - bo.Gaussian(2.0)(data(np.float64)[0])).max())
    np.testing.assert_allclose(errors, errors[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS[1:], ids=lambda kernel: type(kernel).__name__)
def test_files_and_graphs_of_machines_far_from_zero(kernel, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    X, y = data(np.float32, 1000.0)
    for model in machines(kernel):
        model.fit(X, y)
        bo.save(model, tmp_path / "model.bochner")
        np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").predict(X), model.predict(X))
        bo.to_onnx(model, tmp_path / "model.onnx")
        session = runtime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
        found = session.run(None, {"X": X})[0].ravel()
        np.testing.assert_allclose(found, model.predict(X), rtol=0, atol=1e-3)


def test_a_kernel_that_is_not_positive_definite_is_named():
    class Negative(bo.Gaussian):
        def __call__(self, X, Y=None):
            return -super().__call__(X, Y)

    X, y = data(np.float64)
    with pytest.raises(ValueError, match="not positive definite"):
        bo.NystroemFeatures(Negative(), 20, random_state=0).fit(X)
    with pytest.raises(ValueError, match="not positive definite"):
        bo.ExactKernelRidge(Negative(), 1e-3).fit(X, y)
