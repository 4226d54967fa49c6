"""Additive kernels of histograms: values, zeros, refusals."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

import bochner as bo


def gaussian(log_ratio):
    return np.exp(-0.5 * np.square(log_ratio))


KERNELS = [bo.AdditiveChi2(), bo.Intersection(), bo.JensenShannon(), bo.Homogeneous(gaussian)]
VALUES = {
    "AdditiveChi2": 0.4363636364,
    "Intersection": 0.3,
    "JensenShannon": 0.4649430151,
    "Hellinger": np.sqrt(0.24),
    "Homogeneous": 0.3028337846,
}


@pytest.mark.parametrize("kernel", [*KERNELS, bo.Hellinger()], ids=lambda kernel: type(kernel).__name__)
def test_values_and_zeros(kernel):
    assert kernel([[0.3]], [[0.8]]).item() == pytest.approx(VALUES[type(kernel).__name__], rel=1e-9)
    X = np.array([[0.0, 0.5, 2.0], [0.0, 0.0, 1.0], [3.0, 0.2, 0.0]])
    assert np.isfinite(kernel(X)).all()
    np.testing.assert_allclose(kernel(X)[1, 2], 0.0)
    np.testing.assert_allclose(np.diag(kernel(X)), X.sum(axis=1))


def test_negative_entries_are_refused():
    with pytest.raises(ValueError, match=r"entries >= 0.*-0\.5"):
        bo.AdditiveChi2()([[1.0, -0.5]])


@pytest.mark.parametrize(
    ("kernel", "values"),
    [
        (bo.AdditiveChi2, (0.6234415483, 0.4363636364, 0.2137736503)),
        (bo.Intersection, (0.4286160645, 0.3, 0.1469693846)),
        (lambda exponent: bo.Homogeneous(gaussian, exponent=exponent), (0.4326647498, 0.3028337846, 0.1483576498)),
    ],
    ids=["chi2", "intersection", "gaussian"],
)
def test_any_exponent(kernel, values):
    for exponent, value in zip((0.25, 0.5, 1.0), values):
        one = kernel(exponent=exponent)
        assert one([[0.3]], [[0.8]]).item() == pytest.approx(value, abs=1e-10)
        X = np.array([[0.0, 0.5, 2.0], [0.0, 0.0, 1.0], [3.0, 0.2, 0.0]])
        np.testing.assert_allclose(np.diag(one(X)), (X ** (2 * exponent)).sum(axis=1))
        np.testing.assert_allclose(one.diagonal(X), np.diag(one(X)))
        assert one(X)[1, 2] == 0.0
        scaled = one(3.0 * X)  # homogeneous of degree 2a
        np.testing.assert_allclose(scaled, 3.0 ** (2 * exponent) * one(X))
    ratios = kernel(exponent=0.0)
    assert ratios([[0.3]], [[0.8]]).item() == pytest.approx(ratios.signature_at(np.log(8 / 3)).item())
    with pytest.raises(ValueError, match="exponent 0 sees ratios only"):
        ratios([[1.0, 0.0]])
    with pytest.raises(ValueError, match="exponent must be a finite number of at least 0"):
        kernel(exponent=-0.5)([[1.0]])


def test_a_signature_decides():
    """Positive definite if and only if the signature is, whatever the exponent; a given law is used."""
    for exponent in (0.25, 1.0):
        with pytest.raises(ValueError, match="not positive definite"):
            bo.AdditiveFeatures(bo.Homogeneous(lambda o: np.exp(-(o**4)), exponent=exponent), sampling="random").fit(
                [[1.0], [2.0]]
            )
    with pytest.raises(ValueError, match="signature must be vectorised"):
        bo.Homogeneous(lambda o: 1.0)([[1.0]])
    normal = bo.Homogeneous(gaussian, quantile=ndtri, spectrum=norm.pdf)
    frequencies = np.linspace(0.0, 4.0, 20)
    np.testing.assert_allclose(
        bo.Homogeneous(gaussian).spectrum_at(frequencies), normal.spectrum_at(frequencies), atol=1e-6
    )
    drawn = normal.sample_spectrum(20_000, np.random.default_rng(0))
    assert abs(np.mean(drawn**2) - 1) < 5 * np.sqrt(2 / 20_000)
