"""load(save(model)) predicts the same bits, for every map and learner; and so do pickle and joblib."""

import importlib
import inspect
import io
import json
import os
import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import bochner as bo
from bochner.kernels import RadialKernel
from bochner.learners.combined import CombinedClassifier, CombinedRegressor
from bochner.learners.keeping import Keeping
from bochner.maps import Features
from bochner.maps.projections import Projection
from bochner.store.allowance import Budget
from bochner.store.checks.base import check
from bochner.store.decode import Decoder
from bochner.store.encode import Encoder
from bochner.store.not_stored import NotStored
from bochner.store.vocabulary import BASES, PLAIN, classes
from tests.contracts.walk import concrete
from tests.store.models import (
    DTYPES,
    LEARNERS,
    MAPS,
    assert_same_bits,
    fitted_learner,
    fitted_map,
    fourier,
    labels,
    regression_target,
    rows,
)


def again(model, folder, **options):
    bo.save(model, folder / "model.bochner", **options)
    return bo.load(folder / "model.bochner")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MAPS)
def test_maps(name, dtype, tmp_path):
    model = fitted_map(name, dtype)
    other = again(model, tmp_path)
    assert_same_bits(model, other, rows(dtype, 300))
    assert repr(other) == repr(model)
    assert repr(other.kernel_) == repr(model.kernel_)
    assert_same_bits(clone(model).fit(rows(dtype)), clone(other).fit(rows(dtype)), rows(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LEARNERS)
def test_learners(name, dtype, tmp_path):
    model = fitted_learner(name, dtype)
    other = again(model, tmp_path)
    assert_same_bits(model, other, rows(dtype, 300))
    if "feature_map_" in vars(model):
        assert other.features_ is other.feature_map_.features_
    assert sorted(vars(other)) == sorted(vars(model))


@pytest.mark.parametrize("name", ["KernelRidge", "KernelRidgeClassifier"])
def test_learners_with_every_map(name, tmp_path):
    X = rows()
    y = labels(X, 3) if name.endswith("Classifier") else regression_target(X)
    for feature_map in MAPS.values():
        model = LEARNERS[name](clone(feature_map)).fit(X, y)
        assert_same_bits(model, again(model, tmp_path), rows(n=300))


@pytest.mark.parametrize("kind", ["word", "int", "bool", "object"])
def test_labels_keep_their_type(kind, tmp_path):
    X = rows()
    y = labels(X, 2, "word").astype(object) if kind == "object" else labels(X, 2, kind)
    model = bo.KernelRidgeClassifier(fourier(None), class_weight={y[0]: 2.0}).fit(X, y)
    other = again(model, tmp_path)
    assert other.classes_.dtype == model.classes_.dtype
    assert other.class_weight == model.class_weight
    assert_same_bits(model, other, X)


def test_column_names_travel(tmp_path):
    pandas = pytest.importorskip("pandas")
    X = rows()
    table = pandas.DataFrame(X, columns=["länge", "b", "c"])
    model = bo.KernelRidge(fourier(None)).fit(table, X)
    other = again(model, tmp_path)
    assert other.feature_names_in_.tolist() == ["länge", "b", "c"]
    assert other.predict(table).shape == X.shape
    with pytest.raises(ValueError, match="feature names"):
        other.predict(table.rename(columns={"b": "d"}))


@pytest.mark.parametrize("categorical", ["one-hot", "ordinal"])
def test_encodings_of_tables_travel(categorical, tmp_path):
    pandas = pytest.importorskip("pandas")
    X = rows()
    table = pandas.DataFrame({"size": X[:, 0] * 100, "colour": labels(X, 3), "y": regression_target(X)})
    table.loc[::7, "size"] = np.nan
    encoder = bo.TableEncoder(categorical=categorical, missing="indicator")
    model = bo.KernelRidge(fourier(None)).fit(bo.BatchBlocks([table], target="y", encoder=encoder))
    other = again(model, tmp_path)
    assert repr(other.encoder_) == repr(model.encoder_)
    assert other.encoder_.get_feature_names_out().tolist() == model.encoder_.get_feature_names_out().tolist()
    np.testing.assert_array_equal(other.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="column 'colour' of labels cannot be exported"):
        bo.to_onnx(model, tmp_path / "model.onnx")


@pytest.mark.parametrize("name", [name for name, cls in LEARNERS.items() if not issubclass(cls, Keeping)])
def test_partial_fit_continues(name, tmp_path):
    model = pickle.loads(pickle.dumps(fitted_learner(name)))
    other = again(model, tmp_path)
    X = rows(n=200) * 0.9
    y = labels(X, 3) if name.endswith("Classifier") else regression_target(X)
    assert_same_bits(model.partial_fit(X, y), other.partial_fit(X, y), rows())


def test_without_statistics_the_file_is_small_and_partial_fit_says_why(tmp_path):
    model = fitted_learner("KernelRidge")
    other = again(model, tmp_path, statistics=False)
    small = os.path.getsize(tmp_path / "model.bochner")
    again(model, tmp_path)
    assert os.path.getsize(tmp_path / "model.bochner") > small + 8 * 33**2
    assert_same_bits(model, other, rows())
    with pytest.raises(AttributeError, match="The statistic_ of KernelRidge is not in the model file"):
        other.partial_fit(rows(), regression_target(rows()))
    assert_same_bits(model, again(other, tmp_path), rows())


@pytest.mark.parametrize("random_state", [7, None, np.random.default_rng(3), np.random.RandomState(3)], ids=str)
def test_random_states_go_on_where_they_were(random_state, tmp_path):
    model = bo.FourierFeatures(random_state=random_state).fit(rows())
    other = again(model, tmp_path)
    if random_state is not None:
        assert_same_bits(clone(model).fit(rows()), clone(other).fit(rows()), rows())
    if isinstance(random_state, np.random.Generator):
        assert model.random_state.spawn(1)[0].random() == other.random_state.spawn(1)[0].random()


def test_sparse_landmarks(tmp_path):
    for make in (sp.csr_matrix, sp.csr_array):
        X = make(np.where(rows() > 0.3, rows(), 0.0))
        model = bo.KernelRidge(bo.NystroemFeatures(bo.Gaussian(1.0), 10, random_state=0)).fit(
            X, regression_target(rows())
        )
        other = again(model, tmp_path)
        assert type(other.features_.inner.landmarks) is type(model.features_.inner.landmarks)
        assert_same_bits(model, other, X)


def test_functions_that_features_evaluate_are_refused(tmp_path):
    model = bo.NystroemFeatures(bo.ProductProfile(lambda r: np.exp(-r), 1.0), 5).fit(rows())
    with pytest.raises(bo.ModelFileError, match=r"features_\.inner\.kernel\.function is the function <lambda>"):
        bo.save(model, tmp_path / "model")


def test_parameters_of_many_kinds(tmp_path):
    scales = np.linspace(0.5, 1.0, 100).tolist()
    for kernel in (
        bo.Matern(1.0, nu=np.inf),
        bo.Gaussian(scales),
        bo.Gaussian(np.float32(2.0)),
        bo.Gaussian((1.0, 2.0)),
    ):
        model = bo.FourierFeatures(kernel, n_components=np.int64(4))
        model.extra_ = np.asfortranarray(np.arange(6.0).reshape(2, 3))
        other = again(model, tmp_path)
        assert repr(other) == repr(model)
        assert type(other.n_components) is np.int64
        assert type(next(iter(other.kernel.get_params().values()))) is type(next(iter(kernel.get_params().values())))
        assert other.extra_.flags.f_contiguous


def test_functions_are_left_out_and_prediction_goes_on(tmp_path):
    kernel = bo.RadialProfile(lambda r: np.exp(-(r**1.5)), 1.0)
    model = bo.KernelRidge(fourier(None, kernel=kernel)).fit(rows(), regression_target(rows()))
    other = again(model, tmp_path)
    assert_same_bits(model, other, rows())
    assert isinstance(other.feature_map.kernel.function, NotStored)
    assert "not stored" in repr(other)
    with pytest.raises(TypeError, match=r"function <lambda>.* not in the model file .* with set_params"):
        other.fit(rows(), regression_target(rows()))
    other.set_params(feature_map__kernel__function=np.exp)
    assert_same_bits(model, again(other, tmp_path), rows())


class OwnKernel(RadialKernel):
    """A user's kernel."""

    def __init__(self, length_scale=1.0):
        self.length_scale = length_scale

    def profile(self, r):
        return np.exp(-0.5 * np.square(r))

    def unit_frequencies(self, uniforms, dim):
        return uniforms - 0.5

    def unit_second_moment(self, dim):
        return 1.0


class OwnEngine(bo.SerialEngine):
    """Stands for an engine that holds a connection."""


def test_engines(tmp_path):
    X, y = rows(), regression_target(rows())
    for engine in (bo.SerialEngine(), bo.ThreadEngine(2)):
        other = again(bo.KernelRidge(fourier(None), engine=engine).fit(X, y), tmp_path)
        assert type(other.engine) is type(engine)
        other.partial_fit(X, y)
    for engine in (OwnEngine(), bo.CheckpointEngine(tmp_path / "saved", bo.ThreadEngine(3, "1MB"))):
        other = again(bo.KernelRidge(fourier(None), engine=engine, random_state=0).fit(X, y), tmp_path)
        assert type(other.engine) is bo.ThreadEngine
        assert (other.engine.n_jobs, other.engine.memory) == (engine.n_jobs, engine.memory)
        other.partial_fit(X, y)


def test_ridge_by_other_solvers(tmp_path):
    X, y = rows(), regression_target(rows())
    for solver in ("cg", "sgd", "cholesky"):
        model = bo.KernelRidge(fourier(None), solver=solver).partial_fit(X, y)
        other = again(model, tmp_path)  # solved when it is stored, not before
        assert_same_bits(model, other, X)
        if solver == "cg":
            with pytest.raises(AttributeError, match="rows are no part of it, so fit a new model"):
                other.partial_fit(X, y)
        else:
            assert_same_bits(model.partial_fit(X, y), other.partial_fit(X, y), X)


def test_kernels_of_the_users_own_classes_are_left_out(tmp_path):
    model = bo.KernelRidge(fourier(None, kernel=OwnKernel() + bo.Gaussian(1.0))).fit(rows(), regression_target(rows()))
    other = again(model, tmp_path)
    assert_same_bits(model, other, rows())
    assert isinstance(other.feature_map_.kernel_.left, NotStored)


def test_what_prediction_needs_is_refused_in_one_sentence(tmp_path):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import make_pipeline

    model = bo.KernelRidge(RBFSampler()).fit(rows(), regression_target(rows()))
    with pytest.raises(bo.ModelFileError, match=r"RBFSampler.*use pickle or joblib"):
        bo.save(model, tmp_path / "model")
    with pytest.raises(bo.ModelFileError, match="not Pipeline: use pickle or joblib"):
        bo.save(make_pipeline(bo.FourierFeatures()), tmp_path / "model")
    model = bo.FourierFeatures()
    model.extra_ = model
    with pytest.raises(bo.ModelFileError, match="refers back"):
        bo.save(model, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "model"
    bo.save(fitted_learner("KernelRidge"), path)
    before = path.read_bytes()

    def full(*arguments, **keywords):
        raise OSError("No space left on device")

    for module, name in (("store.save", "save_file"), ("files", "flush")):
        monkeypatch.setattr(importlib.import_module(f"bochner.{module}"), name, full)
        with pytest.raises(OSError, match=r"Cannot write .*No space.*intact"):
            bo.save(fitted_learner("KernelRidgeClassifier"), path)
        assert os.listdir(tmp_path) == ["model"]
        assert path.read_bytes() == before
        monkeypatch.undo()
    with pytest.raises(FileNotFoundError):
        bo.save(fitted_learner("KernelRidge"), tmp_path / "missing" / "model")
    link = tmp_path / "link"
    link.symlink_to(path)
    bo.save(fitted_learner("KernelRidgeClassifier"), link)
    assert link.is_symlink()
    assert isinstance(bo.load(path), bo.KernelRidgeClassifier)


@pytest.mark.parametrize("name", LEARNERS)
def test_pickle_and_joblib(name):
    model, buffer = fitted_learner(name), io.BytesIO()
    assert_same_bits(model, pickle.loads(pickle.dumps(model)), rows())
    joblib.dump(model, buffer)
    buffer.seek(0)
    assert_same_bits(model, joblib.load(buffer), rows())


def test_names_in_files_are_unique():
    everything = {cls for base in BASES for cls in concrete(base)} | set(PLAIN)
    assert set(classes().values()) == everything


def test_every_class_that_computes_has_a_check_of_its_own():
    for base in (Features, Projection):
        for cls in concrete(base):
            assert check.dispatch(cls) is not check.dispatch(object) or cls.__name__ == "TransformerFeatures", cls
    for cls in LEARNERS.values():
        assert check.dispatch(cls) is not check.dispatch(object), cls
    assert inspect.isfunction(check.dispatch(object))


@pytest.mark.parametrize("task", ["numbers", "labels"])
def test_stacks_travel(task, tmp_path):
    X = rows()
    y = regression_target(X) if task == "numbers" else labels(X, 3)
    machine, stack = (
        (bo.KernelRidge, CombinedRegressor) if task == "numbers" else (bo.KernelRidgeClassifier, CombinedClassifier)
    )
    maps = [fourier(None), bo.BinningFeatures(bo.Laplace(1.0), 20, random_state=0)]
    model = stack([machine(feature_map) for feature_map in maps], [0.7, 0.3])
    encoder = bo.TableEncoder(tails="logarithmic").fit(X)
    model.fit(encoder.transform(X), y).encoder_ = encoder
    np.testing.assert_array_equal(again(model, tmp_path).predict(X), model.predict(X))


def table(n_rows=300):
    """Numbers with missing values, labels, and a column more than the search is given."""
    rng = np.random.default_rng(0)
    X = {
        "size": rng.normal(size=n_rows),
        "colour": rng.choice(["red", "green"], n_rows),
        "odd": rng.normal(size=n_rows),
    }
    X["odd"][::7] = np.nan
    value = np.exp(1.5 * X["size"]) * np.where(X["colour"] == "red", 2.0, 1.0)
    return X, value


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_searches_travel(n_classes, tmp_path):
    """The search and what it found answer alike, before and after, and tell what was tried."""
    X, value = table()
    y = np.digitize(value, np.quantile(value, np.arange(1, n_classes) / n_classes)) if n_classes else value
    kind = bo.AutoKernelClassifier if n_classes else bo.AutoKernelRegressor
    model = kind(budget=6, random_state=0, progress=False).fit(X, y)
    loaded = again(model, tmp_path)
    for other in (model.best_estimator_, loaded, loaded.best_estimator_, again(model.best_estimator_, tmp_path)):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        if n_classes:
            np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
            np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    assert str(loaded.leaderboard_) == str(model.leaderboard_)
    assert (loaded.explain(), loaded.best_score_) == (model.explain(), model.best_score_)
    assert loaded.get_params() == model.get_params()
    if not n_classes:
        assert model.best_estimator_.target_ is not None  # an exponential is learned in logarithms
    with pytest.raises(AttributeError, match=r"trials_ of AutoKernel.*not in the model file"):
        _ = loaded.trials_.anything


def test_stacks_of_older_files_are_sums(tmp_path):
    """Their class has another name today."""
    X = rows()
    stack = CombinedRegressor([bo.KernelRidge(fourier(None))], [1.0]).fit(X, regression_target(X))
    encoder = Encoder()
    text = json.dumps(encoder.document(stack)).replace("CombinedRegressor", "StackedRegressor")
    budget = Budget(len(text) + sum(tensor.nbytes for tensor in encoder.tensors.values()))
    found = Decoder(encoder.tensors, budget, 2).model(json.loads(text))
    np.testing.assert_array_equal(found.predict(X), stack.predict(X))
