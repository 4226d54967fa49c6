"""The poster's toy experiments: kernel matrices rebuilt, and where H0/1 pays."""

from __future__ import annotations

from ...datasets import DataSets
from ...experiment import Experiment, Progress
from ...result import Result
from . import reconstruction, widths


class KarKarnickToy(Experiment):
    """Random Maclaurin features with and without H0/1, against their number."""

    name = "kar-karnick-toy"
    title = "Random feature maps for dot product kernels: where H0/1 pays"
    source = (
        "P. Kar and H. Karnick, Random Feature Maps for Dot Product Kernels (AISTATS 2012), the poster: toy "
        "experiments, and figures (c) and (d)."
    )
    question = (
        "H0/1 keeps the constant and the linear term of a kernel exact, at the price of d + 1 more columns and of more "
        "factors in each random one. The poster says that it rebuilds kernel matrices with a sharper drop of the "
        "error, does best with few features, and at last loses by the time it takes. How much is it, kernel by kernel?"
    )
    sets = ("nursery", "ijcnn1")

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        return reconstruction.run(quick, progress) + widths.run(quick, data, progress)
