"""Where models are written to and read from: names of every kind, and what is no file, or has no room."""

import os
import resource
import stat

import pytest

import bochner as bo
from tests.store.models import fitted_learner

WRITERS = [bo.save, bo.to_onnx]


@pytest.fixture(autouse=True)
def onnx():
    pytest.importorskip("onnx")


@pytest.fixture
def others(tmp_path):
    """A folder, a pipe and a device."""
    os.mkdir(tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe")
    ours, theirs = os.openpty()
    yield {"a folder": tmp_path / "folder", "a pipe": tmp_path / "pipe", "a device": os.ttyname(theirs)}
    os.close(ours)
    os.close(theirs)


def test_names_of_every_kind(tmp_path):
    model = fitted_learner("KernelRidge")
    for path in (tmp_path / "model", str(tmp_path / "model"), bytes(tmp_path / "model")):
        bo.save(model, path)
        assert isinstance(bo.load(path), bo.KernelRidge)
        bo.to_onnx(model, path)
    with pytest.raises(bo.ModelFileError, match=f"The file {tmp_path} cannot"):
        bo.load(bytes(tmp_path))


@pytest.mark.parametrize("write", WRITERS)
def test_nothing_but_files_is_written_to(write, others):
    before = {kind: os.stat(path).st_mode for kind, path in others.items()}
    for kind, path in others.items():
        with pytest.raises(OSError, match=f"Cannot write .*: it is {kind}; give the name of a file"):
            write(fitted_learner("KernelRidge"), path)
    assert {kind: os.stat(path).st_mode for kind, path in others.items()} == before


def test_nothing_but_files_is_read(others):
    for path in others.values():
        with pytest.raises(bo.ModelFileError, match="not a regular file"):
            bo.load(path)


@pytest.mark.parametrize("write", WRITERS)
def test_no_room(write, tmp_path):
    """A limit on the length of files stands for a full disk: the system refuses the same calls."""
    path = tmp_path / "model"
    path.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"^(\[Errno \d+\] )?Cannot write .*model \(.*\): what was .* intact\.$"):
            write(fitted_learner("KernelRidge"), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("write", WRITERS)
def test_rights_stay(write, tmp_path):
    path = tmp_path / "model"
    path.touch(0o600)
    write(fitted_learner("KernelRidge"), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
