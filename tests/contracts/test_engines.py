"""Laws of every engine: the bits of the serial one, results in the order of parts, errors as they were raised."""

from pathlib import Path

import numpy as np
import pytest

import bochner as bo
from bochner.engines import Engine
from bochner.learners.base import ToDesign
from bochner.statistics import Moments
from tests.contracts.walk import concrete

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """The cluster in use that an engine finds if it is given none; worker processes are in tests/engines."""
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client


@pytest.fixture(params=concrete(Engine), ids=lambda cls: cls.__name__)
def engines(request, tmp_path: Path) -> list[Engine]:
    found = request.param.examples(tmp_path)
    assert found
    assert all(type(one) is request.param for one in found)
    return found


def source():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)).astype(np.float32), rng.normal(size=(3000, 2))
    features = bo.FourierFeatures(bo.Gaussian(1.0), 40, random_state=0).fit(X).features_
    return bo.ArrayBlocks(X, y, rng.uniform(size=3000), block_rows=170).mapped(ToDesign(features))


def test_same_bits_and_order(engines):
    blocks = source()
    reference = bo.SerialEngine().fold(Moments(40, 2), blocks)
    for engine in engines:
        folded = engine.fold(Moments(40, 2), blocks)
        for key, value in reference.state().items():
            np.testing.assert_array_equal(folded.state()[key], value)
        assert engine.map(lambda block: float(block.y[0, 0]), blocks) == [float(block.y[0, 0]) for block in blocks]
        assert engine.run([lambda k=k: k * k for k in range(7)]) == [k * k for k in range(7)]


def refused(block):
    raise KeyError("a step of the test")


def test_what_a_step_raises_comes_back(engines, cluster):
    for engine in engines * 3:
        with pytest.raises(KeyError, match="a step of the test"):
            engine.map(refused, source())
        with pytest.raises(KeyError, match="a step of the test"):
            engine.fold(Moments(40, 2), source().mapped(refused))
    assert cluster.status == "running"  # a failed step costs the fit, not the client
