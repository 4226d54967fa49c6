"""Sums of products of two sets of features, in the given order and shuffled: all that HSIC needs of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..blocks import Block
from .base import Array, Statistic
from .embedding import row_squares


@dataclass(frozen=True)
class Pairing:
    """Features of both sides of the same rows, and orders in which to shuffle the right side."""

    left: Array  # (rows, left features)
    right: Array  # (rows, right features)
    orders: Array  # (shuffles, rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and left features."""
        return self.left.shape

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.left.nbytes + self.right.nbytes + self.orders.nbytes


class PairSums(Statistic):
    """With features z of the left and t of the right side: n, sum z, sum t, sum z t' for the rows as they are and for
    each shuffle of the right side, and the sums with squared norms by which the unbiased estimate loses the diagonal.
    """

    def __init__(self, n_left: int, n_right: int, n_shuffles: int) -> None:
        self.n_left, self.n_right, self.n_shuffles = n_left, n_right, n_shuffles
        self.n_rows = 0
        self.left, self.right = np.zeros(n_left), np.zeros(n_right)
        self.products = np.zeros((1 + n_shuffles, n_left, n_right))
        self.left_squares = self.right_squares = self.joint_squares = 0.0
        self.left_by_right_squares, self.right_by_left_squares = np.zeros(n_left), np.zeros(n_right)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features, 3, 4)]

    def zero(self) -> Self:
        return type(self)(self.n_left, self.n_right, self.n_shuffles)

    @property
    def nbytes(self) -> int:
        return 8 * (1 + self.n_shuffles) * self.n_left * self.n_right

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        pairing: Pairing = block.X
        left, right = pairing.left, pairing.right
        self.n_rows += block.n_rows
        self.left += left.sum(axis=0, dtype=np.float64)
        self.right += right.sum(axis=0, dtype=np.float64)
        self.products[0] += left.T @ right
        for product, order in zip(self.products[1:], pairing.orders):
            product += left.T @ right[order]
        left_squares, right_squares = row_squares(left), row_squares(right)
        self.left_squares += float(left_squares.sum())
        self.right_squares += float(right_squares.sum())
        self.joint_squares += float(left_squares @ right_squares)
        self.left_by_right_squares += right_squares @ left
        self.right_by_left_squares += left_squares @ right

    def merge(self, other: Self) -> None:
        self.n_rows += other.n_rows
        self.left += other.left
        self.right += other.right
        self.products += other.products
        self.left_squares += other.left_squares
        self.right_squares += other.right_squares
        self.joint_squares += other.joint_squares
        self.left_by_right_squares += other.left_by_right_squares
        self.right_by_left_squares += other.right_by_left_squares

    def biased(self) -> Array:
        """||sum z t' / n - z̄ t̄'||², of the rows as they are and of each shuffle."""
        means = np.outer(self.left, self.right) / self.n_rows
        centred = (self.products - means) / self.n_rows
        return np.einsum("pij,pij->p", centred, centred)

    def unbiased(self) -> float:
        """The U-statistic of HSIC (Song et al. 2012), in features.

        [tr K̃L̃ + 1'K̃1 1'L̃1 / ((n-1)(n-2)) - 2 1'K̃L̃1 / (n-2)] / (n (n-3)), K̃ and L̃ the kernel matrices with 0 on the
        diagonal: tr K̃L̃ = ||sum z t'||² - sum ||z||² ||t||², and so on.
        """
        n = self.n_rows
        product = self.products[0]
        traced = float((product**2).sum()) - self.joint_squares
        left_sum = float(self.left @ self.left) - self.left_squares
        right_sum = float(self.right @ self.right) - self.right_squares
        crossed = float(
            self.left @ product @ self.right
            - self.left_by_right_squares @ self.left
            - self.right_by_left_squares @ self.right
            + self.joint_squares
        )
        return (traced + left_sum * right_sum / ((n - 1) * (n - 2)) - 2 * crossed / (n - 2)) / (n * (n - 3))
