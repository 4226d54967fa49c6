"""Kernel matrices and their pullbacks, of every kernel with a length scale and of one that the library never saw."""

import numpy as np
import pytest

import bochner as bo
from bochner.kernels import RadialKernel, ScaledKernel
from bochner.scales.gram import gram
from tests.contracts.walk import examples, name_of

KERNELS = examples(ScaledKernel, 3)
X = np.random.default_rng(0).normal(size=(40, 3))
LOGS = np.array([0.3, -0.2, 0.6])


class Bump(RadialKernel):
    """k(Δ) = (1 + r) exp(-r): a new kernel as its author would write it, one class without a slope."""

    def __init__(self, length_scale="auto"):
        self.length_scale = length_scale

    def profile(self, r):
        return (1.0 + r) * np.exp(-r)

    def unit_frequencies(self, uniforms, dim):
        return bo.Matern(nu=1.5).unit_frequencies(uniforms, dim) / np.sqrt(3.0)

    def unit_second_moment(self, dim):
        return float(dim)


@pytest.mark.parametrize("kernel", [*KERNELS, Bump()], ids=name_of)
def test_the_lower_triangle_is_that_of_the_kernel(kernel):
    values, _ = gram(kernel.with_length_scale(1.0), X / np.exp(LOGS))
    expected = kernel.with_length_scale(np.exp(LOGS))(X)
    np.testing.assert_allclose(np.tril(values, -1), np.tril(expected, -1), atol=2e-6)


@pytest.mark.parametrize("kernel", [*KERNELS, Bump()], ids=name_of)
def test_the_pullback_is_the_difference_quotient_of_the_kernel(kernel):
    """Of F = sum_ab G_ab K_ab by the logarithm of each length scale, K being what the kernel says it is."""
    G = np.random.default_rng(1).normal(size=(40, 40))
    G += G.T

    def total(logs):
        return np.sum(G * kernel.with_length_scale(np.exp(logs))(X))

    _, pullback = gram(kernel.with_length_scale(1.0), X / np.exp(LOGS))
    quotients = [(total(LOGS + step) - total(LOGS - step)) / 2e-4 for step in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(pullback(G), quotients, rtol=1e-5, atol=1e-3)


def test_a_new_kernel_learns_what_the_same_one_with_a_slope_does():
    """(1 + r) exp(-r) at length scale l is Matern(nu=1.5) at sqrt(3) l."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(300, 3))
    y = np.sin(2.0 * rows[:, 1]) + 0.1 * rng.normal(size=300)
    new, known = (
        bo.learn_length_scales(kernel, rows, y, n_rows=150, random_state=0) for kernel in (Bump(), bo.Matern(nu=1.5))
    )
    assert type(new) is Bump
    np.testing.assert_allclose(np.sqrt(3.0) * new.length_scale[1], known.length_scale[1], rtol=0.02)
    assert new.length_scale[[0, 2]].min() > 5.0 * new.length_scale[1]


def test_a_new_kernel_learns_a_metric():
    rows = np.random.default_rng(3).normal(size=(500, 3))
    learned = bo.learn_metric(Bump(), rows, np.sin(2.0 * (rows[:, 0] - rows[:, 2])), random_state=0)
    first = learned.length_scale.matrix[0]
    assert abs(first @ [0.5**0.5, 0.0, -(0.5**0.5)]) > 0.99 * np.linalg.norm(first)


def test_kernels_without_length_scales_are_refused():
    with pytest.raises(TypeError, match="can be learned for the kernel Polynomial"):
        gram(bo.Polynomial(2), X)
