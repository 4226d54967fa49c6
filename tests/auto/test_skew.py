import numpy as np

import bochner as bo
from bochner.learners.log_tail import log_tail


def test_what_is_done_is_undone():
    y = np.random.default_rng(0).lognormal(sigma=1.5, size=501)
    for values in (y, -y, 1e6 + y):
        tail = log_tail(values)
        assert tail is not None
        np.testing.assert_allclose(tail.inverse(tail.forward(values)), values, rtol=1e-9)
        assert abs(np.median(tail.forward(values)) - np.log(2.0)) < 1e-9


def test_targets_without_a_tail_are_left_alone():
    assert log_tail(np.random.default_rng(0).normal(size=500)) is None
    assert log_tail(np.ones(100)) is None


def test_a_skewed_target_is_learned_in_logarithms():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(1500, 6))
    y = np.exp(1.5 * X[:, :4].sum(axis=1) + 0.1 * rng.normal(size=1500))
    model = bo.AutoKernelRegressor(budget=2, random_state=0, progress=False).fit(X[:1000], y[:1000])
    tail = model.best_estimator_.target_
    assert tail is not None
    assert model.score(X[1000:], y[1000:]) > 0.9
    seen = tail.forward(y[:1000])
    logarithms = model.best_estimator_._sum(X[1000:], "predict").clip(seen.min(), seen.max())
    np.testing.assert_allclose(tail.inverse(logarithms), model.predict(X[1000:]))
    np.testing.assert_array_equal(model.best_estimator_.predict(X[1000:]), model.predict(X[1000:]))
