"""The one-class machine: duality gap verified, optimality conditions, the optimum of scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM as ExactMachine

import bochner as bo
from bochner.blocks import Block
from bochner.maps import DenseDesign
from bochner.solvers.one_class import newton_step, rounded_value
from bochner.statistics.band import BandSums

FOURIER = bo.FourierFeatures(bo.Gaussian(1.0), 40, random_state=0)


def rows(n=400, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def primal(Z, w, offset, nu, weight):
    return 0.5 * w @ w - offset + weight @ np.maximum(0, offset - Z @ w) / (nu * weight.sum())


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.5, 0.9])
def test_reaches_the_optimum_of_scikit_learn_within_the_gap_it_states(nu):
    X = rows()
    model = bo.OneClassSVM(FOURIER, nu, tol=1e-5).fit(X)
    Z = model.feature_map_.transform(X)
    value = primal(Z, model.coef_, model.offset_, nu, np.ones(400))
    np.testing.assert_allclose(model.objective_, value, rtol=1e-10)
    exact = ExactMachine(kernel="linear", nu=nu, tol=1e-9).fit(Z)
    best = primal(Z, exact.coef_.ravel() / (nu * 400), exact.offset_[0] / (nu * 400), nu, np.ones(400))
    assert best - 1e-9 <= value + 1e-12
    assert value - best <= model.gap_ + 1e-9
    assert 0 <= model.gap_ <= 1.01e-5 * abs(value)
    scores = Z @ model.coef_ - model.offset_
    margin = 10 * np.sqrt(model.gap_)
    assert np.mean(scores < -margin) <= nu <= np.mean(scores < margin)  # what nu means
    agreement = np.mean(model.predict(X) == exact.predict(Z))
    assert agreement > 0.96


DATA = {
    "normal": lambda rng: rng.normal(size=(1500, 2)),
    "clusters": lambda rng: np.concatenate([rng.normal(size=(500, 4)), rng.normal(4, 0.3, size=(500, 4))]),
    "heavy tails": lambda rng: rng.standard_t(3, size=(999, 6)),
    "single precision": lambda rng: rng.normal(size=(1000, 3)).astype(np.float32) + np.float32(10),
    "few values": lambda rng: rng.integers(0, 5, size=(800, 3)).astype(float),
}
MAPS = {
    "normal": bo.FourierFeatures(n_components=120, random_state=0),
    "clusters": bo.NystroemFeatures(n_components=80, random_state=0),
    "heavy tails": bo.FourierFeatures(bo.Laplace("median"), 200, random_state=0),
    "single precision": bo.NystroemFeatures(n_components=100, random_state=0),
    "few values": bo.FourierFeatures(bo.Laplace("median"), 100, random_state=0),
}


@pytest.mark.parametrize("nu", [0.001, 0.01, 0.05, 0.29, 0.5])
@pytest.mark.parametrize("name", DATA)
def test_nu_bounds_the_share_of_marked_rows_from_above_and_of_support_vectors_from_below(name, nu):
    X = DATA[name](np.random.default_rng(5))
    model = bo.OneClassSVM(MAPS[name], nu).fit(X)
    n, scores = len(X), model.decision_function(X)
    marked = int((model.predict(X) == -1).sum())
    assert marked <= nu * n * (1 + 1e-12)
    rounding = 1e3 * np.finfo(scores.dtype).eps * np.linalg.norm(model.coef_)
    at_the_boundary = int((np.abs(scores) <= rounding).sum())
    assert marked + at_the_boundary >= nu * n * (1 - 1e-12)  # support vectors are marked or at the boundary
    if name != "few values":
        assert marked >= int(nu * n) - 2  # near nu, where scores are not equal


def test_nu_counts_weights_and_every_row_may_be_marked_but_the_last():
    X, weight = rows(300), np.arange(300) % 4
    model = bo.OneClassSVM(FOURIER, 0.1).fit(X, sample_weight=weight)
    marked = weight[model.predict(X) == -1].sum()
    assert 0.1 * weight.sum() - 4 < marked <= 0.1 * weight.sum()
    everything = bo.OneClassSVM(FOURIER, 1.0).fit(X)
    assert (everything.predict(X) == -1).sum() == 299
    assert (bo.OneClassSVM(FOURIER, 0.3).fit(np.ones((40, 2))).predict(np.ones((40, 2))) == 1).all()  # all are equal


def test_the_solution_is_made_of_multipliers_that_satisfy_the_optimality_conditions():
    X, nu = rows(), 0.2
    model = bo.OneClassSVM(FOURIER, nu, tol=1e-7).fit(X)
    Z = model.feature_map_.transform(X)
    short = model.offset_ - Z @ model.coef_
    edge = 1e-4 * abs(model.offset_)
    bound = 1 / (nu * 400)
    outside, on = short > edge, np.abs(short) <= edge
    # w = sum a z with a = bound outside, 0 inside and something between on the edge, adding up to 1
    rest = model.coef_ - bound * Z[outside].sum(axis=0)
    system = np.vstack([Z[on].T, np.ones(on.sum())])
    multipliers = np.linalg.lstsq(system, np.r_[rest, 1 - bound * outside.sum()], rcond=None)[0]
    np.testing.assert_allclose(system @ multipliers, np.r_[rest, 1 - bound * outside.sum()], atol=2e-4)
    assert (multipliers > -0.1 * bound).all()
    assert (multipliers < 1.1 * bound).all()


def test_weights_are_copies_and_blocks_are_the_whole():
    X, weight = rows(200), np.arange(200) % 3
    new = rows(30, seed=1)
    weighted = bo.OneClassSVM(FOURIER, 0.2).fit(X, sample_weight=weight)
    repeated = bo.OneClassSVM(FOURIER, 0.2).fit(X.repeat(weight, axis=0))
    np.testing.assert_allclose(weighted.decision_function(new), repeated.decision_function(new), atol=1e-8)
    whole = bo.OneClassSVM(FOURIER, 0.2).fit(X)
    blocks = bo.OneClassSVM(FOURIER, 0.2, engine=bo.SerialEngine()).fit(bo.ArrayBlocks(X, block_rows=23))
    sparse = bo.OneClassSVM(FOURIER, 0.2).fit(sp.csr_matrix(X))
    for model in (blocks, sparse):
        np.testing.assert_allclose(model.decision_function(new), whole.decision_function(new), atol=1e-8)


def test_finds_novelties_and_keeps_float32():
    X = rows(2000).astype(np.float32)
    model = bo.OneClassSVM(nu=0.05, random_state=0).fit(X)
    far = np.array([[6.0, 6.0], [-7.0, 0.0], [0.0, 9.0]], dtype=np.float32)
    assert (model.predict(far) == -1).all()
    assert abs(np.mean(model.predict(rows(4000, seed=2).astype(np.float32)) == -1) - 0.05) < 0.02
    assert model.decision_function(X).dtype == np.float32
    np.testing.assert_allclose(model.score_samples(X) - np.float32(model.offset_), model.decision_function(X))
    assert model.n_iter_ >= 1


def test_bad_input_gets_one_sentence():
    X = rows(50)
    for nu in (0, 1.1, -1, np.nan, "half", True):
        with pytest.raises(ValueError, match="nu must be greater than 0 and at most 1"):
            bo.OneClassSVM(FOURIER, nu).fit(X)
    with pytest.raises(ValueError, match="tol must be"):
        bo.OneClassSVM(FOURIER, tol=0).fit(X)
    with pytest.raises(ValueError, match="No row counts"):
        bo.OneClassSVM(FOURIER).fit(bo.ArrayBlocks(X, None, np.zeros(50)))
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        bo.OneClassSVM(FOURIER, 0.1, max_iter=1, tol=1e-9).fit(X)


def test_newton_has_the_gradient_and_curvature_of_the_rounded_objective():
    rng = np.random.default_rng(0)
    Z, weight, nu = rng.normal(size=(60, 4)), rng.integers(1, 4, 60).astype(float), 0.3
    w, offset, width = 0.1 * rng.normal(size=4), 0.2, 0.5

    def at(point):
        sums = BandSums(point[:4], point[4], width, Z.dtype)
        sums.update(Block(DenseDesign(Z), None, weight))
        return sums

    def slope(point, direction, size=1e-6):
        up, down = (rounded_value(at(point + sign * size * direction), nu) for sign in (1, -1))
        return (up - down) / (2 * size)

    point = np.r_[w, offset]
    step, decrement = newton_step(at(point), nu)
    np.testing.assert_allclose(slope(point, step), -decrement, rtol=1e-6)
    gradient = np.array([slope(point, axis) for axis in np.eye(5)])
    curved = (slope(point + 1e-4 * step, step) - slope(point - 1e-4 * step, step)) / 2e-4
    np.testing.assert_allclose(curved, decrement, rtol=1e-2)  # step' H step = -gradient' step
    np.testing.assert_allclose(gradient @ step, -decrement, rtol=1e-6)
