"""The page about a model: true figures, one file, every picture with its numbers."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import bochner as bo
from bochner.report.page.column_section import importances
from bochner.report.page.subject import Subject
from bochner.report.page.svg import Axis

SECTIONS = ("verdict", "errors", "columns", "kernel", "data", "again")
VOID = {"meta", "br", "img", "line", "rect", "circle", "polyline", "polygon"}


def rows(n_rows, seed):
    """Two columns that count and one that does not, labels of a colour, numbers and classes to predict."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"size": rng.normal(size=n_rows), "noise": rng.normal(size=n_rows)})
    table["colour"] = rng.choice(["red", "green"], n_rows)
    value = np.sin(table["size"]) + (table["colour"] == "red") + 0.1 * rng.normal(size=n_rows)
    return table, value.to_numpy()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def regression(folder):
    """A model of a table, its test rows, and its page."""
    X, y = rows(600, 0)
    batches = [X.assign(y=y)]
    source = bo.BatchBlocks(batches, target="y", encoder=bo.TableEncoder())
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("auto"), 64, random_state=0), random_state=0).fit(source)
    X_test, y_test = rows(400, 1)
    bo.report_page(model, X_test, y_test, folder / "regression.html")
    return model, X_test, y_test, (folder / "regression.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=[2, 10])
def classes(request, folder):
    """A model of two or of ten labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    y = np.digitize(X[:, 0] + 0.2 * X[:, 1], np.quantile(X[:, 0], np.arange(1, request.param) / request.param))
    labels = np.array([f"kind-{one}" for one in y])
    features = bo.FourierFeatures(bo.Gaussian(2.0), 128, random_state=0)
    model = bo.KernelLogisticRegression(features).fit(X[:500], labels[:500])
    path = folder / f"{request.param}.html"
    bo.report_page(model, X[500:], labels[500:], path)
    return model, X[500:], labels[500:], path.read_text(encoding="utf-8")


class Balanced(HTMLParser):
    """Every element that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.problems = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID and (not self.open or self.open.pop() != tag):
            self.problems.append(tag)


def check_whole(text):
    parser = Balanced()
    parser.feed(text)
    assert parser.problems == []
    assert parser.open == []
    assert len(text.encode()) < 150_000
    assert not re.search(r'(src|href)="(?!#)', text)  # nothing but links within the page
    assert "http" not in text
    assert (
        "nan" not in re.sub(r"<title>|<script>.*</script>", "", text, flags=re.S).replace("kind", "").split("<main>")[0]
    )
    assert text.count("<figure>") == text.count("<details>")
    for name in SECTIONS:
        assert f'<section id="{name}"' in text
        assert f'<a href="#{name}">' in text


def cells(text, first):
    """The cells of the row of a table that begins with these words."""
    row = re.search(rf"<tr><td>{re.escape(first)}</td>(.*?)</tr>", text)[1]
    return re.findall(r"<td[^>]*>(.*?)</td>", row)


def test_scores_of_numbers(regression):
    model, X, y, text = regression
    check_whole(text)
    value, interval, baseline = cells(text, "R²")
    expected = 1.0 - np.mean((model.predict(X) - y) ** 2) / np.var(y)
    low, high = map(float, interval.split(" to "))
    assert float(value) == pytest.approx(expected, abs=5e-4)
    assert low < expected < high
    assert baseline == "0"
    assert float(cells(text, "root mean squared error")[2]) == pytest.approx(np.std(y), rel=1e-3)


def test_the_interval_covers_the_score_of_all_rows():
    """Of ninety-five per cent: over forty tests of 300 rows at most six of them may miss."""
    X, y = rows(600, 0)
    X = X[["size", "noise"]].to_numpy()
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.0), 32, random_state=0), 1.0).fit(X, y)
    from bochner.report.page.verdict_section import section

    new, target = rows(20_000, 2)
    predicted = model.predict(new[["size", "noise"]].to_numpy())
    true = 1.0 - np.mean((predicted - target) ** 2) / np.var(target)
    missed = 0
    for seed in range(40):
        X_test, y_test = rows(300, 100 + seed)
        made = section(Subject.of(model, X_test[["size", "noise"]].to_numpy(), y_test, 0), 0)
        low, high = map(float, cells(made.body, "R²")[1].split(" to "))
        missed += not low <= true <= high
    assert missed <= 6


def test_scores_of_labels(classes):
    model, X, y, text = classes
    check_whole(text)
    share = np.unique(y, return_counts=True)[1].max() / len(y)
    assert float(cells(text, "accuracy")[0]) == pytest.approx(model.score(X, y), abs=5e-4)
    assert float(cells(text, "accuracy")[2]) == pytest.approx(share, abs=5e-4)
    probabilities = model.predict_proba(X)
    assert float(cells(text, "log loss")[0]) == pytest.approx(
        log_loss(y, probabilities, labels=model.classes_), rel=1e-3
    )
    if len(model.classes_) == 2:
        area = roc_auc_score(y == model.classes_[1], probabilities[:, 1])
        assert float(cells(text, "area under the ROC curve")[0]) == pytest.approx(area, abs=5e-4)


def test_confusions_add_up(classes):
    _, _, y, text = classes
    table = text[text.index("Rows by true label") :]
    labels = np.unique(y)
    for label in labels:
        assert sum(int(count) for count in cells(table, label)) == np.sum(y == label)


def test_columns_that_count_come_first(regression):
    """A column without influence has none, within five standard errors; the others are in the order of what they do."""
    model, X, y, text = regression
    found = importances(Subject.of(model, X, y, 0), np.random.default_rng(0))
    assert [one.name for one in found][2] == "noise"
    assert abs(found[2].rise) < 0.02
    assert min(found[0].rise, found[1].rise) > 0.3
    assert text.index("<td>size</td>") > 0


def test_importance_is_twice_the_variance_for_a_column_that_is_the_target():
    """Shuffled, y has the squared error E(y - y')² = 2 var y."""
    X = np.random.default_rng(0).normal(size=(3000, 2))
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(3.0), 256, random_state=0), 1e-6).fit(X, X[:, 0])
    found = importances(Subject.of(model, X, X[:, 0], 0), np.random.default_rng(0))
    assert found[0].name == "x0"
    assert found[0].rise == pytest.approx(2.0, rel=0.06)


def test_the_error_of_the_kernel_is_that_of_the_report(classes):
    _, _, _, text = classes
    assert "Error of the kernel against the number of features" in text
    assert "promised by theory" in text


def test_a_model_without_probabilities_or_a_kernel(folder):
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = bo.ExactKernelRidgeClassifier(bo.Gaussian(1.0), 1.0).fit(X, y)
    bo.report_page(model, X, y, folder / "plain.html")
    text = (folder / "plain.html").read_text(encoding="utf-8")
    assert "no probabilities" in text
    assert 'id="kernel"' not in text


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.zeros((5, 2)), np.zeros(5), "at least 10"),
        (np.zeros((20, 2)), np.zeros(19), "20 rows but y has 19"),
        (np.zeros((20, 2)), np.zeros((20, 2)), "several columns"),
    ],
)
def test_rows_that_make_no_page(folder, X, y, words):
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.0), 8), 1.0).fit(np.eye(20)[:, :2], np.arange(20.0))
    with pytest.raises(ValueError, match=words):
        bo.report_page(model, X, y, folder / "none.html")
    assert not (folder / "none.html").exists()


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3e-7, 9e-7), (1e6, 1e6 + 3), (-50.0, 1200.0)])
def test_ticks_are_few_round_and_within(low, high):
    for axis in (Axis("", low, high), Axis("", max(low, 1e-9), high, log=True)):
        ticks = axis.ticks()
        assert 1 <= len(ticks) <= 8
        assert len({words for _, words in ticks}) == len(ticks)
        for value, words in ticks:
            assert axis.low * (1 - 1e-9) <= value <= axis.high * (1 + 1e-9) or not axis.log
            assert abs(float(words) - value) <= 1e-3 * (high - low)


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def luminance(colour):
    """Of a colour as CSS writes it, after the guidelines for accessible content."""
    values = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_words_and_marks_stand_out_in_both_themes(regression):
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in regression[3].split("@media (prefers", 1))
    for theme in (light, dark):
        paper = luminance(theme["paper"])
        for name, colour in theme.items():
            if name in ("paper", "rule", "wash"):
                continue
            high, low = sorted((luminance(colour), paper), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= (4.5 if name in ("ink", "pale", "link") else 3.0), name


PROBE = """<script>
  var root = document.documentElement;
  document.querySelector(".mark").dispatchEvent(new Event("focusin", {bubbles: true}));
  var asked = performance.getEntriesByType("resource").length, paper = getComputedStyle(document.body).backgroundColor;
  var found = [window.innerWidth, root.scrollWidth - root.clientWidth, asked, paper];
  parent.postMessage(found.concat([document.getElementById("tip").textContent]).join(";"), "*");
</script></body>"""
AROUND = """<iframe width="%d" height="800" style="border: 0; color-scheme: %s" src="page.html"></iframe>
<script>
  window.onmessage = function (event) { document.documentElement.dataset.found = event.data; };
</script>"""


def in_a_browser(text, folder, width, theme="light"):
    """What a page of this width finds about itself, and what the browser said."""
    (folder / "page.html").write_text(text.replace("</body>", PROBE), encoding="utf-8")
    (folder / "around.html").write_text(AROUND % (width, theme), encoding="utf-8")
    options = (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--virtual-time-budget=3000",
    )
    home, page = f"--user-data-dir={folder / 'home'}", (folder / "around.html").as_uri()
    command = [CHROMIUM, *options, "--allow-file-access-from-files", home, "--dump-dom", page]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return re.search(r'data-found="([^"]*)"', ran.stdout)[1].split(";", 4), ran.stderr


@pytest.mark.skipif(CHROMIUM is None, reason="There is no browser here: make test-page installs one.")
@pytest.mark.parametrize("width", [390, 1100])
def test_in_a_browser(regression, classes, tmp_path, width):
    """Nothing asked of a network, no message, no horizontal scroll on a phone, marks that say their values."""
    for kind, (_, _, _, text) in (("regression", regression), ("classes", classes)):
        folder = tmp_path / kind
        folder.mkdir()
        (found_width, scroll, requests, _, tip), said = in_a_browser(text, folder, width)
        assert (found_width, scroll, requests) == (str(width), "0", "0")
        assert re.search(r"\d", tip)
        assert "CONSOLE" not in said
