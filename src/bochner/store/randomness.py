"""The state of random generators, given as a random_state, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .format import ModelFileError, Node

Random = np.random.Generator | np.random.RandomState

_WORDS = 624  # of the state of the Mersenne twister
_MOST_SEEDS = 64  # numbers in a seed


def is_storable(random: Random) -> bool:
    """Generators of numpy's default kind, and the RandomState that scikit-learn uses."""
    if isinstance(random, np.random.Generator):
        bits = random.bit_generator
        return type(random) is np.random.Generator and type(bits) is np.random.PCG64 and _seed_node(bits) is not None
    return type(random) is np.random.RandomState and isinstance(random._bit_generator, np.random.MT19937)


def random_node(random: Random) -> Node:
    """The state as JSON."""
    if isinstance(random, np.random.Generator):
        state: Any = random.bit_generator.state
        numbers = [state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]]
        return {"pcg64": [[int(number) for number in numbers], _seed_node(random.bit_generator)]}
    _, words, position, has_gauss, gauss = random.get_state(legacy=True)
    return {"mt19937": [np.asarray(words).tolist(), int(position), int(has_gauss), float(gauss)]}


def _seed_node(bits: np.random.BitGenerator) -> Node:
    """Entropy, spawn key and number of children: what ``spawn`` goes on from. None where it is of another kind."""
    seed = bits.seed_seq
    if type(seed) is not np.random.SeedSequence or seed.pool_size != 4:
        return None
    entropy: Any = seed.entropy
    numbers = [entropy] if isinstance(entropy, int | np.integer) else list(entropy or ())
    if not (1 <= len(numbers) <= _MOST_SEEDS and all(isinstance(number, int | np.integer) for number in numbers)):
        return None
    children = int(seed.n_children_spawned)
    return [[int(number) for number in numbers], [int(key) for key in seed.spawn_key], children]


def generator(parts: Any) -> np.random.Generator:
    """A generator in a stored state."""
    if not (isinstance(parts, list) and len(parts) == 2 and isinstance(parts[1], list) and len(parts[1]) == 3):
        raise ModelFileError("the state of a random generator is not as expected")
    state, increment, has_uint32, uinteger = _whole_numbers(parts[0], (1 << 128, 1 << 128, 2, 1 << 32))
    entropy, key, children = parts[1]
    if not (isinstance(entropy, list) and isinstance(key, list) and 1 <= len(entropy) <= _MOST_SEEDS):
        raise ModelFileError("the seed of a random generator is not as expected")
    _whole_numbers(entropy, (1 << 1024,) * len(entropy))
    _whole_numbers(key, (1 << 32,) * min(len(key), _MOST_SEEDS))
    _whole_numbers([children], (1 << 32,))
    start = entropy[0] if len(entropy) == 1 else entropy
    bits = np.random.PCG64(np.random.SeedSequence(start, spawn_key=tuple(key), n_children_spawned=children))
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": increment},
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
    return np.random.Generator(bits)


def random_state(parts: Any) -> np.random.RandomState:
    """A RandomState in a stored state; a position outside the words would be read out of bounds by numpy."""
    if not (isinstance(parts, list) and len(parts) == 4 and isinstance(parts[3], float)):
        raise ModelFileError("the state of a RandomState is not as expected")
    words = _whole_numbers(parts[0], (1 << 32,) * _WORDS)
    position, has_gauss = _whole_numbers(parts[1:3], (_WORDS + 1, 2))
    random = np.random.RandomState(0)
    random.set_state(("MT19937", np.array(words, dtype=np.uint32), position, has_gauss, parts[3]))
    return random


def _whole_numbers(values: Any, limits: tuple[int, ...]) -> list[int]:
    if not isinstance(values, list) or len(values) != len(limits):
        raise ModelFileError("the state of a random generator is not as expected")
    for value, limit in zip(values, limits):
        if type(value) is not int or not 0 <= value < limit:
            raise ModelFileError("the state of a random generator has numbers outside their range")
    return values
