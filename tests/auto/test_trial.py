"""Of several regularisations on the same features, the one that is kept."""

import bochner as bo
from bochner.auto.candidates import Candidate
from bochner.auto.families import Binning, Fourier
from bochner.auto.trial import AS_GOOD, WORTH, chosen_place

DENSE = Candidate(Fourier(), bo.Gaussian(1.0), "some")
CODED = Candidate(Binning(), bo.Laplace(1.0), "some")


def test_less_alpha_than_gcv_finds_must_be_clearly_better():
    almost, clearly = 1.001 / WORTH, 0.999 / WORTH
    assert chosen_place([1.0, almost, 2.0, 2.0], DENSE) == 0
    assert chosen_place([1.0, clearly, 2.0, 2.0], DENSE) == 1
    assert chosen_place([1.0, almost, 0.9999, 2.0], DENSE) == 2
    assert chosen_place([1.0], DENSE) == 0


def test_the_largest_alpha_of_codes_that_is_as_good():
    assert chosen_place([1.2, 1.0, 0.999 / AS_GOOD, 1.5], CODED) == 2
    assert chosen_place([1.2, 1.0, 1.001 / AS_GOOD, 1.5], CODED) == 1
