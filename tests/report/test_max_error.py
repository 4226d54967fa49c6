"""max_error: every pair counts once, and the law over redraws is the one that was simulated elsewhere."""

from importlib import import_module

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.maps import KernelMap
from tests.contracts.walk import concrete

module = import_module("bochner.report.max_error")  # the name is also the function's
GRID = np.linspace(-3.0, 3.0, 121)[:, None]


def rows(n=70, seed=0):
    return np.random.default_rng(seed).uniform(0.05, 0.55, size=(n, 3))


@pytest.mark.parametrize("cls", concrete(KernelMap))
@pytest.mark.parametrize("tile", [16, 1024])
def test_the_maximum_is_over_all_pairs(monkeypatch, cls, tile):
    monkeypatch.setattr(module, "TILE", tile)
    X, Y = rows(), rows(41, seed=1)
    fitted = cls(random_state=0).fit(X)
    Z, V = (np.asarray(sp.csr_array(fitted.transform(part)).todense()) for part in (X, Y))
    error = np.abs(Z @ V.T - fitted.kernel_(X, Y))
    found = bo.max_error(fitted, X, Y)
    assert found.value == pytest.approx(error.max(), abs=1e-12)
    assert found.mean_absolute == pytest.approx(error.mean(), abs=1e-12)
    assert error[found.pair] == pytest.approx(error.max(), abs=1e-12)
    own = np.abs(Z @ Z.T - fitted.kernel_(X))
    monkeypatch.setattr(module, "KEPT_BYTES", 0)
    symmetric = bo.max_error(fitted, X)
    assert symmetric.value == pytest.approx(own.max(), abs=1e-12)
    assert symmetric.mean_absolute == pytest.approx(own.mean(), abs=1e-12)
    assert own[symmetric.pair] == pytest.approx(own.max(), abs=1e-12)


@pytest.mark.parametrize(
    ("embedding", "mean", "known_to", "failures"),
    [("paired", 0.0700, 0.0003, {0.05: 0.762, 0.1: 0.134}), ("shifted", 0.0880, 0.0015, {0.1: 0.305})],
)
def test_law_of_the_largest_error(embedding, mean, known_to, failures):
    """Gaussian on [-3, 3], 500 features: means and exceedances simulated independently (8000 and 200 draws)."""
    fitted = bo.FourierFeatures(bo.Gaussian(1.0), 500, embedding=embedding, directions="iid", random_state=1).fit(GRID)
    found = bo.max_error(fitted, GRID, n_redraws=400)
    assert abs(found.mean - mean) < 5 * np.hypot(found.standard_error, known_to)
    for eps, share in failures.items():
        here = bo.max_error(fitted, GRID, n_redraws=400, eps=eps)
        reference_error = np.sqrt(share * (1 - share) / (8000 if embedding == "paired" else 200))
        assert abs(here.failures - share) < 5 * np.hypot(np.sqrt(share * (1 - share) / 400), reference_error)
        np.testing.assert_array_equal(here.redraws, found.redraws)
        assert here.approximate == (here.value <= eps)


def test_redraws_share_kernel_and_width_and_nothing_else():
    X = rows(300)
    given = bo.FourierFeatures(bo.Gaussian("median"), eps=0.1, random_state=3).fit(X)
    again = given.redrawn(X[:150], 4)
    assert again.kernel_.length_scale == given.kernel_.length_scale
    assert again.n_components_ == given.n_components_
    assert np.abs(again.transform(X) - given.transform(X)).max() > 0.01
    np.testing.assert_array_equal(given.redrawn(X, 4).transform(X), again.transform(X))
    assert given.eps == 0.1


def test_an_exact_map_has_no_error():
    X = rows(50)
    fitted = bo.NystroemFeatures(bo.Gaussian(1.0), 50, random_state=0).fit(X)
    assert bo.max_error(fitted, X).value < 1e-8
    assert bo.max_error(fitted, X, rows(9, seed=5)).value > 1e-9


def test_errors_say_what_to_do():
    fitted = bo.FourierFeatures(bo.Gaussian(1.0), 20, random_state=0).fit(GRID)
    with pytest.raises(ValueError, match="give n_redraws"):
        _ = bo.max_error(fitted, GRID).mean
    with pytest.raises(ValueError, match="give eps"):
        _ = bo.max_error(fitted, GRID).approximate
    with pytest.raises(ValueError, match="eps must be a number greater than 0"):
        bo.max_error(fitted, GRID, eps=0.0)
    with pytest.raises(ValueError, match="n_redraws must be a whole number"):
        bo.max_error(fitted, GRID, n_redraws=-1)
    with pytest.raises(TypeError, match="fitted bochner feature map"):
        bo.max_error("fourier", GRID)
    with pytest.raises(ValueError, match="1 features"):
        bo.max_error(fitted, rows())
