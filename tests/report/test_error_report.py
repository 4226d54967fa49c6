"""Error reports: measured against promised, for every map that has a theory."""

import html
import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.report.averages import Averages
from bochner.report.predictions import predict
from bochner.report.redraws import PairSample, Redraws
from bochner.report.verdict import verdict

ROWS = np.random.default_rng(0).uniform(-0.6, 0.6, size=(400, 3))

WITH_THEORY = [
    bo.FourierFeatures(bo.Gaussian("median"), 64),
    bo.FourierFeatures(bo.Gaussian("median"), 65, embedding="shifted", directions="iid"),
    bo.FourierFeatures(bo.Laplace("median"), 64),
    bo.FourierFeatures(bo.Matern("median", 0.5), 64),
    bo.FourierFeatures(bo.RationalQuadratic("median"), 65, directions="hadamard"),
    bo.FourierFeatures(bo.Matern("median") + 0.5 * bo.Gaussian("median"), 64),
    bo.FourierFeatures(bo.Gaussian(0.5) + 0.5 * bo.Cauchy(0.5), 64, directions="iid"),
    bo.BinningFeatures(bo.Laplace("median"), 64),
    bo.BinningFeatures(bo.Laplace("median"), 64, 64 * 8, hashing="plain"),
    bo.BinningFeatures(bo.Laplace("median"), 64, hashing="exact"),
    bo.BinningFeatures(bo.Laplace("median"), 64, pitches="iid"),
    bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 64),
    bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 64, h01=True, degrees="proportional"),
    bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 64, allocation="independent", projection="gaussian"),
    bo.MaclaurinFeatures(bo.Polynomial(3), 64, degrees="optimal", projection="complex"),
    bo.TensorSketch(bo.Polynomial(3), 64),
]


def averages_of(feature_map, X, n_redraws=120):
    """Averages over many draws, with intervals of 99.9 %."""
    redraws = Redraws.of(feature_map, X, 0)
    sample = PairSample.of(redraws.kernel, redraws.rows, 1000, 0)
    errors = np.stack([sample.errors(redraws.features(draw)) for draw in range(n_redraws)])
    return Averages.of(errors, predict(redraws.fitted(0), redraws.rows, sample.pairs), 0.999)


@pytest.mark.parametrize("feature_map", WITH_THEORY, ids=lambda m: " ".join(repr(m).split())[:70])
def test_prediction_agrees_with_measurement(feature_map):
    averages = averages_of(feature_map, ROWS)
    assert averages.mean_square.contains(averages.expected**2)
    assert averages.mean_square.high < 3.2 * averages.mean_square.low  # the test could see a mistake
    report = bo.error_report(feature_map, ROWS, n_redraws=20, n_gram=40, confidence=0.999)
    error = report["root mean square"]
    assert error.predicted == averages.expected
    assert error.measured.low <= error.bound
    assert error.measured == report.convergence.measured[-1]
    assert averages.bias.contains(report["bias"].predicted)
    spectral = report["Gram, spectral norm"]
    assert spectral.measured.value <= spectral.bound
    assert report["Gram, ridge norm"].measured.value <= report["Gram, ridge norm"].bound
    assert "as theory predicts" in report.verdict


def test_random_additive_features_agree_with_their_variance():
    X = np.random.default_rng(0).dirichlet(np.ones(4), size=300)
    feature_map = bo.AdditiveFeatures(bo.AdditiveChi2() + 0.5 * bo.Intersection(), 8, sampling="random")
    averages = averages_of(feature_map, X)
    assert averages.mean_square.contains(averages.expected**2)


def test_errors_that_are_rare_do_not_refute_theory_but_are_warned_of():
    """In 3 dimensions two coordinates of a wide TensorSketch rarely collide: the middle draw is exact."""
    report = bo.error_report(bo.TensorSketch(bo.Polynomial(2), 4096), ROWS, n_redraws=20, n_gram=20)
    error = report["root mean square"]
    assert error.measured.high < 1e-6
    assert error.predicted > 0.01
    assert "rare draws may be much worse" in report.verdict


def test_bias_that_no_width_removes_is_out_of_reach():
    feature_map = bo.BinningFeatures(bo.Laplace("median"), 64, 64 * 4, hashing="plain")
    report = bo.error_report(feature_map, ROWS, eps=0.05, n_redraws=20, n_gram=20)
    assert report.needed.by_measurement is None
    assert "out of reach" in report.verdict


def test_a_wrong_map_is_found_out():
    """Measured with another kernel than the one it was drawn for, the report says that theory is exceeded."""
    redraws = Redraws.of(bo.FourierFeatures(bo.Gaussian(0.5), 256), ROWS, 0)
    sample = PairSample.of(bo.Gaussian(0.6), redraws.rows, 500, 0)
    errors = np.stack([sample.errors(redraws.features(draw)) for draw in range(20)])
    prediction = predict(redraws.fitted(0), redraws.rows, sample.pairs)
    sentence = verdict(Averages.of(errors, prediction, 0.95), None, 256)
    assert "more than theory predicts" in sentence
    assert "with a bias of" in sentence


def test_quantiles_are_those_of_a_normal_error():
    """Of a short length scale, so that the errors of different pairs are nearly independent and all draws alike."""
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian(0.1), 512, directions="iid"), ROWS, n_redraws=60, n_gram=20)
    for name in ("median", "90 % quantile", "99 % quantile"):
        quantity = report[name]
        assert quantity.predicted == pytest.approx(quantity.measured.value, rel=0.05)
    maximum = report["maximum"]
    assert report["99 % quantile"].measured.value < maximum.measured.value < maximum.bound


def test_fitted_map_keeps_its_kernel_and_is_not_changed():
    fitted = bo.FourierFeatures(bo.Gaussian("median"), 32, random_state=0).fit(ROWS)
    before = fitted.transform(ROWS[:5])
    report = bo.error_report(fitted, 3 * ROWS, n_redraws=4, n_gram=10)
    assert report.feature_map.kernel.length_scale == fitted.kernel_.length_scale
    np.testing.assert_array_equal(fitted.transform(ROWS[:5]), before)
    with pytest.raises(ValueError, match="2 columns"):
        bo.error_report(fitted, ROWS[:, :2])


def test_width_by_measurement_meets_the_tolerance():
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian("median"), 128), ROWS, eps=0.02, diameter="data")
    width = report.needed.by_measurement
    again = bo.error_report(bo.FourierFeatures(bo.Gaussian("median"), width), ROWS)
    assert again.convergence.averaged[-1] == pytest.approx(0.02, rel=0.25)
    bounds = report.needed.by_bound
    assert len(bounds) == 3
    assert all(bound > width for bound in bounds.values())


def test_small_tables_are_measured_on_all_pairs():
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian(1.0), 16), ROWS[:20], n_redraws=4)
    assert report.n_pairs == 190


def test_text_dict_and_frame():
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian("median"), 64), ROWS, eps=0.05, n_redraws=5, n_gram=20)
    text = str(report)
    assert "root mean square" in text
    assert text.endswith(report.verdict)
    assert report.verdict.count(".") >= 1
    assert json.loads(json.dumps(report.to_dict()))["needed"]["eps"] == 0.05
    frame = pytest.importorskip("pandas") and report.to_frame()
    assert frame.loc["root mean square", "measured"] == report["root mean square"].measured.value
    with pytest.raises(KeyError, match="not in the report"):
        report["mean"]


def test_sparse_and_single_precision_rows():
    dense = bo.error_report(bo.FourierFeatures(bo.Gaussian(0.5), 64), ROWS, n_redraws=4, n_gram=20)
    sparse = bo.error_report(bo.FourierFeatures(bo.Gaussian(0.5), 64), sp.csr_array(ROWS), n_redraws=4, n_gram=20)
    single = bo.error_report(bo.FourierFeatures(bo.Gaussian(0.5), 64), ROWS.astype(np.float32), n_redraws=4, n_gram=20)
    for other in (sparse, single):
        assert other["root mean square"].measured.value == pytest.approx(
            dense["root mean square"].measured.value, rel=1e-4
        )


@pytest.mark.parametrize("feature_map", WITH_THEORY, ids=lambda m: " ".join(repr(m).split())[:70])
def test_an_outlying_row_puts_no_nan_into_a_report(feature_map):
    exponential = "ExponentialDot" in repr(feature_map)  # which overflows at rows far out, and fit says so
    for size in (3.0, 10.0) if exponential else (1e2, 1e6):
        X = ROWS[:60].copy()
        X[0] *= size
        text = str(bo.error_report(feature_map, X, n_redraws=3, n_gram=20))
        assert "nan" not in text
        assert "inf" not in text


def test_a_prediction_that_is_not_finite_is_none(monkeypatch):
    monkeypatch.setattr(bo.theory, "variance", lambda kernel, delta, *_, **__: np.full(len(delta), np.nan))
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian(1.0), 32), ROWS, n_redraws=3, n_gram=20)
    assert "not a finite number at 1000 of 1000 pairs" in report.note
    assert report["root mean square"].predicted is None
    assert report["root mean square"].bound is None
    assert report.convergence.predicted == (None,) * 4
    assert "theory has no prediction" in report.verdict


def test_a_kernel_that_overflows_is_refused():
    X = ROWS[:20].copy()
    X[0] *= 1e120
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="overflow float64 in a block whose largest row"):
        bo.error_report(bo.TensorSketch(bo.Polynomial(3), 64), X, n_redraws=3)


def test_a_map_without_theory_says_why():
    report = bo.error_report(bo.FourierFeatures(bo.Matern(1.0), 64, directions="fastfood"), ROWS, n_redraws=4, eps=0.05)
    assert report["root mean square"].predicted is None
    assert "fastfood" in str(report)
    assert "theory has no prediction" in report.verdict
    assert report.needed.by_measurement > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"eps": 1.5}, "eps must be"),
        ({"n_redraws": 2}, "at least 3"),
        ({"n_pairs": 0}, "n_pairs must be"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"eps": 0.1, "diameter": "guess"}, "diameter must be"),
        ({"eps": 0.1, "delta": 2.0}, "delta must be"),
    ],
)
def test_bad_input_is_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        bo.error_report(bo.FourierFeatures(bo.Gaussian(1.0), 16), ROWS, **arguments)


def test_what_is_not_a_map_or_not_data_is_refused():
    from sklearn.kernel_approximation import RBFSampler

    with pytest.raises(TypeError, match="no kernel to compare with"):
        bo.error_report(RBFSampler(), ROWS)
    with pytest.raises(ValueError, match="NaN"):
        bo.error_report(bo.FourierFeatures(bo.Gaussian(1.0), 16), np.full((5, 2), np.nan))
    with pytest.raises(ValueError, match="minimum of 2"):
        bo.error_report(bo.FourierFeatures(bo.Gaussian(1.0), 16), ROWS[:1])


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian("median"), 64), ROWS, eps=0.05, n_redraws=5, n_gram=20)
    figure = report.plot()
    assert len(figure.axes) == 2
    lines = {line.get_label() for line in figure.axes[0].get_lines()}
    assert "theory" in lines
    figure.canvas.draw()
    low, high = figure.axes[0].get_ylim()
    numbers = [label.get_text() for label in figure.axes[0].get_yticklabels() if low <= label.get_position()[1] <= high]
    assert len(numbers) >= 2
    assert all(low <= float(number) <= high for number in numbers)
    assert report.plot_kernel().get_xlabel() == "exact kernel value"
    matplotlib.pyplot.close("all")


def test_importing_the_library_imports_no_plotting():
    code = "import sys, bochner; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_plots_and_frames_name_the_extra(monkeypatch):
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian("median"), 16), ROWS, n_redraws=3, n_gram=10)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"bochner\[plots\]"):
        report.plot()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"bochner\[files\]"):
        report.to_frame()


def test_notebooks_show_a_report():
    report = bo.error_report(bo.FourierFeatures(bo.Gaussian(1.0), 32), ROWS)
    text = report._repr_html_()
    assert report.verdict in html.unescape(text)
    assert f'<td class="number">{report["root mean square"].measured.value:.4g}</td>' in text
    assert text.count("<tr>") == 1 + len(report.quantities)
