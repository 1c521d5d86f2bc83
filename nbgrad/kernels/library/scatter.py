"""Writing through indices, in their order. All operands are 1-d and contiguous; there is one item."""

from ctypes import Structure
from typing import Any

from nbgrad.kernels.njit import njit
from nbgrad.kernels.records import Item, Pointer, record
from nbgrad.tape.kernel import INDEX_OUT_OF_RANGE, OK


@record
class Scatter(Structure):
    """Of each operand the address and the length; of recurrences alone, what is added, and what was before."""

    n: int
    dst: Pointer[Item]
    length: int
    index: Pointer[int]
    n_index: int
    values: Pointer[Item]
    n_values: int
    added: Pointer[Item]
    before: Pointer[Item]


@njit(nogil=True)
def scatter_add(words: Scatter, begin: int, end: int) -> int:
    """dst[index[i]] += values[i] for i = 0, 1, ..."""
    return scatter(words, begin, end, lambda dst, k, value: dst[k] + value)


@njit(nogil=True)
def scatter_put(words: Scatter, begin: int, end: int) -> int:
    """dst[index[i]] = values[i] for i = 0, 1, ..."""
    return scatter(words, begin, end, lambda dst, k, value: value)


@njit(nogil=True)
def scatter_product(words: Scatter, begin: int, end: int) -> int:
    """dst[index[i]] *= values[i] for i = 0, 1, ..."""
    return scatter(words, begin, end, lambda dst, k, value: dst[k] * value)


@njit(nogil=True)
def scatter_max(words: Scatter, begin: int, end: int) -> int:
    """dst[index[i]] = max(dst[index[i]], values[i]) for i = 0, 1, ...; NaN stays."""
    return scatter(words, begin, end, lambda dst, k, value: value if value > dst[k] or value != value else dst[k])


@njit(nogil=True)
def scatter_min(words: Scatter, begin: int, end: int) -> int:
    """dst[index[i]] = min(dst[index[i]], values[i]) for i = 0, 1, ...; NaN stays."""
    return scatter(words, begin, end, lambda dst, k, value: value if value < dst[k] or value != value else dst[k])


@njit(nogil=True)
def scatter(words: Scatter, begin: int, end: int, written: Any) -> int:
    """dst[index[i]] = written(dst, index[i], values[i]) for i = 0, 1, ..."""
    dst, length, index, values = words.dst, words.length, words.index, words.values
    for i in range(words.n if begin < end else 0):
        k = index[i]
        if k < 0 or k >= length:
            return INDEX_OUT_OF_RANGE
        dst[k] = written(dst, k, values[i])
    return OK


@njit(nogil=True)
def scatter_recurrence(words: Scatter, begin: int, end: int) -> int:
    """dst[index[i]] = dst[index[i]] * values[i] + added[i] for i = 0, 1, ...; before[i] is what it was."""
    dst, length, index, values, added, before = (
        words.dst,
        words.length,
        words.index,
        words.values,
        words.added,
        words.before,
    )
    for i in range(words.n if begin < end else 0):
        k = index[i]
        if k < 0 or k >= length:
            return INDEX_OUT_OF_RANGE
        before[i] = dst[k]
        dst[k] = dst[k] * values[i] + added[i]
    return OK
