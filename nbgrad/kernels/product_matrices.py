"""Where the matrices of a product start, for the kernel of warps."""

from __future__ import annotations

from typing import Any

from nbgrad.kernels.flow import quotient, remainder
from nbgrad.kernels.values import I64
from nbgrad.kernels.words import Words
from nbgrad.tape.product_words import (
    FACTORS,
    MATRICES,
    PRODUCT_WORDS,
    TERM_WORDS,
    first_matrix,
    first_term,
    term_words,
)


class Matrices:
    """Where the matrices of one product of a batch start; its place is the index along each of ``rank`` batch dims."""

    def __init__(self, words: Words, rank: int) -> None:
        self.words, self.ir, self.rank = words, words.ir, rank

    def positions(self, batch: Any) -> list[Any]:
        """The place of number ``batch``."""
        found = []
        for dim in reversed(range(self.rank)):
            size = self.words[len(PRODUCT_WORDS) + dim]
            found.append(remainder(self.ir, batch, size))
            batch = quotient(self.ir, batch, size)
        return found[::-1]

    def result(self, name: str, positions: list[Any]) -> Any:
        """Where x, y or c starts."""
        return self._start(I64(first_matrix(self.rank) + MATRICES.index(name) * (1 + self.rank)), positions)

    def term_at(self, term: Any) -> Any:
        """The first word of a term."""
        return self.ir.add(I64(first_term(self.rank)), self.ir.mul(term, I64(term_words(self.rank))))

    def factors(self, term_at: Any, positions: list[Any]) -> tuple[Any, Any]:
        """Where A and B of a term start."""
        first = len(TERM_WORDS)
        a, b = (self.ir.add(term_at, I64(first + i * (1 + self.rank))) for i in range(len(FACTORS)))
        return self._start(a, positions), self._start(b, positions)

    def _start(self, at: Any, positions: list[Any]) -> Any:
        """Of the matrix whose address is word ``at``, its batch strides the words after that."""
        place = self.words[at]
        for dim, position in enumerate(positions):
            place = self.ir.add(place, self.ir.mul(position, self.words[self.ir.add(at, I64(1 + dim))]))
        return place
