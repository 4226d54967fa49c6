"""The hot loops, compiled with numba: they release the GIL and leave the threads to their caller."""

from bochner.compute.trigonometry import cosine_sine, shifted_cosine

__all__ = ["cosine_sine", "shifted_cosine"]
