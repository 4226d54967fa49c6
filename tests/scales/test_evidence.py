import numpy as np
import pytest
from scipy.stats import multivariate_normal

import bochner as bo
from bochner.kernels import ScaledKernel
from bochner.scales.evidence import Sample, SampleEvidence, StackedEvidence, evidences, maximised
from tests.contracts.walk import examples, name_of

KERNELS = examples(ScaledKernel, 3)
PLACE = np.array([0.3, -0.2, 0.6, -1.0, 0.3])  # three log length scales, log noise, log amplitude


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    return Sample(rng.normal(size=(60, 3)), rng.normal(size=(60, 2)))


@pytest.mark.parametrize("kernel", KERNELS, ids=name_of)
def test_value_is_the_log_density(kernel, sample):
    value, _ = SampleEvidence(kernel, sample)(PLACE[:3], *PLACE[3:])
    scaled = kernel.with_length_scale(np.exp(PLACE[:3]))
    covariance = np.exp(PLACE[4]) * scaled(sample.X) + np.exp(PLACE[3]) * np.eye(60)
    expected = sum(multivariate_normal(np.zeros(60), covariance).logpdf(column) for column in sample.Y.T)
    assert value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=name_of)
def test_gradient_is_that_of_the_value(kernel, sample):
    evidence = SampleEvidence(kernel, sample)
    _, gradient = evidence(PLACE[:3], *PLACE[3:])
    step = 1e-3
    for i in range(5):
        ends = []
        for sign in (1, -1):
            there = PLACE.copy()
            there[i] += sign * step
            ends.append(evidence(there[:3], *there[3:])[0])
        # Laplace distances are float32: their rounding, divided by the step.
        assert gradient[i] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=2e-3, rel=1e-4)


def test_samples_add_up(sample):
    one = maximised(bo.Gaussian(1.0), [sample], np.zeros(3), max_iter=8, threads=1)
    two = maximised(bo.Gaussian(1.0), [sample, sample], np.zeros(3), max_iter=8, threads=2)
    np.testing.assert_allclose(one.log_scales, two.log_scales, rtol=1e-6)
    assert one.value == pytest.approx(two.value)


def test_noise_is_found():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(400, 1))
    y = np.sin(3 * X[:, 0]) + rng.normal(scale=0.3, size=400)
    found = maximised(bo.Gaussian(1.0), [Sample(X, y[:, None])], np.zeros(1), max_iter=60, threads=1)
    assert found.noise == pytest.approx(0.09, rel=5 * np.sqrt(2 / 400))


def test_stacked_samples_have_the_evidence_of_single_ones():
    rng = np.random.default_rng(3)
    samples = [Sample(rng.normal(size=(40, 3)), rng.normal(size=(40, 2))) for _ in range(5)]
    place = np.array([0.3, -0.2, 0.5]), np.log(0.05), np.log(1.7)
    for kernel in (bo.Laplace(1.0), bo.Gaussian(1.0), bo.Matern(1.0, nu=1.5)):
        single = [SampleEvidence(kernel, sample)(*place) for sample in samples]
        value, gradient = StackedEvidence(kernel, samples)(*place)
        assert value == pytest.approx(sum(one for one, _ in single), rel=1e-12)
        np.testing.assert_allclose(gradient, sum(slope for _, slope in single), rtol=1e-9, atol=1e-9)


def test_small_samples_are_stacked_and_others_are_not():
    rng = np.random.default_rng(3)

    def kinds(*sizes):
        samples = [Sample(rng.normal(size=(n, 2)), np.ones((n, 1))) for n in sizes]
        return [type(part) for part in evidences(bo.Laplace(1.0), samples)]

    assert kinds(*[20] * 9) == [StackedEvidence] * 2
    assert kinds(20, 21) == kinds(600, 600) == [SampleEvidence] * 2


def test_columns_of_a_group_share_the_best_length_scale_that_is_common(sample):
    """The maximum over shared scales is that of the evidence along the same direction, by brute force."""
    kernel = bo.Gaussian(1.0)
    groups = np.array([0, 1, 0])
    found = maximised(kernel, [sample], np.zeros(2), max_iter=200, threads=1, groups=groups)
    evidence = SampleEvidence(kernel, sample)
    value = evidence(found.log_scales[groups], np.log(found.noise), np.log(found.amplitude))[0]
    assert found.value == pytest.approx(value / sample.Y.size)
    for step in (-0.3, 0.3):
        for place in range(2):
            moved = found.log_scales + step * (np.arange(2) == place)
            there = evidence(moved[groups], np.log(found.noise), np.log(found.amplitude))[0]
            assert there <= value + 1e-3
