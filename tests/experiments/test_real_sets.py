"""The files of the folder BOCHNER_DATA, where it is given: their checksums and their rows."""

import os

import pytest

from bochner.experiments.datasets import DataMissing, data_sets, load

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("BOCHNER_DATA" not in os.environ, reason="BOCHNER_DATA names no folder of data sets"),
]
SHAPES = {
    "adult": ((32561, 123), (16281, 123)),
    "adult-raw": ((32561, 14), (16281, 14)),
    "cod-rna": ((59535, 8), (157413, 8)),
    "covertype": ((522911, 54), (58101, 54)),
    "cpu": ((6554, 21), (819, 21)),
    "ijcnn1": ((49990, 22), (91701, 22)),
    "nursery": ((10368, 8), (2592, 8)),
    "spambase": ((3681, 57), (920, 57)),
}


@pytest.mark.parametrize("name", list(data_sets()))
def test_checksums_and_shapes(name):
    try:
        split = load(name, download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    assert (split.X.shape, split.X_test.shape) == SHAPES[name]
    for file in data_sets()[name].files:
        assert file.digest(file.located(download=False)) == file.sha256
