"""What instructions name: globals, attributes, free variables, imports, and how they ask for them."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any, Final, NamedTuple

from nbgrad.replay.kinds import names_in

_GLOBALS: Final = names_in("LOAD_GLOBAL LOAD_NAME STORE_GLOBAL STORE_NAME DELETE_GLOBAL DELETE_NAME")
_ATTRIBUTES: Final = names_in("LOAD_ATTR LOAD_METHOD STORE_ATTR DELETE_ATTR IMPORT_FROM LOAD_SUPER_ATTR")
_FREE: Final = names_in(
    "LOAD_DEREF STORE_DEREF DELETE_DEREF LOAD_CLASSDEREF LOAD_CLOSURE MAKE_CELL COPY_FREE_VARS LOAD_FROM_DICT_OR_DEREF"
)
_EITHER: Final = frozenset(["LOAD_FROM_DICT_OR_GLOBALS"])  # of a class body: its own names, then globals
_CALLS: Final = frozenset(["PRECALL", "CALL"])
_BY_NAME: Final = frozenset(["getattr", "hasattr", "setattr", "delattr"])
_PRINTING: Final = frozenset(["str", "repr", "format"])
_CONSTANTS: Final = (None, True, False, ...)
Where = tuple[str, int]  # file and line


class Uses(NamedTuple):
    """Names that instructions use, each with its line. ``made`` are beginnings of attribute names that are made at run
    time; ``problem`` is what cannot be told. ``identity``: objects are compared by it. ``probes``: whether there is
    something may have been asked for, rather than taken. ``prints``: objects may be made into text."""

    loads: dict[str, Where]
    names: dict[str, Where]
    free: dict[str, Where]
    imports: dict[str, Where]
    made: dict[str, Where]
    problem: tuple[str, Where] | None
    identity: bool
    probes: bool
    prints: bool


@functools.lru_cache(maxsize=1 << 12)
def uses_of(code: CodeType, offsets: frozenset[int] | None) -> Uses:
    """What the instructions at ``offsets`` use, with None all of them."""
    uses = Uses({}, {}, {}, {}, {}, None, False, False, False)
    problem, identity, probes, prints = None, False, False, False
    instructions = instructions_of(code)
    for k, i in enumerate(instructions):
        if offsets is not None and i.offset not in offsets:
            continue
        where = (code.co_filename, _line(i) or code.co_firstlineno)
        found = _found(uses, i)
        if found is not None:
            found.setdefault(i.argval, where)
        elif i.opname == "IMPORT_NAME":
            uses.imports.setdefault(i.argval, where)
        elif i.opname == "MATCH_CLASS":
            by_name = instructions[k - 1].argval  # a tuple: the attributes that a pattern names
            for name in ("__match_args__", *(by_name if type(by_name) is tuple else ())):
                uses.names.setdefault(name, where)
        elif i.opname == "IS_OP":
            before = instructions[k - 1]
            identity = identity or not (before.opname.startswith("LOAD_CONST") and before.argval in _CONSTANTS)
        elif i.opname == "PUSH_EXC_INFO":
            probes = True
        elif i.opname.startswith("FORMAT_"):
            prints = True
        elif i.opcode in dis.hasname or (i.opcode in dis.hasfree and i.opname not in _FREE):
            problem = problem or (f"the instruction {i.opname}", where)
        if i.opname in _GLOBALS and i.argval in _BY_NAME:
            probes = True
            name = _second_argument(instructions[k + 1 :]) if i.opname == "LOAD_GLOBAL" else None
            if name is None:
                problem = problem or (f"{i.argval} with a name that is made at run time", where)
            elif name.endswith("*"):
                uses.made.setdefault(name[:-1], where)
            else:
                uses.names.setdefault(name, where)
    prints = prints or not _PRINTING.isdisjoint(uses.loads)
    return uses._replace(problem=problem, identity=identity, probes=probes, prints=prints)


def _found(uses: Uses, i: Any) -> dict[str, Where] | None:
    """Where the name that an instruction has is noted."""
    if i.opname in _GLOBALS or i.opname in _EITHER:
        return uses.loads
    if i.opname in _ATTRIBUTES:
        return uses.names
    return uses.free if i.opname in _FREE and type(i.argval) is str else None


def _line(i: Any) -> int | None:
    return i.positions.lineno if i.positions is not None else None


@functools.lru_cache(maxsize=1 << 12)
def _all_of(code: CodeType) -> tuple[Any, ...]:
    return tuple([i for i in dis.get_instructions(code) if i.opname != "CACHE"])


def count_of(code: CodeType) -> int:
    """How many instructions ``code`` has."""
    return len(_all_of(code))


def instructions_of(code: CodeType) -> list[Any]:
    """The instructions of ``code`` that do something by themselves."""
    return [i for i in _all_of(code) if i.opname not in ("KW_NAMES", "EXTENDED_ARG")]


def completed(code: CodeType, offsets: set[int]) -> frozenset[int]:
    """With the instructions whose argument begins before them: those are seen to run where they begin."""
    found = set(offsets)
    for i in _all_of(code):
        if i.opname == "EXTENDED_ARG" and i.offset in found:
            found.add(i.offset + 2)
    return frozenset(found)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """``code`` and those of functions and classes inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes_in(inner)


def _second_argument(after: Sequence[Any]) -> str | None:
    """The constant that is the second argument of the call whose arguments ``after`` puts on the stack; its beginning
    and a star where it is an f-string that begins with a constant. None where neither can be told."""
    depth, name, parts = 0, None, 0
    for i in after:
        if i.opname in _CALLS and depth == i.arg:
            return name
        if "JUMP" in i.opname or depth < 0:
            return None
        effect = dis.stack_effect(i.opcode, i.arg)
        if depth == 1:
            name = i.argval if i.opname == "LOAD_CONST" and type(i.argval) is str else None
            parts = int(name is not None)
        elif i.opname == "BUILD_STRING" and depth - i.arg == 1 and parts:
            name = f"{name}*" if name else None
            depth += effect
            continue
        elif depth == 2 and (effect <= 0 or not i.opname.startswith("LOAD")):
            name = None
        if depth + effect <= 2 < depth:
            name = None
        depth += effect
    return None
