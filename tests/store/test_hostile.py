"""Damaged, foreign, newer and hostile files: a clear error, never code, a hang, or memory beyond the file's size."""

import copy
import json
import os
import pickle
import re
import struct
import time
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

import bochner as bo
from bochner.maps.factor_laws import Factor
from bochner.maps.products import LinearFunction
from bochner.maps.scalar_laws import scalar_law
from bochner.store.checks.base import check
from bochner.store.format import MOST_OBJECTS, document_text
from bochner.store.save import packed
from tests.store.corpus import small_models
from tests.store.models import assert_same_bits, fitted_learner, fitted_map, fourier, outputs, rows
from tests.store.mutations import damaged, hostile, signed

FILES = Path(__file__).parent / "files"
SEED = 20260711


def loaded_or_refused(content, path):
    """The model, or None if the file was refused with one sentence that names it."""
    path.write_bytes(content)
    try:
        return bo.load(path)
    except bo.ModelFileError as error:
        message = str(error)
        assert str(path) in message
        assert message.endswith(".")
        assert "\n" not in message
        return None


def fuzz(n_mutations, folder):
    """Every mutation refused, or a model that predicts; damage that changes predictions is always refused."""
    rng = np.random.default_rng(SEED)
    models = list(small_models())
    files = [packed(model, statistics=True) for model in models]
    whole = [safetensors_bytes(tensors, metadata) for metadata, tensors in files]
    path, X, refused = folder / "model", rows(np.float32, 40), 0
    assert all(loaded_or_refused(content, path) is not None for content in whole)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for turn in range(n_mutations):
            place = turn % len(models)
            knows_format = (turn // len(models)) % 2 == 1
            content = hostile(*files[place], rng) if knows_format else damaged(whole[place], rng)
            found = within_bounds(content, path)
            if found is None:
                refused += 1
            elif not knows_format:
                assert_same_bits(models[place], found, X)
            elif "features_" in vars(found) and found.n_features_in_ == 3:
                outputs(found, X)
    return refused


def within_bounds(content, path):
    """The model or None, in short time, and in memory that the size of the file bounds where it is being traced."""
    start, traced = time.perf_counter(), tracemalloc.is_tracing()
    if traced:
        tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    found = loaded_or_refused(content, path)
    assert not traced or tracemalloc.get_traced_memory()[1] - before < (4 << 20) + 4 * len(content)
    assert time.perf_counter() - start < 5.0
    return found


def test_a_thousand_mutations(tmp_path):
    assert fuzz(1000, tmp_path) > 700


@pytest.mark.slow
def test_ten_thousand_mutations(tmp_path):
    tracemalloc.start()
    try:
        assert fuzz(10_000, tmp_path) > 7000
    finally:
        tracemalloc.stop()


def test_cuts_are_refused(tmp_path):
    path = tmp_path / "model"
    bo.save(bo.FourierFeatures(bo.Gaussian(1.0), 2).fit(rows()), path)
    content = path.read_bytes()
    for length in (*range(20), *range(20, len(content), 7), len(content) - 1):
        assert loaded_or_refused(content[:length], path) is None


def test_every_flipped_bit_of_the_arrays_is_refused(tmp_path):
    path = tmp_path / "model"
    bo.save(bo.FourierFeatures(bo.Gaussian(1.0), 2).fit(rows(np.float32)), path)
    content = path.read_bytes()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    assert len(content) > start
    for bit in range(8 * start, 8 * len(content)):
        data = bytearray(content)
        data[bit // 8] ^= 1 << bit % 8
        assert loaded_or_refused(bytes(data), path) is None


class Bomb:
    """What a pickle can do."""

    def __reduce__(self):
        return (os.mkdir, ("executed",))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        pickle.dumps(Bomb()),
        pickle.dumps(np.arange(100)),
        b"PK\x03\x04" + bytes(100),
        b"\xff" * 100,
        (2**62).to_bytes(8, "little") + b"{}",
        (10).to_bytes(8, "little") + b"[" * 10,
        safetensors_bytes({"a": np.arange(3)}),
        safetensors_bytes({"a": np.arange(3)}, {"format": "pt"}),
        safetensors_bytes({}, {"format": "bochner model"}),
        json.dumps({"model": 1}).encode(),
    ],
)
def test_foreign_files(content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert loaded_or_refused(content, tmp_path / "model") is None
    assert os.listdir(tmp_path) == ["model"]


def test_devices_folders_and_missing_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path, tmp_path / "pipe"):
        with pytest.raises(bo.ModelFileError, match="not a regular file"):
            bo.load(path)
    with pytest.raises(FileNotFoundError):
        bo.load(tmp_path / "missing")


def with_document(change, path, model=None):
    metadata, tensors = packed(fitted_learner("KernelRidge") if model is None else model, statistics=True)
    document = json.loads(metadata["document"])
    change(document, tensors)
    path.write_bytes(signed(metadata | {"document": document_text(document)}, tensors))


def test_a_width_that_no_columns_fill_is_refused_before_anything_so_long_is_made(tmp_path):
    def change(document, tensors):
        mixtures = [item for item in document["objects"] if item["class"] == "MixtureColumns"]
        mixtures[0]["attributes"]["n_columns"] = 20_000_000

    with_document(change, tmp_path / "model", fitted_map("composed of scalars", np.float32))
    tracemalloc.start()
    try:
        with pytest.raises(bo.ModelFileError, match="n_columns"):
            bo.load(tmp_path / "model")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_newer_versions_say_so(tmp_path):
    metadata, tensors = packed(fitted_learner("KernelRidge"), statistics=True)
    path = tmp_path / "model"
    path.write_bytes(signed(metadata | {"format_version": "4", "bochner_version": "9.9"}, tensors))
    with pytest.raises(bo.ModelFileError, match=r"format 4, written by bochner 9\.9.*up to 3: upgrade bochner"):
        bo.load(path)
    for version in ("0", "-1", "one", "1" * 5000, "²"):
        path.write_bytes(signed(metadata | {"format_version": version}, tensors))
        with pytest.raises(bo.ModelFileError):
            bo.load(path)


@pytest.mark.parametrize(
    "name", ["__class__", "__dict__", "predict", "_scores", "coef_", "fit", "a b", "", 5 * "x" * 30]
)
def test_no_file_replaces_methods(name, tmp_path):
    def change(document, tensors):
        document["objects"][-1]["attributes"][name] = 1

    with_document(change, tmp_path / "model")
    with pytest.raises(bo.ModelFileError, match=r"cannot have (an attribute named|its)|has no parameter"):
        bo.load(tmp_path / "model")


@pytest.mark.parametrize(
    "name", ["os.system", "Popen", "FeatureMap", "ThreadPoolExecutor", "object", "type", "Pipeline"]
)
def test_only_classes_of_the_library(name, tmp_path):
    def change(document, tensors):
        document["objects"][0]["class"] = name

    with_document(change, tmp_path / "model")
    with pytest.raises(bo.ModelFileError, match="names the class"):
        bo.load(tmp_path / "model")


def peak_of_refusal(path):
    tracemalloc.start()
    start = time.perf_counter()
    with pytest.raises(bo.ModelFileError):
        bo.load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert time.perf_counter() - start < 5.0
    return peak


def test_numbers_that_lie_about_sizes_allocate_nothing(tmp_path):
    path = tmp_path / "model"
    for name in ("n_components", "n_frequencies", "n_pairs", "n_features_in", "n_features", "n_targets"):

        def change(document, tensors, name=name):
            for item in document["objects"]:
                if name in item["attributes"]:
                    item["attributes"][name] = 10**12

        with_document(change, path)
        assert peak_of_refusal(path) < 4 << 20


def test_widths_that_no_array_shows_allocate_nothing(tmp_path):
    """The features of Hellinger's kernel hold arrays without entries, which may claim any number of columns."""

    def change(document, tensors):
        for item in document["objects"]:
            for name in ("n_features_in", "n_features_in_", "n_components"):
                if name in item["attributes"]:
                    item["attributes"][name] = 10**12
        for name, array in tensors.items():
            if array.ndim == 2:
                tensors[name] = np.empty((0, 10**12))

    with_document(change, tmp_path / "model", bo.AdditiveFeatures(bo.Hellinger()).fit(rows()))
    assert peak_of_refusal(tmp_path / "model") < 4 << 20


def test_shared_parts_cannot_explode(tmp_path):
    """Sums of sums of one kernel: 2^40 kernels in a kilobyte."""
    path = tmp_path / "model"
    table = [{"class": "Gaussian", "attributes": {"length_scale": 1.0}}]
    for index in range(40):
        table.append({"class": "Sum", "attributes": {"left": {"object": index}, "right": {"object": index}}})
    table.append({"class": "FourierFeatures", "attributes": {"kernel": {"object": 40}}})
    metadata, _ = packed(bo.FourierFeatures(), statistics=True)
    document = {"root": {"object": 41}, "objects": table}
    path.write_bytes(signed(metadata | {"document": document_text(document)}, {}))
    with pytest.raises(bo.ModelFileError, match="nested too"):
        bo.load(path)
    chain = [table[0]] + [
        {"class": "Scaled", "attributes": {"kernel": {"object": index}, "weight": 1.0}}
        for index in range(MOST_OBJECTS - 2)
    ]
    chain.append({"class": "FourierFeatures", "attributes": {"kernel": {"object": len(chain) - 1}}})
    document = {"root": {"object": len(chain) - 1}, "objects": chain}
    path.write_bytes(signed(metadata | {"document": document_text(document)}, {}))
    with pytest.raises(bo.ModelFileError):
        bo.load(path)


@pytest.mark.parametrize("directions", ["iid", "hadamard", "fastfood"])
def test_arrays_that_would_be_read_out_of_bounds(directions, tmp_path):
    """Every array of the features cut, widened, or with an entry out of its range, the checksum right."""
    path = tmp_path / "model"
    model = fourier(None, directions=directions).fit(rows())
    metadata, tensors = packed(model, statistics=True)
    for name, array in tensors.items():
        if array.size < 2:
            continue
        flat = array.reshape(-1)
        for other in (
            flat[:-1],
            flat,
            array[None],
            np.full_like(array, 2**31 - 1),
            array.astype(np.int8),
            array * np.nan,
        ):
            if other.shape == array.shape and other.dtype == array.dtype and (other == array).all():
                continue
            path.write_bytes(signed(metadata, tensors | {name: np.ascontiguousarray(other)}))
            try:
                bo.load(path).transform(rows())
            except bo.ModelFileError:
                continue
            assert array.dtype == np.float64  # a finite number in place of another is another model
            assert np.isfinite(other).all()


def test_columns_of_series_that_do_not_fit():
    """Places twice taken or out of range, features of another width or that no law draws, factors in pairs."""
    rng, table = np.random.default_rng(0), rows()
    law = scalar_law(bo.Polynomial(2), table, rng)
    series, single = law.draw(table, 3, rng), scalar_law(bo.ArcCosine(1), table, rng).draw(table, 3, rng)
    cases = [
        (series, "places", np.array([0, 0, 1])),
        (series, "places", np.array([0, 1, 3])),
        (series, "features", law.draw(table, 4, rng).features),
        (series, "features", LinearFunction(0.0, 1.0, 3, table.dtype)),
        (single, "factor", Factor(1, 1, single.factor.matrix, single.factor.activation)),
    ]
    for scalars, name, value in cases:
        check(scalars)
        other = copy.copy(scalars)
        setattr(other, name, value)
        with pytest.raises(bo.ModelFileError, match=f"the {name} of"):
            check(other)


def test_released_formats_stay_loadable():
    """Files of each released format, with rows and the predictions they gave when they were written."""
    found = sorted(FILES.glob("*.bochner"))
    assert {re.search(r"format(\d+)", path.name).group(1) for path in found} == {"1", "2"}
    for path in found:
        expected = np.load(path.with_suffix(".npz"), allow_pickle=False)
        model = bo.load(path)
        for name, value in outputs(model, expected["X"]).items():
            if value.dtype.kind == "f":
                np.testing.assert_allclose(value, expected[name], rtol=1e-10, atol=1e-12)
            else:
                np.testing.assert_array_equal(value, expected[name])
