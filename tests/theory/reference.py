"""The project's reference values, computed independently of the code."""

import json
from pathlib import Path
from typing import Any

import numpy as np

VALUES: dict[str, Any] = json.loads((Path(__file__).parent / "reference_values.json").read_text())


def split(key: str) -> dict[str, float]:
    """'d=2,z=0.5' -> {'d': 2.0, 'z': 0.5}."""
    return {name: float(value) for name, value in (part.split("=") for part in key.split(","))}


def error_by_definition(kernel: Any, difference: Any, width: int, embedding: str, repeats: int) -> np.ndarray:
    """z(x)'z(y) - k(x, y) for y = -x, from the definition of the embedding and not by the library's maps."""
    rng = np.random.default_rng(5)
    difference = np.atleast_1d(np.asarray(difference, dtype=float))
    n_frequencies = width // 2 if embedding == "paired" else width
    values = np.cos(kernel.sample_frequencies(len(difference), repeats * n_frequencies, rng) @ difference)
    if embedding == "shifted":
        values += np.cos(rng.uniform(0, 2 * np.pi, size=values.shape))
    return values.reshape(repeats, n_frequencies).mean(axis=1) - kernel.at(difference)[0]
