"""Parameters of parameters: ``set_params(feature_map__n_components=100)``, and one sentence where there is no part."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from ..kernels.names import OwnNames


class Composite(OwnNames, BaseEstimator):
    """An estimator made of parts, some of which may be None: the library's choice, made in fit."""

    def refuse_collections(self) -> None:
        """Refuse arrays, lists and the like as parameters: each has one value, but the weights of classes."""
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, list | tuple | dict | set | np.ndarray) and name != "class_weight":
                raise TypeError(f"{name} must be one value, not {type(value).__name__}.")

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of a part as ``part__name``, as everywhere in scikit-learn."""
        own = self.get_params(deep=False) | params
        for name in params:
            part, _, inner = name.partition("__")
            if inner and part in own and own[part] is None:
                raise ValueError(
                    f"{name} cannot be set, since {part} is None (chosen in fit): give a {part} first, "
                    f"as in {type(self).__name__}({part}=...)."
                )
        return super().set_params(**params)
