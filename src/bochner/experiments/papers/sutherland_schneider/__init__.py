"""On the error of random Fourier features: the poster's four figures, its bounds on outputs, and the peer it names."""

from __future__ import annotations

from ...datasets import DataSets
from ...experiment import Experiment, Progress
from ...result import Result
from . import largest, outputs, peer, uniform, variance


class SutherlandSchneider(Experiment):
    """Both embeddings of the Gaussian kernel: paired is the poster's phi, shifted its psi."""

    name = "sutherland-schneider"
    title = "On the error of random Fourier features"
    source = "D. J. Sutherland and J. Schneider, On the Error of Random Fourier Features (UAI 2015), the poster."
    question = (
        "Random Fourier features come as cosines and sines of D/2 frequencies (paired, the poster's phi) or as cosines "
        "with random phases of D frequencies (shifted, its psi). Which is better, how large is the largest error over "
        "a set, and what do bounds say about it? The poster's figures 1 to 4 are drawn again with theory and "
        "simulation side by side: Gaussian kernel, length scale 1, one dimension unless said."
    )

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        parts = (variance, uniform, largest, outputs, peer)
        found: Result = sum((part.run(quick, progress) for part in parts), Result())
        return found + Result(
            notes=(
                "Published are values of the poster's formulas; its figures have no numbers. For the expected largest "
                "error of shifted features it is the smaller end of the range that the poster gives.",
            )
        )
