"""The hot loops, compiled with numba: they release the GIL and leave the threads to their caller."""

from bochner.compute.hadamard import fastfood_turns, sorf_turns, walsh_hadamard
from bochner.compute.trigonometry import cosine_sine, shifted_cosine

__all__ = ["cosine_sine", "shifted_cosine", "walsh_hadamard", "sorf_turns", "fastfood_turns"]
