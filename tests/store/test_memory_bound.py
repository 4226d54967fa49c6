"""Whoever wrote a file, loading it takes memory in proportion to its size; and no change of it ends the process."""

import json
import struct
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest

import bochner as bo
from bochner.maps.features import ConcatenatedFeatures
from bochner.maps.products import LinearFunction
from bochner.store.format import document_text
from bochner.store.save import packed
from bochner.store.vocabulary import classes
from tests.store.corpus import NEVER_STORED, models_of_every_class
from tests.store.growth import grown
from tests.store.models import fourier, regression_target, rows
from tests.store.mutations import signed

SEED = 20260712
MEGABYTE = 1 << 20


def bound(content):
    """What bo.load promises for a file of these bytes."""
    header = 8 + struct.unpack("<Q", content[:8])[0]
    return 8 * len(content) + 100 * header + 40 * MEGABYTE


def peak_of_load(content, path):
    """Memory at its highest while a file is loaded, and the model; None where the file was refused in one sentence."""
    path.write_bytes(content)
    model = None
    tracemalloc.start()
    try:
        model = bo.load(path)
    except bo.ModelFileError as error:
        message = str(error)
        assert message.startswith(f"The file {path} cannot be loaded: ")
        assert message.endswith(".")
        assert "\n" not in message
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak, model


def grown_files(n_files, path):
    """How many of so many grown files were refused; none takes more than its bound."""
    rng = np.random.default_rng(SEED)
    files = [packed(model, statistics=True) for model in models_of_every_class()]
    refused = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for turn in range(n_files):
            content = grown(*files[turn % len(files)], rng)
            peak, model = peak_of_load(content, path)
            assert peak < bound(content), (turn, len(content))
            refused += model is None
    return refused


def test_the_seeds_hold_every_class():
    documents = [json.loads(packed(model, statistics=True)[0]["document"]) for model in models_of_every_class()]
    found = {item["class"] for document in documents for item in document["objects"]}
    absent = set(classes()) - NEVER_STORED - found
    assert not absent, f"add models to tests/store/corpus.py that hold {sorted(absent)}"


def test_hundreds_of_grown_files(tmp_path):
    refused = grown_files(200, tmp_path / "model")
    assert 100 < refused < 200


@pytest.mark.slow
def test_ten_thousand_grown_files(tmp_path):
    refused = grown_files(10_000, tmp_path / "model")
    assert 5_000 < refused < 10_000


def with_document(model, change):
    """The file of a model whose document and arrays were changed, the checksum right."""
    metadata, tensors = packed(model, statistics=True)
    document = json.loads(metadata["document"])
    change(document, tensors)
    return signed(metadata | {"document": document_text(document)}, tensors)


def test_one_part_side_by_side_with_itself(tmp_path):
    """Linear features have no arrays, so that a few bytes could stand for any number of columns."""
    model = bo.MaclaurinFeatures(bo.Polynomial(1), 3).fit(rows())
    model.features_ = ConcatenatedFeatures([1.0], [LinearFunction(0.0, 1.0, 3, np.dtype(np.float64))])

    def change(document, tensors):
        for item in document["objects"]:
            for name in ("n_features_in", "n_features_in_"):
                if name in item["attributes"]:
                    item["attributes"][name] = MEGABYTE
            if item["class"] == "LinearFunction":
                item["attributes"]["n_components"] = MEGABYTE
            if item["class"] == "ConcatenatedFeatures":
                item["attributes"]["n_components"] = 200 * MEGABYTE
                for name in ("parts", "weights"):
                    item["attributes"][name]["tuple"] *= 200

    assert_refused_within_bound(with_document(model, change), tmp_path / "model", "more memory than its .* bytes allow")


def assert_refused_within_bound(content, path, reason):
    peak, model = peak_of_load(content, path)
    assert model is None
    assert peak < bound(content)
    with pytest.raises(bo.ModelFileError, match=reason):
        bo.load(path)


LONG = 125_000  # numbers: 1 MB


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        ({"floats": "x"}, "more memory than"),
        ({"sparse": ["array", 3, {"array": "x"}, {"array": "places"}, {"array": "edges"}]}, "more memory than"),
        ({"array": "x"}, "names its arrays more often"),
        ({"pcg64": [[0, 1, 0, 0], [[0], [], 0]]}, "more memory than"),
        ({"words": "letters"}, "names its arrays more often"),
    ],
)
def test_one_thing_many_times(node, reason, tmp_path):
    def change(document, tensors):
        tensors["x"] = np.zeros(LONG)
        tensors["places"], tensors["edges"] = np.zeros(LONG, np.int64), np.array([0, LONG])
        tensors["letters"] = np.full((4 * LONG, 1), ord("λ"), np.uint32)
        unused = [{"array": "x"}, {"array": "places"}, {"array": "edges"}, {"array": "letters"}]
        document["objects"][-1]["attributes"] |= {"unused_": unused, "many_": [node] * 15_000}

    content = with_document(bo.FourierFeatures(), change)
    assert_refused_within_bound(content, tmp_path / "model", reason)


def test_one_factor_many_times(tmp_path):
    """Factors side by side must be as wide as the matrix that holds them, which is seen before they are joined."""
    model = bo.MaclaurinFeatures(bo.Polynomial(2), 100_000, random_state=0).fit(rows(n=10))

    def change(document, tensors):
        for item in document["objects"]:
            if item["class"] == "ProductFunction":
                for batch in item["attributes"]["batches"]:
                    batch["tuple"][1]["tuple"] *= 60

    content = with_document(model, change)
    assert len(content) > MEGABYTE
    assert_refused_within_bound(content, tmp_path / "model", "batches of ProductFunction")


def test_one_array_of_places_many_times(tmp_path):
    model = bo.MaclaurinFeatures(
        bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0) + bo.Intersection()), 100_000, random_state=0
    ).fit(rows(n=10))

    def change(document, tensors):
        for item in document["objects"]:
            if item["class"] == "MixtureColumns":
                for name in ("places", "parts"):
                    item["attributes"][name]["tuple"] *= 60
                item["attributes"]["n_columns"] *= 60

    assert_refused_within_bound(with_document(model, change), tmp_path / "model", "places of MixtureColumns")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        '{"a":' * 100_000,
        "1" * 100_000,
        "[" + "1," * 100_000 + "1]",
        "[" + ("[" * 14 + "0" + "]" * 14 + ",") * 4_000 + "0]",
        "[" + ('{"tuple":[' * 7 + "0" + "]}" * 7 + ",") * 2_000 + "0]",
        "[" + '{"dict":[[0,0]]},' * 8_000 + "0]",
        "[" + '{"not_stored":["",""]},' * 8_000 + "0]",
        "[" + '{"pcg64":[[0,1,0,0],[[0],[],0]]},' * 2_000 + "0]",
        " " * (5 << 20),
        "NaN",
        "",
    ],
    ids=lambda text: text[:12],
)
def test_documents_that_are_all_structure(text, tmp_path):
    """As the whole document, and as an attribute of a model that is right."""
    metadata, tensors = packed(bo.FourierFeatures(), statistics=True)
    document = json.loads(metadata["document"])
    document["objects"][-1]["attributes"]["extra_"] = "here"
    for content in (text, document_text(document).replace('"here"', text)):
        peak, _ = peak_of_load(signed(metadata | {"document": content}, tensors), tmp_path / "model")
        assert peak < bound((tmp_path / "model").read_bytes()) - 40 * MEGABYTE


def test_headers_that_are_all_structure(tmp_path):
    """The table of arrays is JSON too."""
    empty = ",".join(f'"{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}' for i in range(8_000))
    deep = "[" + ("[" * 14 + "0" + "]" * 14 + ",") * 4_000 + "0]"
    wide = '"0":{"dtype":"U8","shape":[' + "1," * 100_000 + '1],"data_offsets":[0,1]}'
    for header in (f"{{{empty}}}", f'{{"0":{deep}}}', f"{{{wide}}}", f'{{"__metadata__":{deep}}}'):
        content = len(header).to_bytes(8, "little") + header.encode() + b"\0"
        peak, model = peak_of_load(content, tmp_path / "model")
        assert model is None
        assert peak < bound(content)


def test_large_models_take_little_more_than_their_files(tmp_path):
    """The arrays once, and what the checks make of them for a moment."""
    X = rows(n=1500)
    for model in (
        bo.KernelRidge(fourier(None, n_components=400)).fit(X, regression_target(X)),
        bo.ExactKernelRidge(bo.Matern(1.5)).fit(X.astype(np.float32), regression_target(X)),
        bo.FourierFeatures(bo.Gaussian(1.0), 50_000, directions="fastfood", random_state=0).fit(X),
        bo.BinningFeatures(bo.Laplace(1.0), 2_000, random_state=0).fit(X),
    ):
        bo.save(model, tmp_path / "model")
        content = (tmp_path / "model").read_bytes()
        bo.load(tmp_path / "model")  # what is compiled or imported once is no part of it
        peak, _ = peak_of_load(content, tmp_path / "model")
        assert peak < 5 * len(content) + 100 * (8 + struct.unpack("<Q", content[:8])[0])


LOADS = """
import sys
import bochner as bo
loaded = refused = 0
for _ in range(150):
    try:
        bo.load(sys.argv[1])
        loaded += 1
    except bo.ModelFileError as error:
        assert str(error).startswith(f"The file {sys.argv[1]} cannot be loaded: "), error
        refused += 1
print(loaded, refused)
"""


def test_a_file_that_is_rewritten_in_place_while_it_is_loaded(tmp_path):
    """The bytes that were read are those of one file or the checksum is wrong; a file that shrinks ends no process."""
    path = tmp_path / "model"
    bo.save(bo.FourierFeatures(bo.Gaussian(1.0), 20_000, random_state=0).fit(rows()), path)
    content = path.read_bytes()
    with subprocess.Popen([sys.executable, "-c", LOADS, path], stdout=subprocess.PIPE, text=True) as reader:
        while reader.poll() is None:
            with open(path, "r+b") as file:
                for size in (len(content) // 2, 0):
                    file.truncate(size)
                file.write(content)
        assert reader.returncode == 0
        loaded, refused = map(int, reader.stdout.read().split())
    assert loaded + refused == 150
    assert refused > 0  # it was met in the middle
