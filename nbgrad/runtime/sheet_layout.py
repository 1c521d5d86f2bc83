"""Where the words of stamps, rules and sheets stand, all int64: what trace/ writes down and compiled code reads.

A *stamp* is the tape of one small graph. A *rule* says how a call on operands of given forms is computed: which stamp,
and where each result lies. A *sheet* is a chapter on its way to being run without its graph. Its *script* has a line
for each recorded entry:

    rule >= 0, grad, operand...         a call; an operand is an entry, a number mark, or SAME - place of the first
    LEAF, grad, form                    a tensor from memory
    EVENT                               an entry without a value
    ALIAS, grad, value, history         the value of an entry; its cotangent goes to ``history`` (-1: nowhere)
    GIVEN, form, slot, count, start...  a value written out: a result of a derivative

A *value* is a form (an id, see trace/rules.py), the slot of its base (-1: a constant), and the numbers its views start
at: ``count`` places in the list of numbers, from ``starts`` on in the sheet's pool.
"""

from __future__ import annotations

from typing import Final

LEAF, EVENT, ALIAS, GIVEN = -1, -2, -3, -4  # lines of a script that are no calls
SAME: Final = -16  # an operand that is the same value as the one at place p of its call: SAME - p
MARKS: Final = -3  # operands from here up to -1 are numbers

# A stamp: tables (rows of the tape, words of the descriptors, relocs, terms), and what it needs.
(
    STAMP_ROWS,
    STAMP_N_ROWS,
    STAMP_WORDS,
    STAMP_N_WORDS,
    STAMP_RELOCS,
    STAMP_N_RELOCS,
    STAMP_TERMS,
    STAMP_N_TERMS,
    STAMP_NUMBERS,
    STAMP_N_NUMBERS,
    STAMP_ARENA,
    STAMP_INPUTS,
    STAMP_OUTPUTS,
    STAMP_SIZES,  # one for each output
) = range(14)
# A reloc: desc[word] = base of place + offset; places are the inputs, then FROM_OUTPUT and the others beyond them.
RELOC_WORD, RELOC_PLACE, RELOC_OUTPUT, RELOC_OFFSET, RELOC_WORDS = range(5)
FROM_OUTPUT, FROM_ARENA, FROM_NUMBERS = range(3)
# A number that a stamp reads: its place among the numbers of the rule, the code of its dtype.
NUMBER_PLACE, NUMBER_DTYPE, NUMBER_WORDS = range(3)

# A rule (how many operands, numbers, and starts of results it has), then its results: form (-1: none), output of the
# stamp or -1, input or -1, count, places of starts.
RULE_STAMP, RULE_OPERANDS, RULE_NUMBERS, RULE_STARTS, RULE_SAME, RULE_RESULTS = range(6)
RESULT_FORM, RESULT_OUTPUT, RESULT_INPUT, RESULT_COUNT, RESULT_STARTS = range(5)

# A leaf that cotangents reached, as DERIVE lists them in the scratch region: its entry, its cotangent.
FOUND_IX, FOUND_VALUE, FOUND_WORDS = 0, 1, 5

# A value; of an entry also whose cotangent it shares, whether it takes one, its line, and the numbers before it.
FORM, SLOT, STARTS, COUNT, COTANGENT_WORDS = range(5)
OWNER, GRAD, LINE, NUMBER, VALUE_WORDS = range(4, 9)

# A cell of the table of derivatives: length of the key, the key (rule, form of the cotangent, then for every operand
# its place and the form of what was there before), the rule.
KEY_LENGTH, KEY = range(2)

# A sheet.
(
    STEP,  # what to do
    SCRIPT,
    SCRIPT_END,
    RULES,  # addresses of rules, by number
    TABLE,
    TABLE_MASK,
    ROOM,  # what the regions below have room for: so many entries, twice as many slots, ...
    VALUES,
    COTANGENTS,
    VISITED,
    ACTIVE,
    LEAVES,
    SIZES,
    PASTED,
    POOL,
    NUMBERS,
    SCRATCH,
    AT,  # how far the script is laid out
    ENTRIES,  # how many lines that were
    N_SLOTS,
    SIZE_BYTES,  # of all slots but those of tensors from memory, if each had a place of its own
    N_PASTED,  # words
    N_STAMPS,
    N_POOL,
    N_NUMBERS,  # numbers that stamps read
    N_SCALARS,  # numbers that were recorded
    N_ROWS,
    N_WORDS,
    ARENA,  # bytes that a stamp needs for itself while it runs
    N_LEAVES,
    CHOSEN,  # whether only entries marked active are differentiated
    RETAIN,
    SEED,  # the entry whose cotangent is a constant of form SEED_FORM; -1: the seeds stand in their places
    SEED_FORM,
    IX,  # how far back a derivative is
    CELL,  # the empty cell where a missing rule belongs
    KEY_WORDS,  # the length of its key, which stands in the last third of the scratch region
    BASES,  # addresses of slots
    MEMORY,  # of slots without a base of their own, of OWN, TAPE and DESC
    MEMORY_BYTES,
    NEEDED,  # by slots without a base of their own, in bytes
    OWN,  # of the stamp that runs
    BLOCK,  # of the numbers
    TAPE,
    DESC,
    SHEET_WORDS,
) = range(46)

# How much there is room for in the regions, for each entry that ROOM counts. The scratch region has three parts: slots,
# numbers, and the key of a rule.
SLOTS_ROOM: Final = 4
PASTED_ROOM: Final = 16  # words
POOL_ROOM: Final = 2
NUMBERS_ROOM: Final = 2
SCRATCH_PART: Final = 4

# Words for each entry.
REGION_WORDS: Final = {
    VALUES: VALUE_WORDS,
    COTANGENTS: COTANGENT_WORDS,
    VISITED: 1,
    ACTIVE: 1,
    LEAVES: 1,
    SIZES: SLOTS_ROOM,
    PASTED: PASTED_ROOM,
    POOL: POOL_ROOM,
    NUMBERS: NUMBERS_ROOM * NUMBER_WORDS,
    SCRATCH: 3 * SCRATCH_PART,
    BASES: SLOTS_ROOM,
}

# The words that start from 0 with every script.
COUNTED: Final = slice(AT, ARENA + 1)

# What compiled code is asked to do.
LAY_OUT, PREPARE, PULL_BACK, DERIVE, PLACE_AND_LINK, LINK = range(6)

# What it answers.
READY, GROW, MISSING, UNSUPPORTED = range(4)
