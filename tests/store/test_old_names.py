"""Files that name classes which are gone: what they have become, and what no file may make of them."""

import json

import numpy as np
import pytest

import bochner as bo
from bochner.maps.changed_rows import ChangedCodes, ChangedFeatures
from bochner.store.not_stored import NotStored
from bochner.store.old_names import in_metric, renewed
from bochner.store.tensors import read
from tests.store.mutations import signed
from tests.store.test_hostile import FILES

MATRIX = np.array([[1.0, 0.5, 0.0], [0.0, -0.3, 0.8]])
X = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize(
    ("name", "features", "scale"),
    [
        ("projected-fourier", ChangedFeatures, MATRIX / 0.3),
        ("projected-nystroem", ChangedFeatures, MATRIX / 0.5),
        ("projected-binning", ChangedCodes, MATRIX / np.array([[0.5], [1.0]])),
        ("projected-exact", ChangedFeatures, MATRIX / 0.4),
    ],
)
def test_a_projected_kernel_is_one_with_a_metric(name, features, scale):
    """Length scale l behind a matrix A is the matrix A / l, row by row."""
    model = bo.load(FILES / f"format1-{name}.bochner")
    assert type(model.features_) is features
    kernel = model.kernel_ if name == "projected-exact" else model.feature_map_.kernel_
    np.testing.assert_allclose(kernel.length_scale.matrix, scale, rtol=1e-14)


@pytest.mark.parametrize(
    "kernel",
    [
        bo.Gaussian(2.0),
        bo.Laplace([0.5, 2.0]),
        bo.Gaussian(1.0) + 0.5 * bo.Laplace(2.0),
        bo.Gaussian(1.0) * bo.Cauchy(2.0),
        bo.Gaussian(bo.Metric([[1.0, 2.0]])),
    ],
    ids=repr,
)
def test_kernels_of_rows_under_a_matrix_keep_their_values(kernel):
    np.testing.assert_allclose(in_metric(kernel, MATRIX)(X), kernel(X @ MATRIX.T), rtol=1e-12)


def test_what_no_metric_can_stand_for_becomes_a_note():
    for kernel in (bo.Polynomial(2), bo.Gaussian("median"), bo.Gaussian(1.0) + bo.ArcCosine(), "rbf"):
        found = renewed("Projected", {"kernel": kernel, "matrix": MATRIX})
        assert isinstance(found, NotStored)
        with pytest.raises(TypeError, match="A kernel of projected rows is not in the model file"):
            found(X)


@pytest.mark.parametrize(
    "change",
    [
        lambda attributes: attributes.pop("matrix"),
        lambda attributes: attributes.update(matrix="x"),
        lambda attributes: attributes.update(matrix=None),
        lambda attributes: attributes.update(matrix=[[1.0, 2.0]]),
        lambda attributes: attributes.update(inner=None),
        lambda attributes: attributes.update(n_components=10**6),
        lambda attributes: attributes.update(layout=1),
    ],
    ids=["absent", "word", "none", "narrow", "no features", "wide", "more"],
)
def test_damaged_old_files_are_refused(change, tmp_path):
    metadata, tensors, _ = read(FILES / "format1-projected-fourier.bochner")
    document = json.loads(metadata["document"])
    (features,) = [entry for entry in document["objects"] if entry["class"] == "ProjectedFeatures"]
    change(features["attributes"])
    (tmp_path / "model").write_bytes(signed(metadata | {"document": json.dumps(document)}, tensors))
    with pytest.raises(bo.ModelFileError):
        bo.load(tmp_path / "model")
