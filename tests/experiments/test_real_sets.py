"""The files of the folder BOCHNER_DATA, where it is given: their checksums and their rows."""

import os
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
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


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def home():
    """The folder BOCHNER_DATA behind a local server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=os.environ["BOCHNER_DATA"]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["adult", "cod-rna", "covertype", "ijcnn1", "nursery", "spambase"])
def test_what_is_downloaded_is_what_the_folder_has(name, home, tmp_path, monkeypatch):
    """Every set that has a public home, fetched from a server with the same files and checked, row by row."""
    try:
        split = load(name, download=False)
    except DataMissing as error:
        pytest.skip(str(error))
    kind = type(data_sets()[name])
    monkeypatch.delenv("BOCHNER_DATA")
    monkeypatch.setattr("bochner.experiments.datasets.files.cache_folder", lambda: tmp_path)
    monkeypatch.setattr(kind, "files", tuple(replace(file, home=f"{home}/{file.path}") for file in kind.files))
    fetched = load(name)
    assert all((tmp_path / file.path).exists() for file in kind.files)
    for part in ("X", "y", "X_test", "y_test"):
        assert np.array_equal(getattr(fetched, part), getattr(split, part))
