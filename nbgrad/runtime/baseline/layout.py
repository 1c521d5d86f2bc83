"""What the memory of templates, rules and programs holds: what trace/ writes down and compiled code reads.

A *template* is the tape of one small graph. A *rule* says how a call on operands of given forms is computed: which
template, and where each result lies. A *program* is a segment on its way to being run without its graph. Its *bytecode*
has a line for each recorded entry:

    rule >= 0, grad, operand...         a call; an operand is an entry, a number mark, or SAME - place of the first
    LEAF, grad, form                    a tensor from memory
    EVENT                               an entry without a value
    ALIAS, grad, value, history         the value of an entry; its cotangent goes to ``history`` (-1: nowhere)
    GIVEN, form, slot, count, start...  a value written out: a result of a derivative

A *value* is a form (an id, see rules.py), the slot of its base (-1: a constant), and the numbers its views
start at: ``count`` places in the list of numbers, from ``starts`` on in the program's pool.
"""

from ctypes import Structure, sizeof
from typing import Annotated, Final

from nbgrad.kernels.records import MANY, WORD, Pointer, record, word_of
from nbgrad.runtime.layout import Move, Row

LEAF, EVENT, ALIAS, GIVEN = -1, -2, -3, -4  # lines of a bytecode that are no calls
SAME: Final = -16  # an operand that is the same value as the one at place p of its call: SAME - p
MARKS: Final = -3  # operands from here up to -1 are numbers


@record
class TemplateReloc(Structure):
    """desc[word] = base of place + offset; places are the inputs, then FROM_OUTPUT and the others beyond them."""

    word: int
    place: int
    output: int
    offset: int


FROM_OUTPUT, FROM_ARENA, FROM_NUMBERS = range(3)


@record
class Number(Structure):
    """A number that a template reads: its place among the numbers of the rule, the code of its dtype."""

    place: int
    dtype: int


@record
class Template(Structure):
    """Tables (rows of the tape, words of the descriptors, relocs, terms), and what it needs."""

    rows: Pointer[Row]
    n_rows: int
    words: Pointer[int]
    n_words: int
    relocs: Pointer[TemplateReloc]
    n_relocs: int
    terms: Pointer[Move]
    n_terms: int
    numbers: Pointer[Number]
    n_numbers: int
    arena: int
    inputs: int
    outputs: int
    sizes: Annotated[Pointer[int], MANY]  # one for each output


@record
class Pasted(Structure):
    """A template where it was pasted."""

    template: int
    first: int  # the slot of its first output
    inputs: Annotated[Pointer[int], MANY]  # their slots


@record
class Result(Structure):
    """Of a rule: form (-1: none), output of the template or -1, input or -1, places of starts."""

    form: int
    output: int
    input: int
    count: int
    starts: Annotated[Pointer[int], MANY]


@record
class Rule(Structure):
    """How many operands, numbers, and starts of results it has; then come its results."""

    template: int
    operands: int
    numbers: int
    starts: int
    same: int
    results: Annotated[Pointer[int], MANY]


@record
class Value(Structure):
    """A value; of an entry also whose cotangent it shares, whether it takes one, its line, the numbers before it."""

    form: int
    slot: int
    starts: int
    count: int
    owner: int
    grad: int
    line: int
    number: int


@record
class Cotangent(Structure):
    """The first words of a value."""

    form: int
    slot: int
    starts: int
    count: int


@record
class Found(Structure):
    """A leaf that cotangents reached, as DERIVE lists them in the scratch region."""

    ix: int
    cotangent: Cotangent


@record
class Entry(Structure):
    """Of the table of derivatives: the key (rule, form of the cotangent, then for every operand its place and the form
    of what was there before), then the rule."""

    length: int
    key: Annotated[Pointer[int], MANY]


@record
class Program(Structure):
    step: int  # what to do
    bytecode: int
    bytecode_end: int
    rules: int  # addresses of rules, by number
    table: int
    table_mask: int
    room: int  # what the regions below have room for: so many entries, twice as many slots, ...
    values: Pointer[Value]
    cotangents: Pointer[Cotangent]
    visited: Pointer[int]
    active: Pointer[int]
    leaves: Pointer[int]
    sizes: Pointer[int]
    pasted: int
    pool: Pointer[int]
    numbers: Pointer[Number]
    scratch: int
    at: int  # how far the bytecode is laid out
    entries: int  # how many lines that were
    n_slots: int
    size_bytes: int  # of all slots but those of tensors from memory, if each had a place of its own
    n_pasted: int  # words
    n_templates: int
    n_pool: int
    n_numbers: int  # numbers that templates read
    n_scalars: int  # numbers that were recorded
    n_rows: int
    n_words: int
    arena: int  # bytes that a template needs for itself while it runs
    n_leaves: int
    chosen: int  # whether only entries marked active are differentiated
    retain: int
    seed: int  # the entry whose cotangent is a constant of form ``seed_form``; -1: the seeds stand in their places
    seed_form: int
    ix: int  # how far back a derivative is
    cell: int  # the empty cell where a missing rule belongs
    key_words: int  # the length of its key, which stands in the last third of the scratch region
    bases: Pointer[int]  # addresses of slots
    memory: int  # of slots without a base of their own, of ``own``, ``tape`` and ``desc``
    memory_bytes: int
    needed: int  # by slots without a base of their own, in bytes
    own: int  # of the template that runs
    block: int  # of the numbers
    tape: int
    desc: int


# How much there is room for in the regions, for each entry that ROOM counts. The scratch region has three parts: slots,
# numbers, and the key of a rule.
SLOTS_ROOM: Final = 4
PASTED_ROOM: Final = 16  # words
POOL_ROOM: Final = 2
NUMBERS_ROOM: Final = 2
SCRATCH_PART: Final = 4

# Words for each entry, of the regions.
REGION_WORDS: Final = {
    "values": sizeof(Value) // WORD,
    "cotangents": sizeof(Cotangent) // WORD,
    "visited": 1,
    "active": 1,
    "leaves": 1,
    "sizes": SLOTS_ROOM,
    "pasted": PASTED_ROOM,
    "pool": POOL_ROOM,
    "numbers": NUMBERS_ROOM * sizeof(Number) // WORD,
    "scratch": 3 * SCRATCH_PART,
    "bases": SLOTS_ROOM,
}

PROGRAM_WORDS: Final = sizeof(Program) // WORD
VALUE_WORDS, COTANGENT_WORDS, FOUND_WORDS = REGION_WORDS["values"], REGION_WORDS["cotangents"], sizeof(Found) // WORD
# The words that start from 0 with every bytecode.
COUNTED: Final = slice(word_of(Program, "at"), word_of(Program, "arena") + 1)

# What compiled code is asked to do.
LAY_OUT, PREPARE, PULL_BACK, DERIVE, PLACE_AND_LINK, LINK = range(6)

# What it answers.
READY, GROW, MISSING, UNSUPPORTED = range(4)
