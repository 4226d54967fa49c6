"""What the regressions with another loss than squares share: targets in units of their own."""

from __future__ import annotations

from abc import abstractmethod

from ..blocks import BlockSource
from ..losses import Loss
from ..statistics.held_out import Error
from .penalised import PenalisedMachine
from .regression import Regression
from .units import UNIT_ROWS, Units


class PenalisedRegression(PenalisedMachine, Regression):
    """Minimises ||W||²/2 + C sum_i v_i l(y_i, W'z(x_i) + b) for targets less their mean, over their spread."""

    @abstractmethod
    def _loss(self, unit: float) -> Loss:
        """The loss of targets in these units."""

    @abstractmethod
    def _error(self) -> Error:
        """The error by which C is chosen, in any unit."""

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._loss(1.0)

    def _learn_coded(self, source: BlockSource, n_columns: int) -> None:
        units = Units.of(source.sample(UNIT_ROWS), self.fit_intercept)
        self._minimise(self._passes(source.mapped(units)), self._loss(units.unit), self._error(), n_columns, units)
