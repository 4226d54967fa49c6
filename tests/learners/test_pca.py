"""Kernel PCA: the definition of principal components, agreement with the exact one, pieces and pre-images."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.decomposition import KernelPCA as ExactPCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import bochner as bo


def rows(n=300, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3)) * [2.0, 1.0, 0.5]


def fourier(n_components=80):
    return bo.FourierFeatures(bo.Gaussian(2.0), n_components, random_state=0)


def test_components_are_orthonormal_eigenvectors_of_the_centred_second_moments():
    X = rows()
    model = bo.KernelPCA(6, fourier()).fit(X)
    Z = model.feature_map_.transform(X)
    centred = Z - Z.mean(axis=0)
    V, values = model.components_.T, model.eigenvalues_
    np.testing.assert_allclose(V.T @ V, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(centred.T @ (centred @ V), V * values, atol=1e-10)
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose(values, np.linalg.eigvalsh(centred @ centred.T)[::-1][:6])
    scores = model.transform(X)
    np.testing.assert_allclose(scores, centred @ V, atol=1e-12)
    np.testing.assert_allclose(model.explained_variance_, scores.var(axis=0))
    np.testing.assert_allclose(model.explained_variance_ratio_, scores.var(axis=0) / Z.var(axis=0).sum())
    assert (V[np.abs(V).argmax(axis=0), np.arange(6)] > 0).all()


def test_agrees_with_exact_kernel_pca_as_the_width_grows():
    X = rows()
    exact = ExactPCA(3, kernel="rbf", gamma=1 / 8).fit(X)
    basis = np.linalg.qr(exact.transform(X))[0]
    errors = []
    for n_components in (64, 1024):
        differences = []
        for seed in range(5):
            model = bo.KernelPCA(3, bo.FourierFeatures(bo.Gaussian(2.0), n_components, random_state=seed)).fit(X)
            found = np.linalg.qr(model.transform(X))[0]
            sine = np.sqrt(1 - np.linalg.svd(found.T @ basis, compute_uv=False)[-1] ** 2)
            differences.append([np.abs(model.eigenvalues_ / exact.eigenvalues_ - 1).max(), sine])
        errors.append(np.mean(differences, axis=0))
    assert (errors[1] < errors[0] / 2).all()
    assert (errors[1] < [0.06, 0.2]).all()


def test_a_linear_map_gives_ordinary_principal_components():
    X = rows()
    model = bo.KernelPCA(2, FunctionTransformer(), fit_inverse_transform=True).fit(X)
    _, singular, right = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(model.eigenvalues_, singular[:2] ** 2)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(right[:2]), atol=1e-10)
    plane = (X - X.mean(axis=0)) @ right[:2].T @ right[:2] + X.mean(axis=0)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), plane, atol=1e-10)


def test_pieces_blocks_sparse_rows_and_weights_give_the_components_of_the_whole():
    X = rows()
    whole = bo.KernelPCA(4, fourier(), fit_inverse_transform=True).fit(X)
    pieces = bo.KernelPCA(4, fourier(), fit_inverse_transform=True)
    for start in range(0, 300, 70):
        pieces.partial_fit(X[start : start + 70])
    blocks = bo.KernelPCA(4, fourier(), fit_inverse_transform=True, engine=bo.SerialEngine())
    blocks.fit(bo.ArrayBlocks(X, np.arange(300.0), block_rows=11))  # targets are ignored
    sparse = bo.KernelPCA(4, fourier(), fit_inverse_transform=True).fit(sp.csr_matrix(X))
    for model in (pieces, blocks, sparse):
        np.testing.assert_allclose(model.transform(X), whole.transform(X), atol=1e-10)
        np.testing.assert_allclose(model.inverse_transform(np.eye(4)), whole.inverse_transform(np.eye(4)), atol=1e-8)
    weight = np.arange(300) % 3
    weighted = bo.KernelPCA(4, fourier()).fit(X, sample_weight=weight)
    repeated = bo.KernelPCA(4, fourier()).fit(X.repeat(weight, axis=0))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-10)
    np.testing.assert_allclose(weighted.explained_variance_, repeated.explained_variance_)


def test_pre_images_are_the_least_squares_regression_of_inputs_on_scores():
    X = rows()
    model = bo.KernelPCA(5, fourier(), fit_inverse_transform=True).fit(X)
    scores = model.transform(X)
    design = np.column_stack([np.ones(300), scores])
    fitted = design @ np.linalg.lstsq(design, X, rcond=None)[0]
    np.testing.assert_allclose(model.inverse_transform(scores), fitted, atol=1e-10)


def test_pre_images_denoise_as_well_as_the_exact_ones():
    clean = load_digits().data / 16
    noisy = clean + 0.25 * np.random.default_rng(0).normal(size=clean.shape)
    feature_map = bo.FourierFeatures(bo.Gaussian("median"), 512, random_state=0)
    model = bo.KernelPCA(16, feature_map, fit_inverse_transform=True).fit(noisy[:800])
    gamma = 0.5 / model.feature_map_.kernel_.length_scale**2
    exact = ExactPCA(16, kernel="rbf", gamma=gamma, fit_inverse_transform=True, alpha=0.01).fit(noisy[:800])
    found, expected, raw = (
        np.mean((image - clean[800:]) ** 2)
        for image in (
            model.inverse_transform(model.transform(noisy[800:])),
            exact.inverse_transform(exact.transform(noisy[800:])),
            noisy[800:],
        )
    )
    assert found < 1.15 * expected
    assert found < raw / 2


def test_defaults_reconstruct_what_scikit_learn_asks_of_its_own():
    """Its own test wants less than a tenth of blobs to be lost by 20 components, with a kernel that it is given."""
    X, _ = make_blobs(n_samples=100, n_features=10, random_state=0)
    model = bo.KernelPCA(20, fit_inverse_transform=True, random_state=0).fit(X)
    lost = np.linalg.norm(X - model.inverse_transform(model.transform(X))) / np.linalg.norm(X)
    assert lost < 0.1


def test_keeps_float32_and_names_its_columns():
    X = rows().astype(np.float32)
    model = bo.KernelPCA(2, fourier(), fit_inverse_transform=True).fit(X)
    scores = model.transform(X)
    assert scores.dtype == np.float32
    assert model.inverse_transform(scores).dtype == np.float32
    double = bo.KernelPCA(2, fourier()).fit(X.astype(float)).transform(X.astype(float))
    np.testing.assert_allclose(scores, double, atol=2e-5)
    assert list(model.get_feature_names_out()) == ["kernelpca0", "kernelpca1"]
    table = make_pipeline(bo.KernelPCA(2, random_state=0)).set_output(transform="pandas").fit_transform(X)
    assert list(table.columns) == ["kernelpca0", "kernelpca1"]


def test_bad_input_gets_one_sentence():
    X = rows(30)
    with pytest.raises(ValueError, match="n_components=81 is more than the 80 features"):
        bo.KernelPCA(81, fourier()).fit(X)
    with pytest.raises(ValueError, match="n_components must be a whole number"):
        bo.KernelPCA(0).fit(X)
    with pytest.raises(AttributeError, match="has no attribute 'inverse_transform'") as refused:
        bo.KernelPCA(2).fit(X).inverse_transform(np.zeros((1, 2)))
    assert "fit with fit_inverse_transform=True" in str(refused.value.__cause__)
    changed = bo.KernelPCA(2).fit(X).set_params(fit_inverse_transform=True)
    with pytest.raises(ValueError, match="fit with fit_inverse_transform=True"):
        changed.inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="T has 3 columns, but the model has 2"):
        bo.KernelPCA(2, fit_inverse_transform=True).fit(X).inverse_transform(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="No row counts"):
        bo.KernelPCA(2, fourier()).fit(bo.ArrayBlocks(X, None, np.zeros(30)))
