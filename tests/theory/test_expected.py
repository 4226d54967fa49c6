"""Expected errors: reference values, and simulation of the numerical results of Sutherland and Schneider (d = 1)."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student

import bochner as bo
from bochner import theory

GAUSSIAN = bo.Gaussian(1.0)


def test_dudley_and_concentration_reference_values():
    given = {"n_components": 500, "dim": 1, "diameter": 6.0}
    paired = theory.expected_max_error(GAUSSIAN, method="dudley", **given)
    assert paired == pytest.approx(52.9228 * 6 / np.sqrt(500), rel=1e-5)
    shifted = theory.expected_max_error(GAUSSIAN, method="dudley", embedding="shifted", **given)
    assert shifted == pytest.approx(74.8442 * 6 / np.sqrt(500) + 0.7071 / np.sqrt(500), rel=1e-5)

    def at(excess, embedding, method, expected=None):
        return theory.concentration_bound(
            excess=excess, n_components=500, embedding=embedding, method=method, expected=expected, supremum=1.0
        )

    assert round(at(0.1, "paired", "bousquet", 0.0683), 3) == 0.226
    assert round(at(0.1, "paired", "mcdiarmid"), 3) == 0.287
    assert round(at(0.1, "shifted", "bousquet", 0.0915), 3) == 0.220
    assert round(at(0.1, "shifted", "mcdiarmid"), 3) == 0.535
    assert round(at(0.2, "paired", "bousquet", 0.0683), 4) == 0.0040
    assert round(at(0.2, "paired", "mcdiarmid"), 4) == 0.0067
    assert round(at(0.2, "shifted", "bousquet", 0.0915), 4) == 0.0033
    assert round(at(0.2, "shifted", "mcdiarmid"), 3) == 0.082
    with pytest.raises(ValueError, match="needs expected"):
        at(0.1, "paired", "bousquet")


def test_expected_maximum_reference_values():
    """(dim, D) -> tail with the slope published, rigorous and sharp; the published form; Dudley's."""
    reference = {
        (1, 500): (0.4000539, 0.4182090, 0.4090187, 22.61798, 14.2007),
        (1, 5000): (0.1252805, 0.1299459, 0.1275836, 8.409867, 4.4906),
        (2, 5000): (0.1689261, 0.1760487, 0.1717673, 13.03238, 8.9813),
        (10, 50000): (0.1181666, 0.1230299, 0.1192645, 13.48367, 14.2007),
    }
    for (dim, width), (*tails, published, dudley) in reference.items():
        given = {"n_components": width, "dim": dim, "diameter": 6.0}
        found = [theory.expected_max_error(GAUSSIAN, slope=s, **given) for s in ("published", "rigorous", "sharp")]
        assert found == pytest.approx(tails, abs=1.1e-7)
        assert theory.expected_max_error(GAUSSIAN, method="published", **given) == pytest.approx(published, abs=5.1e-6)
        assert theory.expected_max_error(GAUSSIAN, method="dudley", **given) == pytest.approx(dudley, abs=6e-5)
    given = {"n_components": 500, "dim": 1, "diameter": 6.0, "method": "published", "embedding": "shifted"}
    assert theory.expected_max_error(GAUSSIAN, **given) == pytest.approx((39.650, 76.822), rel=1e-4)
    for n, expected in ((250, 3.0370302), (500, 3.2415907)):
        assert theory.expected_max_norm(GAUSSIAN, 1, n) == pytest.approx(expected, abs=1e-7)
    with pytest.raises(ValueError, match="method='tail'"):
        theory.expected_max_norm(bo.Cauchy(1.0), 2, 10)


@pytest.mark.parametrize(("kernel", "dim"), [(bo.Gaussian(2.0), 5), (bo.Matern(0.7, 1.5), 3), (bo.Cauchy(1.0), 1)])
def test_the_largest_of_some_frequencies(kernel, dim):
    norms = np.linalg.norm(kernel.sample_frequencies(dim, 20_000 * 40, np.random.default_rng(0)), axis=1)
    largest = norms.reshape(20_000, 40).max(axis=1)
    error = largest.std() / np.sqrt(len(largest))
    assert theory.expected_max_norm(kernel, dim, 40) == pytest.approx(largest.mean(), abs=5 * error)
    assert np.isinf(theory.expected_max_norm(bo.Matern(1.0, nu=0.4), 2, 10))


def test_the_largest_of_many_frequencies_with_heavy_tails():
    """|w| of Student's law with 1.2 degrees of freedom: more than a quarter of the mean lies beyond the table of F."""
    u = np.linspace(-20.0, 120.0, 140_001)  # log r
    above = -np.expm1(10**6 * np.log1p(-np.minimum(2 * student.sf(np.exp(u), 1.2), 1 - 1e-15)))
    exact = np.trapezoid(above * np.exp(u), u)
    assert theory.expected_max_norm(bo.Matern(1.0, nu=0.6), 1, 10**6) == pytest.approx(exact, rel=1e-3)


def test_the_tail_bound_falls_with_the_width_and_is_never_trivial():
    found = [
        theory.expected_max_error(GAUSSIAN, n_components=width, dim=2, diameter=6.0)
        for width in (2, 20, 10**3, 10**4, 10**6, 10**9)
    ]
    assert found[0] == 2.0
    assert (np.diff(found) <= 0).all()
    # D^{-1/2} log^{1/2} D: from 10^6 to 10^9 by 10^{1.5} less a factor of at most sqrt(1.5)
    assert 10**1.5 / np.sqrt(1.5) < found[-2] / found[-1] < 10**1.5


def largest_errors(embedding, repeats=400, width=500, radius=3.0):
    """sup |f| over [-radius, radius]², Gaussian, d = 1: on a grid of Δ (paired) or of (x, y) (shifted)."""
    rng = np.random.default_rng(2)
    found = np.empty(repeats)
    delta = np.linspace(0, 2 * radius, 601)
    points = np.linspace(-radius, radius, 41)
    exact = np.exp(-0.5 * (points[:, None] - points[None, :]) ** 2)
    for repeat in range(repeats):
        if embedding == "paired":
            w = rng.normal(size=width // 2)
            found[repeat] = np.abs(np.cos(np.outer(delta, w)).mean(axis=1) - np.exp(-0.5 * delta**2)).max()
        else:
            Z = np.sqrt(2 / width) * np.cos(np.outer(points, rng.normal(size=width)) + rng.uniform(0, 7e4, size=width))
            found[repeat] = np.abs(Z @ Z.T - exact).max()
    return found


@pytest.fixture(scope="module")
def simulated():
    return {embedding: largest_errors(embedding) for embedding in ("paired", "shifted")}


def test_no_uniform_bound_is_violated(simulated):
    """Figure 4: Pr(sup|f| > eps) on [-3, 3] with D = 500. The bounds are loose: vacuous where the truth is 5 %."""
    for embedding, found in simulated.items():
        for eps in (0.05, 0.1, 0.12, 0.15, 0.3, 0.6):
            share = np.mean(found >= eps)
            given = {"eps": eps, "n_components": 500, "dim": 1, "diameter": 6.0, "embedding": embedding}
            for method in ("sutherland-schneider", "holder", "rahimi-recht")[: 3 if embedding == "paired" else 2]:
                assert share <= theory.uniform_bound(GAUSSIAN, method=method, **given)
        assert theory.uniform_bound(GAUSSIAN, eps=0.15, n_components=500, dim=1, diameter=6.0, embedding=embedding) > 1
        assert np.mean(found >= 0.15) < 0.05


def test_no_uniform_bound_is_violated_where_it_says_something():
    """At D = 4000, eps = 0.3 the paired bounds are small, and the error is far below."""
    found = largest_errors("paired", repeats=60, width=4000)
    for method, largest in (("sutherland-schneider", 1e-3), ("rahimi-recht", 0.05)):
        bound = theory.uniform_bound(GAUSSIAN, eps=0.3, n_components=4000, dim=1, diameter=6.0, method=method)
        assert np.mean(found >= 0.3) <= bound < largest
    assert found.max() < 0.15


def test_no_uniform_bound_is_violated_in_the_plane():
    """A disc of diameter 3, a smooth and a rougher kernel, at widths where the bounds say something."""
    rng = np.random.default_rng(3)
    axis = np.linspace(-3.0, 3.0, 41)
    delta = np.stack(np.meshgrid(axis, axis[20:]), axis=-1).reshape(-1, 2)
    delta = delta[np.linalg.norm(delta, axis=1) <= 3.0]
    for kernel, width in ((GAUSSIAN, 1600), (bo.Matern(1.0, nu=1.5), 2000)):
        exact, largest = kernel.at(delta), np.empty(25)
        for repeat in range(len(largest)):
            w = kernel.sample_frequencies(2, width // 2, rng)
            largest[repeat] = np.abs(np.cos(delta @ w.T).mean(axis=1) - exact).max()
        for eps in (0.02, 0.04, 0.06, 0.1, 0.3, 0.5, 0.6):
            for method in ("rahimi-recht", "sutherland-schneider", "holder"):
                bound = theory.uniform_bound(
                    kernel, eps=eps, n_components=width, dim=2, diameter=3.0, method=method, rigorous=True
                )
                assert np.mean(largest >= eps) <= bound
        said = theory.uniform_bound(kernel, eps=0.6, n_components=width, dim=2, diameter=3.0, method="rahimi-recht")
        assert said < 0.1


def test_figure_three_of_sutherland_and_schneider():
    """The average maximum error grows with the radius, is smaller for paired features, and exceeds no bound."""
    radii = (0.25, 1.0, 3.0, 6.0)
    means = {
        embedding: [largest_errors(embedding, repeats=80, width=100, radius=radius).mean() for radius in radii]
        for embedding in ("paired", "shifted")
    }
    for embedding, found in means.items():
        assert (np.diff(found) > 0).all()
        for radius, mean in zip(radii, found):
            given = {"n_components": 100, "dim": 1, "diameter": 2 * radius, "embedding": embedding}
            for method in ("tail", "dudley"):
                assert mean <= theory.expected_max_error(GAUSSIAN, method=method, **given)
    assert (np.array(means["paired"]) < np.array(means["shifted"])).all()


def test_the_page_says_how_loose_the_bounds_are(simulated):
    """The widths of docs/error_theory.md: each bound asked for the error that 500 components exceed once in 20."""
    page = (Path(__file__).parents[2] / "docs" / "error_theory.md").read_text()
    for embedding, error, methods in (
        ("paired", 0.118, ("Sutherland-Schneider", "Hoelder", "Rahimi-Recht")),
        ("shifted", 0.138, ("Sutherland-Schneider", "Hoelder")),
    ):
        # a quantile of 400 draws has a standard error of about 0.004
        assert np.quantile(simulated[embedding], 0.95) == pytest.approx(error, abs=0.012)
        for name in methods:
            method = name.lower().replace("oe", "o")
            given = {"eps": error, "delta": 0.05, "dim": 1, "diameter": 6.0, "embedding": embedding}
            assert f"{name} {theory.components_needed(GAUSSIAN, method=method, **given)}" in page
    for embedding, error, methods in (
        ("paired", 0.055, ("Chebyshev", "Hoeffding", "Bernstein")),
        ("shifted", 0.074, ("Chebyshev", "Hoeffding", "sub-Gaussian", "Bernstein")),
    ):
        for name in methods:
            given = {"eps": error, "delta": 0.05, "embedding": embedding, "difference": [1.0]}
            assert f"{name} {theory.components_needed(GAUSSIAN, method=name.lower(), **given)}" in page
    given = {"dim": 1, "diameter": 6.0}
    assert simulated["paired"].mean() == pytest.approx(0.070, abs=5 * 0.0251 / 20)
    for width, error in ((17049, 0.070), (500, 0.409)):
        assert theory.expected_max_error(GAUSSIAN, n_components=width, **given) == pytest.approx(error, abs=5e-4)
        assert f"{error:.3f}" in page
    assert theory.expected_max_error(GAUSSIAN, n_components=17049, **given) <= 0.070
    assert theory.expected_max_error(GAUSSIAN, n_components=17048, **given) > 0.070


def test_expected_maximum_and_concentration_are_not_violated(simulated):
    """Figure 3: the average maximum; and its concentration, with the simulated mean in place of the expected one."""
    for embedding, found in simulated.items():
        mean = found.mean()
        error = found.std() / np.sqrt(len(found))
        for slope in ("published", "sharp", "rigorous"):
            given = {"n_components": 500, "dim": 1, "diameter": 6.0, "embedding": embedding}
            bound = theory.expected_max_error(GAUSSIAN, slope=slope, **given)
            assert mean + 5 * error < bound < 7 * mean  # and not so far above
        for excess in (0.02, 0.05, 0.1):
            share = np.mean(found >= mean + excess)
            for method in ("mcdiarmid", "bousquet"):
                assert share <= theory.concentration_bound(
                    excess=excess, n_components=500, embedding=embedding, method=method, expected=mean, supremum=1.0
                )
    assert simulated["paired"].mean() == pytest.approx(0.0683, abs=5 * 0.0251 / 20)
    assert simulated["shifted"].mean() == pytest.approx(0.0915, abs=5 * 0.0233 / 20)


def test_points_bound_is_not_violated_by_a_rough_kernel():
    rng = np.random.default_rng(0)
    points, width = np.linspace(0, 2, 12), 400
    exact = np.exp(-np.abs(points[:, None] - points[None, :]))
    largest = np.empty(400)
    for repeat in range(400):
        turns = np.outer(points, rng.standard_cauchy(size=width // 2))
        Z = np.sqrt(2 / width) * np.hstack([np.cos(turns), np.sin(turns)])
        largest[repeat] = np.abs(Z @ Z.T - exact).max()
    for eps in (0.1, 0.15, 0.2, 0.25, 0.3):
        bound = theory.uniform_bound(bo.Laplace(1.0), eps=eps, n_components=width, method="points", n_points=12)
        assert np.mean(largest >= eps) <= bound


def test_figures_one_and_two_of_sutherland_and_schneider():
    """Figure 1: variance per dimension of both embeddings; Figure 2: the coefficients of the bounds."""
    z = np.linspace(0.01, 4, 200)[:, None]
    paired, shifted = (theory.variance(GAUSSIAN, z, 1000, embedding=e) * 1000 for e in ("paired", "shifted"))
    assert (paired < shifted).all()
    assert paired[0] < 1e-6 < 0.49 < shifted[0] < 0.51
    assert (np.diff(paired) > 0).all()
    assert (np.diff(shifted - paired) < 0).all()  # the difference is higher for larger kernel values
    assert paired[-1] == pytest.approx(1.0, abs=1e-5)
    beta = np.array([theory.beta(d) for d in range(1, 200)])
    beta_prime = np.array([theory.beta_prime(d) for d in range(1, 200)])
    assert (beta < beta_prime).all()
    assert beta.max() == pytest.approx(66.0)
    assert beta_prime.max() == pytest.approx(98.0)
    assert theory.beta(10**7) == pytest.approx(64.0, abs=1e-3)
    assert theory.beta_prime(10**7) == pytest.approx(96.0, abs=1e-3)
    for dim in (1, 3, 20):  # "the bound for phi is always tighter than that for psi"
        given = {"eps": 0.1, "n_components": 50_000, "dim": dim, "diameter": 6.0}
        assert theory.uniform_bound(GAUSSIAN, **given) < theory.uniform_bound(GAUSSIAN, embedding="shifted", **given)
