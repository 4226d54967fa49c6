"""Laws of every engine, found by walking the classes: the bits of the serial engine, results in the order of parts."""

from pathlib import Path

import numpy as np
import pytest

import bochner as bo
from bochner.engines import CheckpointEngine, Engine
from bochner.engines.timed import TimedEngine
from bochner.learners.base import ToDesign
from bochner.statistics import Moments
from tests.helpers import concrete_subclasses

EXAMPLES = {
    "SerialEngine": lambda folder: [bo.SerialEngine()],
    "ThreadEngine": lambda folder: [bo.ThreadEngine(n) for n in (1, 2, 5)],
    "CheckpointEngine": lambda folder: [CheckpointEngine(bo.ThreadEngine(2), folder, "contract")],
    "TimedEngine": lambda folder: [TimedEngine(bo.ThreadEngine(2))],
}
ON_A_CLUSTER = {"DaskEngine"}  # tests/engines/test_dask.py holds it to the same laws


def source():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)).astype(np.float32), rng.normal(size=(3000, 2))
    features = bo.FourierFeatures(bo.Gaussian(), 40, random_state=0).fit(X).features_
    return bo.ArrayBlocks(X, y, rng.uniform(size=3000), block_rows=170).mapped(ToDesign(features))


@pytest.mark.parametrize("name", sorted({cls.__name__ for cls in concrete_subclasses(Engine)} - ON_A_CLUSTER))
def test_same_bits_and_order(name, tmp_path: Path):
    blocks = source()
    reference = bo.SerialEngine().fold(Moments(40, 2), blocks)
    for engine in EXAMPLES[name](tmp_path):
        folded = engine.fold(Moments(40, 2), blocks)
        for key, value in reference.state().items():
            np.testing.assert_array_equal(folded.state()[key], value)
        assert engine.map(lambda block: float(block.y[0, 0]), blocks) == [float(block.y[0, 0]) for block in blocks]
        assert engine.run([lambda k=k: k * k for k in range(7)]) == [k * k for k in range(7)]
