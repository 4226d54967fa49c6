"""What a fold is judged by: the rows of weight > 0 alone, with all that belongs to them."""

import numpy as np
import scipy.sparse as sp

from bochner.blocks import Block
from bochner.maps import DenseDesign, SparseDesign
from bochner.maps.held_out import HeldOut


def test_rows_that_weigh_nothing_are_left_out():
    rng = np.random.default_rng(0)
    Z, y, hashes = rng.normal(size=(6, 4)), rng.normal(size=(6, 2)), np.arange(6, dtype=np.uint64)
    weight = np.array([0.0, 2.0, 0.0, 0.5, 1.0, 0.0])
    for design in (DenseDesign(Z), SparseDesign(sp.csr_matrix(Z))):
        made = HeldOut()(Block(design, y, weight, hashes=hashes))
        np.testing.assert_array_equal(np.asarray(made.X.dense()), Z[[1, 3, 4]])
        np.testing.assert_array_equal(made.y, y[[1, 3, 4]])
        np.testing.assert_array_equal(made.weight, [2.0, 0.5, 1.0])
        np.testing.assert_array_equal(made.hashes, [1, 3, 4])
    assert HeldOut()(Block(DenseDesign(Z))).n_rows == 6
    assert HeldOut()(Block(DenseDesign(Z), y, np.zeros(6))).n_rows == 0
