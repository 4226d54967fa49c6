"""Whitening of Nystroem features: W W' = (K + δ I)^{-1}, also where landmarks are equal or K is nearly singular."""

import numpy as np
import pytest

import bochner as bo
from bochner.maps.nystroem import CUT_OFF, inverse_root

X = np.random.default_rng(0).normal(size=(60, 3))


@pytest.mark.parametrize("kernel", [bo.Laplace(1.0), bo.Gaussian(0.5), bo.Polynomial(2)], ids=repr)
def test_it_is_a_root_of_the_inverse(kernel):
    gram = kernel(X[:8])
    raised = gram + CUT_OFF * np.abs(gram).sum(axis=1).max() * np.eye(8)
    root = inverse_root(gram)
    np.testing.assert_allclose(root @ root.T @ raised, np.eye(8), atol=1e-8)
    np.testing.assert_array_equal(gram, kernel(X[:8]))  # not changed


@pytest.mark.parametrize("length_scale", [0.3, 3.0, 100.0])
def test_equal_and_dependent_landmarks_do_no_harm(length_scale):
    kernel, landmarks = bo.Gaussian(length_scale), np.vstack([X[:30], X[:30]])
    Z = kernel(X, landmarks) @ inverse_root(kernel(landmarks))
    np.testing.assert_allclose(Z[:30] @ Z.T, kernel(X[:30], X), atol=1e-5)  # exact at landmarks


def test_kernels_without_values_get_a_sentence_or_zeros():
    np.testing.assert_array_equal(inverse_root(np.zeros((3, 3))), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="not finite at some landmarks"):
        inverse_root(np.array([[1.0, np.inf], [np.inf, 1.0]]))
