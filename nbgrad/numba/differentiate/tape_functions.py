"""What is done with a tape, in its own words (``tape.py``): functions of words alone, which Numba compiles when the
package is built (``write_tape``). ``tape_calls.py`` is how others call them."""

from __future__ import annotations

from nbgrad.kernels.njit import njit
from nbgrad.numba.differentiate.memory import (
    N_SLOTS,
    allocated,
    clear,
    exchange,
    number,
    release,
    set_number,
    set_word,
    swept,
    word,
)
from nbgrad.numba.differentiate.tape import (
    ADJOINT,
    AFTER,
    ARGUMENTS,
    AT,
    BEFORE,
    BEFORE_STEP,
    BEHIND,
    BLOCKS,
    CHUNK,
    COTANGENTS,
    COTANGENTS_AT,
    END,
    FIRST,
    FIRST_ROOM,
    HEAD_BYTES,
    KEPT_BYTES,
    LAID,
    LARGEST_ROOM,
    MOST,
    MOST_PLACES,
    NEXT,
    NO_ROOM,
    NOTE_WORDS,
    NOTES,
    ORDER,
    OVERFLOWED,
    PARTS,
    PLACE,
    ROOM,
    SHAPES,
    STATUS,
    STEP,
    STEP_BYTES,
    STEP_ENTRY,
    STEP_GROUP,
    STEP_WORDS,
    TAPE_OF_STEP,
    USED,
)


@njit(nogil=True)
def _new_chunk(room: int) -> int:
    chunk: int = allocated(HEAD_BYTES + room)
    if chunk != 0:
        for k in range(HEAD_BYTES // 8):
            set_word(chunk, k, 0)
        set_word(chunk, ROOM, room)
    return chunk


@njit(nogil=True)
def _begin_chunk(tape: int, chunk: int) -> None:
    set_word(tape, CHUNK, chunk)
    set_word(tape, AT, chunk + HEAD_BYTES)
    set_word(tape, END, chunk + HEAD_BYTES + word(chunk, ROOM))


@njit(nogil=True)
def _start(tape: int, is_over: int) -> None:
    set_word(tape, OVERFLOWED, is_over)
    set_word(tape, USED, 0)
    set_word(tape, STATUS, 0)
    set_word(tape, NEXT, word(tape, FIRST))
    _begin_chunk(tape, tape)


@njit(nogil=True)
def open_tape(n_numbers: int, n_floats: int, n_arrays: int, item_words: int, most: int) -> int:
    """A tape for at most ``most`` bytes. Its arguments have the places from 1 on: numbers the first ones, then the
    floats of arrays, which are laid out in ``item_words`` each. 0: no memory."""
    tape, count = 0, n_numbers + n_floats
    if count >= MOST_PLACES:
        return tape
    for slot in range(N_SLOTS):
        tape = exchange(slot, 0)
        if tape != 0:
            break
    if tape == 0:
        tape = _new_chunk(FIRST_ROOM)
    if tape != 0:
        set_word(tape, MOST, most)
        set_word(tape, FIRST, 1 + count)
        set_word(tape, LAID, 1 + n_numbers)
        _start(tape, 0)
        items = 8 * item_words * count
        address = block(tape, ARGUMENTS, items + 8 * NOTE_WORDS * n_arrays)
        if address == 0:
            close_tape(tape)
            return 0
        set_word(tape, NOTES, address + items)
    return tape


@njit(nogil=True)
def grow(tape: int) -> None:
    """Make room for the next entries: another chunk, or the first one over again where that is not possible."""
    chunk = word(tape, CHUNK)
    set_word(chunk, BEHIND, word(tape, AT))
    used = word(tape, USED) + word(tape, AT) - chunk - HEAD_BYTES
    after, is_allowed = word(chunk, AFTER), used < word(tape, MOST) and word(tape, NEXT) < MOST_PLACES
    if after == 0 and is_allowed:
        after = _new_chunk(min(2 * word(chunk, ROOM), LARGEST_ROOM))
        if after != 0:
            set_word(chunk, AFTER, after)
            set_word(after, BEFORE, chunk)
    if after == 0 or not is_allowed:
        _start(tape, 1)
    else:
        set_word(tape, USED, used)
        _begin_chunk(tape, after)


@njit(nogil=True)
def block(tape: int, which: int, size: int) -> int:
    """The address of at least ``size`` bytes that the tape has for one purpose; 0: no memory."""
    k = BLOCKS + 2 * which
    if word(tape, k) == 0 or word(tape, k + 1) < size:
        release(word(tape, k))
        set_word(tape, k, allocated(max(size, 64)))
        set_word(tape, k + 1, size)
    return word(tape, k)


@njit(nogil=True)
def last_step(tape: int) -> int:
    """The last step; one whose result has no place, because it raised or depends on no argument, is forgotten."""
    step = word(tape, STEP)
    if step != 0 and word(step, PLACE) == 0:
        _forget_step(tape)
    return word(tape, STEP)


@njit(nogil=True)
def _forget_step(tape: int) -> None:
    step = word(tape, STEP)
    set_word(tape, STEP, word(step, BEFORE_STEP))
    set_word(tape, MOST, word(tape, MOST) + word(step, STEP_BYTES))
    release(step)


@njit(nogil=True)
def _release_from(tape: int, chunk: int) -> None:
    while chunk != 0:
        after = word(chunk, AFTER)
        release(chunk)
        chunk = after


@njit(nogil=True)
def close_tape(tape: int) -> None:
    """Lay the tape to rest, for whoever asks next."""
    while word(tape, STEP) != 0:
        _forget_step(tape)
    kept, chunk = 0, tape
    while chunk != 0:
        kept += word(chunk, ROOM)
        after = word(chunk, AFTER)
        if kept > KEPT_BYTES and after != 0:
            _release_from(tape, after)
            set_word(chunk, AFTER, 0)
            break
        chunk = after
    for which in range(2):
        k = BLOCKS + 2 * which
        if word(tape, k + 1) > KEPT_BYTES:
            release(word(tape, k))
            set_word(tape, k, 0)
            set_word(tape, k + 1, 0)
    for slot in range(N_SLOTS):
        tape = exchange(slot, tape)
        if tape == 0:
            return
    release(word(tape, BLOCKS))
    release(word(tape, BLOCKS + 2))
    _release_from(tape, tape)


@njit(nogil=True)
def cotangents(tape: int, copies: int) -> None:
    """Make zeros, ``copies`` for each place, unless there is no memory, or the tape started over."""
    count, address = copies * word(tape, NEXT), 0
    if word(tape, OVERFLOWED) == 0:
        address = block(tape, COTANGENTS, 8 * count)
    if address == 0:
        set_word(tape, STATUS, NO_ROOM)
    else:
        clear(address, 8 * count)


@njit(nogil=True)
def cotangent(tape: int, copy: int, place: int) -> float:
    """That of a place, or (copy 1) its tangent."""
    return number(word(tape, COTANGENTS_AT), copy * word(tape, NEXT) + place)


@njit(nogil=True)
def add_cotangent(tape: int, place: int, v: float) -> None:
    """Add the cotangent of a result."""
    if word(tape, STATUS) == 0 and place != 0:
        g = word(tape, COTANGENTS_AT)
        set_number(g, place, number(g, place) + v)


@njit(nogil=True)
def sweep(tape: int, back: int) -> int:
    """Carry the cotangents back to the arguments, and their tangents; the status. ``back`` is the address of the code
    that does it for the entries of a chunk."""
    if word(tape, STATUS) == 0:
        chunk, at, place = word(tape, CHUNK), word(tape, AT), word(tape, NEXT)
        g = word(tape, COTANGENTS_AT)
        h = g + 8 * place
        while chunk != 0:
            place = swept(back, at, place, g, h)
            chunk = word(chunk, BEFORE)
            at = word(chunk, BEHIND) if chunk != 0 else 0
    return word(tape, STATUS)


# Arrays.


@njit(nogil=True)
def floats(step: int, k: int) -> int:
    """In the values of an operand, 0 or 1, or of the result, 2."""
    return word(step, PARTS) * word(step, SHAPES + 2 * k) * word(step, SHAPES + 2 * k + 1)


@njit(nogil=True)
def jet_at(step: int, k: int) -> int:
    """The address of a jet, 0 to 2, or of an operand's places, 3 or 4."""
    at = step + 8 * STEP_WORDS
    for one in range(k):
        at += 8 * word(step, ORDER) * floats(step, one) if one < 3 else 8 * floats(step, one - 3)
    return at


@njit(nogil=True)
def open_step(
    tape: int, adjoint: int, order: int, parts: int, ra: int, ca: int, rb: int, cb: int, rows: int, columns: int
) -> int:
    """A new step of the tape, whose operands are to be written; 0: no memory."""
    of_operands = ra * ca + rb * cb
    size = 8 * (STEP_WORDS + order * parts * (of_operands + rows * columns) + parts * of_operands)
    last, step = last_step(tape), 0
    if word(tape, OVERFLOWED) == 0 and word(tape, USED) + word(tape, AT) - word(tape, CHUNK) + size < word(tape, MOST):
        step = allocated(size)
    if step != 0:
        set_word(step, BEFORE_STEP, last)
        set_word(step, ADJOINT, adjoint)
        set_word(step, PLACE, 0)
        set_word(step, STEP_BYTES, size)
        set_word(step, TAPE_OF_STEP, tape)
        set_word(step, ORDER, order)
        set_word(step, PARTS, parts)
        set_word(step, SHAPES, ra)
        set_word(step, SHAPES + 1, ca)
        set_word(step, SHAPES + 2, rb)
        set_word(step, SHAPES + 3, cb)
        set_word(step, SHAPES + 4, rows)
        set_word(step, SHAPES + 5, columns)
        set_word(tape, MOST, word(tape, MOST) - size)
        set_word(tape, STEP, step)
    return step


@njit(nogil=True)
def placed(tape: int, step: int) -> int:
    """The first place of the result; 0 where no operand depends on an argument."""
    count = floats(step, 0) + floats(step, 1)
    at, is_needed = jet_at(step, 3), 0
    for k in range(count):
        is_needed |= word(at, k)
    if is_needed == 0:
        return 0
    if word(tape, AT) + STEP_ENTRY > word(tape, END):
        grow(tape)
    if word(tape, OVERFLOWED) != 0:
        return 0
    at, first = word(tape, AT), word(tape, NEXT)
    set_word(at, 0, step)
    set_word(at, 1, STEP_GROUP << 32)
    set_word(tape, AT, at + STEP_ENTRY)
    set_word(tape, NEXT, first + floats(step, 2))
    set_word(step, PLACE, first)
    return first
