"""The state of random generators, given as a random_state, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .format import ModelFileError, Node

Random = np.random.Generator | np.random.RandomState

_WORDS = 624  # of the state of the Mersenne twister


def is_storable(random: Random) -> bool:
    """Generators of numpy's default kind, and the RandomState that scikit-learn uses."""
    if isinstance(random, np.random.Generator):
        return type(random) is np.random.Generator and type(random.bit_generator) is np.random.PCG64
    return type(random) is np.random.RandomState and isinstance(random._bit_generator, np.random.MT19937)


def random_node(random: Random) -> Node:
    """The state as JSON."""
    if isinstance(random, np.random.Generator):
        state: Any = random.bit_generator.state
        numbers = [state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]]
        return {"pcg64": [int(number) for number in numbers]}
    _, words, position, has_gauss, gauss = random.get_state(legacy=True)
    words = np.asarray(words)
    return {"mt19937": [words.tolist(), int(position), int(has_gauss), float(gauss)]}


def generator(numbers: Any) -> np.random.Generator:
    """A generator in a stored state."""
    state, increment, has_uint32, uinteger = _whole_numbers(numbers, (1 << 128, 1 << 128, 2, 1 << 32))
    bits = np.random.PCG64(0)
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
