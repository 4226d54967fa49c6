"""What the library offers for each class: a function, or a reason why not; no class is forgotten."""

import pytest

import bochner as bo  # noqa: F401  defines the classes
from bochner.kernels import Kernel, RadialKernel
from bochner.kernels.changed_rows import Change
from bochner.maps import FeatureMap, Features, KernelMap
from bochner.maps.layout import Layout
from bochner.report.predictions import NO_FORM, predicted
from bochner.store.onnx import to_onnx  # noqa: F401  registers all
from bochner.store.onnx.kernels import kernel_values, radial_profile
from bochner.store.onnx.maps import changed, features_of
from bochner.store.onnx.reasons import NOT_OFFERED
from tests.contracts.test_maps import default, rows
from tests.contracts.walk import concrete, examples, name_of

MAPS = concrete(FeatureMap)
KERNEL_MAPS = concrete(KernelMap)


def served(dispatched, cls):
    return dispatched.dispatch(cls) is not dispatched.dispatch(object)


@pytest.mark.parametrize("cls", concrete(Features) + concrete(Change))
def test_features_are_exported_or_there_is_a_reason(cls):
    assert (served(features_of, cls) or served(changed, cls)) != (cls in NOT_OFFERED)


@pytest.mark.parametrize("cls", concrete(Kernel))
def test_kernels_at_landmarks_are_exported_or_there_is_a_reason(cls):
    way = radial_profile if issubclass(cls, RadialKernel) else kernel_values
    assert served(way, cls) != (cls in NOT_OFFERED)


@pytest.mark.parametrize("cls", MAPS)
def test_theory_predicts_the_error_of_a_map_or_there_is_a_reason(cls):
    assert served(predicted, cls) != (cls in NO_FORM)


@pytest.mark.parametrize("cls", MAPS)
def test_the_layout_is_that_of_the_design(cls):
    """Known before a row is made."""
    import scipy.sparse as sp

    from bochner.maps import CodesDesign, DenseDesign, SparseDesign

    kinds = {DenseDesign: Layout.DENSE, SparseDesign: Layout.SPARSE, CodesDesign: Layout.CODES}
    for X in (rows(), sp.csr_array(rows())):
        kernels = [{"kernel": k} for k in examples(Kernel) if cls in KERNEL_MAPS and cls().serves(k)]
        for given in ({}, *(one for one in kernels if getattr(one["kernel"], "largest_dim", 3) >= 3)):
            features = default(cls).set_params(**given).fit(X[:60]).features_
            assert kinds[type(features.design(X[:3]))] is features.layout(sp.issparse(X))


@pytest.mark.parametrize("kernel", examples(Kernel), ids=name_of)
@pytest.mark.parametrize("cls", KERNEL_MAPS)
def test_a_map_serves_a_kernel_just_if_it_draws_features_for_it(cls, kernel):
    X = rows()[:60, : int(min(3, getattr(kernel, "largest_dim", 3)))]
    feature_map = default(cls).set_params(kernel=kernel)
    if feature_map.serves(kernel):
        assert feature_map.reason_against(kernel) == ""
        feature_map.fit(X)
    else:
        with pytest.raises(ValueError, match=r"for this kernel use|use directions=|use h01=False") as caught:
            feature_map.fit(X)
        assert str(caught.value) == feature_map.reason_against(kernel)
