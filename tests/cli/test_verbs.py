"""The command does what the library does, on files of every format."""

import inspect
import json

import numpy as np
import onnxruntime
import pandas as pd
import pytest

import bochner as bo
from bochner.cli.main import VERBS, bochner
from tests.cli.conftest import FAST, ROWS, frame

TABLES = ("rows.csv", "rows.csv.gz", "rows.csv.bz2", "rows.tsv", "rows.parquet")
APART = ("--drop", "id", "--drop", "cheap")


def r2(y, predicted):
    return 1.0 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2)


@pytest.mark.parametrize("name", TABLES)
def test_every_format_gives_the_same_model(run, files, model, tmp_path, name):
    out = tmp_path / "m"
    ran = run("fit", files / name, "--target", "price", *APART, *FAST, "--out", out)
    assert ran.code == 0, ran.err
    assert "price: numbers" in ran.err
    assert "2 of numbers, 1 of labels (colour: 2), with missing values height" in ran.err
    rows = frame()[["size", "height", "colour"]]
    np.testing.assert_allclose(bo.load(out).predict(rows), bo.load(model).predict(rows), rtol=1e-9)


def test_the_model_is_the_one_that_python_fits(files, model):
    source = bo.CsvBlocks(
        files / "rows.csv",
        target="price",
        columns=["size", "height", "colour"],
        encoder=bo.TableEncoder(missing="indicator"),
    )
    features = bo.FourierFeatures(bo.Gaussian("auto"), 64, random_state=0)
    same = bo.KernelRidge(features, random_state=0).fit(source)
    np.testing.assert_array_equal(same.coef_, bo.load(model).coef_)


@pytest.mark.parametrize("name", [*TABLES, "-"])
def test_predictions_are_those_of_the_model(run, files, model, name):
    stdin = (files / "rows.csv").read_bytes() if name == "-" else b""
    ran = run("predict", model, name if name == "-" else files / name, stdin=stdin)
    assert ran.code == 0, ran.err
    expected = bo.load(model).predict(frame()[["size", "height", "colour"]])
    np.testing.assert_allclose(ran.table()["prediction"], expected, rtol=1e-12)


def test_columns_are_kept_to_the_letter(run, files, model, tmp_path):
    ran = run("predict", model, files / "rows.csv", "--keep", "id", "--keep", "colour")
    assert list(ran.table().columns) == ["id", "colour", "prediction"]
    assert ran.out.splitlines()[1].startswith("9007199254740993,")  # 2^53 + 1, which floats round
    assert run("predict", model, files / "rows.csv", "--out", tmp_path / "p.parquet", "--keep", "id").code == 0
    assert pd.read_parquet(tmp_path / "p.parquet")["prediction"].notna().sum() == len(frame())


def test_several_files_and_globs(run, files, model):
    whole = run("predict", model, files / "rows.csv", "--keep", "id").table().sort_values("id")
    parts = run("predict", model, files / "part-*.csv", "--keep", "id").table().sort_values("id")
    np.testing.assert_array_equal(whole.to_numpy(), parts.to_numpy())
    assert run("score", model, *sorted(files.glob("part-*.csv")), "--target", "price").code == 0


def test_scores_of_numbers(run, files, model):
    found = json.loads(run("score", model, files / "rows.csv", "--target", "price", "--json").out)
    rows = frame()
    assert found["R2"] == pytest.approx(r2(rows["price"], bo.load(model).predict(rows[["size", "height", "colour"]])))
    assert found["R2"] > 0.8


@pytest.mark.parametrize("learner", ["logistic", "svc", "ridge"])
def test_labels_and_their_scores(run, files, tmp_path, learner):
    out = tmp_path / "m"
    options = ("--target", "cheap", "--drop", "id", "--drop", "price", "--model", learner, *FAST, "--test", "0.25")
    ran = run("fit", files / "rows.csv", *options, "--out", out)
    assert ran.code == 0, ran.err
    assert "labels, 2 different; classification" in ran.err
    assert float(ran.out.split("accuracy")[1].split()[0]) > 0.8
    predicted = run("predict", out, files / "rows.parquet")
    assert set(predicted.table()["prediction"]) == {"yes", "no"}
    scores = json.loads(run("score", out, files / "rows.csv", "--target", "cheap", "--json").out)
    assert scores["accuracy"] == pytest.approx(np.mean(predicted.table()["prediction"] == frame()["cheap"]))


def test_probabilities_add_up(run, files, tmp_path):
    out = tmp_path / "m"
    options = ("--target", "cheap", "--drop", "id", "--drop", "price", "--model", "logistic", *FAST)
    assert run("fit", files / "rows.csv", *options, "--out", out).code == 0
    rows = run("predict", out, files / "rows.csv", "--probabilities").table()
    np.testing.assert_allclose(rows["probability_no"] + rows["probability_yes"], 1.0)
    assert ((rows["probability_yes"] > 0.5) == (rows["prediction"] == "yes")).all()


def test_intervals_of_a_gaussian_process_cover(run, files, tmp_path):
    out = tmp_path / "m"
    assert run("fit", files / "rows.csv", "--target", "price", *APART, "--model", "gp", *FAST, "--out", out).code == 0
    rows = run("predict", out, files / "rows.csv", "--interval", "0.9", "--keep", "price").table()
    inside = (rows["lower"] <= rows["price"]) & (rows["price"] <= rows["upper"])
    assert 0.8 < inside.mean() <= 1.0


@pytest.mark.parametrize(("name", "target"), [("rows.npy", ("--target", "x2")), ("rows.svm", ())])
def test_arrays_and_sparse_rows(run, files, tmp_path, name, target):
    out = tmp_path / "m"
    assert run("fit", files / name, *target, *FAST, "--out", out).code == 0
    n_rows = len(run("predict", out, files / name).table())
    assert n_rows == len(frame())
    figures = json.loads(run("score", out, files / name, *target, "--json").out)
    assert figures.get("R2", figures.get("accuracy")) > 0.2


@pytest.mark.parametrize(("target", "other"), [("price", "cheap"), ("cheap", "price")])
def test_a_search_is_kept_like_any_model(run, files, tmp_path, target, other):
    out, page = tmp_path / "m", tmp_path / "page.html"
    columns = ("--target", target, "--drop", "id", "--drop", other, "--budget", "3")
    ran = run("fit", files / "rows.csv", *columns, "--test", "0.3", "--out", out, "--report", page)
    assert ran.code == 0, ran.err
    assert "models were tried" in ran.err
    assert float(ran.out.split("R2" if target == "price" else "accuracy")[1].split()[0]) > 0.8
    found = run("predict", out, files / "rows.parquet").table()["prediction"]
    expected = bo.load(out).predict(frame()[["size", "height", "colour"]])
    np.testing.assert_array_equal(found, expected) if target == "cheap" else np.testing.assert_allclose(found, expected)
    assert "models were tried" in run("info", out).out
    assert "<section" in page.read_text(encoding="utf-8")


def test_a_page_about_a_model(run, files, model, tmp_path):
    out = tmp_path / "page.html"
    assert run("report", model, files / "rows.csv", "--target", "price", "--out", out).code == 0
    expected = json.loads(run("score", model, files / "rows.csv", "--target", "price", "--json").out)["R2"]
    assert f"R² {expected:.4g}" in out.read_text(encoding="utf-8")
    again = tmp_path / "again.html"
    fitted = run("fit", files / "rows.csv", "--target", "price", *APART, *FAST, "--test", "0.3", "--report", again)
    assert fitted.code == 0, fitted.err
    assert "<section" in again.read_text(encoding="utf-8")


def test_some_rows_are_a_fair_sample(monkeypatch, files, model):
    """Halved until few enough are left: each row as likely as the others."""
    from bochner.cli import scored
    from bochner.cli.data import opened

    monkeypatch.setattr(scored, "MOST_ROWS", 60)
    loaded, counts = bo.load(model), np.zeros(ROWS)
    places = {value: place for place, value in enumerate(frame()["size"])}
    for seed in range(200):
        X, y = scored.some_rows(loaded, opened([str(files / "rows.parquet")]), "price", seed)
        assert len(y) <= 60
        counts[[places[value] for value in X.column("size").to_pylist()]] += 1
    share = counts.mean() / 200
    assert np.abs(counts / 200 - share).max() < 5 * np.sqrt(share * (1 - share) / 200)
    assert counts[:120].sum() == pytest.approx(counts[120:].sum(), rel=0.1)


def test_a_file_of_test_rows(run, files):
    ran = run("fit", files / "part-*.csv", "--target", "price", *APART, *FAST, "--test", files / "rows.csv", "--json")
    assert json.loads(ran.out)["rows"] == len(frame())
    assert "was not kept" not in ran.err


def test_the_task_may_be_said(run, files, tmp_path):
    rows = pd.DataFrame({"x": np.arange(60.0), "stars": np.arange(60) % 5})
    rows.to_csv(tmp_path / "stars.csv", index=False)
    assert "classification" in run("fit", tmp_path / "stars.csv", "--target", "stars", *FAST).err
    assert "regression" in run("fit", tmp_path / "stars.csv", "--target", "stars", "--task", "regression", *FAST).err


def test_without_targets(run, files, tmp_path):
    rows = ("--drop", "cheap", "--keep", "id", *FAST)
    marked = run("outliers", files / "rows.csv", *rows, "--share", "0.1", "--save", tmp_path / "m").table()
    assert 0.0 < marked["outlier"].mean() <= 0.1
    assert marked["score"][marked["outlier"]].max() <= marked["score"][~marked["outlier"]].min()
    assert bo.load(tmp_path / "m").nu == 0.1
    groups = run("clusters", files / "rows.parquet", *rows, "--count", "3").table()
    assert set(groups["cluster"]) == {0, 1, 2}
    plane = run("components", files / "rows.csv", *rows, "--count", "2").table()
    assert plane["component_0"].var() >= plane["component_1"].var() > 0


def test_two_files_are_compared(run, files, tmp_path):
    moved = frame(seed=1)
    same, other = tmp_path / "same.csv", tmp_path / "other.csv"
    moved.to_csv(same, index=False)
    moved.assign(size=moved["size"] + 1.0).to_csv(other, index=False)
    options = ("--drop", "id", "--json", *FAST, "--permutations", "200")
    assert json.loads(run("compare", files / "rows.csv", same, *options).out)["p"] > 0.01
    assert json.loads(run("compare", files / "rows.csv", other, *options).out)["p"] < 0.01


def test_the_error_of_the_kernel(run, files):
    rows = ("--drop", "id", "--drop", "cheap")
    report = json.loads(run("error", files / "rows.csv", *rows, *FAST, "--json").out)
    assert report
    assert "root mean square" in run("error", files / "rows.csv", *rows, *FAST).out
    advice = run("recommend", files / "rows.csv", *rows, "--kernel", "laplace", "--eps", "0.2")
    assert advice.code == 0, advice.err
    assert "Take " in advice.out


def test_what_is_in_a_model(run, model):
    found = json.loads(run("info", model, "--json").out)
    assert found["model"] == "KernelRidge"
    assert found["features"] == 64
    assert found["columns"] == "size, height, colour"
    assert "colour" in run("info", model).out


def test_a_plan(run):
    found = json.loads(run("plan", "--rows", "1e8", "--columns", "10", "--components", "64", "--json").out)
    assert found["seconds"] > 0
    assert found["rows per second"] == pytest.approx(1e8 / found["seconds"], rel=0.05)


def test_export(run, files, tmp_path):
    out, graph = tmp_path / "m", tmp_path / "m.onnx"
    columns = ("--drop", "id", "--drop", "cheap", "--drop", "colour")
    assert run("fit", files / "rows.csv", "--target", "price", *columns, *FAST, "--out", out).code == 0
    assert run("export", out, "--onnx", graph).code == 0
    session = onnxruntime.InferenceSession(graph)
    rows = frame()[["size", "height"]].dropna()
    X = rows.to_numpy(dtype=np.dtype("float32" if "float)" in session.get_inputs()[0].type else "float64"))
    found = session.run(None, {session.get_inputs()[0].name: X})[0].ravel()
    np.testing.assert_allclose(found, bo.load(out).predict(rows), rtol=1e-3, atol=1e-3)


def test_published_results(run):
    listed = run("reproduce").out
    assert "kar-karnick" in listed
    assert run("reproduce", "covering", "--quick").code == 0
    assert run("reproduce", "nothing").code == 2


def test_the_list_of_verbs_says_what_the_verbs_say():
    for name, (_, words) in VERBS.items():
        command = bochner.get_command(None, name)
        assert command.name == name
        said = inspect.cleandoc(command.help).split("\n")[0]
        assert set(words.rstrip("?.").lower().split()[:2]) <= set(said.lower().replace("these", "").split()), (
            name,
            said,
        )


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_every_verb(run, verb):
    ran = run(verb, "--help")
    assert ran.code == 0
    assert "Usage: bochner" in ran.out
