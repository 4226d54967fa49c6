"""Files that ask for more than they hold: parts named again and again, counts enlarged, lists multiplied, nests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bochner.store.format import document_text
from tests.store.mutations import signed

Rng = np.random.Generator
Tensors = dict[str, np.ndarray]
Document = dict[str, Any]

MOST_CHARACTERS = 20_000  # of a document: larger ones show nothing new, and take long to write
MOST_NUMBERS = 100_000  # in an array


def grown(metadata: dict[str, str], tensors: Tensors, rng: Rng) -> bytes:
    """A file with a right checksum that was grown in one to four ways, without arrays that belong to nothing."""
    text, tensors = metadata["document"], dict(tensors)
    ways = [WAYS[place] for place in rng.integers(len(WAYS), size=rng.integers(1, 4))]
    for way in [stretched, *ways] if rng.random() < 0.5 else ways:  # a long array is worth naming often
        if len(text) < MOST_CHARACTERS:
            document = json.loads(text)
            way(document, tensors, rng)
            text = document_text(document)
    names = {content for kind, content in _nodes(json.loads(text)) if kind in ARRAYS and isinstance(content, str)}
    used = {name: array for name, array in tensors.items() if name in names}
    return signed(metadata | {"document": text}, used)


ARRAYS = ("array", "fortran", "text", "words", "scalar", "floats")


def _nodes(node: Any) -> Iterator[tuple[str, Any]]:
    """Kind and content of every node in the document."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and len(node) == 1:
        yield next(iter(node.items()))
    for child in children:
        yield from _nodes(child)


def _lists(node: Any) -> Iterator[list[Any]]:
    children = node.values() if isinstance(node, dict) else node
    for child in children:
        if isinstance(child, list) and child:
            yield child
        if isinstance(child, dict | list):
            yield from _lists(child)


def _times(rng: Rng, of: Any) -> int:
    """How often to repeat a piece of the document."""
    return max(1, min(int(10 ** rng.uniform(0.3, 4.0)), MOST_CHARACTERS // (1 + len(document_text(of)))))


def _attributes(document: Document, rng: Rng) -> dict[str, Any]:
    return document["objects"][rng.integers(len(document["objects"]))]["attributes"]


def repeated_entries(document: Document, tensors: Tensors, rng: Rng) -> None:
    """A list in an attribute, or all of them, many times as long."""
    lists = [entries for item in document["objects"] for entries in _lists(item["attributes"])]
    if lists:
        entries = lists[rng.integers(len(lists))]
        entries[:] = entries * _times(rng, entries)


def larger_counts(document: Document, tensors: Tensors, rng: Rng) -> None:
    """One whole number, wherever it stands, times a power of ten."""
    counts = {value for item in document["objects"] for value in item["attributes"].values() if type(value) is int}
    if counts:
        old, factor = rng.choice(sorted(counts)), 10 ** int(rng.integers(1, 12))
        for item in document["objects"]:
            for name, value in item["attributes"].items():
                if type(value) is int and value == old:
                    item["attributes"][name] = int(old) * factor


def one_array_everywhere(document: Document, tensors: Tensors, rng: Rng) -> None:
    """Every node of arrays names the same one."""
    name = str(rng.choice(sorted(tensors)))
    for item in document["objects"]:
        _rename(item["attributes"], name)


def _rename(node: Any, name: str) -> None:
    if isinstance(node, dict) and len(node) == 1 and next(iter(node)) in ("array", "fortran", "floats", "words"):
        node[next(iter(node))] = name
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _rename(child, name)


def many_of_one(document: Document, tensors: Tensors, rng: Rng) -> None:
    """An attribute that is a list of one expensive thing, made of arrays of the file or of a new one."""
    index = int(rng.integers(len(document["objects"])))
    size = int(10 ** rng.uniform(2.0, 5.0))
    new = {"x": np.zeros(size), "i": np.zeros(size, np.int64), "p": np.array([0, size]), "c": np.full((size, 1), 9728)}
    new["c"] = new["c"].astype(np.uint32)
    present = [{kind: content} for kind, content in _nodes(document) if kind in (*ARRAYS, "sparse", "mt19937", "tuple")]
    choices = [
        {"array": "x"},
        {"floats": "x"},
        {"words": "c"},
        {"sparse": ["matrix", 3, {"array": "x"}, {"array": "i"}, {"array": "p"}]},
        {"object": int(rng.integers(index + 1))},
        {"pcg64": [[0, 1, 0, 0], [[0], [], 0]]},
        {"not_stored": ["", ""]},
        [[[[[0]]]]],
        *(present[rng.integers(len(present))] for _ in range(3) if present),
    ]
    one = choices[rng.integers(len(choices))]
    tensors.update(new)
    attributes = document["objects"][index]["attributes"]
    names = ["_many", "extra_", *attributes]
    many = [one] * _times(rng, one)
    attributes[names[rng.integers(len(names))]] = many if rng.random() < 0.5 else {"tuple": many}


def stretched(document: Document, tensors: Tensors, rng: Rng) -> None:
    """One length many times as long, in every array and count that has it: often a larger model that is whole."""
    lengths = sorted({length for array in tensors.values() for length in array.shape if length > 1})
    if not lengths:
        return
    length, factor = int(rng.choice(lengths)), int(rng.integers(2, 300))
    for name, array in tensors.items():
        times = [factor if size == length else 1 for size in array.shape]
        if array.size * np.prod(times) <= MOST_NUMBERS:
            tensors[name] = np.tile(array, times) if array.ndim else array
    for item in document["objects"]:
        for name, value in item["attributes"].items():
            if type(value) is int and value in (length, length + 1):
                item["attributes"][name] = value * factor


def empty_and_wide(document: Document, tensors: Tensors, rng: Rng) -> None:
    """An array without entries that claims a long axis, and the counts that go with it."""
    name = str(rng.choice(sorted(tensors)))
    array, width = tensors[name], 10 ** int(rng.integers(3, 13))
    if array.ndim == 2:
        tensors[name] = np.empty((0, width), array.dtype)
        for item in document["objects"]:
            for key, value in item["attributes"].items():
                if type(value) is int and value in array.shape:
                    item["attributes"][key] = width


def side_by_side(document: Document, tensors: Tensors, rng: Rng) -> None:
    """Features of the model put side by side with themselves, once or doubled again and again."""
    objects = document["objects"]
    root = objects[-1]["attributes"]
    features = root.get("features_")
    if not (isinstance(features, dict) and set(features) == {"object"} and type(features["object"]) is int):
        return
    levels = 1 if rng.random() < 0.5 else int(rng.integers(2, 14))
    for _ in range(levels):
        index = features["object"]
        if not 0 <= index < len(objects) - 1:
            return
        old = objects[index]["attributes"]
        times = _times(rng, features) if levels == 1 else 2
        new = {name: old[name] for name in ("n_features_in", "dtype") if name in old}
        width = old.get("n_components")
        new |= {"n_components": width * times} if type(width) is int else {}
        new |= {"parts": {"tuple": [features] * times}, "weights": {"tuple": [1.0] * times}}
        objects.insert(len(objects) - 1, {"class": "ConcatenatedFeatures", "attributes": new})
        features = {"object": len(objects) - 2}
    root["features_"] = features
    document["root"] = {"object": len(objects) - 1}


def nested(document: Document, tensors: Tensors, rng: Rng) -> None:
    """An attribute inside lists, tuples or tables, again and again, with a width at every level."""
    attributes = _attributes(document, rng)
    if attributes:
        name = rng.choice(sorted(attributes))
        node = attributes[name]
        for _ in range(rng.integers(1, 20)):
            node = [node, {"tuple": [node]}, {"dict": [[0, node]]}][rng.integers(3)]
        attributes[name] = [node] * _times(rng, node)


def sums_of_sums(document: Document, tensors: Tensors, rng: Rng) -> None:
    """A kernel plus itself, doubled again and again."""
    objects = document["objects"]
    places = [
        (item, name)
        for item in objects
        for name, value in item["attributes"].items()
        if name in ("kernel", "kernel_") and isinstance(value, dict) and "object" in value
    ]
    if not places or not objects:
        return
    item, name = places[rng.integers(len(places))]
    node = item["attributes"][name]
    at = next(index for index, one in enumerate(objects) if one is item)
    sums = []
    for _ in range(rng.integers(1, 14)):
        sums.append({"class": "Sum", "attributes": {"left": node, "right": node}})
        node = {"object": at + len(sums) - 1}
    item["attributes"][name] = node
    for other in objects[at:]:
        _shift(other["attributes"], at, len(sums), but=node)
    objects[at:at] = sums
    document["root"] = {"object": len(objects) - 1}


def _shift(node: Any, at: int, by: int, but: Any) -> None:
    """Move references to what comes after an insertion."""
    if node is but:
        return
    if isinstance(node, dict) and set(node) == {"object"} and type(node["object"]) is int and node["object"] >= at:
        node["object"] += by
        return
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _shift(child, at, by, but)


WAYS: list[Callable[[Document, Tensors, Rng], None]] = [
    repeated_entries,
    larger_counts,
    one_array_everywhere,
    many_of_one,
    stretched,
    empty_and_wide,
    side_by_side,
    nested,
    sums_of_sums,
]
