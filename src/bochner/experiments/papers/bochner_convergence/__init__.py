"""Bochner's theorem at work: unbiased, at the rate 1/sqrt(D), uniformly; and why learners need far fewer features."""

from __future__ import annotations

from ...datasets import DataSets
from ...experiment import Experiment, Progress
from ...result import Result
from . import learning, rate, supremum


class BochnerConvergence(Experiment):
    """What the lecture, the blog post and the encyclopedia say about convergence."""

    name = "bochner-convergence"
    title = "Convergence of random Fourier features"
    source = (
        "A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines (2007), claim 1; the encyclopedia's "
        "article Random feature, theorem and section Historical context."
    )
    question = (
        "By Bochner's theorem the mean of cos(w'(x - y)) over frequencies w of the kernel's spectrum is the kernel. So "
        "features are unbiased, their error falls as D^(-1/2), and bounds say how small it is everywhere at once. The "
        "variance asks for ten thousand features where an error of 0.01 is wanted; in practice a hundred are said to "
        "do. Both are right, about different things."
    )

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        return sum((part.run(quick, progress) for part in (rate, supremum, learning)), Result())
