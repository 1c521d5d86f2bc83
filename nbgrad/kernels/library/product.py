"""The loops of a matrix product round its blocks: tiles, terms, runs of k, panels of the right factor.

An element's bits depend on its row, its column and the length of k alone: not on the vector width, on tiles, on how the
factors lie in memory, or on what is multiplied beside it. What moves vectors is written for each machine
(``nbgrad/kernels/product.py``) and called by its address. Source of the scheme: Goto and van de Geijn 2008, "Anatomy of
high-performance matrix multiplication".
"""

from ctypes import Structure, addressof, c_int64
from typing import Annotated, Final

from nbgrad.kernels.njit import njit
from nbgrad.kernels.pointers import call, quotient, room
from nbgrad.kernels.records import MANY, WORD, Pointer, record
from nbgrad.ops.library import CROWDED_BYTES, LEFT_BYTES, PRODUCT_RUN
from nbgrad.tape.kernel import OK
from nbgrad.tape.product_words import ADDS_FIRST, ADDS_LAST, FACTORS, MATRICES, TERM_WORDS

VECTORS: Final = 3  # of a row of a panel
FEW_ROWS: Final = 32  # so few rows of A do not pay for copying a panel of B
ENOUGH_ROWS: Final = 8  # sums at once that keep a processor busy: each waits four cycles for the one before, two run
# In runs of up to so many steps of k the first rows of a panel, not asked for before, count: the weight gradients of an
# LSTM, terms of 32 steps, took 8.5 to 9.2 ms instead of 8.0. In runs of 256 the next panel pushes out this one: a
# product of 256 x 1024 x 1024 took 2 % more.
SHORT_RUN: Final = 64
NEAR_BYTES: Final = 32768  # a panel is read where it lies if all of it keeps in the first cache there
TABLE_STEP: Final = 8  # bytes of a table's numbers
LINE_BYTES: Final = 64
LEAST_PANELS: Final = 3  # that read what was copied of A
MOST_COLUMNS: Final = 192  # of a flipped tile, for which there is room
# Measured, in multiplications: to turn round an element of a factor, and to turn back one of the result.
TURN, TURN_BACK = 8, 16
MOST_DIMS: Final = 64  # of a batch
PLACES: Final = c_int64 * MOST_DIMS


@record
class Product(Structure):
    """C = X + the sum of the terms A @ B + Y, of matrices (m, k) and (k, n); an item is one tile of one of a batch.

    ``adds`` says whether X and Y are there. The elements of a row of C, X and Y follow each other; steps are in bytes.
    ``rest``: the batch's sizes; for x, y, c: address, batch strides; then the terms.
    """

    m: int
    n: int
    tile_m: int
    tile_n: int
    x_row: int
    y_row: int
    c_row: int
    adds: int
    terms: int
    rest: Annotated[Pointer[int], MANY]


@record
class Term(Structure):
    """One A @ B. The elements of a row or a column of B follow each other; A lies in any way.

    Where b_rows is not 0, element (p, j) of B lies the number p of the table at b_rows (int64, in bytes) and the number
    j of that at b_columns from where B starts; b_k and b_column are 0. ``rest``: for a, b: address, batch strides.
    """

    k: int
    a_row: int
    a_k: int
    b_k: int
    b_column: int
    b_rows: int
    b_columns: int
    rest: Annotated[Pointer[int], MANY]


@record
class Block(Structure):
    """c[i, j] = sum of a[i, p] * b[p, j] over p < run, in order from 0; where it ``begins`` with x, x[i, j] + that sum;
    where it ``ends`` with y, + y[i, j]. Columns of b, x, y and c follow each other."""

    a: int
    a_row: int
    a_k: int
    b: int
    b_k: int
    x: int
    x_row: int
    y: int
    y_row: int
    c: int
    c_row: int
    run: int
    rows: int
    columns: int
    begins: int
    ends: int


@record
class Machine(Structure):
    """What a machine has: lanes of a vector and rows of a block, as powers of two; rooms on the stack; routines."""

    block: Block  # what it is told
    rank: int  # dims of the batch
    item: int  # bytes of an element
    lane_bits: int
    row_bits: int
    panel: int  # PRODUCT_RUN rows of VECTORS vectors
    left: int  # LEFT_BYTES of a tile's rows of A, in blocks; a cache line lies between blocks
    flipped: int  # a tile of C^T: a row of VECTORS vectors for each of its columns
    blocks: Annotated[Pointer[int], 2 * VECTORS]  # with 1, 2, ... vectors; of half the rows, then whole ones
    copy_rows: int
    copy_columns: int
    collect: int
    copy_left: int
    turn_back: int
    ask_for: int


@njit(nogil=True)
def product(words: Product, begin: int, end: int, machine: Machine) -> int:
    """Make the tiles from ``begin`` to ``end``.

    For each element and term runs of PRODUCT_RUN products are added up in order from 0, rounding once for each (where
    the machine has such an instruction), and the runs' sums are added in order, to X or to the first of them; then Y.
    """
    return tiles(words, begin, end, machine, False)


@njit(nogil=True)
def product_draft(words: Product, begin: int, end: int, machine: Machine) -> int:
    """The same with blocks of half as many rows alone. It copies no left factor, flips no tile, knows no tables."""
    return tiles(words, begin, end, machine, True)


@njit(nogil=True)
def tiles(words: Product, begin: int, end: int, machine: Machine, is_draft: bool) -> int:
    """What both do."""
    across = quotient(words.n + words.tile_n - 1, words.tile_n)
    together = quotient(words.m + words.tile_m - 1, words.tile_m) * across
    places, rank = room(PLACES), machine.rank
    for item in range(begin, end):
        batch = quotient(item, together)
        tile = item - batch * together
        x, y, c = words.rest[rank], words.rest[2 * rank + 1], words.rest[3 * rank + 2]
        for dim in range(rank - 1, -1, -1):
            rounds = quotient(batch, words.rest[dim])
            place = batch - rounds * words.rest[dim]
            places[dim], batch = place, rounds
            x += place * words.rest[rank + 1 + dim]
            y += place * words.rest[2 * rank + 2 + dim]
            c += place * words.rest[3 * rank + 3 + dim]
        band = quotient(tile, across)
        corner = band * words.tile_m, (tile - band * across) * words.tile_n
        one_tile(words, machine, places, (x, y, c), corner, is_draft)
    return OK


@njit(nogil=True)
def nth_term(words: Product, number: int, rank: int) -> Term:
    """Term ``number``."""
    first = addressof(words.rest) + WORD * (len(MATRICES) * (1 + rank) + rank)
    return Term.from_address(first + number * WORD * (len(TERM_WORDS) + len(FACTORS) * (1 + rank)))


@njit(nogil=True)
def factors_of(term: Term, places: Pointer[int], rank: int, corner: tuple[int, int]) -> tuple[int, int]:
    """Where the rows of A and the columns of B begin that a tile reads."""
    row, column = corner
    a, b = term.rest[0] + row * term.a_row, term.rest[rank + 1] + column * term.b_column
    for dim in range(rank):
        a += places[dim] * term.rest[1 + dim]
        b += places[dim] * term.rest[rank + 2 + dim]
    return a, b


@njit(nogil=True)
def one_tile(
    words: Product,
    machine: Machine,
    places: Pointer[int],
    results: tuple[int, int, int],
    corner: tuple[int, int],
    is_draft: bool,
) -> None:
    """The tile at a corner of matrices; ``results``: where x, y and c start."""
    rank, item, block = machine.rank, machine.item, machine.block
    (x, y, c), (row, column) = results, corner
    x += row * words.x_row + column * item
    y += row * words.y_row + column * item
    c += row * words.c_row + column * item
    rows, columns = min(words.tile_m, words.m - row), min(words.tile_n, words.n - column)
    block.y_row, block.c_row = words.y_row, words.c_row
    ends, flips = words.adds & ADDS_LAST, False
    if not is_draft and flip_pays(words, machine, nth_term(words, 0, rank), rows, columns):
        flips = True
        rows, columns, ends = columns, rows, 0
        block.c_row = (VECTORS * item) << machine.lane_bits
    for number in range(words.terms):
        term = nth_term(words, number, rank)
        is_last = number + 1 == words.terms
        a, b = factors_of(term, places, rank, corner)
        steps, upcoming = (term.a_row, term.a_k, term.b_k, term.b_column), 0
        if flips:  # there is no other term
            a, b, steps = b, a, (term.b_column, term.b_k, term.a_k, term.a_row)
        elif not is_draft and not is_last:
            _, upcoming = factors_of(nth_term(words, number + 1, rank), places, rank, corner)
        a_row, a_k, b_k, b_column = steps
        block.a_row, block.a_k = a_row, a_k
        factors, into = (a, b, upcoming, b_k, b_column), (x, y, machine.flipped if flips else c)
        size, adds_y = (rows, columns, column), ends if is_last else 0
        one_term(words, machine, term, number, factors, into, adds_y, size, is_draft)
    if flips:
        call(machine.turn_back, machine.flipped, columns, rows, y, words.y_row, words.adds & ADDS_LAST, c, words.c_row)


@njit(nogil=True)
def flip_pays(words: Product, machine: Machine, term: Term, rows: int, columns: int) -> bool:
    """Whether a tile of so many rows and columns is better flipped: there is one term, nothing comes before it, and
    less has to be turned round.

    Where B lies column by column, a product of few rows takes a third of its time to turn B round. C^T = B^T A^T has
    the same bits, and turns A round, which is small; what it gives is turned back tile by tile.
    """
    lanes, k = 1 << machine.lane_bits, term.k
    if words.terms != 1 or words.adds & ADDS_FIRST != 0 or rows > VECTORS * lanes or columns > MOST_COLUMNS:
        return False
    if term.b_k != machine.item or term.b_column == machine.item or term.a_k != machine.item:
        return False
    padded = (rows + lanes - 1) & -lanes
    gain = k * (columns - padded) * TURN
    return gain > (padded - rows) * columns * k + padded * columns * TURN_BACK


@njit(nogil=True)
def one_term(
    words: Product,
    machine: Machine,
    term: Term,
    number: int,
    factors: tuple[int, int, int, int, int],
    results: tuple[int, int, int],
    adds_y: int,
    size: tuple[int, int, int],
    is_draft: bool,
) -> None:
    """A term of a tile, run by run, so that the tile's part of A keeps in cache while the panels of B pass by.

    ``factors``: A, B, B of the next term, 0 if there is none, and the steps of B. ``size``: rows, columns, the first of
    the columns.
    """
    (a, b, upcoming, b_k, b_column), (x, y, c), (rows, columns, tile_column) = factors, results, size
    block, item, lane_bits, k = machine.block, machine.item, machine.lane_bits, term.k
    a_row, a_k = block.a_row, block.a_k
    # Four vectors are two panels of two, as one of one takes half as long as one of three. Where a block has few rows,
    # it takes as long as one of two, as sums wait for themselves: there no vector is left alone.
    vectors = (columns + (1 << lane_bits) - 1) >> lane_bits
    panels = quotient(vectors + VECTORS - 1, VECTORS)
    leaves_one = vectors > 1 and panels * VECTORS - vectors == VECTORS - 1
    threes = panels - 2 if leaves_one and (vectors == VECTORS + 1 or 1 << machine.row_bits < ENOUGH_ROWS) else panels
    for first in range(0, k, PRODUCT_RUN):
        run = min(PRODUCT_RUN, k - first)
        block.run, block.ends = run, adds_y if first + run == k else 0
        if first + number == 0:
            block.begins, block.x_row, before = words.adds & ADDS_FIRST, words.x_row, x
        else:
            block.begins, block.x_row, before = 1, block.c_row, c
        left, left_block, block.a_k = a + first * a_k, a_row << machine.row_bits, a_k
        if not is_draft and left_pays(machine, a_row, a_k, rows, panels):
            call(machine.copy_left, machine.left, left, a_k, run, rows)
            left, block.a_k = machine.left, item << machine.row_bits
            left_block = ((PRODUCT_RUN * item) << machine.row_bits) + LINE_BYTES
        for place in range(panels):
            column = (min(place, threes) * VECTORS + max(place - threes, 0) * 2) << lane_bits
            width = (VECTORS if place < threes else 2) << lane_bits
            block.columns = min(width, columns - column)
            right = b + first * b_k + column * b_column
            along = column * item
            if is_draft:
                find_panel(machine, right, b_k, b_column, rows)
                block.a, block.x, block.y, block.c = left, before + along, y + along, c + along
                last_blocks(machine, rows)
                continue
            if term.b_rows != 0:
                tables = term.b_rows + first * TABLE_STEP, term.b_columns + (tile_column + column) * TABLE_STEP
                call(machine.collect, machine.panel, right, tables[0], tables[1], run, block.columns)
                block.b, block.b_k = machine.panel, (VECTORS * item) << lane_bits
            else:
                find_panel(machine, right, b_k, b_column, rows)
            following = 0
            if run <= SHORT_RUN:
                following = right + width * b_column
                if place + 1 == panels:
                    following = upcoming if first + run == k else b + (first + run) * b_k
            block.a, block.x, block.y, block.c = left, before + along, y + along, c + along
            blocks(machine, left_block, rows, following, b_k)


@njit(nogil=True)
def left_pays(machine: Machine, a_row: int, a_k: int, rows: int, panels: int) -> bool:
    """Whether a tile's run of A is better copied.

    It is where A lies column by column, as it does in the gradient of a weight, and its lines crowd in the cache:
    every block and panel would load them again. 512 x 768 x 128 takes a tenth less time. Where lines do not crowd it
    gains nothing (384 x 768 x 128), and a tile of fewer rows costs a tenth (256 x 512 x 784).
    """
    most_blocks = quotient(LEFT_BYTES, (PRODUCT_RUN * machine.item) << machine.row_bits)
    crowds = a_row == machine.item and a_k & (CROWDED_BYTES - 1) == 0
    return crowds and rows <= most_blocks << machine.row_bits and panels >= LEAST_PANELS


@njit(nogil=True)
def find_panel(machine: Machine, right: int, b_k: int, b_column: int, rows: int) -> None:
    """The rows of B from ``right`` on: where they lie, or in a copy."""
    block, item = machine.block, machine.item
    routine, apart = machine.copy_columns, b_column
    if b_column == item:
        whole = block.columns & ((1 << machine.lane_bits) - 1) == 0
        if whole and (rows <= FEW_ROWS or block.run * b_k <= NEAR_BYTES):
            block.b, block.b_k = right, b_k
            return
        routine, apart = machine.copy_rows, b_k
    call(routine, machine.panel, right, apart, block.run, block.columns)
    block.b, block.b_k = machine.panel, (VECTORS * item) << machine.lane_bits


@njit(nogil=True)
def blocks(machine: Machine, apart: int, rows: int, following: int, b_k: int) -> None:
    """The blocks of one panel from where the block is, ``apart`` in A: whole ones, then those of the last rows. In a
    short run each asks for a row of the next panel, which is at ``following`` unless that is 0:
    its first rows would be waited for.
    """
    block, height = machine.block, 1 << machine.row_bits
    routine = machine.blocks[VECTORS + ((block.columns - 1) >> machine.lane_bits)]
    block.rows = height
    for _ in range(rows >> machine.row_bits):
        if following != 0:
            call(machine.ask_for, following)
            following += b_k
        call(routine, block)
        block.a += apart
        block.x += block.x_row << machine.row_bits
        block.y += block.y_row << machine.row_bits
        block.c += block.c_row << machine.row_bits
    if following != 0 and rows & (height - 1) != 0:
        call(machine.ask_for, following)
    last_blocks(machine, rows & (height - 1))


@njit(nogil=True)
def last_blocks(machine: Machine, rows: int) -> None:
    """Blocks of half as many rows, from where the block is."""
    block, half = machine.block, 1 << (machine.row_bits - 1)
    routine = machine.blocks[(block.columns - 1) >> machine.lane_bits]
    while rows > 0:
        block.rows = min(half, rows)
        call(routine, block)
        rows -= half
        block.a += block.a_row << (machine.row_bits - 1)
        block.x += block.x_row << (machine.row_bits - 1)
        block.y += block.y_row << (machine.row_bits - 1)
        block.c += block.c_row << (machine.row_bits - 1)
