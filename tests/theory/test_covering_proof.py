"""The covering argument as numbers, and the slopes it needs."""

import numpy as np
import pytest
from scipy.special import gamma

import bochner as bo
from bochner import theory

GAUSSIAN = bo.Gaussian(1.0)
# Gaussian, diameter 6, eps 0.1: (dim, frequencies) -> radius, anchors, both failures, total, with two, rounded
REFERENCE = {
    (1, 20000): (9.4101469e-5, 255043.84, 7.0840691e-6, 3.5420346e-6, 1.0626104e-5, 1.1245259e-5, 0.05324773),
    (2, 30000): (9.2913721e-5, 6.6721035e10, 6.9063677e-6, 6.9063677e-6, 1.3812735e-5, 1.3812735e-5, 0.013260226),
    (5, 60000): (9.140862e-5, 1.2477295e27, 6.6844287e-6, 1.6711072e-5, 2.33955e-5, 2.572392e-5, 0.0022761566),
}


def proof(dim, n_frequencies, **more):
    return theory.covering_proof(GAUSSIAN, eps=0.1, n_components=2 * n_frequencies, dim=dim, diameter=6.0, **more)


def test_reference_values():
    for (dim, n_frequencies), expected in REFERENCE.items():
        p = proof(dim, n_frequencies)
        found = (p.net_radius, p.n_anchors, p.anchor_failure, p.slope_failure, p.total, p.rounded_two, p.rounded)
        assert found == pytest.approx(expected, rel=1e-6)
        assert p.closed_form == pytest.approx(p.total, rel=1e-12)
        assert p.anchor_failure / p.slope_failure == pytest.approx(2 / dim, rel=1e-12)
        given = {"eps": 0.1, "n_components": 2 * n_frequencies, "dim": dim, "diameter": 6.0}
        assert p.rounded == pytest.approx(theory.uniform_bound(GAUSSIAN, method="rahimi-recht", **given), rel=1e-12)
        bernstein = proof(dim, n_frequencies, tail="bernstein")
        assert bernstein.total == pytest.approx(theory.uniform_bound(GAUSSIAN, **given), rel=1e-9)
        sharp = proof(dim, n_frequencies, tail="bernstein", slope="sharp")
        assert sharp.total == pytest.approx(theory.uniform_bound(GAUSSIAN, rigorous=True, **given), rel=1e-9)


def test_the_table_says_what_each_step_costs():
    rows = {name: slack for name, _, slack in proof(1, 20000).table()}
    assert rows["anchors of the net"] == pytest.approx(2.0, abs=1e-4)
    assert rows["with c^-d + c^2 <= 2"] == pytest.approx(2 / 1.88988, rel=1e-5)
    assert rows["with 2^8 and the exponent 2"] == pytest.approx(4735, rel=1e-3)
    # Markov's step: at most 20000/2.4 by the simulated E L² = 2.4/D_f, and at any one place a little more.
    assert 20000 / 2.4 < rows["failure of the slope (published)"] < 20000 / 0.4
    text = str(proof(1, 20000))
    assert len(text.splitlines()) == 10
    assert "255043.84" in text


@pytest.mark.parametrize("slope", ["published", "rigorous", "sharp"])
@pytest.mark.parametrize("tail", ["hoeffding", "bernstein"])
@pytest.mark.parametrize("covering", ["published", "isodiametric"])
def test_no_step_is_sharper_than_the_one_before(slope, tail, covering):
    for kernel in (GAUSSIAN, bo.Matern(1.0, nu=2.5), bo.Cauchy(1.0)):
        for dim, width in ((1, 2000), (3, 20000), (40, 10**6)):
            given = {"eps": 0.2, "n_components": width, "dim": dim, "diameter": 3.0}
            p = theory.covering_proof(kernel, slope=slope, tail=tail, covering=covering, **given)
            assert all(slack >= 1 - 1e-9 for _, _, slack in p.table())
            assert p.total <= p.closed_form * (1 + 1e-9)
            if covering == "isodiametric":
                published = theory.covering_proof(kernel, slope=slope, tail=tail, **given)
                assert p.total < published.total


def test_the_radius_is_the_best():
    k1, k2, dim = 3.0e-7, 400.0, 4
    best = theory.net_radius(k1, k2, dim)

    def total(r):
        return k1 * r**-dim + k2 * r**2

    assert all(total(best * factor) > total(best) for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0))
    shape = (dim / 2) ** (-dim / (dim + 2)) + (dim / 2) ** (2 / (dim + 2))
    assert total(best) == pytest.approx(shape * k1 ** (2 / (dim + 2)) * k2 ** (dim / (dim + 2)), rel=1e-12)
    # in print (d/2)^{1/d} (k1/k2)^{d/(d+2)}: 19 % above the minimum for d = 1
    k1 = 48 * np.exp(-25.0)
    best, printed = theory.net_radius(k1, k2, 1), 0.5 * (k1 / k2) ** (1 / 3)
    assert (k1 / printed + k2 * printed**2) / (k1 / best + k2 * best**2) == pytest.approx(1.19, abs=0.005)


def test_refusals():
    with pytest.raises(ValueError, match="n_components must be even"):
        theory.covering_proof(GAUSSIAN, eps=0.1, n_components=3, dim=1, diameter=1.0)
    with pytest.raises(ValueError, match=r"infinite.*'holder'"):
        theory.covering_proof(bo.Laplace(1.0), eps=0.1, n_components=4, dim=1, diameter=1.0)
    with pytest.raises(ValueError, match="slope must be"):
        theory.covering_proof(GAUSSIAN, eps=0.1, n_components=4, dim=1, diameter=1.0, slope="steep")
    # A set so small that the formulas would go on falling: a larger one stands for it.
    small = [theory.covering_proof(GAUSSIAN, eps=0.5, n_components=50, dim=3, diameter=d) for d in (0.01, 0.1)]
    assert small[0].total == small[1].total


def test_lipschitz_constants():
    assert theory.lipschitz_constant(GAUSSIAN, 3) == pytest.approx(np.exp(-0.5), rel=1e-10)
    assert theory.lipschitz_constant(bo.Cauchy(1.0), 1) == pytest.approx(0.6495190528, rel=1e-9)
    assert theory.lipschitz_constant(bo.Matern(1.0, nu=2.5), 2) == pytest.approx(0.6260707807, rel=1e-9)
    for dim in (1, 2, 5):
        assert theory.lipschitz_constant(bo.Laplace(1.0), dim) == pytest.approx(np.sqrt(dim), rel=1e-9)
        assert theory.lipschitz_constant(bo.Reciprocal(0.5), dim) == pytest.approx(2 * np.sqrt(dim), rel=1e-8)
    assert theory.lipschitz_constant(bo.Matern(1.0, nu=0.5), 4) == pytest.approx(1.0, rel=1e-9)
    assert theory.lipschitz_constant(bo.Gaussian([2.0, 0.5]), 2) == pytest.approx(2 * np.exp(-0.5), rel=1e-10)
    assert np.isinf(theory.lipschitz_constant(bo.StretchedExponential(1.0, exponent=0.7), 1))
    u = np.linspace(0, 1, 200_001)
    for dim in (2, 10):  # all columns alike: prod p² sum (p'/p)² = 4 d u^{2d+1} (1 - u), u = 1/(1 + r²)
        exact = np.sqrt(np.max(4 * dim * u ** (2 * dim + 1) * (1 - u)))
        assert exact <= theory.lipschitz_constant(bo.Cauchy(1.0), dim) == pytest.approx(exact, rel=2e-5)


@pytest.mark.parametrize(
    "kernel",
    [
        bo.Gaussian([0.5, 2.0]),
        bo.Cauchy([0.5, 2.0]),
        bo.Matern(1.0, nu=1.5),
        bo.RationalQuadratic(1.0, alpha=0.5),
        bo.ProductProfile(lambda r: np.cos(3 * r) * np.exp(-r), 1.0),
        (bo.Gaussian(1.0) * bo.Cauchy(1.0)).terms()[0][1],
    ],
)
def test_no_slope_of_the_kernel_is_above_its_lipschitz_constant(kernel):
    rng = np.random.default_rng(0)
    delta = rng.normal(size=(20_000, 2)) * np.exp(rng.uniform(-3, 1, size=(20_000, 1)))
    step = rng.normal(size=delta.shape)
    step *= 1e-5 / np.linalg.norm(step, axis=1, keepdims=True)
    slopes = np.abs(kernel.at(delta + step) - kernel.at(delta - step)) / 2e-5
    found = theory.lipschitz_constant(kernel, 2)
    assert slopes.max() <= found * (1 + 1e-6)
    # Attained by radial kernels and by smooth product ones; a kink away from 0 and products of kernels have bounds.
    assert slopes.max() > 0.3 * found
    if isinstance(kernel, bo.Gaussian | bo.Cauchy | bo.Matern | bo.RationalQuadratic):
        assert slopes.max() > 0.99 * found


def test_slope_moment_reference_values():
    def ratio(dim, embedding, **more):
        value = theory.slope_moment(GAUSSIAN, dim, 10**12, embedding=embedding, **more)
        return value / dim / (1 if embedding == "paired" else 3)

    for dim, paired, shifted in (
        (1, 1.97238, 2.00661),
        (2, 1.72951, 1.88652),
        (5, 1.49519, 1.74295),
        (10, 1.36224, 1.64569),
        (64, 1.14901, 1.46919),
    ):
        assert ratio(dim, "paired") == pytest.approx(paired, abs=1e-5)
        assert ratio(dim, "shifted") == pytest.approx(shifted, abs=1e-5)
        assert ratio(dim, "paired", method="published") == pytest.approx(1.0)
        assert ratio(dim, "paired", method="rigorous") == pytest.approx(4.0)
        assert ratio(dim, "shifted", method="rigorous") == pytest.approx((2 + np.sqrt(2)) ** 2 / 3)
    assert theory.fractional_moment(bo.Matern(1.0, nu=2.5), 1.0, 2) == pytest.approx(1.4907120, rel=1e-6)
    mean = np.sqrt(2) * gamma(1.5) / gamma(1.0)
    term = theory.slope_moment(GAUSSIAN, 2, 10) - theory.slope_moment(GAUSSIAN, 2, 10**12)
    assert term == pytest.approx((2 - mean**2) / 5, rel=1e-6)
    assert np.isinf(theory.slope_moment(bo.Laplace(1.0), 2, 10))
    for kernel in (
        bo.Cauchy(1.0),
        bo.Matern(1.0, nu=1.1),
        bo.Gaussian(1.0) * bo.Cauchy(1.0),
    ):  # never above the constant for all
        for embedding in ("paired", "shifted"):
            sharp, rigorous = (
                theory.slope_moment(kernel, 3, 7, embedding=embedding, method=m) for m in ("sharp", "rigorous")
            )
            assert sharp <= rigorous * (1 + 1e-12)


def simulated_slopes(n_frequencies, repeats, seed=0):
    """L² of the paired error, Gaussian, d = 1, on |Δ| <= 12: the largest slope on a fine grid."""
    rng = np.random.default_rng(seed)
    delta = np.linspace(0, 12, 1201)
    kernel_slope = -delta * np.exp(-0.5 * delta**2)
    found = np.empty(repeats)
    for repeat in range(repeats):
        w = rng.normal(size=n_frequencies)
        found[repeat] = np.abs(-(np.sin(np.outer(delta, w)) @ w) / n_frequencies - kernel_slope).max() ** 2
    return found


def test_simulated_slopes_and_which_bounds_hold():
    """The published moment is violated by one frequency, the proved ones by none."""
    for n_frequencies, reference in ((1, 1.16), (2, 0.79), (5, 0.39), (20, 0.109)):
        squares = simulated_slopes(n_frequencies, 1000)
        error = squares.std() / np.sqrt(len(squares))
        assert squares.mean() == pytest.approx(reference, abs=5 * error + 0.02)
        for method in ("sharp", "rigorous"):
            assert squares.mean() + 5 * error < theory.slope_moment(GAUSSIAN, 1, 2 * n_frequencies, method=method)
        at_one_place = theory.slope_variance(GAUSSIAN, np.linspace(0, 12, 200)[:, None], 2 * n_frequencies).max()
        assert at_one_place < squares.mean()
        if n_frequencies == 1:
            assert squares.mean() > theory.slope_moment(GAUSSIAN, 1, 2, method="published") + error


def test_slope_at_one_place():
    found = theory.slope_variance(GAUSSIAN, [[0.5], [1.0], [2.0]], 2)
    assert found == pytest.approx([0.3052998, 0.3351235, 0.4292534], abs=1e-6)
    rng = np.random.default_rng(0)
    kernel, delta = bo.Matern(0.8, 2.5), np.array([0.4, -0.7])
    w = kernel.sample_frequencies(2, 200_000, rng)
    gradients = -w * np.sin(w @ delta)[:, None]
    squares = np.sum((gradients - gradients.mean(axis=0)) ** 2, axis=1)
    error = squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - 7 * theory.slope_variance(kernel, delta, 14)[0]) < 5 * error
