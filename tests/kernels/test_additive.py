"""Additive kernels of histograms: signature and spectrum belong to the kernel."""

import numpy as np
import pytest
from scipy.integrate import quad

import bochner as bo

KERNELS = [bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon()]
VALUES = {"AdditiveChi2": 0.4363636364, "Intersection": 0.3, "JensenShannon": 0.4649430151, "Hellinger": np.sqrt(0.24)}


@pytest.mark.parametrize("kernel", [*KERNELS, bo.Hellinger()], ids=repr)
def test_values_and_zeros(kernel):
    assert kernel([[0.3]], [[0.8]]).item() == pytest.approx(VALUES[type(kernel).__name__], rel=1e-9)
    X = np.array([[0.0, 0.5, 2.0], [0.0, 0.0, 1.0], [3.0, 0.2, 0.0]])
    assert np.isfinite(kernel(X)).all()
    np.testing.assert_allclose(kernel(X)[1, 2], 0.0)
    np.testing.assert_allclose(np.diag(kernel(X)), X.sum(axis=1))


@pytest.mark.parametrize("kernel", [*KERNELS, bo.Hellinger()], ids=repr)
def test_the_signature_is_the_kernel_of_ratios(kernel):
    x, y = np.random.default_rng(0).uniform(0.01, 5, size=(2, 50))
    np.testing.assert_allclose(np.sqrt(x * y) * kernel.signature(np.log(y / x)), kernel.entrywise(x, y), rtol=1e-12)
    assert np.isfinite(kernel.signature(np.array([-700.0, 700.0]))).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("log_ratio", [0.7, 2.0])
def test_the_spectrum_is_the_transform_of_the_signature(kernel, log_ratio):
    mass = 2 * quad(kernel.spectrum, 0, np.inf)[0]
    assert mass == pytest.approx(1.0, abs=1e-8)
    transform = 2 * quad(kernel.spectrum, 0, np.inf, weight="cos", wvar=log_ratio)[0]
    assert transform == pytest.approx(float(kernel.signature(np.array(log_ratio))), abs=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_samples_of_the_spectrum_have_the_signature_as_mean(kernel):
    """E cos(l o) = K(o) at five standard errors."""
    drawn = kernel.sample_spectrum(200_000, np.random.default_rng(0))
    o = np.array([0.3, 1.0, 3.0])
    variance = (1 + kernel.signature(2 * o)) / 2 - kernel.signature(o) ** 2
    error = np.abs(np.cos(np.outer(o, drawn)).mean(axis=1) - kernel.signature(o))
    assert (error <= 5 * np.sqrt(variance / len(drawn))).all()


def test_negative_entries_are_refused():
    with pytest.raises(ValueError, match=r"entries >= 0.*-0\.5"):
        bo.AdditiveChi2()([[1.0, -0.5]])
