"""Nets of a set: how many balls cover it, how well given points cover it, and a net by farthest points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from .checks import Array, count, one_of, points, positive


def covering_number_bound(dim: int, diameter: float, radius: float, *, method: str = "isodiametric") -> float:
    """Bound the number N_r of balls of radius r, centres in the set, that cover a set of the given diameter in R^d.

        isodiametric: (1 + diameter/r)^d, and 1 for r >= diameter;   published: (2 diameter/r)^d.

    Take points of the set that are more than r apart, as many as there is room for: balls of radius r around them cover
    it. Balls of radius r/2 around them are disjoint and lie in a set of diameter (diameter + r), whose volume is at
    most that of a ball of that diameter (isodiametric inequality): that is the first bound, for every set. The second
    follows from it where r <= diameter, and is false for r > 2 diameter, where it is below 1.

    Parameters
    ----------
    dim : int
    diameter, radius : float
    method : {"isodiametric", "published"}, default="isodiametric"

    Returns
    -------
    float

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.covering_number_bound(1, 1.0, 0.3), 4)
    4.3333
    """
    ratio = positive(diameter, "diameter") / positive(radius, "radius")
    isodiametric = one_of(method, ("isodiametric", "published"), "method") == "isodiametric"
    if isodiametric and ratio <= 1.0:
        return 1.0
    with np.errstate(over="ignore"):
        return float(np.float64(1.0 + ratio if isodiametric else 2.0 * ratio) ** count(dim, "dim"))


def covering_radius(M: Any, C: Any, *, order: float = 2.0) -> float:
    """The largest distance of a row of M from its nearest row of C: max_{x in M} min_{c in C} ||x - c||.

    Balls of this radius around the rows of C cover M, and no smaller ones do.

    Parameters
    ----------
    M, C : array of shape (n_rows, n_columns)
    order : float >= 1, default=2.0
        Of the distance (sum_j |x_j - y_j|^order)^(1/order): 1 city block, 2 Euclidean, inf the largest column.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> M = np.arange(11.0)[:, None]
    >>> bo.theory.covering_radius(M, [[0.0], [10.0], [5.0]])
    2.0
    """
    M, C = points(M, "M"), points(C, "C")
    if M.shape[1] != C.shape[1]:
        raise ValueError(f"M has {M.shape[1]} columns and C has {C.shape[1]}: give points of one space.")
    return float(KDTree(C).query(M, p=order)[0].max())


def packing_radius(C: Any, *, order: float = 2.0) -> float:
    """Half the smallest distance between two rows of C: the largest radius at which balls around them are disjoint.

    Parameters
    ----------
    C : array of shape (n_rows, n_columns)
    order : see covering_radius

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.packing_radius([[0.0], [10.0], [5.0]])
    2.5
    """
    C = points(C, "C", at_least=2)
    return float(0.5 * KDTree(C).query(C, k=2, p=order)[0][:, 1].min())


def epsilon_net(M: Any, eps: float, *, start: int = 0, order: float = 2.0) -> Array:
    """Rows of M within eps of which every row of M lies, more than eps apart from each other: an eps-net.

    Farthest points (Gonzalez 1985): begin with one row, and add the row farthest from those chosen until none is
    farther than eps. So packing_radius >= eps/2 and covering_radius <= eps, in general without equality, and the number
    of rows is at most ``covering_number_bound(dim, diameter, eps)``. Time grows as rows times size of the net.

    Parameters
    ----------
    M : array of shape (n_rows, n_columns)
    eps : float
    start : int, default=0
        The row to begin with.
    order : see covering_radius

    Returns
    -------
    array of shape (n_net, n_columns)
        In the order in which they were chosen.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> bo.theory.epsilon_net(np.arange(11.0)[:, None], 3.0).ravel()
    array([ 0., 10.,  5.])
    """
    M, eps = points(M, "M"), positive(eps, "eps")
    if not -len(M) <= start < len(M):
        raise ValueError(f"start must be the number of a row of M, which has {len(M)}, but it is {start!r}.")
    chosen = [start]
    nearest = distances(M, M[start], order)
    while nearest.max() > eps:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances(M, M[chosen[-1]], order))
    return M[chosen]


def distances(M: Array, centre: Array, order: float) -> Array:
    """Distance of each row from the centre."""
    return cdist(M, centre[None, :], "minkowski", p=order)[:, 0]
