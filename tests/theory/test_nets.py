"""Nets: reference numbers, the laws of radii, and greedy nets that no bound is below."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from bochner import theory

LINE = np.arange(11.0)[:, None]


def test_covering_number_reference_values():
    for (dim, diameter, radius), expected, published in (
        ((1, 1.0, 0.3), 13 / 3, 20 / 3),
        ((2, 1.0, 0.1), 121.0, 400.0),
        ((3, 6.0, 0.5), 2197.0, 13824.0),
    ):
        assert theory.covering_number_bound(dim, diameter, radius) == pytest.approx(expected, rel=1e-12)
        found = theory.covering_number_bound(dim, diameter, radius, method="published")
        assert found == pytest.approx(published, rel=1e-12)
    assert theory.covering_number_bound(2, 1.0, 3.0) == theory.covering_number_bound(2, 1.0, 1.0) == 1.0
    assert theory.covering_number_bound(2, 1.0, 3.0, method="published") == pytest.approx(
        4 / 9
    )  # false: one ball is one
    assert theory.covering_number_bound(1000, 1.0, 1e-3) == np.inf
    for radius in np.linspace(0.01, 1.0, 30):  # the published number follows where r <= diameter
        for dim in (1, 3):
            published = theory.covering_number_bound(dim, 1.0, radius, method="published")
            assert theory.covering_number_bound(dim, 1.0, radius) <= published


def test_a_greedy_net_of_a_cube_is_not_above_the_bound():
    rng = np.random.default_rng(0)
    for dim, eps, limit in ((2, 0.12, 163.5), (3, 0.3, 310.8)):
        M = rng.random((6000, dim))
        bound = theory.covering_number_bound(dim, np.sqrt(dim), eps)
        assert bound == pytest.approx(limit, rel=1e-3)
        net = theory.epsilon_net(M, eps)
        assert 30 < len(net) <= bound
        # Within a factor 4 or 9 of it, where eq 15's 2^d more would go unnoticed: the volume of the net says no less.
        assert len(net) * (2 * eps) ** dim > 1.0


def test_net_of_a_line():
    net = theory.epsilon_net(LINE, 3.0)
    assert net.ravel().tolist() == [0.0, 10.0, 5.0]
    assert theory.covering_radius(LINE, net) == 2.0  # below eps = 3
    assert theory.packing_radius(net) == 2.5  # above eps / 2
    assert theory.epsilon_net(LINE, 3.0, start=5).ravel().tolist() == [5.0, 0.0, 10.0]
    assert len(theory.epsilon_net(LINE, 20.0)) == 1


@pytest.mark.parametrize("order", [1.0, 2.0, np.inf])
def test_radii_and_diameter_by_definition(order):
    rng = np.random.default_rng(1)
    M, C = rng.normal(size=(400, 3)), rng.normal(size=(20, 3))
    metric = {"metric": "chebyshev"} if np.isinf(order) else {"metric": "minkowski", "p": order}
    assert theory.covering_radius(M, C, order=order) == pytest.approx(cdist(M, C, **metric).min(axis=1).max())
    assert theory.packing_radius(C, order=order) == pytest.approx(0.5 * pdist(C, **metric).min())
    assert theory.diameter(M, order=order) == pytest.approx(pdist(M, **metric).max())
    for eps in (0.5, 1.5):
        net = theory.epsilon_net(M, eps, order=order)
        assert theory.covering_radius(M, net, order=order) <= eps
        assert theory.packing_radius(net, order=order) > 0.5 * eps
        assert len(net) <= theory.covering_number_bound(3, theory.diameter(M, order=order), eps)


def test_the_triangle_has_diameter_one():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    assert theory.diameter(corners) == pytest.approx(1.0, rel=1e-14)
    assert theory.enclosing_diameter(corners) > 1.3  # a ball around it


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.covering_radius([[0.0]], [[0.0, 1.0]]), "points of one space"),
        (lambda: theory.covering_radius([0.0, 1.0], [[0.0]]), "M must be a table"),
        (lambda: theory.packing_radius([[0.0]]), "at least 2"),
        (lambda: theory.epsilon_net([[np.nan]], 1.0), "finite numbers"),
        (lambda: theory.epsilon_net([[0.0]], 1.0, start=1), "number of a row"),
        (lambda: theory.epsilon_net([[0.0]], 0.0), "eps must be"),
        (lambda: theory.covering_number_bound(1, 1.0, 0.0), "radius must be"),
        (lambda: theory.covering_number_bound(1, 1.0, 1.0, method="volume"), "method must be"),
    ],
)
def test_bad_input_is_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
