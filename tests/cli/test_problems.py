"""What goes wrong ends in one sentence and the right exit code, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.cli.conftest import FAST, frame

FIT = ("--target", "price", "--drop", "id", "--drop", "cheap", *FAST)


@pytest.fixture
def bad(tmp_path):
    """Files that cannot be used, each in its own way."""
    rows = frame()
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "names.csv").write_text("size,price\n")
    (tmp_path / "ragged.csv").write_text("size,price\n1,2\n1,2,3\n")
    (tmp_path / "junk.csv").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "junk.parquet").write_bytes(b"PAR1" + bytes(range(256)))
    (tmp_path / "junk.npy").write_bytes(b"not an array")
    (tmp_path / "junk.svm").write_text("one two three\n")
    (tmp_path / "what.is").write_text("size,price\n1,2\n")
    (tmp_path / "one.csv").write_text("size,price\n1,2\n3,2\n")
    (tmp_path / "gap.csv").write_text("size,price\n1,2\n3,\n4,5\n")
    (tmp_path / "lonely.csv").write_text("price\n1.5\n2.5\n")
    (tmp_path / "few.csv").write_text("size,price\n1.5,2.5\n2.5,3.5\n")
    np.save(tmp_path / "cube.npy", np.zeros((3, 3, 3)))
    rows.drop(columns="height").to_csv(tmp_path / "lacks.csv", index=False)
    rows.assign(height="tall").to_csv(tmp_path / "words.csv", index=False)
    late = "size,price\n" + "\n".join(f"{i}.5,{i}.25" for i in range(700_000)) + "\nwide,1.0\n"
    (tmp_path / "late.csv").write_text(late)
    (tmp_path / "folder").mkdir()
    return tmp_path


DATA = {
    "missing.csv": "no file",
    "empty.csv": "empty",
    "names.csv": "no rows",
    "ragged.csv": "columns",
    "junk.csv": "",
    "junk.parquet": "",
    "junk.npy": "",
    "junk.svm": "",
    "what.is": "--format",
    "one.csv": "one value",
    "gap.csv": "1 missing",
    "lonely.csv": "no columns left",
    "cube.npy": "shape (3, 3, 3)",
    "folder": "no file",
    "late.csv": "'size' holds 'wide'",
}


def one_sentence(ran):
    """Standard error is one line that names the command; no traceback."""
    lines = [line for line in ran.err.splitlines() if line.startswith("bochner: ")]
    return len(lines) == 1 and "Traceback" not in ran.err and len(lines[0]) < 400


@pytest.mark.parametrize("name", DATA)
def test_data_that_cannot_be_used(run, bad, name):
    target = () if name.endswith("svm") else ("--target", "x0" if name.endswith("npy") else "price")
    ran = run("fit", bad / name, *target, *FAST, "--out", bad / "m")
    assert (ran.code, one_sentence(ran)) == (3, True), ran.err
    assert DATA[name] in ran.err
    assert not (bad / "m").exists()
    assert ran.out == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "prise"), "no column 'prise'"),
        (("--target", "price", "--drop", "sise"), "no column 'sise'"),
        (("--target", "price", "--weight", "kilos"), "no column 'kilos'"),
        ((), "--target"),
        (("--target", "cheap", "--task", "regression"), "words"),
        (("--target", "price", "--test", "nowhere.csv"), "no file"),
    ],
)
def test_columns_that_are_not_there(run, files, tmp_path, arguments, words):
    ran = run("fit", files / "rows.csv", *arguments, *FAST, "--out", tmp_path / "m")
    assert (ran.code, one_sentence(ran)) == (3, True), ran.err
    assert words in ran.err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("name", ["lacks.csv", "words.csv"])
@pytest.mark.parametrize("out", [True, False])
def test_rows_that_the_model_cannot_read(run, bad, model, name, out):
    ran = run("predict", model, bad / name, *(("--out", bad / "p.csv") if out else ()))
    assert (ran.code, one_sentence(ran)) == (3, True), ran.err
    assert "height" in ran.err
    assert not (bad / "p.csv").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit",),
        ("nothing",),
        ("fit", "rows.csv", "--target", "price", "--model", "forest"),
        ("fit", "rows.csv", "--target", "price", "--kernel", "rbf"),
        ("fit", "rows.csv", "--target", "price", "--model", "svc"),
        ("fit", "rows.csv", "--target", "cheap", "--model", "gp"),
        ("fit", "rows.csv", "--target", "price", "--length-scale", "-1"),
        ("fit", "rows.csv", "--target", "price", "--kernel", "polynomial", "--length-scale", "2"),
        ("fit", "rows.csv", "--target", "price", "--components", "10", "--eps", "0.1"),
        ("fit", "rows.csv", "--target", "price", "--test", "1.5"),
        ("fit", "rows.csv", "--target", "price", "--threads", "0"),
        ("fit", "rows.csv", "--target", "price", "--report", "page.html"),
        ("fit", "rows.csv", "--target", "price", "--model", "auto", "--kernel", "gaussian"),
        ("predict", "MODEL", "rows.csv", "--probabilities"),
        ("predict", "MODEL", "rows.csv", "--interval", "0.9"),
        ("plan", "--rows", "0", "--columns", "3"),
        ("reproduce", "no-such-paper"),
    ],
)
def test_calls_that_make_no_sense(run, files, model, arguments):
    given = [files / one if one == "rows.csv" else model if one == "MODEL" else one for one in arguments]
    ran = run(*given)
    assert ran.code == 2, ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert "--help" in ran.err


@pytest.mark.parametrize("content", [None, b"", b"not a model", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "])
@pytest.mark.parametrize("verb", ["predict", "score", "info", "export"])
def test_files_that_are_no_models(run, files, tmp_path, verb, content):
    path = tmp_path / "m"
    if content is not None:
        path.write_bytes(content)
    data = {"info": (), "export": ("--onnx", tmp_path / "m.onnx")}.get(verb, (files / "rows.csv",))
    ran = run(verb, path, *data)
    assert (ran.code, one_sentence(ran)) == (4, True), ran.err
    assert not (tmp_path / "m.onnx").exists()


def test_a_folder_is_no_model(run, files, tmp_path):
    assert run("predict", tmp_path, files / "rows.csv").code == 4


def test_outputs_are_not_replaced_unasked(run, files, model, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("mine")
    for arguments in (
        ("fit", files / "rows.csv", *FIT, "--out", out),
        ("predict", model, files / "rows.csv", "--out", out),
        ("export", model, "--onnx", out),
        ("clusters", files / "rows.csv", *FAST, "--out", out),
    ):
        ran = run(*arguments)
        assert (ran.code, one_sentence(ran)) == (1, True), ran.err
        assert "--force" in ran.err
        assert out.read_text() == "mine"
    assert run("predict", model, files / "rows.csv", "--out", out, "--force").code == 0
    assert out.read_text().startswith("prediction")


def test_an_output_without_a_folder(run, files, model, tmp_path):
    ran = run("predict", model, files / "rows.csv", "--out", tmp_path / "none" / "p.csv")
    assert (ran.code, one_sentence(ran)) == (1, True), ran.err


def test_rows_that_cannot_be_written_leave_nothing(run, files, model, tmp_path, monkeypatch):
    """A disk that is full in the middle of the work."""
    import pyarrow.csv

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pyarrow.csv, "write_csv", full)
    ran = run("predict", model, files / "rows.csv", "--out", tmp_path / "p.csv")
    assert (ran.code, one_sentence(ran)) == (1, True), ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_traceback_only_on_request(run, files):
    quiet, asked = (run("fit", files / "rows.csv", "--target", "prise", *FAST, *extra) for extra in ((), ("--debug",)))
    assert "Traceback" not in quiet.err
    assert "Traceback" in asked.err
    assert quiet.code == asked.code == 3


def test_quiet_says_nothing_else(run, files, tmp_path):
    ran = run("fit", files / "rows.csv", *FIT, "--out", tmp_path / "m", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def command(*arguments, **options):
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "bochner", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def test_help_imports_nothing_heavy():
    code = "import sys; from bochner.cli import main; main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage: bochner" in ran.stdout
    for heavy in ("'numpy'", "'sklearn'", "'pyarrow'", "'rich'"):
        assert heavy not in ran.stderr


def test_an_interrupted_fit_leaves_nothing(tmp_path):
    rows = tmp_path / "rows.csv"
    frame(n_rows=60_000).to_csv(rows, index=False)
    started = command(
        "fit", rows, "--target", "price", "--components", "3000", "--kernel", "gaussian", "--out", tmp_path / "m"
    )
    assert started.stderr.readline().startswith("price:")  # learning begins
    time.sleep(0.5)
    started.send_signal(signal.SIGINT)
    _, err = started.communicate(timeout=120)
    assert started.returncode == 130, err
    assert err.splitlines()[-1] == "bochner: Interrupted: nothing was written."
    assert "Traceback" not in err
    assert os.listdir(tmp_path) == ["rows.csv"]


def test_a_reader_that_has_seen_enough(files, model):
    started = command("predict", model, *([files / "rows.csv"] * 200))
    started.stdout.close()
    assert started.stderr.read() == ""
    assert started.wait(60) == 0
