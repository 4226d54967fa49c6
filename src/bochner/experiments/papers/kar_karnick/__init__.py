"""Random feature maps for dot product kernels: the poster's table on five sets, and what it leaves open."""

from __future__ import annotations

from ...datasets import DataSets
from ...experiment import Experiment, Progress
from ...result import Result
from . import best, nursery, table, tasks, vectors
from .poster import SETS


class KarKarnick(Experiment):
    """Support vector machines with the kernel itself, with random features, and with H0/1."""

    name = "kar-karnick"
    title = "Random feature maps for dot product kernels: five sets"
    source = (
        "P. Kar and H. Karnick, Random Feature Maps for Dot Product Kernels (AISTATS 2012), the poster: the table on "
        "UCI datasets."
    )
    question = (
        "A kernel machine predicts by a sum over its support vectors, of which there are more the more rows it learned "
        "from. Random Maclaurin features make it a linear machine, and H0/1 keeps the constant and linear terms exact. "
        "How accurate are they beside the exact kernel, and how many times as fast? Polynomial kernel "
        "(1 + <x, y>)^10, on Nursery (1 + <x, y>/10)^10, and exponential kernel exp(<x, y>); the poster's numbers of "
        "random features D, to which H0/1 adds the columns of the set and one."
    )
    sets = SETS

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        found, cells = table.run(quick, data, progress)
        found += best.run(quick, data, progress, cells)
        found += nursery.run(quick, data, progress, cells)
        found += vectors.run(quick, data, progress) + tasks.run(quick, data, progress)
        return found + Result(
            notes=(
                "Rows are one-hot (Nursery), standardised (Cod-RNA), as they are (Adult, IJCNN) or scaled to [0, 1] "
                "(Covertype), and then divided by their length. The poster says nothing of scaling, C, sigma, p or its "
                "split: C of every machine of the table is tuned on training rows alone, p = 2 and sigma = 1. Adult's "
                "best machine is one of four that were compared on test rows.",
                "The exact kernel is LIBSVM (scikit-learn's SVC); features are trained on the same rows: 20,000 of "
                "Adult and Covertype, elsewhere all of the training file. Tests are on 20,000 rows where there are "
                "more. Times are seconds of one processor after a warm-up, of features the median over draws; "
                "accuracies are means over draws.",
                "Training speed-ups depend on C, which the poster does not tell: LIBSVM takes long for a large C with "
                "the polynomial kernel. So they stand beside those against LIBSVM's default, C = 1.",
            )
        )
