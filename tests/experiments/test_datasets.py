"""Data sets come from the folder, the cache or their home, and what came wrong is not kept."""

import bz2
import gzip
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from bochner.experiments.datasets import DataFile, DataMissing, DataSets, data_sets, load
from bochner.experiments.datasets.dataset import DataSet, numbers
from bochner.experiments.datasets.files import cache_folder

LINES = b"1,2,3\n4,5,6\n"
DIGEST = hashlib.sha256(LINES).hexdigest()
ANSWERS = {
    "/plain.csv": LINES,
    "/lines.csv": b"1,2,3 \r\n4,5,6\r\n\r\n",
    "/packed.csv.bz2": bz2.compress(LINES),
    "/other.csv": b"1,2,3\n4,5,7\n",
    "/torn.csv.gz": gzip.compress(LINES * 1000)[:-9],
}


class Home(BaseHTTPRequestHandler):
    """Serves ``ANSWERS``; a path that begins with /half promises twice the bytes that it sends."""

    def do_GET(self):
        half = self.path.startswith("/half")
        content = ANSWERS.get(self.path.removeprefix("/half"))
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"") * (2 if half else 1)))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def home():
    server = HTTPServer(("127.0.0.1", 0), Home)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """An empty cache and an empty folder."""
    cache, folder = tmp_path / "cache", tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr("bochner.experiments.datasets.files.cache_folder", lambda: cache)
    monkeypatch.setenv("BOCHNER_DATA", str(folder))
    return cache, folder


def kept(cache):
    return [file for file in cache.rglob("*") if file.is_file()] if cache.exists() else []


@pytest.mark.parametrize("path", ["/plain.csv", "/lines.csv", "/packed.csv.bz2"])
def test_a_download_is_checked_and_kept(home, places, path):
    """However it is packed and wherever its lines end; the second time it is not asked for."""
    file = DataFile("some/set.csv", DIGEST, home + path)
    found = file.located()
    assert kept(places[0]) == [found]
    assert found.read_bytes() == ANSWERS[path]
    assert DataFile("some/set.csv", DIGEST, home + "/gone").located() == found


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/other.csv", "its checksum is"),
        ("/half/plain.csv", "only 12 of 24 bytes came"),
        ("/torn.csv.gz", "it cannot be unpacked"),
        ("/gone.csv", "Not Found"),
    ],
)
def test_a_bad_download_is_refused_and_leaves_nothing(home, places, path, why):
    with pytest.raises(DataMissing, match=why) as caught:
        DataFile("some/set.csv", DIGEST, home + path).located()
    assert kept(places[0]) == []
    assert str(caught.value).endswith("in the environment variable BOCHNER_DATA.")
    assert "\n" not in str(caught.value)


def test_without_a_network_the_sentence_says_what_to_do(places):
    with pytest.raises(DataMissing, match=r"could not be had from .*BOCHNER_DATA"):
        DataFile("some/set.csv", DIGEST, "http://127.0.0.1:9/set.csv").located()
    assert kept(places[0]) == []


def test_the_folder_comes_first_and_is_not_downloaded_to(home, places):
    cache, folder = places
    (folder / "some").mkdir()
    (folder / "some" / "set.csv").write_bytes(b"mine")
    assert DataFile("some/set.csv", DIGEST, home + "/plain.csv").located() == folder / "some" / "set.csv"
    assert kept(cache) == []


def test_without_leave_nothing_is_downloaded(home, places):
    with pytest.raises(DataMissing, match=r"set\.csv is not here: .* or let it be downloaded from http"):
        DataFile("some/set.csv", DIGEST, home + "/plain.csv").located(download=False)
    with pytest.raises(DataMissing, match="has no public address"):
        DataFile("some/set.csv", DIGEST).located()
    assert kept(places[0]) == []


def test_unknown_set():
    with pytest.raises(ValueError, match=r"There is no data set 'adults': choose from adult, adult-raw, cod-rna"):
        load("adults")


@pytest.mark.parametrize("name", list(data_sets()))
def test_stand_ins_look_like_the_set(name):
    """A quick run takes generated rows where the set is missing, the same each time, and says so."""
    data = DataSets(quick=True)
    split, again = data.load(name), data_sets()[name].stand_in()
    assert data.used == {data_sets()[name].title: "generated rows in its place"}
    assert np.array_equal(split.y, again.y)
    assert split.X.shape[1] == split.X_test.shape[1] == COLUMNS[name]
    assert len(split.X) == len(split.y) == 900
    if split.task == "classification":
        assert set(split.y_test) == set(split.y)
    with pytest.raises(DataMissing):
        data_sets()[name].load(download=False)


def test_every_file_has_a_checksum():
    for one in data_sets().values():
        for file in one.files:
            assert len(file.sha256) == 64
            assert file.home is None or file.home.startswith("https://")


COLUMNS = {
    "adult": 123,
    "adult-raw": 14,
    "cod-rna": 8,
    "covertype": 54,
    "cpu": 21,
    "ijcnn1": 22,
    "nursery": 8,
    "spambase": 57,
}


def test_the_cache_is_the_user_s_own(monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "bochner"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder().parts[-2:] == (".cache", "bochner")


class Small(DataSet):
    """Two files of three columns."""

    name, title, task = "small", "Small", "regression"
    files = ()

    def read(self, paths):
        X, X_test = (numbers(path) for path in paths)
        return X[:, :2], X[:, 2], X_test[:, :2], X_test[:, 2]

    def generated(self, rng, n_rows):
        raise NotImplementedError


def test_one_loader_reads_the_folder_and_the_home_alike(home, places, monkeypatch):
    """The same rows from a folder, and from files that were downloaded, which are then there without a network."""
    cache, folder = places
    monkeypatch.setattr(
        Small,
        "files",
        (
            DataFile("a/train.csv", DIGEST, home + "/packed.csv.bz2"),
            DataFile("a/test.csv", DIGEST, home + "/lines.csv"),
        ),
    )
    with pytest.raises(DataMissing, match=r"a/train\.csv is not here: give a folder"):
        Small().load(download=False)
    fetched = Small().load()
    assert len(kept(cache)) == 2
    assert np.array_equal(fetched.X, [[1, 2], [4, 5]])
    assert np.array_equal(Small().load(download=False).y_test, [3, 6])
    (folder / "a").mkdir()
    for name in ("train.csv", "test.csv"):
        (folder / "a" / name).write_bytes(LINES)
    assert np.array_equal(Small().load(download=False).X, fetched.X)
