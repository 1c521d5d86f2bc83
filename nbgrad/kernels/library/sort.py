"""The places of integers in ascending order, row by row: equal ones keep their order.

Keys are sorted as pairs of 32 bits of the key and a place of 32 bits, one word each: short rows by insertion, longer
ones by their digits of eight bits, from the lowest on (Knuth, The Art of Computer Programming 3, section 5.2.5). Digits
that are the same in the whole row are passed over. Keys of 64 bits are sorted by their lower half, then by their upper
one.
"""

from ctypes import Structure, c_int64
from typing import Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import beyond, item_bytes, room
from nbgrad.kernels.records import Item, Pointer, record
from nbgrad.tape.kernel import OK

SHORT: Final = 48  # elements: insertion of more takes longer than counting digits and summing the counts
DIGIT: Final = 8  # bits
DIGITS: Final = 4  # of half a key
VALUES: Final = 1 << DIGIT
COUNTS: Final = c_int64 * (DIGITS * VALUES)
LOW: Final = (1 << 32) - 1


@record
class Order(Structure):
    """Keys, places and scratch are contiguous; an item is a row. Scratch has two words for each key."""

    length: int
    kept: int  # places of each row that are wanted, not 0
    keys: Pointer[Item]
    out: Pointer[int]
    scratch: Pointer[int]


@njit(nogil=True)
def order(words: Order, begin: int, end: int) -> int:
    """out[i, k] = the place of the element of row i of which k are before it.

    Where few are wanted, few are held: when there is no room for more they are sorted, the first ones stay, and what
    comes after the last of these is passed over.
    """
    length, kept = words.length, words.kept
    most = min(length, max(2 * kept, kept + VALUES if 2 * kept > SHORT else 0))
    counts = room(COUNTS)
    for row in range(begin, end):
        keys, out = beyond(words.keys, row * length), beyond(words.out, row * kept)
        pairs = beyond(words.scratch, 2 * row * most)
        i, held, last = 0, 0, -1
        while i < length:
            while i < length and held < most:
                if last < 0 or keys[i] < keys[last]:
                    pairs[held] = i
                    held += 1
                i += 1
            arrange(counts, keys, pairs, beyond(pairs, most), held, kept)
            held, last = kept, pairs[kept - 1]
        for k in range(kept):
            out[k] = pairs[k]
    return OK


@njit(nogil=True)
def arrange(
    counts: Pointer[int], keys: Pointer[Item], home: Pointer[int], other: Pointer[int], length: int, kept: int
) -> None:
    """Put the places that ``home`` holds in the order of their keys, the first ``kept`` of them."""
    pairs = home
    for half in range(item_bytes(keys) // 4):
        fill(pairs, keys, length, half)
        if length <= SHORT:
            insert(pairs, length)
        else:
            count(counts, pairs, length)
            for digit in range(DIGITS):
                starts = beyond(counts, digit * VALUES)
                if starts[value_of(pairs[0], digit)] != length:
                    deal(starts, digit, pairs, other, length)
                    pairs, other = other, pairs
    for k in range(kept):
        home[k] = pairs[k] & LOW


@njit(nogil=True)
def fill(pairs: Pointer[int], keys: Pointer[Item], length: int, half: int) -> None:
    """Pairs of one half of each key and its place, in the order found so far."""
    sign = -1 << (8 * item_bytes(keys) - 1)
    for i in range(length):
        place = pairs[i] & LOW
        pairs[i] = ((keys[place] ^ sign) >> (32 * half) & LOW) << 32 | place


@njit(nogil=True)
def insert(pairs: Pointer[int], length: int) -> None:
    """Move each pair down to where none before it has a larger key."""
    for i in range(1, length):
        pair = pairs[i]
        k = i
        while k > 0 and (pairs[k - 1] >> 32) & LOW > (pair >> 32) & LOW:
            pairs[k] = pairs[k - 1]
            k -= 1
        pairs[k] = pair


@njit(nogil=True)
def count(counts: Pointer[int], pairs: Pointer[int], length: int) -> None:
    """How often each value of each digit occurs."""
    for k in range(DIGITS * VALUES):
        counts[k] = 0
    for i in range(length):
        pair = pairs[i]
        counts[value_of(pair, 0)] += 1
        counts[value_of(pair, 1) + VALUES] += 1
        counts[value_of(pair, 2) + 2 * VALUES] += 1
        counts[value_of(pair, 3) + 3 * VALUES] += 1


@njit(nogil=True)
def deal(starts: Pointer[int], digit: int, pairs: Pointer[int], other: Pointer[int], length: int) -> None:
    """Put all pairs in the order of one digit, in the other place. ``starts`` are the counts of its values."""
    total = 0
    for k in range(VALUES):
        here = starts[k]
        starts[k] = total
        total += here
    for i in range(length):
        pair = pairs[i]
        k = value_of(pair, digit)
        place = starts[k]
        starts[k] = place + 1
        other[place] = pair


@njit(nogil=True)
def value_of(pair: int, digit: int) -> int:
    """A digit of a pair's key."""
    return (pair >> (32 + DIGIT * digit)) & (VALUES - 1)
