"""Digests see every byte of arrays and nothing else of them; blocks that are read carry the mark of their rows."""

from __future__ import annotations

import gc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.blocks import Block, CachedBlocks
from bochner.blocks.fingerprint import CHUNK_BYTES, Digest, digest
from bochner.blocks.paired import PairedBlocks
from bochner.compute.mixing import mixed

quick = settings(max_examples=40, deadline=None, derandomize=True)


def fingerprint(source: bo.ArrayBlocks) -> str:
    return source.fingerprint(Digest())


@quick
@given(
    st.sampled_from(["f8", "f4", "i8", "i2", "?", "U3", ">f8"]),
    st.lists(st.integers(1, 7), min_size=1, max_size=3),
    st.data(),
)
def test_every_value_of_an_array_counts(kind, shape, data) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(kind)
    before = digest(array)
    assert digest(array.copy(order="F")) == before
    assert digest(array[::-1].copy()[::-1]) == before
    place = tuple(data.draw(st.integers(0, length - 1)) for length in shape)
    array[place] = np.array(not array[place] if kind == "?" else "abc" if kind == "U3" else 99, dtype=kind)
    assert digest(array) != before


@quick
@given(st.integers(1, 200), st.data())
def test_every_bit_of_memory_counts(length, data) -> None:
    memory = np.random.default_rng(length).integers(256, size=length + 8, dtype=np.uint8)
    some = memory[data.draw(st.integers(0, 8)) :][:length]  # words need not lie at multiples of their size
    before = mixed(some)
    np.testing.assert_array_equal(before, mixed(some.copy()))
    some[data.draw(st.integers(0, length - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert (mixed(some) != before).sum() == 1  # one of four words takes in the byte


def test_the_order_of_bytes_counts() -> None:
    memory = np.random.default_rng(0).integers(256, size=320, dtype=np.uint8)
    orders = [memory, memory[::-1], np.roll(memory, 32), memory.reshape(2, 160)[::-1].ravel(), memory.copy()]
    assert len({mixed(np.ascontiguousarray(one)).tobytes() for one in orders}) == 4


def test_arrays_of_many_chunks_and_arrays_of_the_same_bytes() -> None:
    array = np.random.default_rng(0).normal(size=(3 * CHUNK_BYTES // 80 + 5, 10))
    before = digest(array)
    assert digest(np.asfortranarray(array)) == before
    for place in ((0, 0), (len(array) // 2, 3), (len(array) - 1, 9)):
        array[place] = -array[place]
        assert digest(array) != before
        array[place] = -array[place]
    assert digest(array) == before
    few = np.arange(6.0)
    assert len({digest(few), digest(few.reshape(2, 3)), digest(few.view(np.int64)), digest(few[:0])}) == 4


def test_objects_count_by_what_they_are() -> None:
    word = "".join(["w", "ord"])
    assert digest(np.array(["word", "word"], dtype=object)) == digest(np.array(["word", word], dtype=object))
    assert digest(np.array(["word", "word"], dtype=object)) != digest(np.array(["word", "wort"], dtype=object))


def test_sparse_matrices_count_by_their_entries() -> None:
    matrix = sp.random(50, 20, density=0.2, format="csr", random_state=0)
    before = digest(matrix)
    assert matrix.has_canonical_format  # found out and remembered in the matrix
    assert digest(matrix) == before
    matrix.data[17] *= 2.0
    assert digest(matrix) != before
    matrix.data[17] /= 2.0
    matrix.indices[17] = (matrix.indices[17] + 1) % 20
    assert digest(matrix) != before


def test_functions_count_by_what_they_do() -> None:
    def power(exponent: float):
        return lambda x: x**exponent

    assert digest(power(2.0)) == digest(power(2.0))
    assert digest(power(2.0)) != digest(power(3.0))
    assert digest(lambda x: x + 1) == digest(lambda x: x + 1)
    assert digest(lambda x: x + 1) != digest(lambda x: x + 2)
    assert digest(lambda x: x + 1) != digest(lambda x: x - 1)
    assert digest(lambda x, y=1: x + y) != digest(lambda x, y=2: x + y)


def test_an_array_is_read_once_for_a_digest_and_another_in_its_place_anew() -> None:
    known = Digest()
    first = np.zeros(CHUNK_BYTES)
    before = known(first)
    first[5] = 1.0  # must not be done, and shows that it was not read again
    assert known(first) == before
    assert Digest()(first) != before
    place = id(first)
    del first
    gc.collect()
    for _ in range(20):
        second = np.ones(CHUNK_BYTES)
        assert known(second) == digest(second)
        if id(second) == place:
            break


@quick
@given(
    kind=st.sampled_from(["dense", "fortran", "sparse", "single", "memmap"]),
    which=st.sampled_from("Xyw"),
    data=st.data(),
)
def test_every_value_of_a_source_in_memory_counts(kind, which, data, tmp_path_factory) -> None:
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(1501, 3)), rng.normal(size=1501), rng.uniform(size=1501)
    if kind == "sparse":
        X = sp.csr_matrix(X * (X > 0.5))
    elif kind == "memmap":
        path = tmp_path_factory.mktemp("rows") / "rows.npy"
        np.save(path, X)
        X = np.load(path, mmap_mode="r+")
    else:
        X = np.asarray(X, order="F" if kind == "fortran" else "C", dtype=np.float32 if kind == "single" else None)
    before = fingerprint(bo.ArrayBlocks(X, y, weight))
    assert fingerprint(bo.ArrayBlocks(X.copy(), y.copy(), weight.copy())) == before
    changed = {"X": X.data if kind == "sparse" else X, "y": y, "w": weight}[which]
    place = tuple(data.draw(st.integers(0, length - 1)) for length in changed.shape)
    changed[place] = np.nextafter(changed[place], changed.dtype.type(9.0))
    assert fingerprint(bo.ArrayBlocks(X, y, weight)) != before


def test_what_else_a_fingerprint_tells_apart() -> None:
    X, y = np.zeros((100, 2)), np.ones(100)
    sources = [
        bo.ArrayBlocks(X, y),
        bo.ArrayBlocks(X, None, y),
        bo.ArrayBlocks(X),
        bo.ArrayBlocks(X, y, block_rows=10),
        bo.ArrayBlocks(X.astype(np.float32), y),
        bo.ArrayBlocks(X.reshape(50, 4), y[:50]),
        PairedBlocks(bo.ArrayBlocks(X), bo.ArrayBlocks(X)),
        PairedBlocks(bo.ArrayBlocks(X), bo.ArrayBlocks(X + 1.0)),
    ]
    assert len({fingerprint(source) for source in sources}) == len(sources)


def made_sources(folder):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3))
    columns = {**dict(zip("aby", values.T)), "word": rng.choice(["red", "green"], size=300)}
    pq.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=70)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
    (folder / "rows.csv").write_text("\n".join(lines))
    (folder / "rows.svm").write_text("".join(f"{y} 1:{a} 2:{b}\n" for a, b, y in values))
    encoded = {"target": "y", "encoder": bo.TableEncoder(), "block_rows": 50}
    return {
        "parquet": bo.ParquetBlocks(folder / "rows.parquet", **encoded),
        "csv": bo.CsvBlocks(folder / "rows.csv", **encoded),
        "svmlight": bo.SvmlightBlocks(folder / "rows.svm", block_rows=50),
        "batches": bo.BatchBlocks([(values[i : i + 40, :2], values[i : i + 40, 2]) for i in range(0, 300, 40)]),
    }


def marks(source) -> list[int]:
    return [part.mark() for lane in source.lanes(1, 10**9) for part in lane]


@pytest.mark.parametrize("kind", ["parquet", "csv", "svmlight", "batches"])
def test_blocks_that_are_read_carry_the_marks_of_their_rows(kind, tmp_path) -> None:
    source = made_sources(tmp_path)[kind].rechunked(50)
    expected = marks(source)
    assert len(set(expected)) == 6
    assert 0 not in expected
    assert [block.mark for block in source] == expected
    cached = CachedBlocks(source.mapped(doubled), 10**6)
    assert marks(cached) == expected
    assert [block.mark for block in cached] == expected
    assert [block.mark for block in cached] == expected  # from the shelf
    assert marks(made_sources(tmp_path)[kind].rechunked(50)) == expected
    assert marks(made_sources(tmp_path)[kind].rechunked(60)) != expected


def doubled(block):
    X = block.X.toarray() if sp.issparse(block.X) else block.X
    return Block(2 * X, block.y, block.weight)


def test_blocks_in_memory_have_no_marks() -> None:
    source = bo.ArrayBlocks(np.zeros((100, 2)), block_rows=10).mapped(doubled)
    assert {block.mark for block in source} == {0}
    assert set(marks(source)) == {0}
    assert {block.mark for block in PairedBlocks(source, source)} == {0}
