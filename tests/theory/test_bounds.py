"""Bounds: reference values, inversion, refusals, and simulation in which none is violated."""

import numpy as np
import pytest

import bochner as bo
from bochner import theory
from tests.theory.reference import VALUES, error_by_definition

GAUSSIAN = bo.Gaussian(1.0)
SETTING = {"eps": 0.1, "delta": 0.05, "diameter": 6.0}


def test_beta_reference_values():
    for dim, expected in VALUES["beta"].items():
        assert theory.beta(int(dim)) == pytest.approx(expected, rel=1e-13)
    for dim, expected in VALUES["beta_prime"].items():
        assert theory.beta_prime(int(dim)) == pytest.approx(expected, rel=1e-13)
    assert max(range(1, 300), key=theory.beta) == 64
    assert max(range(1, 300), key=theory.beta_prime) == 48
    rigorous = {1: 19.0488, 2: 45.2548, 5: 116.414, 10: 178.943, 64: 253.139}
    assert {d: float(f"{theory.beta(d, rigorous=True):.6g}") for d in rigorous} == rigorous
    rigorous = {1: 54.6274, 2: 123.386, 5: 244.882, 10: 314.489, 64: 372.665}
    assert {d: float(f"{theory.beta_prime(d, rigorous=True):.6g}") for d in rigorous} == rigorous


def test_required_components_reference_values():
    for dim, expected in VALUES["required_D gaussian s=1 eps=.1 delta=.05 diam=6"].items():
        given = SETTING | {"dim": int(dim)}
        rahimi_recht = theory.components_needed(GAUSSIAN, method="rahimi-recht", **given)
        assert rahimi_recht == 2 * expected["RR_frequencies"]
        assert theory.components_needed(GAUSSIAN, **given) == expected["SS_phi_features"]
        assert theory.components_needed(GAUSSIAN, embedding="shifted", **given) == expected["SS_psi_features"]
    for dim, paired, shifted in (
        (1, 10799, 18365),
        (2, 18483, 33922),
        (5, 41959, 81887),
        (10, 82063, 164297),
        (64, 543305, 1115791),
    ):
        given = SETTING | {"dim": dim, "rigorous": True}
        assert theory.components_needed(GAUSSIAN, **given) == paired
        assert theory.components_needed(GAUSSIAN, embedding="shifted", **given) == shifted
    for dim, expected in {1: 19705, 2: 33779, 5: 77064, 10: 151395, 64: 1011585}.items():
        assert theory.components_needed(GAUSSIAN, supremum=2.0, dim=dim, **SETTING) == expected
    fine = {"eps": 0.05, "delta": 0.05, "diameter": 6.0, "dim": 1}
    assert theory.components_needed(GAUSSIAN, method="rahimi-recht", **fine) == 2 * 86957
    assert theory.components_needed(GAUSSIAN, **fine) == 43015
    assert theory.components_needed(GAUSSIAN, embedding="shifted", **fine) == 73442
    small = {"eps": 0.1, "delta": 0.05, "diameter": 1.0, "dim": 1}
    assert theory.components_needed(GAUSSIAN, method="rahimi-recht", **small) == 2 * 15776
    assert theory.components_needed(GAUSSIAN, **small) == 3926
    assert theory.components_needed(GAUSSIAN, embedding="shifted", **small) == 10572


def test_tail_probability_reference_values():
    expected = VALUES["tail prob at D=12000 d=1 eps=.1 diam=6"]
    given = {"eps": 0.1, "dim": 1, "diameter": 6.0}
    value = theory.uniform_bound(GAUSSIAN, n_components=24000, method="rahimi-recht", **given)
    assert value == pytest.approx(expected["rr_freq"], rel=1e-12)
    value = theory.uniform_bound(GAUSSIAN, n_components=12000, **given)
    assert value == pytest.approx(expected["phi"], rel=1e-12)
    value = theory.uniform_bound(GAUSSIAN, n_components=12000, embedding="shifted", **given)
    assert value == pytest.approx(expected["psi"], rel=1e-12)


def test_pointwise_points_and_holder_reference_values():
    def needed(eps, delta, embedding, method):
        return theory.components_needed(GAUSSIAN, eps=eps, delta=delta, embedding=embedding, method=method)

    for eps, delta, expected in ((0.1, 0.05, (1476, 2952, 1107)), (0.05, 0.01, (8478, 16955, 6358))):
        assert needed(eps, delta, "paired", "hoeffding") == expected[0]
        assert needed(eps, delta, "paired", "sub-gaussian") == expected[0]
        assert needed(eps, delta, "shifted", "hoeffding") == expected[1]
        assert needed(eps, delta, "shifted", "sub-gaussian") == expected[2]
    for n, expected in ((1000, 6725), (100_000, 10409)):
        found = theory.components_needed(bo.Laplace(1.0), eps=0.1, delta=0.05, method="points", n_points=n)
        assert found == expected
    for dim, expected in {1: 15264, 2: 27895, 5: 67433, 10: 136326}.items():
        assert theory.components_needed(bo.Laplace(1.0), method="holder", dim=dim, **SETTING) == expected
    for order, expected in ((0.3, 1.1223), (0.6, 1.7013)):
        assert round(theory.fractional_moment(bo.Laplace(1.0), order, 1), 4) == expected


def test_chebyshev_and_the_table_of_pointwise_bounds():
    def widths(eps, delta, embedding="paired", difference=(1.0,)):
        given = {"eps": eps, "delta": delta, "embedding": embedding, "difference": difference}
        return [width for _, width in theory.pointwise_table(GAUSSIAN, **given)]

    # Chebyshev, Hoeffding, sub-Gaussian, Bernstein, normal
    assert widths(0.1, 0.05) == [800, 1476, 1476, 394, 154]
    assert widths(0.05, 0.01) == [15984, 8478, 8478, 1978, 1061]
    assert widths(0.1, 1e-4) == [399578, 3962, 3962, 1056, 605]
    assert widths(0.1, 0.05, "shifted") == [1400, 2952, 1107, 591, 269]
    table = theory.pointwise_table(GAUSSIAN, difference=[1.0], eps=0.1, delta=0.05)
    assert table[-1][0] == "normal approximation (not a bound)"
    # x = y has no error, but one pair of columns is the smallest width for which that is so
    assert widths(0.1, 0.05, difference=(0.0,))[0] == 2
    given = {"eps": 0.1, "method": "chebyshev", "difference": [0.0]}
    assert theory.pointwise_bound(GAUSSIAN, n_components=2, **given) == 0.0
    assert theory.pointwise_bound(GAUSSIAN, n_components=1, **given) == pytest.approx(50.0)
    # over a diameter: the supremum in place of the value at one difference
    given = {"eps": 0.1, "method": "chebyshev", "dim": 2, "diameter": 6.0}
    supremum = theory.variance_supremum(GAUSSIAN, 2, 6.0)
    for embedding, expected in (("paired", supremum), ("shifted", 0.5 + 0.5 * supremum)):
        found = theory.pointwise_bound(GAUSSIAN, n_components=1000, embedding=embedding, **given)
        assert found == pytest.approx(expected / (1000 * 0.01))
    with pytest.raises(ValueError, match="method='chebyshev' needs diameter"):
        theory.pointwise_bound(GAUSSIAN, eps=0.1, n_components=10, method="chebyshev")


def test_the_normal_approximation_is_what_is_needed():
    """At its width the error of 5 % of the draws is above eps: simulated .0477, to be told from .04 and .06."""
    error = np.abs(error_by_definition(GAUSSIAN, [1.0], 154, "paired", 40_000))
    assert 0.0425 < np.mean(error >= 0.1) < 0.0545


def test_fractional_moments_against_closed_forms():
    from scipy.special import gamma

    for nu in (0.5, 0.8, 1.5):
        for dim in (1, 3):
            exact = gamma((dim + 0.6) / 2) / gamma(dim / 2) * (2 * nu) ** 0.3 * gamma(nu - 0.3) / gamma(nu)
            assert theory.fractional_moment(bo.Matern(1.0, nu=nu), 0.6, dim) == pytest.approx(exact, rel=1e-6)
    product = bo.Laplace(1.0) * bo.Laplace(1.0)  # in one column, Laplace of half the length scale
    assert theory.fractional_moment(product, 0.5, 1) == pytest.approx(2.0, rel=1e-6)
    assert np.isinf(theory.fractional_moment(bo.Laplace(1.0), 1.2, 2))
    assert np.isinf(theory.fractional_moment(bo.Matern(1.0, nu=0.5), 1.2, 2))


METHODS = [
    ("sutherland-schneider", "paired", {}),
    ("sutherland-schneider", "shifted", {}),
    ("rahimi-recht", "paired", {}),
    ("holder", "paired", {}),
    ("holder", "shifted", {}),
    ("points", "paired", {"n_points": 50}),
    ("points", "shifted", {"n_points": 50}),
]


@pytest.mark.parametrize("rigorous", [False, True])
@pytest.mark.parametrize(("method", "embedding", "more"), METHODS)
def test_the_width_needed_is_the_smallest(method, embedding, more, rigorous):
    given = {
        "eps": 0.2,
        "dim": 3,
        "diameter": 4.0,
        "method": method,
        "embedding": embedding,
        "rigorous": rigorous,
    } | more
    needed = theory.components_needed(GAUSSIAN, delta=0.01, **given)
    assert theory.uniform_bound(GAUSSIAN, n_components=needed, **given) <= 0.01
    fewer = needed - (2 if method == "rahimi-recht" else 1)  # the factor of a rigorous bound falls with the width
    assert theory.uniform_bound(GAUSSIAN, n_components=fewer, **given) > 0.01


@pytest.mark.parametrize("embedding", ["paired", "shifted"])
@pytest.mark.parametrize("method", ["chebyshev", "hoeffding", "sub-gaussian", "bernstein"])
def test_the_width_needed_at_one_pair_is_the_smallest(method, embedding):
    given = {"eps": 0.2, "method": method, "embedding": embedding, "difference": [0.4, 0.1]}
    needed = theory.components_needed(GAUSSIAN, delta=0.01, **given)
    assert theory.pointwise_bound(GAUSSIAN, n_components=needed, **given) <= 0.01
    step = 2 if method in ("bernstein", "chebyshev") and embedding == "paired" else 1
    assert theory.pointwise_bound(GAUSSIAN, n_components=needed - step, **given) > 0.01


@pytest.mark.parametrize("embedding", ["paired", "shifted"])
@pytest.mark.parametrize(
    ("kernel", "difference"),
    [(bo.Gaussian(1.0), [0.3, 0.4]), (bo.Gaussian(1.0), [2.0]), (bo.Laplace(1.0), [1.0]), (bo.Cauchy(1.0), [3.6])],
)
def test_no_pointwise_bound_is_violated(kernel, difference, embedding):
    for width in (10, 40):
        error = np.abs(error_by_definition(kernel, difference, width, embedding, 20_000))
        for eps in (0.1, 0.3, 0.5, 0.8):
            share = np.mean(error >= eps)
            for method in ("chebyshev", "hoeffding", "sub-gaussian", "bernstein"):
                bound = theory.pointwise_bound(
                    kernel, eps=eps, n_components=width, method=method, embedding=embedding, difference=difference
                )
                assert share <= bound


def test_odd_widths_do_not_violate_the_paired_bounds():
    rng = np.random.default_rng(0)
    for delta in (0.2, 3.0):
        frequencies = rng.normal(size=(40_000, 3))
        pairs = np.cos(frequencies[:, :2] * delta).sum(axis=1) * 2 / 5
        single = np.cos(frequencies[:, 2] * delta) + np.cos(rng.uniform(0, 2 * np.pi, size=40_000))
        error = np.abs(pairs + single / 5 - np.exp(-(delta**2) / 2))
        for eps in (0.1, 0.3, 0.6, 0.9):
            for method in ("chebyshev", "hoeffding", "bernstein"):
                bound = theory.pointwise_bound(GAUSSIAN, eps=eps, n_components=5, method=method, difference=[delta])
                assert np.mean(error >= eps) <= bound


def test_a_bound_of_infinite_moment_is_void_and_says_so():
    for kernel in (bo.Laplace(1.0), bo.Matern(1.0, nu=0.5), bo.Matern(1.0, nu=1.0)):
        for method in ("sutherland-schneider", "rahimi-recht"):
            given = {"eps": 0.1, "dim": 2, "diameter": 3.0, "method": method}
            assert theory.uniform_bound(kernel, n_components=10**9, **given) == np.inf
            with pytest.raises(ValueError, match=r"infinite.*'holder'.*'points'"):
                theory.components_needed(kernel, delta=0.05, **given)
        given = {"n_components": 10, "dim": 2, "diameter": 3.0}
        assert theory.expected_max_error(kernel, method="dudley", **given) == np.inf
        assert theory.expected_max_error(kernel, **given) == 2.0  # no error is larger
        assert theory.expected_max_error(kernel, embedding="shifted", **given) == 3.0
        assert theory.components_needed(kernel, eps=0.1, delta=0.05, dim=2, diameter=3.0, method="holder") > 0


def test_sets_smaller_than_the_tolerance_do_not_make_the_bound_too_small():
    """Below sigma_p diameter = eps the formulas would go on falling, beyond what their proof covers."""
    at = [
        theory.uniform_bound(GAUSSIAN, eps=0.5, n_components=50, dim=3, diameter=d, supremum=1.0)
        for d in (0.01, 0.1, 0.28)
    ]
    assert at[0] == at[1] == at[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"eps": 0.0}, "eps must be a number between 0 and 1"),
        ({"eps": 1.0}, "eps must be"),
        ({"eps": "small"}, "eps must be"),
        ({"delta": 1.5}, "delta must be"),
        ({"delta": np.nan}, "delta must be"),
        ({"diameter": None}, "needs diameter.*enclosing_diameter"),
        ({"diameter": -1.0}, "diameter must be"),
        ({"dim": None}, "needs dim"),
        ({"dim": 0}, "dim must be a whole number"),
        ({"method": "chernoff"}, "method must be"),
        ({"method": "points"}, "needs n_points"),
        ({"embedding": "both"}, "embedding must be"),
        ({"method": "rahimi-recht", "embedding": "shifted"}, "paired' only"),
        ({"kernel": bo.Gaussian(1.0) + bo.Laplace(1.0)}, "shift-invariant kernel"),
        ({"kernel": bo.Gaussian("median")}, "resolve"),
    ],
)
def test_bad_input_is_one_sentence(change, message):
    given = {"kernel": GAUSSIAN, "eps": 0.1, "delta": 0.05, "dim": 2, "diameter": 3.0} | change
    with pytest.raises(ValueError, match=message) as refusal:
        theory.components_needed(given.pop("kernel"), **given)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_a_rigorous_width_is_the_smallest_where_the_slope_depends_on_it():
    """Heavy tails and few frequencies: E L² falls with the width, and so does the factor of the bound."""
    kernel = bo.Matern(1.0, nu=1.001)
    for eps, diameter, delta in ((0.5, 0.5, 0.9), (0.9, 0.5, 0.3), (0.9, 3.0, 0.9)):
        given = {"eps": eps, "dim": 1, "diameter": diameter, "rigorous": True}
        needed = theory.components_needed(kernel, delta=delta, **given)
        factors = [theory.slope_moment(kernel, 1, width) for width in (needed, 10**9)]
        assert factors[0] > 1.2 * factors[1]
        assert theory.uniform_bound(kernel, n_components=needed, **given) <= delta
        assert theory.uniform_bound(kernel, n_components=needed - 1, **given) > delta


def test_enclosing_diameter():
    import scipy.sparse as sp
    from scipy.spatial.distance import pdist

    X = np.random.default_rng(0).normal(size=(300, 4))
    found = theory.enclosing_diameter(X)
    assert pdist(X).max() <= found <= 2 * pdist(X).max()
    assert theory.enclosing_diameter(sp.csr_array(X)) == pytest.approx(found)
    with pytest.raises(ValueError, match="two rows"):
        theory.enclosing_diameter(X[:1])
