"""Learners on random Maclaurin features beside the kernel itself: principal components, ridge regression, clusters."""

import numpy as np

import bochner as bo

KERNEL = bo.ExponentialDot()


def rows():
    X = np.random.default_rng(0).normal(size=(200, 4))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def features(width=4096):
    return bo.MaclaurinFeatures(KERNEL, width, degrees="optimal", h01=True, random_state=0)


def test_learners_on_products_agree_with_the_kernel_itself():
    X = rows()
    centred = KERNEL(X) - KERNEL(X).mean(axis=0)
    exact = np.linalg.eigvalsh(centred - centred.mean(axis=1, keepdims=True))[::-1]
    machine = bo.KernelPCA(2, feature_map=features()).fit(X)
    scores = machine.transform(X)
    np.testing.assert_allclose(np.square(scores).sum(axis=0), exact[:2], rtol=0.03)
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2]
    ridge, kernel = bo.KernelRidge(features(), alpha=0.1).fit(X, y), bo.ExactKernelRidge(KERNEL, alpha=0.1).fit(X, y)
    assert np.sqrt(np.mean((ridge.predict(X) - kernel.predict(X)) ** 2)) < 0.05 * y.std()
    clusters = bo.KernelMeans(feature_map=features(), n_clusters=2, random_state=0).fit(np.concatenate([X + 3, X - 3]))
    labels = clusters.predict(np.concatenate([X + 3, X - 3]))
    assert len(set(labels[:200])) == len(set(labels[200:])) == 1
    assert labels[0] != labels[-1]
