"""Damage to model files: at random in the bytes, and on purpose in the document with the checksum made right again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from safetensors.numpy import save as safetensors_bytes

from bochner.store.format import digest, document_text

Rng = np.random.Generator


def damaged(content: bytes, rng: Rng) -> bytes:
    """One to three changes of a few bytes, a cut, a repetition, a lie about the header."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(data))) if rng.random() < 0.5 else int(rng.integers(min(len(data), 600)))
        length = int(rng.integers(1, 40))
        kind = rng.integers(7)
        if kind == 0:
            data[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            del data[place : place + length]
        elif kind == 3:
            data[place:place] = rng.bytes(length)
        elif kind == 4:
            data[place : place + length] = data[place + length : place + 2 * length]
        elif kind == 5:
            data[place : place + length] = bytes(length)
        else:
            data[:8] = int(rng.integers(2**63) >> rng.integers(64)).to_bytes(8, "little")
        if not data:
            data = bytearray(b"x")
    return bytes(data)


def signed(metadata: dict[str, str], tensors: dict[str, np.ndarray]) -> bytes:
    """A file with a right checksum, whatever is in it."""
    metadata = {key: value for key, value in metadata.items() if key != "sha256"}
    return safetensors_bytes(tensors, metadata | {"sha256": digest(metadata, sorted(tensors.items()))})


def hostile(metadata: dict[str, str], tensors: dict[str, np.ndarray], rng: Rng) -> bytes:
    """A file by somebody who knows the format: nodes, names, classes and arrays replaced, the checksum right."""
    document = json.loads(metadata["document"])
    tensors = dict(tensors)
    for _ in range(rng.integers(1, 4)):
        if rng.random() < 0.35:
            name = rng.choice(sorted(tensors))
            tensors[name] = _other_array(tensors[name], rng)
        else:
            spots = list(_spots(document))
            replace, old = spots[rng.integers(len(spots))]
            replace(_other_node(old, [node for _, node in spots], rng))
    return signed(metadata | {"document": document_text(document)}, tensors)


def _spots(node: Any) -> Any:
    """Every place in the document, as a function that sets it and what is there."""
    children: list[Any] = list(node.items()) if isinstance(node, dict) else list(enumerate(node))
    for key, child in children:
        yield _setter(node, key), child
        if isinstance(child, dict | list):
            yield from _spots(child)


def _setter(node: Any, key: Any) -> Callable[[Any], None]:
    def replace(value: Any) -> None:
        if isinstance(node, dict) and isinstance(value, str) and value.startswith("name:"):
            node[value[5:]] = node.pop(key, None)
        elif isinstance(node, dict) and value == "gone":
            node.pop(key, None)
        else:
            node[key] = value

    return replace


def _other_node(old: Any, nodes: list[Any], rng: Rng) -> Any:
    if type(old) in (int, float) and rng.random() < 0.5:
        return [old + 1, old - 1, -old, old * 2, old * 10**9, old + 0.5][rng.integers(6)]
    choices = [None, True, -1, 0, 3, 2**40, 10**30, 1e300, "", "median", "gone", [], {}, [[0.0]], {"float": "nan"}]
    choices += [{"object": 0}, {"object": 1}, {"object": -1}, {"array": "0"}, {"array": "1"}, {"fortran": "2"}]
    choices += [{"dtype": "float32"}, {"dtype": "int8"}, {"tuple": []}, {"dict": [[{"array": "0"}, 1]]}, {"text": "0"}]
    choices += ["name:__class__", "name:__dict__", "name:predict", "name:n_components", "name:features_"]
    choices += ["os.system", "FourierFunction", "Gaussian", "KernelRidge", {"not_stored": ["a", "b"]}]
    if rng.random() < 0.4:
        return json.loads(json.dumps(nodes[rng.integers(len(nodes))]))
    return choices[rng.integers(len(choices))]


def _other_array(array: np.ndarray, rng: Rng) -> np.ndarray:
    kind = rng.integers(7)
    if kind == 0:
        return np.ascontiguousarray(array.reshape(-1)[: int(rng.integers(array.size + 1))])
    if kind == 1:
        return array.astype([np.float32, np.float64, np.int64, np.uint8, np.bool_][rng.integers(5)])
    if kind == 2:
        return array[None]
    if kind == 3:
        return np.ascontiguousarray(array.T)
    if kind == 4:
        return np.concatenate([array.reshape(-1)] * 2)
    other = array.copy()
    if other.size:
        with np.errstate(all="ignore"):
            values = np.array([np.nan, np.inf, -1e30, 1e9, -1, 2**31, 0.5])
            other.reshape(-1)[rng.integers(other.size)] = values.astype(other.dtype)[rng.integers(len(values))]
    return other
